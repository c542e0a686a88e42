//! Tests of how sessions are opened, replaced and closed.

use super::fixture::{arena, begin, connect, name, read_until, run_without_messages, with_timeout};
use crate::matches::shard::MatchInput;
use crate::sessions::outbox::outbox_channel;
use crate::sessions::roster::Roster;
use crate::{Arena, CloseReason, OutboxStream, Session};
use lastnim_core::game::{BotVersion, MatchId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::{MatchEvent, ServerEvent, pb};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tokio_stream::StreamExt as _;

pub(super) fn snapshot(event: &ServerEvent) -> Option<()> {
    matches!(event, ServerEvent::InMatch { event: MatchEvent::Snapshot(_), .. }).then_some(())
}

pub(super) fn turn(event: &ServerEvent) -> Option<u32> {
    match event {
        ServerEvent::InMatch { event: MatchEvent::Turn(turn), .. } => Some(turn.ply),
        _ => None,
    }
}

/// Returns a bot's request to take one counter.
pub(super) fn take(match_id: MatchId, ply: u32) -> pb::PlayRequest {
    let take = pb::Take { match_id: match_id.to_string(), ply, take: 1, ..pb::Take::default() };
    pb::PlayRequest { action: Some(pb::play_request::Action::Take(take)) }
}

/// Opens sessions of one bot concurrently, each on its own thread.
fn open_at_once(arena: &Arena, bot: &str, sessions: usize) -> Vec<(Session, OutboxStream<ServerEvent>)> {
    let start = Barrier::new(sessions);
    thread::scope(|scope| {
        let open = || {
            start.wait();
            arena.open_session(name(bot), BotVersion::default()).unwrap()
        };
        let opening: Vec<_> = (0..sessions).map(|_| scope.spawn(open)).collect();
        opening.into_iter().map(|opened| opened.join().unwrap()).collect()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_last_of_many_sessions_plays() {
    const MATCHES: usize = 30;
    let arena = arena().await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let mut begun = Vec::new();
    for _ in 0..MATCHES {
        let duel = begin(&arena).unwrap();
        begun.push((duel.id, duel.handle, tokio::spawn(duel.play)));
    }
    let mut second_hears = None;
    for _ in 0..200 {
        let mut staying = Vec::new();
        for (session, mut stream) in open_at_once(&arena, "second", 4) {
            tokio::spawn(run_without_messages(session));
            match stream.next().await.expect("the stream ends with a reason") {
                Ok(_welcome) => staying.push(stream),
                Err(closed) => assert_eq!(closed, CloseReason::Replaced.into()),
            }
        }
        let [mut stream] = <[_; 1]>::try_from(staying).expect("one session stays");
        for _ in 0..MATCHES {
            read_until(&mut stream, snapshot).await;
        }
        second_hears = Some(stream);
    }
    let mut second_hears = second_hears.expect("the last session stays");
    for (id, handle, playing) in begun {
        first.send(Ok(take(id, 0))).unwrap();
        assert_eq!(read_until(&mut first_hears, turn).await, 0);
        assert_eq!(read_until(&mut second_hears, turn).await, 1);
        handle.send(MatchInput::Cancel);
        with_timeout("the end", playing).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_session_that_never_runs_is_cleaned_up() {
    let arena = arena().await;
    let begun = begin(&arena).unwrap();
    let playing = tokio::spawn(begun.play);
    let (session, mut stream) = arena.open_session(name("first"), BotVersion::default()).unwrap();
    assert!(arena.bot(&name("first")).await.unwrap().session.is_some());
    // The match does not wait for the session, although the session was promised a snapshot.
    begun.handle.send(MatchInput::Cancel);
    drop(session);
    with_timeout("the end of the match", playing).await.unwrap().unwrap();
    assert_eq!(arena.session_count(), 0);
    assert!(arena.bot(&name("first")).await.unwrap().session.is_none());
    assert!(matches!(stream.next().await, Some(Ok(ServerEvent::Welcome { .. }))));
    let rest: Vec<_> = stream.collect().await;
    assert_eq!(rest.last().map(|last| last.clone().err()), Some(Some(CloseReason::Broken.into())));
}

#[tokio::test]
async fn an_aborted_session_is_cleaned_up() {
    let arena = arena().await;
    let (session, mut stream) = arena.open_session(name("first"), BotVersion::default()).unwrap();
    let running = tokio::spawn(run_without_messages(session));
    tokio::task::yield_now().await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    assert_eq!(arena.session_count(), 0);
    assert!(arena.bot(&name("first")).await.unwrap().session.is_none());
    let reading = async { while let Some(Ok(_)) = stream.next().await {} };
    with_timeout("the end of the stream", reading).await;
}

#[tokio::test(start_paused = true)]
async fn a_closed_session_is_read_to_its_end_or_dropped_after_a_timeout() {
    let arena = arena().await;
    let burst = 2 * usize::try_from(arena.limits().idle_message_burst).unwrap();
    let unknown = MatchId::new(7, &[7; 10]);
    let connect_and_err = |bot| {
        let (requests, stream) = connect(&arena, bot).unwrap();
        for ply in 0..burst {
            requests.send(Ok(take(unknown, ply as u32))).unwrap();
        }
        (requests, stream)
    };
    let (_requests, mut reading) = connect_and_err("first");
    let (_more_requests, mut silent) = connect_and_err("second");
    let mut refused = 0;
    let closed = loop {
        match with_timeout("an event", reading.next()).await.expect("the stream ends with a reason") {
            Ok(ServerEvent::InvalidAction(_)) => refused += 1,
            Ok(_) => {}
            Err(closed) => break closed,
        }
    };
    assert_eq!(refused, arena.limits().idle_message_burst + 1);
    assert_eq!(closed.closing, CloseReason::TooManyIdleMessages);
    assert!(closed.example.unwrap().contains("REFUSAL_REASON_UNKNOWN_MATCH"));
    tokio::time::sleep(2 * arena.limits().closing_grace).await;
    assert_eq!(arena.session_count(), 0, "a bot that does not read does not keep its place");
    let closed = with_timeout("the end", silent.next()).await.unwrap().expect_err("its queue is dropped");
    assert_eq!(closed.closing, CloseReason::TooManyIdleMessages);
}

#[test]
fn a_later_session_has_a_higher_number() {
    let roster = Roster::default();
    let bot = name("first");
    let seen = AtomicU64::new(0);
    let connecting = || {
        for _ in 0..5_000 {
            let (sender, _stream) = outbox_channel(1);
            let welcome = |open_matches| ServerEvent::Welcome { bot: bot.clone(), open_matches };
            roster
                .presence(&bot)
                .connect(&roster, BotVersion::default(), Timestamp::from_micros(0), sender, welcome)
                .expect("the roster is open");
            let before = seen.load(Ordering::SeqCst);
            roster.for_each_session(|session| {
                assert!(session.id() >= before, "{} after {before}", session.id());
                seen.fetch_max(session.id(), Ordering::SeqCst);
            });
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(connecting);
        }
    });
    assert_eq!(seen.into_inner(), 20_000);
}
