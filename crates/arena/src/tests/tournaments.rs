use super::fixture::{arena, duel_setup, name, shaky_arena, with_timeout};
use super::shaky_store::StoreBehaviour;
use crate::{Arena, ArenaError, NewTournament};
use lastnim_core::referee::Terms;
use lastnim_tournament::{AllianceSource, FieldError, Settings, SettingsDraft, TournamentState, testing};
use std::sync::Arc;

async fn tournament(arena: &Arena, seats: usize, positions: u64) -> lastnim_core::game::TournamentId {
    let settings = testing::settings(seats, positions, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    arena.create_tournament(new).await.unwrap().stored.id
}

#[tokio::test]
async fn a_tournament_that_ends_first_is_not_cancelled() {
    let arena = arena().await;
    let id = tournament(&arena, 2, 1).await;
    let handle = arena.live_tournament(id).unwrap();
    let mut stored = handle.view().stored;
    stored.state = TournamentState::Running;
    handle.set_tournament(stored.clone());
    let cancelling = tokio::spawn({
        let arena = arena.clone();
        async move { arena.cancel_tournament(id).await.map(|view| view.stored.state) }
    });
    tokio::task::yield_now().await;
    stored.state = TournamentState::Finished;
    handle.set_tournament(stored);
    let answer = with_timeout("the answer", cancelling).await.unwrap();
    assert!(
        matches!(answer, Err(ArenaError::WrongState { state: TournamentState::Finished, .. })),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_bot_that_makes_the_tournament_too_large_cannot_join() {
    let arena = arena().await;
    // 28 bots make 3,276 sets of three, and so 9,828,000 matches; 29 would make 10,962,000.
    let id = tournament(&arena, 3, 1_000).await;
    for bot in 0..29 {
        arena.register_bot(name(&format!("bot{bot}"))).await.unwrap();
    }
    for bot in 0..28 {
        let view = arena.join_tournament(id, &name(&format!("bot{bot}"))).await.unwrap();
        assert_eq!(view.stored.field.len(), bot + 1);
    }
    let refused = arena.join_tournament(id, &name("bot28")).await.unwrap_err();
    let expected = FieldError::TooManyMatches {
        field_size: 29,
        seats: arena.tournament(id).await.unwrap().stored.settings.seats,
        positions: 1_000,
    };
    assert_eq!(refused, ArenaError::Field { id, error: expected });
    let again = arena.join_tournament(id, &name("bot27")).await.unwrap();
    assert_eq!(again.stored.field.len(), 28);
    assert_eq!(arena.standings(id).await.unwrap().len(), 28);
}

/// Creates a tournament that starts automatically once two bots have joined.
async fn create_automatic_tournament(arena: &Arena) -> lastnim_core::game::TournamentId {
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let settings = Settings::new(SettingsDraft { start_when: Some(2), ..(*settings).clone() }).unwrap();
    let new = NewTournament { settings, terms: Terms::default() };
    arena.create_tournament(new).await.unwrap().stored.id
}

#[tokio::test]
async fn the_last_join_and_the_start_are_stored_together() {
    let (store, arena) = shaky_arena().await;
    let id = create_automatic_tournament(&arena).await;
    arena.join_tournament(id, &name("first")).await.unwrap();
    store.set(StoreBehaviour::RefusesStarts);
    let refused = arena.join_tournament(id, &name("second")).await.unwrap_err();
    assert!(matches!(refused, ArenaError::Store(_)), "{refused}");
    assert_eq!(*arena.tournament(id).await.unwrap().stored.field, [name("first")]);
    store.set(StoreBehaviour::Fine);
    let joined = arena.join_tournament(id, &name("second")).await.unwrap();
    assert_eq!((joined.stored.state, joined.total), (TournamentState::Running, 2));
    assert_eq!(arena.standings(id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_repeated_join_starts_a_full_tournament() {
    let arena = arena().await;
    let id = create_automatic_tournament(&arena).await;
    let handle = arena.live_tournament(id).unwrap();
    let mut stored = arena.join_tournament(id, &name("first")).await.unwrap().stored;
    Arc::make_mut(&mut stored.field).push(name("second"));
    handle.apply_join(&name("second"), stored);
    let joined = arena.join_tournament(id, &name("first")).await.unwrap();
    assert_eq!((joined.stored.state, joined.total), (TournamentState::Running, 2));
}

/// Blocks the runtime's only thread for long-running work, until the sender is dropped.
fn block_long_tasks() -> std::sync::mpsc::Sender<()> {
    let (release, held) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || held.recv());
    release
}

#[test]
fn an_exhibition_does_not_wait_for_the_planning_of_a_million_matches() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    runtime.unwrap().block_on(async {
        let arena = arena().await;
        // 45 bots make 990 pairs, and each pair plays 506 positions from both seats.
        let id = tournament(&arena, 2, 506).await;
        for bot in testing::field(45) {
            arena.register_bot(bot.clone()).await.unwrap();
            arena.join_tournament(id, &bot).await.unwrap();
        }
        let release = block_long_tasks();
        let starting = tokio::spawn({
            let arena = arena.clone();
            async move { arena.start_tournament(id).await.map(|view| view.total) }
        });
        // Waits until the request to start holds the tournament's lock while it waits for the plan.
        while arena.tournament_lock(id).try_lock().is_ok() {
            tokio::task::yield_now().await;
        }
        with_timeout("an exhibition", arena.create_match(duel_setup())).await.unwrap();
        with_timeout("a registration", arena.register_bot(name("third"))).await.unwrap();
        assert!(!starting.is_finished());
        drop(release);
        assert_eq!(with_timeout("the start", starting).await.unwrap(), Ok(1_001_880));
        arena.stop(std::time::Duration::ZERO).await;
    });
}
