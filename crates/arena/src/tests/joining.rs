//! Tests of join requests that wait in a session.

use super::fixture::{arena, begin, connect, name, read_until, with_timeout};
use super::sessions::{take, turn};
use crate::{Arena, NewTournament, OutboxStream};
use lastnim_core::game::TournamentId;
use lastnim_core::referee::Terms;
use lastnim_proto::{JoinRefusal, ServerEvent, pb};
use lastnim_tournament::{AllianceSource, testing};
use std::sync::Arc;

async fn tournament(arena: &Arena) -> TournamentId {
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    arena.create_tournament(new).await.unwrap().stored.id
}

fn join(tournament_id: String) -> pb::PlayRequest {
    let join = pb::JoinTournament { tournament_id };
    pb::PlayRequest { action: Some(pb::play_request::Action::JoinTournament(join)) }
}

/// Returns the next answer to a join request: the tournament, and the refusal, if there is one.
async fn answer(stream: &mut OutboxStream<ServerEvent>) -> (String, Option<JoinRefusal>) {
    let answer = |event: &ServerEvent| match event {
        ServerEvent::Joined(tournament) => Some((tournament.id.to_string(), None)),
        ServerEvent::NotJoined(refused) => Some((refused.tournament.clone(), Some(refused.reason))),
        _ => None,
    };
    read_until(stream, answer).await
}

#[tokio::test]
async fn a_bot_keeps_playing_while_its_join_request_waits() {
    let arena = arena().await;
    let id = tournament(&arena).await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (second, mut second_hears) = connect(&arena, "second").unwrap();
    let duel = begin(&arena).unwrap();
    let playing = tokio::spawn(duel.play);
    let held = Arc::clone(arena.inner.accounts.names()).lock_owned().await;
    first.send(Ok(join(id.to_string()))).unwrap();
    for _ in 0..2 {
        let ply = read_until(&mut first_hears, turn).await;
        first.send(Ok(take(duel.id, ply))).unwrap();
        let ply = read_until(&mut second_hears, turn).await;
        second.send(Ok(take(duel.id, ply))).unwrap();
    }
    assert!(arena.tournament(id).await.unwrap().stored.field.is_empty());
    drop(held);
    assert_eq!(answer(&mut first_hears).await, (id.to_string(), None));
    assert_eq!(*arena.tournament(id).await.unwrap().stored.field, [name("first")]);
    playing.abort();
}

#[tokio::test]
async fn waiting_join_requests_are_limited() {
    let arena = arena().await;
    let limit = arena.limits().unanswered_joins;
    let (first, mut hears) = connect(&arena, "first").unwrap();
    let held = Arc::clone(arena.inner.accounts.names()).lock_owned().await;
    // The first request waits for the lock. The others, which name unknown tournaments, wait for the first.
    let mut ids = vec![tournament(&arena).await.to_string()];
    ids.extend((0..limit).map(|_| arena.inner.ids.next_tournament().to_string()));
    for id in &ids {
        first.send(Ok(join(id.clone()))).unwrap();
    }
    assert_eq!(answer(&mut hears).await, (ids[limit].clone(), Some(JoinRefusal::Busy)));
    drop(held);
    assert_eq!(answer(&mut hears).await, (ids[0].clone(), None));
    for id in &ids[1..limit] {
        let expected = (id.clone(), Some(JoinRefusal::UnknownTournament));
        assert_eq!(answer(&mut hears).await, expected, "the answers come in the order of the requests");
    }
}

#[tokio::test]
async fn a_join_request_ends_with_its_session_and_can_be_repeated() {
    let arena = arena().await;
    let id = tournament(&arena).await;
    let field = async || arena.tournament(id).await.unwrap().stored.field.to_vec();
    let (first, hears) = connect(&arena, "first").unwrap();
    let lock = arena.tournament_lock(id);
    let held = Arc::clone(&lock).lock_owned().await;
    first.send(Ok(join(id.to_string()))).unwrap();
    // The tournament has one reference to the lock, this test has two, and a waiting request has one.
    let holders = async |holders| {
        while Arc::strong_count(&lock) != holders {
            tokio::task::yield_now().await;
        }
    };
    with_timeout("a request that waits", holders(4)).await;
    drop((first, hears));
    with_timeout("the end of the session", holders(3)).await;
    drop(held);
    assert_eq!(field().await, []);
    for _ in 0..2 {
        let (first, mut hears) = connect(&arena, "first").unwrap();
        first.send(Ok(join(id.to_string()))).unwrap();
        assert_eq!(answer(&mut hears).await, (id.to_string(), None), "asking again does no harm");
    }
    assert_eq!(field().await, [name("first")]);
}
