use super::fixture::{arena, begin, connect, name, soon};
use crate::{Arena, ArenaError, NewTournament};
use lastnim_core::referee::Terms;
use lastnim_tournament::{AllianceSource, testing};
use std::time::Duration;
use tokio_stream::StreamExt as _;

/// Begins matches until the arena says no.
async fn crowd(arena: Arena) {
    loop {
        match begin(&arena) {
            Ok(begun) => drop(tokio::spawn(begun.play)),
            Err(ArenaError::Full { .. }) => {}
            Err(error) => break assert_eq!(error, ArenaError::Stopping),
        }
        tokio::task::yield_now().await;
    }
}

/// Opens sessions until the arena says no, and waits until those that it let in are over.
async fn visitors(arena: Arena) {
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
async fn nothing_begins_behind_the_back_of_who_stops_the_arena() {
    for round in 0..20 {
        let arena = arena().await;
        let begun = begin(&arena).unwrap();
        let playing = tokio::spawn(begun.play);
        let crowd = tokio::spawn(crowd(arena.clone()));
        let visitors = tokio::spawn(visitors(arena.clone()));
        tokio::time::sleep(Duration::from_micros(round * 100)).await;
        soon("the stop", arena.stop(Duration::ZERO)).await;
        soon("the end of the crowd", crowd).await.unwrap();
        soon("the end of the visits", visitors).await.unwrap();
        assert_eq!(soon("the end of a match", playing).await.unwrap().unwrap_err(), ArenaError::Stopping);
        let gone = async {
            while arena.open_match_count() > 0 || arena.session_count() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        soon("the last to leave", gone).await;
    }
}

#[tokio::test]
async fn what_was_begun_has_ended_when_the_store_is_closed() {
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
    assert!(!arena.inner.tasks.is_empty(), "it is played");
    soon("the stop", arena.stop(Duration::ZERO)).await;
    soon("the end of all tasks", arena.close_store()).await;
    assert!(arena.inner.tasks.is_empty());
}
