//! Tests of the ends that a bot missed because it was away, its stream was lost or the server was killed.

use super::fixture::{Request, arena, begin, connect, name, read_until, reopen, shaky_arena, with_timeout};
use crate::matches::shard::MatchInput;
use crate::{Arena, NewTournament, OutboxStream};
use lastnim_core::game::MatchId;
use lastnim_core::referee::{EndReason, Terms};
use lastnim_proto::{MatchEvent, ServerEvent, pb};
use lastnim_store::Store;
use lastnim_tournament::{AllianceSource, TournamentEnd, TournamentState, testing};
use std::time::Duration;
use tokio::sync::mpsc;

/// The missed ends that a session was sent before it had caught up.
#[derive(Debug, Default, PartialEq)]
struct CatchUp {
    matches: Vec<MatchId>,
    tournaments: Vec<TournamentEnd>,
    left_out: u64,
}

/// Reads until a session has caught up.
async fn read_catch_up(stream: &mut OutboxStream<ServerEvent>) -> CatchUp {
    let received = std::cell::RefCell::new(CatchUp::default());
    let (missed, left_out) = read_until(stream, |event| {
        match event {
            ServerEvent::InMatch { match_id, event: MatchEvent::MissedEnd(end) } => {
                assert_eq!((end.reason, end.winner, &end.audit), (EndReason::Cancelled, None, &None));
                received.borrow_mut().matches.push(*match_id);
            }
            ServerEvent::TournamentEnded(end) => received.borrow_mut().tournaments.push((**end).clone()),
            &ServerEvent::CaughtUp { missed_ends, left_out } => return Some((missed_ends, left_out)),
            _ => {}
        }
        None
    })
    .await;
    let received = received.into_inner();
    assert_eq!(missed, received.matches.len() as u64);
    CatchUp { left_out, ..received }
}

/// Opens a session and reads until it has caught up.
async fn connect_and_catch_up(
    arena: &Arena,
    bot: &str,
) -> (mpsc::UnboundedSender<Request>, OutboxStream<ServerEvent>, CatchUp) {
    let (requests, mut stream) = connect(arena, bot).unwrap();
    let received = read_catch_up(&mut stream).await;
    (requests, stream, received)
}

/// Begins a duel and cancels it.
async fn play_cancelled_match(arena: &Arena) -> MatchId {
    let begun = begin(arena).unwrap();
    let playing = tokio::spawn(begun.play);
    begun.handle.send(MatchInput::Cancel);
    with_timeout("the end of the match", playing).await.unwrap().unwrap();
    begun.id
}

/// Reads until the next ping, and returns its id.
async fn next_ping(stream: &mut OutboxStream<ServerEvent>) -> u64 {
    let id = read_until(stream, |event| match event {
        ServerEvent::Ping { id } => Some(*id),
        _ => None,
    });
    id.await
}

fn pong(id: u64) -> pb::PlayRequest {
    pb::PlayRequest { action: Some(pb::play_request::Action::Pong(pb::Pong { id })) }
}

/// Answers the next ping.
async fn answer_ping(requests: &mpsc::UnboundedSender<Request>, stream: &mut OutboxStream<ServerEvent>) {
    let id = next_ping(stream).await;
    requests.send(Ok(pong(id))).unwrap();
}

/// Waits until all ends of a bot are acknowledged in the store.
async fn wait_until_acknowledged(arena: &Arena, bot: &str) {
    let unacknowledged = async || {
        arena.inner.store.unacknowledged_matches(&name(bot), MatchId::least(), 9).await.unwrap().newest
    };
    for _ in 0..1_000 {
        if unacknowledged().await.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{bot} has not confirmed {:?}", unacknowledged().await);
}

#[tokio::test(start_paused = true)]
async fn a_missed_end_is_sent_until_the_bot_acknowledges_it() {
    let arena = arena().await;
    let id = play_cancelled_match(&arena).await;
    let (_requests, _stream, received) = connect_and_catch_up(&arena, "first").await;
    assert_eq!(received.matches, [id]);
    let (requests, mut stream, received) = connect_and_catch_up(&arena, "first").await;
    assert_eq!(received.matches, [id], "the bot may not have read it");
    // The first ping of a session comes before the missed ends, and the second one after them.
    answer_ping(&requests, &mut stream).await;
    answer_ping(&requests, &mut stream).await;
    wait_until_acknowledged(&arena, "first").await;
    let (_requests, _stream, received) = connect_and_catch_up(&arena, "first").await;
    assert_eq!(received, CatchUp::default());
    assert_eq!(
        connect_and_catch_up(&arena, "second").await.2.matches,
        [id],
        "each bot acknowledges only for itself"
    );
}

#[tokio::test(start_paused = true)]
async fn a_pong_confirms_nothing_that_was_sent_after_its_ping() {
    let arena = arena().await;
    let (requests, mut stream, _) = connect_and_catch_up(&arena, "first").await;
    let before = next_ping(&mut stream).await;
    let id = play_cancelled_match(&arena).await;
    read_until(&mut stream, |event| {
        matches!(event, ServerEvent::InMatch { event: MatchEvent::Ended { .. }, .. }).then_some(())
    })
    .await;
    requests.send(Ok(pong(before))).unwrap();
    let behind = next_ping(&mut stream).await;
    assert!(behind > before);
    let unacknowledged =
        arena.inner.store.unacknowledged_matches(&name("first"), MatchId::least(), 9).await.unwrap();
    assert_eq!(unacknowledged.newest, [id], "the ping was sent before the end");
    requests.send(Ok(pong(behind))).unwrap();
    wait_until_acknowledged(&arena, "first").await;
}

#[tokio::test(start_paused = true)]
async fn a_late_pong_confirms_the_ends_before_its_ping() {
    let arena = arena().await;
    play_cancelled_match(&arena).await;
    let (requests, mut stream, _) = connect_and_catch_up(&arena, "first").await;
    let late = next_ping(&mut stream).await;
    assert_eq!(next_ping(&mut stream).await, late + 1, "another one was sent");
    requests.send(Ok(pong(late))).unwrap();
    wait_until_acknowledged(&arena, "first").await;
}

#[tokio::test(start_paused = true)]
async fn an_unacknowledged_end_is_sent_in_three_sessions() {
    let arena = arena().await;
    play_cancelled_match(&arena).await;
    let mut received = Vec::new();
    for _ in 0..5 {
        received.push(connect_and_catch_up(&arena, "first").await.2.matches.len());
    }
    assert_eq!(received, [1, 1, 1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn an_unacknowledged_end_is_sent_again_after_the_server_was_killed() {
    let (store, first_server) = shaky_arena().await;
    let (requests, mut stream, _) = connect_and_catch_up(&first_server, "first").await;
    let confirmed = play_cancelled_match(&first_server).await;
    answer_ping(&requests, &mut stream).await;
    answer_ping(&requests, &mut stream).await;
    while !store.unacknowledged_matches(&name("first"), MatchId::least(), 9).await.unwrap().newest.is_empty()
    {
        tokio::task::yield_now().await;
    }
    let unconfirmed = play_cancelled_match(&first_server).await;
    let ended_match = |event: &ServerEvent| match event {
        ServerEvent::InMatch { match_id, event: MatchEvent::Ended { .. } } => Some(*match_id),
        _ => None,
    };
    assert_eq!(read_until(&mut stream, ended_match).await, unconfirmed);

    let second_server = reopen(store).await;
    let (_requests, _stream, received) = connect_and_catch_up(&second_server, "first").await;
    assert_eq!(received.matches, [unconfirmed]);
    let (_requests, _stream, received) = connect_and_catch_up(&second_server, "second").await;
    assert_eq!(received.matches, [confirmed, unconfirmed], "the oldest first");
}

#[tokio::test(start_paused = true)]
async fn missed_ends_beyond_the_limit_are_only_counted() {
    let (store, first_server) = shaky_arena().await;
    let limit = first_server.limits().missed_ends;
    let mut ids = Vec::new();
    for _ in 0..limit + 7 {
        ids.push(play_cancelled_match(&first_server).await);
    }
    ids.sort_unstable();
    let expected = CatchUp { matches: ids[7..].to_vec(), left_out: 7, ..CatchUp::default() };
    assert_eq!(connect_and_catch_up(&first_server, "first").await.2, expected);
    assert_eq!(connect_and_catch_up(&reopen(store).await, "second").await.2, expected);
}

#[tokio::test(start_paused = true)]
async fn bots_are_sent_the_end_of_their_tournament() {
    let (store, arena) = shaky_arena().await;
    let (requests, mut stream, _) = connect_and_catch_up(&arena, "first").await;
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in ["first", "second"] {
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    arena.cancel_tournament(id).await.unwrap();
    let ended_match = |event: &ServerEvent| match event {
        ServerEvent::TournamentEnded(end) => Some((**end).clone()),
        _ => None,
    };
    let end = read_until(&mut stream, ended_match).await;
    assert_eq!(
        (end.id, end.state, end.bots, end.standing.bot),
        (id, TournamentState::Cancelled, 2, name("first"))
    );
    answer_ping(&requests, &mut stream).await;
    answer_ping(&requests, &mut stream).await;
    let unacknowledged =
        |bot| store.unacknowledged_tournament_ends(bot, lastnim_core::referee::Timestamp::default(), 9);
    let first = name("first");
    while !unacknowledged(&first).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(connect_and_catch_up(&arena, "first").await.2, CatchUp::default());
    assert_eq!(connect_and_catch_up(&arena, "second").await.2.tournaments.len(), 1);
    let arena = reopen(store.clone()).await;
    let (_requests, _stream, received) = connect_and_catch_up(&arena, "second").await;
    let [end] = &received.tournaments[..] else { panic!("{received:?}") };
    assert_eq!((end.id, &end.standing.bot), (id, &name("second")));
    assert_eq!(connect_and_catch_up(&arena, "first").await.2, CatchUp::default());
}
