//! Voided matches in a store.

use crate::played::{
    all_events, bots, match_changes, match_id, open_match_of, play_match, sign_record, tournament_id,
};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::referee::{Origin, Timestamp};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::Change;
use lastnim_tournament::{OpenMatches, Reason, TournamentEvent, VoidedMatch};

pub fn a_voided_match_frees_its_number(database: &TestDatabase) {
    let store = database.open();
    let tournament_id = tournament_id(1);
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let played_match = |number: u64, id: u64| {
        let origin = Origin { tournament: tournament_id, number, group: 0 };
        let record = play_match(match_id(id), bots(0..3), Some(origin), id, u32::MAX);
        database.write(&store, &match_changes(&record));
        record
    };
    let first = played_match(0, 1);
    played_match(1, 2);
    let reason: Reason = "the network was down".parse().unwrap();
    let matches = vec![VoidedMatch { number: 0, id: match_id(1) }];
    let event = TournamentEvent::Voided { matches, reason: reason.clone() };
    let at = Timestamp::from_micros;
    let events = [
        TimedTournamentEvent { at: at(1), event: TournamentEvent::Paused { open: OpenMatches::Freeze } },
        TimedTournamentEvent { at: at(2), event },
    ];
    let change = |seq: usize| Change::TournamentEvent { id: tournament_id, seq, event: events[seq].clone() };
    let voided = Change::MatchVoided { id: match_id(1), reason: reason.clone() };
    database.write(&store, &[change(0)]);
    for _ in 0..2 {
        database.write(&store, &[change(1), voided.clone()]);
    }
    assert_eq!(database.run(store.tournament_events(tournament_id)).unwrap(), events);
    assert_eq!(database.run(store.tournament_events(crate::played::tournament_id(9))).unwrap(), []);
    let results = || {
        let found = database.run(store.match_results(tournament_id, 0, 9)).unwrap();
        found.into_iter().map(|result| (result.number, result.id)).collect::<Vec<_>>()
    };
    assert_eq!(results(), [(1, match_id(2))]);
    played_match(0, 3);
    assert_eq!(results(), [(0, match_id(3)), (1, match_id(2))]);
    database.write(&store, &[voided]);
    assert_eq!(results().len(), 2, "another one has the number now");
    let summary = |id| database.run(store.match_summary(match_id(id))).unwrap().unwrap();
    assert_eq!(summary(1).void_reason.as_deref(), Some(reason.as_str()));
    assert_eq!(summary(3).void_reason, None);
    let kept = database.run(store.match_record(match_id(1))).unwrap().unwrap();
    assert_eq!(
        (kept.record, kept.seal),
        (first.clone(), Some(sign_record(&first))),
        "its record stays unchanged"
    );
}

pub fn many_matches_are_voided_at_once(database: &TestDatabase) {
    // More than one SQLite statement takes.
    let count = 600;
    let store = database.open();
    let tournament_id = tournament_id(1);
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    // Lost matches: each is created and quarantined in one write.
    let lost_match = |number: u64, id: u64| {
        let origin = Origin { tournament: tournament_id, number, group: 0 };
        let record = open_match_of(match_id(id), Some(&origin));
        let (at, why) = (Timestamp::from_micros(1), "it panicked".to_owned());
        [all_events(&record), Change::MatchQuarantined { id: record.id(), at, why }]
    };
    database.write(&store, &(0..count).flat_map(|number| lost_match(number, number)).collect::<Vec<_>>());
    let results = || {
        let found = database.run(store.match_results(tournament_id, 0, 10_000)).unwrap();
        assert!(found.iter().all(|result| result.outcome.is_none()));
        found.into_iter().map(|result| (result.number, result.id)).collect::<Vec<_>>()
    };
    assert_eq!(results(), (0..count).map(|number| (number, match_id(number))).collect::<Vec<_>>());
    let stay = |number: &u64| number % 10 == 3;
    let reason = |number: u64| format!("reason {}", number % 7).parse::<Reason>().unwrap();
    let voided = (0..count).filter(|number| !stay(number));
    let mut changes: Vec<_> =
        voided.map(|number| Change::MatchVoided { id: match_id(number), reason: reason(number) }).collect();
    // One match of the same write takes a number that is free now, and an unknown match is ignored.
    changes.extend(lost_match(0, count));
    changes.push(Change::MatchVoided { id: match_id(count + 1), reason: reason(0) });
    database.write(&store, &changes);
    database.write(&store, &changes);
    let ids: Vec<_> = (0..count + 2).map(match_id).collect();
    let mut unvoided = database.run(store.unvoided_matches(&ids)).unwrap();
    unvoided.sort_unstable();
    let stays = (0..=count).filter(|number| stay(number) || *number == count).map(match_id);
    assert_eq!(unvoided, stays.collect::<Vec<_>>());
    let left = (0..count).filter(stay).map(|number| (number, match_id(number)));
    let expected: Vec<_> = std::iter::once((0, match_id(count))).chain(left).collect();
    assert_eq!(results(), expected);
    for number in [0, 1, 3, count - 1, count] {
        let summary = database.run(store.match_summary(match_id(number))).unwrap().unwrap();
        let is_voided = number < count && !stay(&number);
        let expected = is_voided.then(|| reason(number).to_string());
        assert_eq!(summary.void_reason.as_deref(), expected.as_deref(), "match {number}");
        assert!(summary.damage.is_some());
    }
}
