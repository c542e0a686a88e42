//! Tests of tournaments that cannot be resumed, together with others that can.

use super::fixture::arena_with_store;
use super::interventions::{pause_until_idle, reason, tournament, wait_for_view};
use super::lost_matches::{BOTS, begin, open_arena, round_formats};
use super::shaky_store::{StoreBehaviour, shaky_store};
use crate::{Arena, ArenaError, Intervention};
use lastnim_core::game::TournamentId;
use lastnim_store::{Change, Store};
use lastnim_tournament::{OpenMatches, TournamentFormat, TournamentState};
use std::time::Duration;

/// Checks that a quarantined tournament rejects all changes.
async fn check_refused(arena: &Arena, id: TournamentId, why: &str) {
    let pause = Intervention::Pause(OpenMatches::Finish);
    let quarantined = ArenaError::TournamentQuarantined { id, why: why.into() };
    assert_eq!(arena.intervene(id, pause).await.unwrap_err(), quarantined);
    assert_eq!(arena.start_tournament(id).await.unwrap_err(), quarantined);
}

#[tokio::test(start_paused = true)]
async fn a_tournament_that_cannot_be_resumed_does_not_stop_the_others() {
    for (format, first_round, _) in round_formats() {
        let store = shaky_store();
        // This arena writes no checkpoint: a checkpoint would include the result that is removed below.
        let arena = arena_with_store(store.clone()).await;
        let damaged = tournament(&arena, &BOTS, format).await;
        wait_for_view(&arena, damaged, |view| view.played > first_round).await;
        pause_until_idle(&arena, damaged).await;
        let sound = tournament(&arena, &["first", "second"], TournamentFormat::RoundRobin).await;
        wait_for_view(&arena, sound, |view| view.played == 1).await;
        pause_until_idle(&arena, sound).await;
        arena.stop(Duration::ZERO).await;
        // An older version of the program left the store in such a state when a match failed: it drew the next round
        // although a result of the previous round was missing.
        let results = store.match_results(damaged, 0, 1_000).await.unwrap();
        store.keep(Change::MatchVoided { id: results[0].id, reason: reason() }).await;
        let left = store.match_results(damaged, 0, 1_000).await.unwrap();

        for _ in 0..2 {
            let arena = open_arena(&store).await;
            let view = arena.tournament(damaged).await.unwrap();
            let why = view.damage.expect("it is quarantined");
            assert!(why.ends_with("does not fit any of its pairings"), "{why}");
            assert_eq!(view.stored.state, TournamentState::Running);
            check_refused(&arena, damaged, &why).await;
            let listed = arena.list_tournaments(None, 9).await.unwrap();
            let shown: Vec<_> = listed.iter().map(|view| (view.stored.id, view.damage.is_some())).collect();
            assert_eq!(shown, [(sound, false), (damaged, true)]);
            assert_eq!(store.match_results(damaged, 0, 1_000).await.unwrap(), left, "it stays unchanged");
            arena.stop(Duration::ZERO).await;
        }

        let arena = open_arena(&store).await;
        arena.intervene(sound, Intervention::Resume).await.unwrap();
        let final_view = wait_for_view(&arena, sound, |view| view.stored.state.is_over()).await;
        assert_eq!((final_view.stored.state, final_view.played), (TournamentState::Finished, 4));
        let cancelled = arena.cancel_tournament(damaged).await.unwrap();
        assert_eq!(cancelled.stored.state, TournamentState::Cancelled);
        assert_eq!(arena.open_tournament_count(), 0);
        arena.stop(Duration::ZERO).await;
        let view = open_arena(&store).await.tournament(damaged).await.unwrap();
        assert_eq!((view.stored.state, view.damage), (TournamentState::Cancelled, None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tournament_whose_lost_match_cannot_be_stored_is_resumed_by_the_next_server() {
    for is_cancelled in [false, true] {
        let store = shaky_store();
        store.set(StoreBehaviour::RefusesOneMatchPermanently);
        let (arena, id) = begin(&store, TournamentFormat::RoundRobin).await;
        let view = wait_for_view(&arena, id, |view| view.damage.is_some()).await;
        let lost = store.refused_match().unwrap();
        let why = view.damage.unwrap();
        assert_eq!(*why, *format!("match {lost} failed, and the store rejected its quarantine"));
        check_refused(&arena, id, &why).await;
        assert_eq!(arena.tournament(id).await.unwrap().played, 0);
        if is_cancelled {
            let cancelled = arena.cancel_tournament(id).await.unwrap();
            assert_eq!(cancelled.stored.state, TournamentState::Cancelled);
            continue;
        }
        arena.stop(Duration::ZERO).await;
        store.set(StoreBehaviour::Fine);
        let arena = open_arena(&store).await;
        let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
        assert_eq!((final_view.stored.state, final_view.damage), (TournamentState::Finished, None));
        assert_eq!(store.match_results(id, 0, 1_000).await.unwrap().len() as u64, final_view.total);
    }
}
