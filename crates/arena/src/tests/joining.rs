use super::fixture::{arena, begin, connect, name, soon, until};
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

/// Returns the next answer to a request to join: the tournament, and why the bot is not in it.
async fn answer(stream: &mut OutboxStream<ServerEvent>) -> (String, Option<JoinRefusal>) {
    let answer = |event: &ServerEvent| match event {
        ServerEvent::Joined(tournament) => Some((tournament.id.to_string(), None)),
        ServerEvent::NotJoined(refused) => Some((refused.tournament.clone(), Some(refused.reason))),
        _ => None,
    };
    until(stream, answer).await
}

#[tokio::test]
async fn a_bot_plays_on_while_its_request_to_join_waits() {
    let arena = arena().await;
    let id = tournament(&arena).await;
    let (first, mut first_hears) = connect(&arena, "first").unwrap();
    let (second, mut second_hears) = connect(&arena, "second").unwrap();
    let duel = begin(&arena).unwrap();
    let playing = tokio::spawn(duel.play);
    let held = Arc::clone(arena.inner.accounts.names()).lock_owned().await;
    first.send(Ok(join(id.to_string()))).unwrap();
    for _ in 0..2 {
        let ply = until(&mut first_hears, turn).await;
        first.send(Ok(take(duel.id, ply))).unwrap();
        let ply = until(&mut second_hears, turn).await;
        second.send(Ok(take(duel.id, ply))).unwrap();
    }
    assert!(arena.tournament(id).await.unwrap().stored.field.is_empty());
    drop(held);
    assert_eq!(answer(&mut first_hears).await, (id.to_string(), None));
    assert_eq!(*arena.tournament(id).await.unwrap().stored.field, [name("first")]);
    playing.abort();
}

#[tokio::test]
async fn so_many_requests_to_join_wait_and_no_more() {
    let arena = arena().await;
    let most = arena.limits().unanswered_joins;
    let (first, mut hears) = connect(&arena, "first").unwrap();
    let held = Arc::clone(arena.inner.accounts.names()).lock_owned().await;
    // The first waits for the lock, and the others, which nobody knows, wait for the first.
    let mut ids = vec![tournament(&arena).await.to_string()];
    ids.extend((0..most).map(|_| arena.inner.ids.next_tournament().to_string()));
    for id in &ids {
        first.send(Ok(join(id.clone()))).unwrap();
    }
    assert_eq!(answer(&mut hears).await, (ids[most].clone(), Some(JoinRefusal::Busy)));
    drop(held);
    assert_eq!(answer(&mut hears).await, (ids[0].clone(), None));
    for id in &ids[1..most] {
        let expected = (id.clone(), Some(JoinRefusal::UnknownTournament));
        assert_eq!(answer(&mut hears).await, expected, "the answers come in the order of the requests");
    }
}

#[tokio::test]
async fn who_leaves_before_its_turn_has_not_joined_and_asks_again() {
    let arena = arena().await;
    let id = tournament(&arena).await;
    let field = async || arena.tournament(id).await.unwrap().stored.field.to_vec();
    let (first, hears) = connect(&arena, "first").unwrap();
    let lock = arena.tournament_lock(id);
    let held = Arc::clone(&lock).lock_owned().await;
    first.send(Ok(join(id.to_string()))).unwrap();
    // The tournament has the lock, this test twice, and a request that waits once.
    let holders = async |holders| {
        while Arc::strong_count(&lock) != holders {
            tokio::task::yield_now().await;
        }
    };
    soon("a request that waits", holders(4)).await;
    drop((first, hears));
    soon("the end of the session", holders(3)).await;
    drop(held);
    assert_eq!(field().await, []);
    for _ in 0..2 {
        let (first, mut hears) = connect(&arena, "first").unwrap();
        first.send(Ok(join(id.to_string()))).unwrap();
        assert_eq!(answer(&mut hears).await, (id.to_string(), None), "asking again does no harm");
    }
    assert_eq!(field().await, [name("first")]);
}
