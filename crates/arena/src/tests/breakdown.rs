//! Tests of matches that break down or are never played.

use super::fixture::{TIMEOUT, arena, begin, connect, name, with_timeout};
use crate::CloseReason;
use tokio_stream::StreamExt as _;

#[tokio::test]
async fn an_aborted_match_is_cleaned_up() {
    let arena = arena().await;
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    begun.begun.await.unwrap();
    let watch = arena.watch_match(begun.id).await.unwrap();
    assert_eq!((arena.open_match_count(), arena.bot(&name("first")).await.unwrap().open_matches), (1, 1));
    let stopping = tokio::spawn({
        let arena = arena.clone();
        async move { arena.stop(TIMEOUT * 100).await }
    });
    tokio::task::yield_now().await;
    playing.abort();
    assert!(playing.await.unwrap_err().is_cancelled());
    assert_eq!((arena.open_match_count(), arena.bot(&name("first")).await.unwrap().open_matches), (0, 0));
    with_timeout("the waiter for its end", stopping).await.unwrap();
    let mut last = None;
    let mut next = watch.next.unwrap();
    let reading = async {
        while let Some(sent) = next.next().await {
            last = Some(sent.map(|_| ()));
        }
    };
    with_timeout("the end of the watcher's stream", reading).await;
    assert_eq!(last, Some(Err(CloseReason::Broken.into())));
}

#[tokio::test]
async fn a_match_that_is_never_played_is_cleaned_up() {
    let arena = arena().await;
    let (_requests, _stream) = connect(&arena, "first").unwrap();
    let begun = begin(&arena).unwrap();
    assert_eq!(arena.open_match_count(), 1);
    drop(begun.play);
    assert_eq!((arena.open_match_count(), arena.bot(&name("first")).await.unwrap().open_matches), (0, 0));
    assert!(begun.begun.await.is_err());
}
