//! Tests of running tournaments in which a match fails, and of the effect on this server and the next one.

use super::fixture::{name, with_timeout};
use super::interventions::{check_comparison, pause_until_idle, reason, tournament, wait_for_view};
use super::shaky_store::{ShakyStore, StoreBehaviour, shaky_store};
use crate::{Arena, Backend, Intervention, Limits, VoidTarget};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_store::{Store, StoredResult};
use lastnim_tournament::{
    BoundedCount, LadderPairing, LadderSettings, TableGroups, TournamentEvent, TournamentFormat,
    TournamentState,
};
use std::sync::Arc;
use std::time::Duration;

pub(super) const BOTS: [&str; 4] = ["first", "second", "third", "fourth"];

/// Returns all formats that have rounds, each with the number of matches in its first round and in total.
pub(super) fn round_formats() -> [(TournamentFormat, u64, u64); 3] {
    let table_groups = TableGroups::new(2).unwrap();
    let ladder = LadderSettings {
        groups: Some(BoundedCount::new(12).unwrap()),
        table_groups,
        suspend_after: BoundedCount::new(100).unwrap(),
        pairing: LadderPairing::default(),
    };
    [
        (TournamentFormat::Swiss { rounds: BoundedCount::new(3).unwrap(), table_groups }, 8, 24),
        (TournamentFormat::Knockout { advance: 1, table_groups }, 8, 12),
        (TournamentFormat::Ladder(ladder), 4, 24),
    ]
}

/// Opens an arena that writes checkpoints often.
pub(super) async fn open_arena(store: &Arc<ShakyStore>) -> Arena {
    let backend = Backend { store: store.clone(), ..Backend::in_memory() };
    let limits = Limits { checkpoint_results: 2, ..Limits::default() };
    with_timeout("an open arena", Arena::open(limits, backend, [])).await.unwrap()
}

pub(super) async fn begin(store: &Arc<ShakyStore>, format: TournamentFormat) -> (Arena, TournamentId) {
    let arena = open_arena(store).await;
    for bot in &BOTS[..2] {
        arena.register_bot(name(bot)).await.unwrap();
    }
    let id = tournament(&arena, &BOTS, format).await;
    (arena, id)
}

async fn results(store: &ShakyStore, id: TournamentId) -> Vec<StoredResult> {
    store.match_results(id, 0, 1_000).await.unwrap()
}

/// Checks that a match is quarantined and does not count.
async fn check_quarantined(arena: &Arena, store: &ShakyStore, (id, lost): (TournamentId, MatchId)) {
    let (summary, record) = arena.match_summary(lost).await.unwrap();
    assert_eq!(summary.damage.as_deref(), Some("the store rejected the match's events"));
    assert_eq!(record, None);
    let found = results(store, id).await.into_iter().find(|result| result.id == lost);
    let found = found.expect("it is among the results");
    assert_eq!((found.number, found.outcome), (0, None));
}

/// Plays until at least `over` matches are over, one of which the store rejected, and then pauses the tournament.
async fn play_with_rejected_match(
    format: TournamentFormat,
    behaviour: StoreBehaviour,
    over: u64,
) -> (Arc<ShakyStore>, Arena, TournamentId, MatchId) {
    let store = shaky_store();
    let (arena, id) = begin(&store, format).await;
    store.set(behaviour);
    wait_for_view(&arena, id, |view| view.played >= over).await;
    pause_until_idle(&arena, id).await;
    let lost = store.refused_match().expect("one is refused");
    check_quarantined(&arena, &store, (id, lost)).await;
    (store, arena, id, lost)
}

#[tokio::test(start_paused = true)]
async fn results_are_recounted_after_a_match_of_an_earlier_round_was_lost() {
    for (format, first_round, total) in round_formats() {
        for behaviour in [StoreBehaviour::RefusesOneMatch, StoreBehaviour::RefusesOneEnd] {
            let case = format!("{format:?}, {behaviour:?}");
            let (store, arena, id, lost) =
                play_with_rejected_match(format.clone(), behaviour, first_round + 1).await;
            let played = arena.tournament(id).await.unwrap().played;
            assert!(played < total, "{case}: {played} of {total}");
            assert!(store.checkpoint(id).await.unwrap().is_some(), "{case}: checkpoints are still written");
            let standings = arena.standings(id).await.unwrap();

            // This server counts the results again, and so does the next one.
            let void =
                Intervention::Void { targets: vec![VoidTarget::Group(first_round / 2)], reason: reason() };
            let (view, event) =
                arena.intervene(id, void).await.unwrap_or_else(|error| panic!("{case}: {error}"));
            let Some(TournamentEvent::Voided { matches, .. }) = event.map(|timed| timed.event) else {
                panic!("{case}: it is voided")
            };
            assert_eq!(view.played, played - matches.len() as u64, "{case}");
            assert_ne!(arena.standings(id).await.unwrap(), standings, "{case}");
            let standings = arena.standings(id).await.unwrap();
            arena.stop(Duration::ZERO).await;
            let arena = open_arena(&store).await;
            let again = arena.tournament(id).await.unwrap();
            assert_eq!((again.played, again.stored.state), (view.played, TournamentState::Running), "{case}");
            assert_eq!(arena.standings(id).await.unwrap(), standings, "{case}");

            arena.intervene(id, Intervention::Resume).await.unwrap();
            let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
            assert_eq!(
                (final_view.stored.state, final_view.played),
                (TournamentState::Finished, total),
                "{case}"
            );
            let numbers: Vec<_> = results(&store, id).await.iter().map(|result| result.number).collect();
            assert_eq!(numbers, (0..total).collect::<Vec<_>>(), "{case}");
            check_quarantined(&arena, &store, (id, lost)).await;
            let store: Arc<dyn Store> = store;
            check_comparison(&store, &arena, id).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_match_that_is_voided_is_replayed() {
    for (format, _, total) in round_formats() {
        for behaviour in [StoreBehaviour::RefusesOneMatch, StoreBehaviour::RefusesOneEnd] {
            let case = format!("{format:?}, {behaviour:?}");
            let (store, arena, id, lost) = play_with_rejected_match(format.clone(), behaviour, 1).await;
            let played = arena.tournament(id).await.unwrap().played;
            let void = Intervention::Void { targets: vec![VoidTarget::Match(lost)], reason: reason() };
            let (view, _) = arena.intervene(id, void).await.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(view.played, played - 1, "{case}");
            arena.intervene(id, Intervention::Resume).await.unwrap();
            let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
            assert_eq!(
                (final_view.stored.state, final_view.played),
                (TournamentState::Finished, total),
                "{case}"
            );
            let results = results(&store, id).await;
            assert!(results.iter().all(|result| result.id != lost && result.outcome.is_some()), "{case}");
            assert_eq!(results.len() as u64, total, "{case}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_lost_after_it_was_voided_is_replayed() {
    let store = shaky_store();
    let (arena, id) = begin(&store, TournamentFormat::RoundRobin).await;
    store.set(StoreBehaviour::RefusesOneEnd);
    while arena.open_match_count() == 0 {
        tokio::task::yield_now().await;
    }
    let open = arena.inner.matches.read().keys().next().copied().unwrap();
    let void = Intervention::Void { targets: vec![VoidTarget::Match(open)], reason: reason() };
    arena.intervene(id, void).await.unwrap();
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!(store.refused_match(), Some(open));
    assert_eq!((final_view.stored.state, final_view.played), (TournamentState::Finished, final_view.total));
    let results = results(&store, id).await;
    assert!(results.iter().all(|result| result.id != open && result.outcome.is_some()));
    assert_eq!(results.len() as u64, final_view.total);
    assert!(store.unfinished_matches().await.unwrap().is_empty());
}
