//! Tests of the queue in front of a stream.

use super::*;
use tokio_stream::StreamExt as _;

#[tokio::test]
async fn a_full_queue_closes_its_stream() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.push(1);
    outbox.push(2);
    assert_eq!(stream.next().await, Some(Ok(1)));
    outbox.push(3);
    outbox.push(4);
    outbox.wait_until_over().await;
    let closed = stream.next().await.unwrap().unwrap_err();
    assert_eq!(closed.closing, CloseReason::SlowReader, "a late reader still gets the reason");
    assert_eq!(closed.example.as_deref(), Some("2 messages waited"));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn queued_items_are_sent_before_a_normal_end() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.push(1);
    outbox.close(CloseReason::Done);
    outbox.push(2);
    assert_eq!(stream.next().await, Some(Ok(1)));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn queued_items_are_sent_before_the_server_stops() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.push(1);
    outbox.close(CloseReason::ShuttingDown);
    assert_eq!(stream.next().await, Some(Ok(1)));
    assert_eq!(stream.next().await, Some(Err(CloseReason::ShuttingDown.into())));
}

#[tokio::test]
async fn the_first_close_reason_is_sent_before_queued_items() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.push(1);
    outbox.close(CloseReason::Replaced);
    outbox.close(CloseReason::ShuttingDown);
    assert_eq!(stream.next().await, Some(Err(CloseReason::Replaced.into())));
}

#[tokio::test]
async fn the_stream_ends_with_its_last_sender() {
    let (first, stream) = outbox_channel(2);
    let second = first.clone();
    first.push(1);
    drop(first);
    second.push(2);
    let reader = tokio::spawn(async move { stream.collect::<Vec<_>>().await });
    tokio::task::yield_now().await;
    drop(second);
    assert_eq!(reader.await.unwrap(), [Ok(1), Ok(2), Err(CloseReason::Broken.into())]);
}

#[tokio::test]
async fn the_limit_can_be_raised_and_lowered() {
    let (outbox, mut stream) = outbox_channel(0);
    outbox.raise_limit(2);
    outbox.push(1);
    outbox.lower_limit(2);
    outbox.push(2);
    assert_eq!(stream.next().await, Some(Ok(1)), "the limit falls only when the queue is empty");
    assert_eq!(stream.next().await, Some(Ok(2)));
    outbox.push(3);
    let closed = stream.next().await.unwrap().unwrap_err();
    assert_eq!(closed.closing, CloseReason::SlowReader);
}

#[tokio::test]
async fn queued_errors_are_sent_before_the_reason() {
    for closing in [CloseReason::TooManyUnread, CloseReason::TooManyIdleMessages, CloseReason::Malformed] {
        let (outbox, mut stream) = outbox_channel(2);
        outbox.push(1);
        outbox.close_with_example(closing, &"x".repeat(1_000));
        assert_eq!(stream.next().await, Some(Ok(1)));
        let closed = stream.next().await.unwrap().unwrap_err();
        assert_eq!((closed.closing, closed.example.unwrap().len()), (closing, MAX_EXAMPLE_CHARS));
        outbox.wait_until_read().await;
    }
}

#[tokio::test]
async fn a_sender_can_wait_until_the_queue_is_empty() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.wait_until_drained().await;
    outbox.push(1);
    outbox.push(2);
    let sender = outbox.clone();
    let waiting = tokio::spawn(async move { sender.wait_until_drained().await });
    tokio::task::yield_now().await;
    assert_eq!(stream.next().await, Some(Ok(1)));
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    assert_eq!(stream.next().await, Some(Ok(2)));
    waiting.await.unwrap();
    outbox.push(3);
    drop(stream);
    outbox.wait_until_drained().await;
}

#[tokio::test]
async fn a_discarded_queue_frees_its_items() {
    let (outbox, mut stream) = outbox_channel(2);
    outbox.push(1);
    outbox.discard_queue();
    outbox.close(CloseReason::TooManyIdleMessages);
    outbox.discard_queue();
    assert_eq!(outbox.shared.lock().queue.capacity(), 0);
    assert_eq!(stream.next().await, Some(Err(CloseReason::TooManyIdleMessages.into())));
    outbox.wait_until_read().await;
}

#[tokio::test]
async fn a_waiting_reader_is_woken_and_a_dropped_reader_is_noticed() {
    let (outbox, mut stream) = outbox_channel(2);
    let reader = tokio::spawn(async move { stream.next().await });
    tokio::task::yield_now().await;
    outbox.push(7);
    assert_eq!(reader.await.unwrap(), Some(Ok(7)));
    outbox.wait_until_over().await;
    outbox.push(8);
}
