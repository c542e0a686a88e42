//! Reads of a database while its server runs.

use crate::played::{bots, match_changes, match_id, play_match, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::game::MatchId;
use lastnim_core::referee::{MatchPhase, Origin, Timestamp};
use lastnim_store::{
    Change, MatchFilter, PruneFilter, PrunePage, StoreError, check_store, open_reader, prune_store,
};

pub fn a_store_can_be_read_while_its_server_runs(database: &TestDatabase) {
    let store = database.open();
    let mut changes = vec![Change::TournamentCreated(tournament(1))];
    let (mut events, mut unfinished) = (0, 0);
    for number in 0..30 {
        let origin = Origin { tournament: tournament_id(1), number, group: number / 2 };
        let plies = if number % 10 == 9 { 2 } else { u32::MAX };
        let record =
            play_match(match_id(number), bots(1..4), (number % 3 > 0).then_some(origin), number, plies);
        events += record.events().len() as u64;
        unfinished += u64::from(record.state().phase() != MatchPhase::Ended);
        changes.extend(match_changes(&record));
    }
    database.write(&store, &changes);
    let reader = database.run(open_reader(&database.url)).unwrap();
    let found = database.run(check_store(reader.as_ref())).unwrap();
    assert_eq!((found.fault_count, found.described_faults), (0, Vec::new()));
    assert_eq!((found.matches + found.unfinished, found.unfinished, found.events), (30, unfinished, events));
    assert_eq!(found.signers.values().sum::<u64>(), found.matches);
    let counts = database.run(reader.match_counts()).unwrap();
    let by_tournament: Vec<_> = counts.iter().map(|counts| (counts.tournament, counts.matches)).collect();
    assert!(by_tournament.contains(&(None, 10)) && by_tournament.contains(&(Some(tournament_id(1)), 20)));
    assert!(database.run(reader.size()).unwrap().bytes > 0);
    let refused = database.run(reader.write(&[Change::TournamentCreated(tournament(2))]));
    assert!(refused.is_err_and(|error| error.to_string().contains("reading only")));
    // The server keeps working.
    database.write(&store, &[Change::TournamentCreated(tournament(2))]);
    assert!(database.run(reader.tournament(tournament_id(2))).unwrap().is_some());
}

pub fn records_are_pruned_and_their_results_stay(database: &TestDatabase) {
    let store = database.open();
    let now = Timestamp::from_micros(1_800_000_000_000_000);
    let origin = |number: u64| Origin { tournament: tournament_id(1 + number % 2), number, group: number };
    let records: Vec<_> = (0..20)
        .map(|number| {
            play_match(
                match_id(number),
                bots(1..4),
                Some(origin(number)),
                number,
                if number == 7 { 2 } else { u32::MAX },
            )
        })
        .collect();
    let changes = (1..3).map(|number| Change::TournamentCreated(tournament(number)));
    database.write(&store, &changes.chain(records.iter().flat_map(match_changes)).collect::<Vec<_>>());
    let over: Vec<_> = records.iter().filter(|record| record.state().phase() == MatchPhase::Ended).collect();
    let summaries = || database.run(store.match_summaries(&MatchFilter::default(), None, 100)).unwrap();
    let results = || database.run(store.match_results(tournament_id(1), 0, 100)).unwrap();
    let (listed, resulted) = (summaries(), results());
    let kept_records = || -> Vec<MatchId> {
        let has_record = |id: &MatchId| match database.run(store.match_record(*id)) {
            Ok(stored) => stored.is_some(),
            Err(StoreError::Pruned(pruned)) => {
                assert_eq!(pruned, *id);
                false
            }
            Err(error) => panic!("{error}"),
        };
        over.iter().map(|record| record.id()).filter(has_record).collect()
    };
    let every = PruneFilter {
        tournament: None,
        over_before: Timestamp::from_micros(i64::MAX as u64),
        keep_newest: 0,
    };
    // No match is older than the first one.
    let none = PruneFilter { over_before: Timestamp::from_micros(5), ..every };
    assert_eq!(database.run(prune_store(store.as_ref(), none, now)), Ok(0));
    // Of one tournament, all but the newest three.
    let filter = PruneFilter { tournament: Some(tournament_id(1)), keep_newest: 3, ..every };
    let page = PrunePage { filter, after: None, limit: 2 };
    let first = database.run(store.prunable_matches(&page)).unwrap();
    assert_eq!(first, [match_id(0), match_id(2)], "the oldest first, up to the limit");
    let first_matches: Vec<_> = over
        .iter()
        .map(|record| record.id())
        .filter(|id| (0..20).step_by(2).any(|number| *id == match_id(number)))
        .collect();
    assert_eq!(database.run(prune_store(store.as_ref(), filter, now)), Ok(first_matches.len() as u64 - 3));
    let gone = &first_matches[..first_matches.len() - 3];
    let rest: Vec<_> = over.iter().map(|record| record.id()).filter(|id| !gone.contains(id)).collect();
    assert_eq!(kept_records(), rest);
    assert_eq!((summaries(), results()), (listed.clone(), resulted.clone()), "their results stay");
    // Now there is nothing to remove, and repeating a change is harmless.
    assert_eq!(database.run(prune_store(store.as_ref(), filter, now)), Ok(0));
    database.write(&store, &[Change::RecordsPruned { ids: gone.to_vec(), at: now }]);
    // Unfinished matches always stay, and the store keeps working.
    database.write(&store, &[Change::RecordsPruned { ids: vec![match_id(7)], at: now }]);
    assert!(database.run(store.match_record(match_id(7))).unwrap().is_some());
    let before = kept_records().len();
    let pruned = database.run(prune_store(store.as_ref(), every, now)).unwrap();
    assert_eq!(pruned, (before - kept_records().len()) as u64, "the reported number is right");
    assert_eq!(database.run(prune_store(store.as_ref(), every, now)), Ok(0));
    assert!(kept_records().is_empty());
    assert_eq!((summaries(), results()), (listed, resulted));
    let next = play_match(match_id(30), bots(1..4), None, 30, u32::MAX);
    database.write(&store, &match_changes(&next));
    assert_eq!(database.run(store.match_record(next.id())).unwrap().unwrap().record, next);
    assert!(database.run(store.match_record(match_id(7))).unwrap().is_some());
}
