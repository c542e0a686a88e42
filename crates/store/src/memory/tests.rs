//! Tests which data is dropped first, and which changes are rejected.

use super::*;
use crate::FinishedMatch;
use lastnim_core::game::{AllianceMatrix, BySeat, Piles, SeatCount};
use lastnim_core::referee::{
    MatchPhase, MatchSetup, Origin, Record, Referee, RefereeInput, SeatAction, SigningKey, Terms, Timestamp,
};
use lastnim_tournament::{AllianceSource, TournamentState, testing};
use std::sync::Arc;

fn id(number: u64) -> MatchId {
    MatchId::new(1_700_000_000_000 + number, &[3; 10])
}

fn setup(bots: [&str; 2], of: Option<u64>, plies: usize) -> MatchSetup {
    let names = bots.map(|name| name.parse().unwrap()).to_vec();
    let mut setup = MatchSetup::new(names.try_into().unwrap(), Piles::parse(&vec![1; plies]).unwrap());
    setup.assigned = Some(AllianceMatrix::standard(SeatCount::new(2).unwrap()));
    setup.origin = of.map(|number| {
        let tournament = TournamentId::new(1_700_000_000_000 + number, &[5; 10]);
        Origin { tournament, number: 0, group: 0 }
    });
    setup
}

/// Plays a match to its end.
fn play_match(id: MatchId, setup: MatchSetup) -> Record {
    let mut at = Timestamp::from_micros(7);
    let present = BySeat::from_fn(setup.seats(), |_| true);
    let (mut referee, _) = Referee::begin(id, setup, present, at);
    while referee.record().state().phase() != MatchPhase::Ended {
        let state = referee.record().state();
        let (seat, action) = (state.position().to_move(), SeatAction::take(state.ply(), 1, None));
        at = Timestamp::from_micros(at.as_micros() + 1);
        let _told = referee.handle_input(RefereeInput::Act { seat, action }, at);
        referee.mark_effects_announced(at);
    }
    referee.into_record()
}

async fn store_match(store: &MemoryStore, record: &Record) {
    let head = record.last_hash();
    let seal = SigningKey::from_seed(&[7; 32]).seal(head);
    let finished_match = FinishedMatch { id: record.id(), head, seal, outcome: None };
    let events = Change::MatchEvents { id: record.id(), first: 0, events: record.events().to_vec() };
    store.write(&[events, Change::MatchOver(Box::new(finished_match))]).await.unwrap();
}

#[tokio::test]
async fn the_oldest_matches_are_dropped_until_both_limits_hold() {
    // A match has three events apart from its plies: `created`, `revealed` and `ended`.
    let store = MemoryStore::new(RetentionLimits { matches: 3, events: 30, tournaments: 1 });
    for (number, plies, left) in [
        (1, 2, vec![1]),
        (2, 2, vec![2, 1]),
        (3, 2, vec![3, 2, 1]),
        (4, 2, vec![4, 3, 2]),
        (5, 17, vec![5, 4, 3]),
        (6, 3, vec![6, 5]),
        (7, 28, vec![]),
        (8, 27, vec![8]),
    ] {
        store_match(&store, &play_match(id(number), setup(["a", "b"], Some(number), plies))).await;
        let page = store.match_summaries(&MatchFilter::default(), None, 9).await.unwrap();
        let listed: Vec<_> = page.iter().map(|summary| summary.id).collect();
        assert_eq!(listed, left.iter().copied().map(id).collect::<Vec<_>>());
        for past in 1..=number {
            assert_eq!(store.match_record(id(past)).await.unwrap().is_some(), left.contains(&past));
        }
    }
    let tables = store.lock();
    assert_eq!((tables.index.key_count(), tables.pairings.len()), (10, 1), "no empty set is left");
}

#[tokio::test]
async fn an_unfinished_match_does_not_count_towards_the_limits() {
    let store = MemoryStore::new(RetentionLimits { matches: 3, events: 30, tournaments: 1 });
    store_match(&store, &play_match(id(1), setup(["a", "b"], None, 2))).await;
    let open = play_match(id(2), setup(["a", "b"], None, 100));
    let events = open.events()[..90].to_vec();
    store.write(&[Change::MatchEvents { id: id(2), first: 0, events }]).await.unwrap();
    assert!(store.match_record(id(1)).await.unwrap().is_some());
    assert_eq!(store.match_record(id(2)).await.unwrap().unwrap().record.events().len(), 90);
}

#[tokio::test]
async fn events_after_a_gap_are_rejected() {
    let store = MemoryStore::new(RetentionLimits::default());
    let record = play_match(id(1), setup(["a", "b"], None, 3));
    let events = record.events();
    for (first, events) in [(0, &events[1..]), (1, &events[1..])] {
        let change = Change::MatchEvents { id: id(1), first, events: events.to_vec() };
        assert!(matches!(store.write(&[change]).await, Err(StoreError::Refused(_))));
        assert!(store.match_record(id(1)).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn the_matches_of_a_tournament_are_not_listed_once_one_was_dropped() {
    let store = MemoryStore::new(RetentionLimits { matches: 2, events: 1_000, tournaments: 9 });
    let tournament = TournamentId::new(1_700_000_000_001, &[5; 10]);
    let stored = StoredTournament {
        id: tournament,
        created_at: Timestamp::from_micros(1),
        settings: Arc::new(testing::settings(2, 3, AllianceSource::Declared)),
        terms: Terms::default(),
        field: Arc::default(),
        state: TournamentState::Running,
        over: None,
        deal_secret: None,
        entry_code: None,
    };
    store.write(&[Change::TournamentCreated(stored)]).await.unwrap();
    let page = HeadsPage { tournament, after: None, before: MatchId::greatest(), limit: 9 };
    for (number, of) in [(1, Some(1)), (2, Some(1)), (3, None)] {
        let heads = store.match_heads(&page).await.unwrap();
        assert_eq!(heads.len() as u64, number - 1);
        store_match(&store, &play_match(id(number), setup(["a", "b"], of, 2))).await;
    }
    assert_eq!(store.match_heads(&page).await, Err(StoreError::Forgotten(tournament)));
    let elsewhere = HeadsPage { tournament: TournamentId::new(1, &[5; 10]), ..page };
    assert_eq!(store.match_heads(&elsewhere).await, Ok(Vec::new()));
}
