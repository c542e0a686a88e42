//! Matches and their records in a store.

use crate::played::{
    RandomNumbers, all_events, bots, events_change, finished_match, match_changes, match_id, open_match,
    play_match, sign_record, tournament_id,
};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::referee::{MatchPhase, Origin, Record};
use lastnim_store::{Change, MatchFilter, Store, StoreError, StoredMatch, StoredResult};
use lastnim_tournament::TournamentState;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::Cell;
use std::sync::Arc;

/// How the events of matches are split into writes.
#[derive(Debug, Clone, Copy)]
enum Way {
    Whole,
    OneByOne,
    TakingTurns,
}

/// Splits records into batches of changes.
fn split_into_batches(records: &[Record], way: Way, seed: u64) -> Vec<Vec<Change>> {
    let ending = |record: &Record| {
        let is_over = record.state().phase() == MatchPhase::Ended;
        is_over.then(|| Change::MatchOver(Box::new(finished_match(record))))
    };
    match way {
        Way::Whole => records
            .iter()
            .map(|record| Some(all_events(record)).into_iter().chain(ending(record)).collect())
            .collect(),
        Way::OneByOne => {
            let batches_of = |record| {
                let single =
                    (0..Record::events(record).len()).map(|at| vec![events_change(record, at, at + 1)]);
                let mut batches: Vec<_> = single.collect();
                batches.last_mut().unwrap().extend(ending(record));
                batches
            };
            records.iter().flat_map(batches_of).collect()
        }
        Way::TakingTurns => {
            let random = &mut RandomNumbers::new(seed);
            let mut written = vec![0; records.len()];
            let mut batches = Vec::new();
            while written.iter().zip(records).any(|(&at, record)| at < record.events().len()) {
                let mut batch = Vec::new();
                for (at, record) in written.iter_mut().zip(records) {
                    let left = record.events().len() - *at;
                    let now = left.min(random.below(4) as usize + 20 * usize::from(random.below(9) == 0));
                    if now > 0 {
                        batch.push(events_change(record, *at, *at + now));
                        *at += now;
                        batch.extend(ending(record).filter(|_| now == left));
                    }
                }
                batches.push(batch);
            }
            batches
        }
    }
}

/// Checks that the store has these records unchanged.
pub fn assert_kept(database: &TestDatabase, store: &Arc<dyn Store>, records: &[Record]) {
    for record in records {
        let found = database.run(store.match_record(record.id())).unwrap().expect("it is stored");
        assert_eq!(found.record.events(), record.events());
        let is_over = record.state().phase() == MatchPhase::Ended;
        let expected = StoredMatch {
            record: record.clone(),
            seal: is_over.then(|| sign_record(record)),
            versions: Vec::new(),
        };
        assert!(found == expected, "{:?}", found.seal);
    }
}

pub fn records_are_read_back_unchanged(database: &TestDatabase) {
    let store = database.open();
    let number = Cell::new(0);
    let ways = prop::sample::select(vec![Way::Whole, Way::OneByOne, Way::TakingTurns]);
    let matches = prop::collection::vec((any::<u64>(), 2..6_u64, 0..90_u32), 1..5);
    let usual = Config::default();
    // Each case writes and reads whole matches, so there are far fewer cases than usual.
    let config = Config { cases: (usual.cases / 20).max(1), source_file: Some(file!()), ..usual };
    let checked = TestRunner::new(config).run(&(ways, matches, any::<u64>()), |(way, matches, seed)| {
        let play_one = |(of, seats, plies): (u64, u64, u32)| {
            number.set(number.get() + 1);
            play_match(match_id(number.get()), bots(0..seats), None, of, plies)
        };
        let records: Vec<Record> = matches.into_iter().map(play_one).collect();
        for batch in split_into_batches(&records, way, seed) {
            database.run(store.write(&batch)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        }
        assert_kept(database, &store, &records);
        Ok(())
    });
    checked.unwrap();
    assert_eq!(database.run(store.match_record(match_id(0))), Ok(None));
}

pub fn repeated_writes_change_nothing(database: &TestDatabase) {
    let store = database.open();
    let ended = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let (open, later) = open_match(match_id(2));
    let batch: Vec<_> = match_changes(&ended).into_iter().chain([all_events(&open)]).collect();
    for _ in 0..3 {
        database.write(&store, &batch);
        assert_kept(database, &store, &[ended.clone(), open.clone()]);
    }
    let twice = [batch.clone(), batch].concat();
    database.write(&store, &twice);
    // Overlapping events are added from the first new one.
    database.write(&store, &[events_change(&later, 1, later.events().len())]);
    assert_kept(database, &store, &[ended, later]);
    assert_eq!(database.run(store.unfinished_matches()), Ok(vec![match_id(2)]));
}

pub fn lists_have_pages_and_filters(database: &TestDatabase) {
    let store = database.open();
    for number in 0..2 {
        database.write(&store, &[Change::TournamentCreated(tournament(number))]);
    }
    let mut records = Vec::new();
    for number in 0..40 {
        let origin = (number % 3 > 0).then(|| Origin {
            tournament: tournament_id(number % 3 - 1),
            number: 1_000 - number,
            group: number / 2,
        });
        // One of every four matches is not over.
        let plies = if number % 4 == 0 { 2 } else { u32::MAX };
        let seated = bots((0..3).map(|seat| (number * (seat + 1) + seat) % 7 + 10 * seat));
        records.push(play_match(match_id(number), seated, origin, number, plies));
    }
    for record in &records {
        database.write(&store, &match_changes(record));
    }
    let unfinished: Vec<_> =
        records.iter().filter(|record| record.state().phase() != MatchPhase::Ended).map(Record::id).collect();
    assert!(unfinished.len() > 4);
    assert_eq!(database.run(store.unfinished_matches()), Ok(unfinished));

    let names = [None, Some("bot-3"), Some("bot-12"), Some("nobody")]
        .map(|name| name.map(|name| name.parse().unwrap()));
    let tournaments = [None, Some(0), Some(1), Some(2)].map(|number| number.map(tournament_id));
    for (bot, tournament) in names.iter().flat_map(|bot| tournaments.map(|tournament| (bot, tournament))) {
        let filter = MatchFilter::of(tournament, bot.clone());
        let admitted = records.iter().rev().filter(|record| {
            record.state().phase() == MatchPhase::Ended && filter.admits_setup(record.state().setup())
        });
        let expected: Vec<_> = admitted.collect();
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let page = database.run(store.match_summaries(&filter, before, 4)).unwrap();
            assert!(page.len() <= 4);
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            found.extend(page);
        }
        assert_eq!(found.len(), expected.len(), "{filter:?}");
        for (summary, record) in found.iter().zip(expected) {
            let state = record.state();
            assert_eq!((summary.id, summary.setup.as_deref()), (record.id(), Some(state.setup())));
            assert_eq!(
                (summary.phase, summary.plies, summary.end),
                (MatchPhase::Ended, state.ply(), state.end())
            );
        }
    }
}

pub fn results_are_read_by_number(database: &TestDatabase) {
    let store = database.open();
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let mut expected = Vec::new();
    // They do not end in the order of their numbers.
    for number in (0..20).rev() {
        let origin = Origin { tournament: tournament_id(1), number, group: number / 2 };
        let plies = if number % 5 == 1 { 3 } else { u32::MAX };
        let record = play_match(match_id(100 - number), bots(0..3), Some(origin), number, plies);
        database.write(&store, &match_changes(&record));
        if record.state().phase() == MatchPhase::Ended {
            let (id, bots) = (record.id(), record.state().setup().bots.clone());
            let group = number / 2;
            expected.push(StoredResult { number, group, id, bots, outcome: finished_match(&record).outcome });
        }
    }
    expected.reverse();
    assert!((10..20).contains(&expected.len()) && expected.iter().any(|result| result.outcome.is_some()));
    let id = tournament_id(1);
    assert_eq!(database.run(store.match_results(id, 0, 99)).unwrap(), expected);
    assert_eq!(database.run(store.match_results(id, 0, 3)).unwrap(), expected[..3]);
    let from = expected[4].number;
    assert_eq!(database.run(store.match_results(id, from, 2)).unwrap(), expected[4..6]);
    assert_eq!(database.run(store.match_results(id, u64::MAX, 2)).unwrap(), []);
    assert_eq!(database.run(store.match_results(tournament_id(2), 0, 2)).unwrap(), []);
}

pub fn invalid_changes_are_rejected(database: &TestDatabase) {
    let store = database.open();
    let refusal = |change: Change| match database.run(store.write(&[change])) {
        Err(StoreError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    assert!(refusal(events_change(&record, 1, 2)).contains(&match_id(1).to_string()));
    database.write(&store, &[events_change(&record, 0, 2)]);
    assert!(refusal(events_change(&record, 3, 4)).contains("is event 2, not event 3"));
    assert_eq!(database.run(store.match_record(match_id(1))).unwrap().unwrap().record.events().len(), 2);
    refusal(Change::TournamentState { id: tournament_id(1), state: TournamentState::Running });
    refusal(Change::MatchOver(Box::new(finished_match(&play_match(
        match_id(2),
        bots(0..2),
        None,
        4,
        u32::MAX,
    )))));
}
