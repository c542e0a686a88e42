//! Rows that somebody has changed, and matches that are quarantined for it.

use crate::place::{Client, Place};
use crate::played::{all_events, bots, events, match_id, open_match_of, over, play, tournament_id, written};
use lastnim::referee::{Event, MatchPhase, Origin, Record, Timestamp};
use lastnim::store::{Change, MatchFilter, StoreError, StoredResult};

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
        let Err(error @ StoreError::Damaged { .. }) = place.run(store.match_record(id)) else {
            panic!("{damage}")
        };
        let words = error.to_string();
        assert!(words.contains(&named) && words.contains(&id.to_string()), "{damage}: {words}");
        let restore = format!(
            "DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_events;
            UPDATE matches SET setup = kept.setup, plies = kept.plies, winner = kept.winner, signature = kept.signature
            FROM kept_matches AS kept WHERE kept.id = matches.id;
            DROP TABLE kept_events; DROP TABLE kept_matches"
        );
        place.execute(&mut client, &restore);
        assert_eq!(place.run(store.match_record(id)).unwrap().unwrap().record, record);
    }
}

pub fn a_quarantined_match_counts_for_nobody_and_stays(place: &Place) {
    let store = place.open();
    let tournament = tournament_id(1);
    let origin = |number| Some(Origin { tournament, number, group: 0 });
    let ended = play(match_id(1), bots(0..3), origin(0), 4, u32::MAX);
    let open = open_match_of(match_id(2), origin(1).as_ref());
    let other = open_match_of(match_id(3), origin(2).as_ref());
    place.write(&store, &[written(&ended), written(&open), written(&other)].concat());
    let why = "event 3: its hash is another";
    let quarantine = || {
        let at = Timestamp::from_micros(1_800_000_000_000_000);
        [Change::MatchQuarantined { id: open.id(), at, why: why.to_owned() }]
    };
    place.write(&store, &quarantine());
    // As after a lost answer. A match that is over cannot be damaged in play.
    place.write(&store, &quarantine());
    let at = Timestamp::from_micros(1);
    place.write(&store, &[Change::MatchQuarantined { id: ended.id(), at, why: "late".to_owned() }]);
    // An event that was under way when the match was quarantined is written no more.
    place.write(&store, &[all_events(&open)]);
    let mut stores = vec![store];
    for _ in 0..2 {
        let store = stores.pop().unwrap();
        assert_eq!(place.run(store.unfinished_matches()), Ok(vec![other.id()]));
        let refused = place.run(store.match_record(open.id())).unwrap_err();
        assert_eq!(refused, StoreError::Quarantined { id: open.id(), why: why.to_owned() });
        let shown = place.run(store.match_summary(open.id())).unwrap().unwrap();
        assert_eq!((shown.damage.as_deref(), shown.phase, shown.end), (Some(why), MatchPhase::Ended, None));
        assert_eq!(shown.plies, open.state().ply());
        assert_eq!(shown.setup.as_deref(), Some(open.state().setup()));
        let filter = MatchFilter::of(Some(tournament), None);
        let listed = place.run(store.match_summaries(&filter, None, 9)).unwrap();
        assert_eq!(listed.iter().map(|match_| match_.id).collect::<Vec<_>>(), [open.id(), ended.id()]);
        assert_eq!(listed[0], shown);
        assert_eq!(listed[1].damage, None);
        assert_eq!(place.run(store.match_summary(other.id())), Ok(None), "it is not over");
        let bots = open.state().setup().bots.clone();
        let result = StoredResult { number: 1, group: 0, id: open.id(), bots, outcome: None };
        let results = place.run(store.match_results(tournament, 0, 9)).unwrap();
        assert_eq!((results.len(), &results[1]), (2, &result));
        if store.is_durable() {
            drop(store);
            let of_it = format!("SELECT count(*) FROM events WHERE match_id = '{}'", open.id());
            let kept = i64::try_from(open.events().len()).unwrap();
            assert_eq!(place.number(&mut place.client(), &of_it), kept, "what is kept of it stays");
            stores.push(place.open());
        } else {
            stores.push(store);
        }
    }
    place.write(&stores[0], &[events(&other, 0, 1)]);
}

pub fn a_list_of_events_that_cannot_be_read_is_made_anew(place: &Place) {
    if place.url.sqlite_file().is_none() {
        return;
    }
    let store = place.open();
    let record = open_match_of(match_id(1), None);
    let (first, rest) = (events(&record, 0, 5), events(&record, 5, record.events().len()));
    place.write(&store, &[first]);
    drop(store);
    let store = place.open();
    place.write(&store, &[rest]);
    drop(store);
    let damage = "PRAGMA ignore_check_constraints = 1; UPDATE matches SET event_ids = '[1, 2, wrong'";
    place.execute(&mut place.client(), damage);
    let store = place.open();
    assert_eq!(place.run(store.match_record(record.id())).unwrap().unwrap().record, record);
}
