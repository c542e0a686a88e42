//! Tests of the live server during and after a failure of its store.

use super::fixture::{begin, connect, name, read_until, shaky_arena, with_timeout};
use super::sessions::{snapshot, take, turn};
use super::shaky_store::StoreBehaviour;
use crate::matches::shard::MatchInput;
use crate::{ArenaError, NewTournament};
use lastnim_core::referee::Terms;
use lastnim_proto::{ServerEvent, pb};
use lastnim_store::StoreError;
use lastnim_tournament::{AllianceSource, TournamentState, testing};
use tokio::runtime::Handle;
use tokio_stream::StreamExt as _;

fn new_tournament() -> NewTournament {
    NewTournament { settings: testing::settings(2, 1, AllianceSource::Standard), terms: Terms::default() }
}

fn is_unavailable<T>(answer: &Result<T, ArenaError>) -> bool {
    matches!(answer, Err(ArenaError::Store(StoreError::Unavailable(_))))
}

#[tokio::test]
async fn requests_that_wait_for_a_lock_are_rejected_when_the_store_fails() {
    let (store, arena) = shaky_arena().await;
    let open = arena.create_tournament(new_tournament()).await.unwrap().stored.id;
    arena.join_tournament(open, &name("first")).await.unwrap();
    arena.join_tournament(open, &name("second")).await.unwrap();
    // A hanging registration holds the lock on names; this test holds the other locks.
    let tournament = arena.tournament_lock(open).lock_owned().await;
    let creation = std::sync::Arc::clone(arena.inner.tournaments.creating()).lock_owned().await;
    store.set(StoreBehaviour::Hangs);
    let mut writes = store.next_write();
    let registering = tokio::spawn({
        let arena = arena.clone();
        async move { arena.register_bot(name("third")).await.map(drop) }
    });
    with_timeout("a write that hangs", writes.changed()).await.unwrap();
    let behind = arena.clone();
    let creating = tokio::spawn(async move { behind.create_tournament(new_tournament()).await });
    let behind = arena.clone();
    let starting = tokio::spawn(async move { behind.start_tournament(open).await });
    let behind = arena.clone();
    let cancelling = tokio::spawn(async move { behind.cancel_tournament(open).await });
    let behind = arena.clone();
    let rotating = tokio::spawn(async move { behind.rotate_token(&name("first")).await });
    let before = arena.bot(&name("first")).await.unwrap().stored.token;
    // After these yields, all requests are waiting.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    store.set(StoreBehaviour::OutOfOrder);
    let answer = with_timeout("an answer", registering).await.unwrap();
    assert!(matches!(answer, Err(ArenaError::Delayed(_))), "{answer:?}");
    assert!(is_unavailable(&with_timeout("an answer", creating).await.unwrap()));
    assert!(is_unavailable(&with_timeout("an answer", starting).await.unwrap()));
    assert!(is_unavailable(&with_timeout("an answer", cancelling).await.unwrap()));
    assert!(is_unavailable(&with_timeout("an answer", rotating).await.unwrap()));
    drop((tournament, creation));
    store.set(StoreBehaviour::Fine);
    with_timeout("the end of the outage", arena.wait_until_store_usable()).await;
    // Any request that still waited would run before this registration.
    with_timeout("a turn", arena.register_bot(name("fourth"))).await.unwrap();
    arena.bot(&name("third")).await.unwrap();
    assert_eq!(arena.open_tournament_count(), 1);
    assert_eq!(arena.tournament(open).await.unwrap().stored.state, TournamentState::Open);
    assert_eq!(arena.bot(&name("first")).await.unwrap().stored.token, before);
}

fn invalid_action(event: &ServerEvent) -> Option<()> {
    matches!(event, ServerEvent::InvalidAction(_)).then_some(())
}

#[tokio::test]
async fn during_an_outage_only_the_newest_session_stays() {
    const RETURNS: usize = 1_000;
    /// The tasks are bounded, because the match's queue is bounded, and so is the number of sessions that wait to
    /// report their end.
    const MAX_TASKS: usize = 150;
    let (store, arena) = shaky_arena().await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    assert_eq!(read_until(&mut first_hears, turn).await, 0);
    store.set(StoreBehaviour::Hangs);
    let mut writes = store.next_write();
    first.send(Ok(take(begun.id, 0))).unwrap();
    with_timeout("a write that hangs", writes.changed()).await.unwrap();
    let mut newest = None;
    for _ in 0..RETURNS {
        let (second, mut second_hears) = connect(&arena, "second").unwrap();
        assert!(matches!(second_hears.next().await, Some(Ok(ServerEvent::Welcome { .. }))));
        tokio::task::yield_now().await;
        if let Some((_second, mut older)) = newest.replace((second, second_hears)) {
            let reading = async { while let Some(Ok(_)) = older.next().await {} };
            with_timeout("the end of an older session", reading).await;
        }
    }
    let alone = async {
        while arena.session_count() > 2 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout("the end of the older sessions", alone).await;
    let tasks = Handle::current().metrics().num_alive_tasks();
    assert!(tasks < MAX_TASKS, "{tasks} tasks");
    let (second, mut second_hears) = newest.expect("there were some");
    // The session reads this message, although the bot's match handles no messages while the store hangs.
    second.send(Ok(take("0190163d-8694-739b-aea5-966c26f8ad91".parse().unwrap(), 0))).unwrap();
    read_until(&mut second_hears, invalid_action).await;
    second.send(Ok(take(begun.id, 1))).unwrap();
    second.send(Ok(pb::PlayRequest::default())).unwrap();
    read_until(&mut second_hears, invalid_action).await;
    store.set(StoreBehaviour::Fine);
    read_until(&mut second_hears, snapshot).await;
    let mut plies = Vec::new();
    while plies.last() != Some(&2) {
        plies.push(read_until(&mut first_hears, turn).await);
    }
    begun.handle.send(MatchInput::Cancel);
    with_timeout("the end", playing).await.unwrap().unwrap();
}
