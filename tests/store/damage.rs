//! Rows that somebody has changed.

use crate::place::{Client, Place};
use crate::played::{bots, match_id, over, play, written};
use lastnim::referee::{Event, Record};
use lastnim::store::StoreError;

pub fn a_changed_row_is_found_and_named(place: &Place) {
    let store = place.open();
    // A match that has takes, and ended by them.
    let mut played = (0..).map(|seed| play(match_id(seed), bots(0..3), None, seed, u32::MAX));
    let record: Record =
        played.find(|record| record.state().ply() > 20 && over(record).outcome.is_some()).unwrap();
    place.write(&store, &written(&record));
    let id = record.id();
    let position = |wanted: fn(&Event) -> bool, skip: usize| {
        let found = record.events().iter().enumerate().filter(|(_, timed)| wanted(&timed.event));
        found.map(|(index, _)| index).nth(skip).unwrap()
    };
    let took = position(|event| matches!(event, Event::Took { .. }), 7);
    let revealed = position(|event| matches!(event, Event::Revealed { .. }), 0);
    let last = record.events().len() - 1;
    let mut client = place.client();
    let (table, of_match) = match client {
        Client::Sqlite(_) => {
            ("event_log", format!("match_key = (SELECT key FROM matches WHERE id = '{id}')"))
        }
        Client::Postgres(_) => ("events", format!("match_id = '{id}'")),
    };
    let event = |set: &str, seq: usize| {
        (format!("UPDATE {table} SET {set} WHERE {of_match} AND seq = {seq}"), format!("event {seq}:"))
    };
    let hash = match client {
        Client::Sqlite(_) => "hash = zeroblob(32)",
        Client::Postgres(_) => r"hash = decode(repeat('00', 32), 'hex')",
    };
    let other_bot = match client {
        Client::Sqlite(_) => "replace(setup, 'bot-1', 'bot-9')",
        Client::Postgres(_) => "replace(setup::text, 'bot-1', 'bot-9')::jsonb",
    };
    let row =
        |set: &str, named: &str| (format!("UPDATE matches SET {set} WHERE id = '{id}'"), named.to_owned());
    let damages = [
        event("take = take + 1", took),
        event("charged_us = charged_us + 1", took),
        event("at_us = at_us + 1", took),
        event("seat = 3", took),
        event("kind = 'tock'", took),
        event("lag_us = NULL", took),
        event("detail = '[[0,1,2],[0,1,2],[0,2,2]]'", revealed),
        event("reason = 'ply_limit'", last),
        event("winner = (winner + 1) % 3", last),
        event(hash, took),
        (format!("DELETE FROM {table} WHERE {of_match} AND seq = {took}"), format!("event {took}:")),
        row("plies = plies + 1", "row of match"),
        row("winner = (winner + 1) % 3", "row of match"),
        row("signature = NULL", "seal"),
        row(&format!("setup = {other_bot}"), "event 0:"),
    ];
    for (damage, named) in damages {
        let copies = format!(
            "CREATE TABLE kept_events AS SELECT * FROM {table}; CREATE TABLE kept_matches AS SELECT * FROM matches"
        );
        place.execute(&mut client, &copies);
        assert_eq!(place.execute(&mut client, &damage), 1, "{damage}");
        let Err(error @ StoreError::Damaged { .. }) = place.run(store.record(id)) else { panic!("{damage}") };
        let words = error.to_string();
        assert!(words.contains(&named) && words.contains(&id.to_string()), "{damage}: {words}");
        let restore = format!(
            "DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_events;
            UPDATE matches SET setup = kept.setup, plies = kept.plies, winner = kept.winner, signature = kept.signature
            FROM kept_matches AS kept WHERE kept.id = matches.id;
            DROP TABLE kept_events; DROP TABLE kept_matches"
        );
        place.execute(&mut client, &restore);
        assert_eq!(place.run(store.record(id)).unwrap().unwrap().record, record);
    }
}
