//! Tournaments and exhibitions have one owner each, beside the owner of the whole database.

use crate::place::{Client, Place};
use crate::played::{all_events, bots, events, match_id, open_match_of, play, tournament_id, written};
use crate::store_checks::{assert_kept, tournament};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::{Origin, Record, Timestamp};
use lastnim_store::{Change, Owned, Store, StoreError};
use lastnim_tournament::TournamentState;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn origin(tournament: TournamentId, number: u64) -> Origin {
    Origin { tournament, number, group: 0 }
}

/// Takes a tournament or an exhibition, as another server of the future would.
fn claim(owned: Owned) -> String {
    let (table, id) = match owned {
        Owned::Tournament(id) => ("tournaments", id.to_string()),
        Owned::Exhibition(id) => ("matches", id.to_string()),
    };
    format!(
        "UPDATE server SET claims = claims + 1;
        UPDATE {table} SET owner_epoch = owner_epoch + 1000 WHERE id = '{id}';"
    )
}

fn running(id: TournamentId) -> Change {
    Change::TournamentState { id, state: TournamentState::Running }
}

pub fn what_another_server_has_taken_is_left_to_it(place: &Place) {
    let store = place.open();
    let [lost, kept] = [1, 2].map(tournament_id);
    place.write(&store, &[1, 2].map(|number| Change::TournamentCreated(tournament(number))));
    let over = play(match_id(1), bots(0..3), Some(origin(lost, 0)), 4, u32::MAX);
    place.write(&store, &written(&over));
    let [of_lost, of_kept] =
        [(2, lost), (3, kept)].map(|(number, id)| open_match_of(match_id(number), Some(&origin(id, 1))));
    let exhibitions = [4, 5].map(|number| open_match_of(match_id(number), None));
    let begin = |record: &Record| events(record, 0, record.events().len() - 2);
    place.write(&store, &[&of_lost, &of_kept, &exhibitions[0], &exhibitions[1]].map(begin));

    let mut client = place.client();
    let taken = [Owned::Tournament(lost), Owned::Exhibition(exhibitions[0].id())];
    for owned in taken {
        place.execute(&mut client, &claim(owned));
    }
    let count = |client: &mut Client| {
        ["matches", "tournament_events", "bots"]
            .map(|table| place.number(client, &format!("SELECT count(*) FROM {table}")))
    };
    let before = count(&mut client);
    let new = play(match_id(6), bots(0..3), Some(origin(lost, 2)), 4, u32::MAX);
    let at = Timestamp::from_micros(1);
    let refused: [(Owned, Vec<Change>); 9] = [
        (taken[0], vec![all_events(&of_lost)]),
        (taken[0], written(&new)),
        (taken[0], vec![running(lost)]),
        (taken[0], vec![Change::MatchVoided { id: over.id(), reason: "why".parse().unwrap() }]),
        (taken[0], vec![Change::MatchQuarantined { id: of_lost.id(), at, why: "why".to_owned() }]),
        (taken[0], vec![Change::SeatVersions { id: of_lost.id(), versions: Vec::new() }]),
        (taken[0], vec![all_events(&of_kept), all_events(&of_lost)]),
        (taken[1], vec![all_events(&exhibitions[0])]),
        (taken[1], vec![running(kept), all_events(&exhibitions[0])]),
    ];
    for (owned, changes) in &refused {
        assert_eq!(place.run(store.write(changes)), Err(StoreError::Superseded(*owned)), "{changes:?}");
    }
    assert_eq!(count(&mut client), before, "nothing of it is written");
    let length =
        |record: &Record| place.run(store.match_record(record.id())).unwrap().unwrap().record.events().len();
    for record in [&of_lost, &of_kept, &exhibitions[0]] {
        assert_eq!(length(record), record.events().len() - 2);
    }
    assert_eq!(place.run(store.tournament(kept)).unwrap().unwrap().state, TournamentState::Open);
    // Everything else goes on, also what is created now.
    place.write(&store, &[running(kept), all_events(&of_kept), all_events(&exhibitions[1])]);
    place.write(&store, &written(&play(match_id(7), bots(0..3), None, 4, u32::MAX)));
    place.write(&store, &[Change::TournamentCreated(tournament(3)), running(tournament_id(3))]);
    assert_kept(place, &store, &[over]);

    // Whoever opens the database takes everything.
    drop(store);
    let store = place.open();
    place.write(&store, &[all_events(&of_lost), running(lost), all_events(&exhibitions[0])]);
    assert_eq!(kept_events(place, &store, of_lost.id()), of_lost.events().len());
}

/// Returns how many events of a match everybody can read.
fn kept_events(place: &Place, store: &Arc<dyn Store>, id: MatchId) -> usize {
    place.run(store.match_record(id)).unwrap().map_or(0, |stored| stored.record.events().len())
}

pub fn two_owners_never_both_write(place: &Place) {
    let store = place.open();
    let mut cut_off = 0;
    for round in 0..8 {
        let play_one = |number| play(match_id(10 * round + number), bots(0..3), None, number, u32::MAX);
        let records: Vec<Record> = (0..6).map(play_one).collect();
        let lost = records[0].id();
        let longest = records.iter().map(|record| record.events().len() - 1).max().unwrap();
        place.write(&store, &records.iter().map(|record| events(record, 0, 1)).collect::<Vec<_>>());
        let progress = AtomicUsize::new(1);
        // The other owner notes, in the transaction in which it takes the match, how much there is of it.
        let noted = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for at in 1..longest {
                    progress.store(at, Ordering::SeqCst);
                    for record in records.iter().filter(|record| at + 1 < record.events().len()) {
                        let written = loop {
                            let written = place.run(store.write(&[events(record, at, at + 1)]));
                            // The other owner may take its time.
                            if !written.as_ref().is_err_and(StoreError::is_transient) {
                                break written;
                            }
                        };
                        if let Err(refused) = written {
                            assert_eq!(refused, StoreError::Superseded(Owned::Exhibition(lost)));
                            assert_eq!(record.id(), lost);
                        }
                    }
                }
            });
            while progress.load(Ordering::SeqCst) < 3 && !writer.is_finished() {
                thread::yield_now();
            }
            let mut client = place.client();
            let begin = match client {
                Client::Sqlite(_) => "PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE;",
                Client::Postgres(_) => "BEGIN;",
            };
            place.execute(&mut client, &format!("{begin} {}", claim(Owned::Exhibition(lost))));
            let noted = kept_events(place, &store, lost);
            place.execute(&mut client, "COMMIT");
            writer.join().unwrap();
            noted
        });
        assert_eq!(
            kept_events(place, &store, lost),
            noted,
            "round {round}: nobody else has written it since"
        );
        cut_off += usize::from(noted + 1 < records[0].events().len());
        for record in &records[1..] {
            assert_eq!(kept_events(place, &store, record.id()), record.events().len() - 1);
        }
    }
    assert!(cut_off > 0, "each match was over before it was taken");
}
