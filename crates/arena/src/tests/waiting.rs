//! Tests of what is visible, and how clocks run, while the server waits for its store.

use super::fixture::{
    BANK, arena, arena_with_limits, begin, connect, duel_setup, read_until, shaky_arena, with_timeout,
};
use super::sessions::take;
use super::shaky_store::StoreBehaviour;
use crate::matches::shard::MatchInput;
use crate::{ArenaError, CloseReason, Limits};
use lastnim_core::game::Seat;
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{Event, ForfeitReason, SeatAction};
use lastnim_proto::{MatchEvent, ServerEvent};
use lastnim_store::MatchFilter;
use std::time::Duration;
use tokio_stream::StreamExt as _;

fn took(event: &ServerEvent) -> Option<(Seat, Mover)> {
    match event {
        ServerEvent::InMatch { event: MatchEvent::Took { seat, mover, .. }, .. } => Some((*seat, *mover)),
        _ => None,
    }
}

fn forfeit_reason(event: &ServerEvent) -> Option<ForfeitReason> {
    match event {
        ServerEvent::InMatch { event: MatchEvent::Forfeited { reason, .. }, .. } => Some(*reason),
        _ => None,
    }
}

/// How far the charged time may differ from the thinking time in tests with paused time.
const TOLERANCE: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_match_is_invisible_before_its_beginning_is_stored() {
    let (store, arena) = shaky_arena().await;
    store.set(StoreBehaviour::Hangs);
    let begun = begin(&arena).unwrap();
    let id = begun.id;
    let playing = tokio::spawn(begun.play);
    with_timeout("the first commit", store.wait_for_blocked_write()).await;
    let nothing = ArenaError::NoSuchMatch(id);
    assert_eq!(with_timeout("an answer", arena.match_record(id)).await.unwrap_err(), nothing);
    assert_eq!(with_timeout("an answer", arena.match_summary(id)).await.unwrap_err(), nothing);
    assert_eq!(arena.list_matches(&MatchFilter::default(), None, 10).await.unwrap(), []);
    let watch = with_timeout("an admission", arena.watch_match(id)).await.unwrap();
    assert_eq!(watch.so_far, []);
    store.set(StoreBehaviour::Fine);
    with_timeout("the beginning", begun.begun).await.unwrap();
    assert_eq!(arena.match_summary(id).await.unwrap().0.id, id);
    assert_eq!(arena.list_matches(&MatchFilter::default(), None, 10).await.unwrap().len(), 1);
    let record = with_timeout("an answer", arena.match_record(id)).await.unwrap().record;
    let mut next = watch.next.unwrap();
    for event in record.events() {
        let watched = with_timeout("what is announced", next.next()).await.unwrap().unwrap();
        assert_eq!(&watched.event, event, "an early watcher misses nothing");
    }
    assert!(matches!(record.events()[0].event, Event::Created(_)));
    playing.abort();
}

#[tokio::test(start_paused = true)]
async fn no_clock_runs_while_the_server_waits_for_its_store() {
    let (store, arena) = shaky_arena().await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (second, second_hears) = connect(&arena, "second").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    store.set(StoreBehaviour::Hangs);
    second.send(Ok(take(begun.id, 0))).unwrap();
    with_timeout("the commit of a strike", store.wait_for_blocked_write()).await;
    tokio::time::sleep(2 * BANK).await;
    drop((second, second_hears));
    first.send(Ok(take(begun.id, 0))).unwrap();
    tokio::time::sleep(2 * BANK).await;
    store.set(StoreBehaviour::Fine);
    assert_eq!(read_until(&mut first_hears, took).await, (Seat::FIRST, Mover::Bot));
    playing.abort();
}

#[tokio::test(start_paused = true)]
async fn messages_to_a_match_that_waits_for_its_store_are_limited() {
    let (store, arena) = shaky_arena().await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (_second, mut second_hears) = connect(&arena, "second").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    store.set(StoreBehaviour::Hangs);
    for _ in 0..10 {
        first.send(Ok(take(begun.id, 0))).unwrap();
    }
    with_timeout("the commit of a take", store.wait_for_blocked_write()).await;
    // The store works again before the closing grace is over, so the match answers accepted messages before the session
    // ends.
    tokio::time::sleep(arena.limits().closing_grace / 2).await;
    store.set(StoreBehaviour::Fine);
    assert_eq!(read_until(&mut first_hears, took).await, (Seat::FIRST, Mover::Bot));
    let closed = loop {
        match with_timeout("the end of the session", first_hears.next()).await.unwrap() {
            Ok(event) => {
                assert!(took(&event).is_some_and(|took| took == (Seat::FIRST, Mover::Bot)), "{event:?}");
            }
            Err(closed) => break closed,
        }
    };
    assert_eq!(closed.closing, CloseReason::TooManyUnread);
    let example = closed.example.unwrap();
    assert!(example.starts_with("a take of 1 at ply 0 for seat 0 of match"), "{example}");
    assert!(example.contains("4 messages were waiting; last refused: match"), "{example}");
    assert_eq!(read_until(&mut second_hears, took).await, (Seat::FIRST, Mover::Bot), "the match continues");
    playing.abort();
}

#[tokio::test(start_paused = true)]
async fn a_jump_in_time_is_not_charged_to_the_bots() {
    let arena = arena().await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (_second, mut second_hears) = connect(&arena, "second").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    // The clock of the first bot runs while the match waits for its take.
    tokio::time::sleep(BANK / 2).await;
    first.send(Ok(take(begun.id, 0))).unwrap();
    tokio::time::advance(3 * BANK).await;
    assert_eq!(read_until(&mut first_hears, took).await, (Seat::FIRST, Mover::Bot));
    tokio::time::advance(3 * BANK).await;
    tokio::time::sleep(BANK / 2).await;
    let record = with_timeout("an answer", arena.match_record(begun.id)).await.unwrap().record;
    let charged = record.events().iter().find_map(|timed| match timed.event {
        Event::Took { charged, .. } => Some(charged),
        _ => None,
    });
    let off = charged.map(|charged| charged.abs_diff(BANK / 2));
    assert!(off.is_some_and(|off| off < TOLERANCE), "{charged:?}");
    assert!(record.state().end().is_none(), "the second seat's clock stood still as well");
    // The second bot's clock runs again, until the bot's remaining time is used up.
    tokio::time::sleep(BANK / 2 + 2 * TOLERANCE).await;
    assert_eq!(read_until(&mut second_hears, forfeit_reason).await, ForfeitReason::TimedOut);
    playing.abort();
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_loses_its_stream_in_a_time_jump_gets_the_grace_period() {
    let arena = arena().await;
    let (first, first_hears) = connect(&arena, "first").unwrap();
    let (_second, _second_hears) = connect(&arena, "second").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    tokio::time::sleep(BANK.saturating_sub(2 * TOLERANCE)).await;
    tokio::time::advance(3 * BANK).await;
    drop((first, first_hears));
    // The bot returns within the grace period, but later than its time bank alone would allow.
    tokio::time::sleep(10 * TOLERANCE).await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    first.send(Ok(take(begun.id, 0))).unwrap();
    assert_eq!(read_until(&mut first_hears, took).await, (Seat::FIRST, Mover::Bot));
    playing.abort();
}

#[tokio::test(start_paused = true)]
async fn a_queued_input_is_timed_by_its_arrival() {
    let limits = Limits { stall_threshold: 10 * BANK, ..Limits::default() };
    let arena = arena_with_limits(limits).await;
    let (_first, mut first_hears) = connect(&arena, "first").unwrap();
    let (_second, _second_hears) = connect(&arena, "second").unwrap();
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    with_timeout("the beginning", begun.begun).await.unwrap();
    let at = arena.now() + BANK / 2;
    let [first, second] = [0, 1].map(|seat| duel_setup().seats().seat(seat).unwrap());
    begun.handle.send(MatchInput::Left { seat: second, session: 1, at, is_excused: false });
    begun.handle.send(MatchInput::Seat { seat: first, action: SeatAction::take(0, 1, None), at });
    // Both inputs are handled only after the time-out was due.
    tokio::time::advance(BANK + Duration::from_secs(1)).await;
    assert_eq!(read_until(&mut first_hears, took).await, (first, Mover::Bot));
    playing.abort();
}
