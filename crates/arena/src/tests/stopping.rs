//! Tests of how an arena stops and closes its store.

use super::fixture::{arena, begin, connect, name, with_timeout};
use crate::{Arena, ArenaError, NewTournament};
use lastnim_core::referee::Terms;
use lastnim_tournament::{AllianceSource, testing};
use std::time::Duration;
use tokio_stream::StreamExt as _;

/// Begins matches until the arena rejects one because it is stopping.
async fn begin_matches_until_refused(arena: Arena) {
    loop {
        match begin(&arena) {
            Ok(begun) => drop(tokio::spawn(begun.play)),
            Err(ArenaError::Full { .. }) => {}
            Err(error) => break assert_eq!(error, ArenaError::Stopping),
        }
        tokio::task::yield_now().await;
    }
}

/// Opens sessions until the arena rejects one because it is stopping, and waits until the newest ones end.
async fn open_sessions_until_refused(arena: Arena) {
    let mut streams = Vec::new();
    loop {
        match connect(&arena, "second") {
            Ok((requests, stream)) => streams.push((requests, stream)),
            Err(error) => break assert_eq!(error, ArenaError::Stopping),
        }
        if streams.len() >= 20 {
            streams.remove(0);
        }
        tokio::task::yield_now().await;
    }
    for (_requests, mut stream) in streams {
        while let Some(Ok(_)) = stream.next().await {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_match_or_session_begins_once_the_arena_stops() {
    for round in 0..20 {
        let arena = arena().await;
        let begun = begin(&arena).unwrap();
        let playing = tokio::spawn(begun.play);
        let matches = tokio::spawn(begin_matches_until_refused(arena.clone()));
        let sessions = tokio::spawn(open_sessions_until_refused(arena.clone()));
        tokio::time::sleep(Duration::from_micros(round * 100)).await;
        with_timeout("the stop", arena.stop(Duration::ZERO)).await;
        with_timeout("the first match that is refused", matches).await.unwrap();
        with_timeout("the first session that is refused", sessions).await.unwrap();
        assert_eq!(
            with_timeout("the end of a match", playing).await.unwrap().unwrap_err(),
            ArenaError::Stopping
        );
        let gone = async {
            while arena.open_match_count() > 0 || arena.session_count() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        with_timeout("the end of the last session", gone).await;
    }
}

#[tokio::test]
async fn the_store_is_closed_after_all_tasks_have_ended() {
    let arena = arena().await;
    let settings = testing::settings(2, 40, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in ["first", "second"] {
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    arena.start_tournament(id).await.unwrap();
    while arena.open_match_count() == 0 {
        tokio::task::yield_now().await;
    }
    assert!(!arena.inner.tasks.is_empty(), "the match is running");
    with_timeout("the stop", arena.stop(Duration::ZERO)).await;
    with_timeout("the end of all tasks", arena.close_store()).await;
    assert!(arena.inner.tasks.is_empty());
}
