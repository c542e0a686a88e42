//! Tests of the removal of bots that never played.

use super::fixture::{BANK, arena, connect, duel_setup, name, reopen, shaky_arena, with_timeout};
use super::requests::{create_tournament, request};
use crate::{Arena, ArenaError, NewTournament};
use lastnim_core::referee::Terms;
use lastnim_tournament::{AllianceSource, testing};
use tokio_stream::StreamExt as _;

async fn refusal(arena: &Arena, bot: &str) -> String {
    match arena.remove_bot(&name(bot)).await.unwrap_err() {
        ArenaError::BotInUse { bot: named, why } if named == name(bot) => why,
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_removed_bot_stays_removed_after_a_restart() {
    let (store, arena) = shaky_arena().await;
    let (_, token) = arena.register_bot(name("idle")).await.unwrap();
    let (_requests, mut stream) = connect(&arena, "idle").unwrap();
    arena.remove_bot(&name("idle")).await.unwrap();
    let closing = async {
        loop {
            match stream.next().await.expect("the stream ends with a reason") {
                Ok(_) => {}
                Err(closing) => break closing,
            }
        }
    };
    let closed = with_timeout("the end of the session", closing).await;
    assert_eq!(closed, crate::CloseReason::BotRemoved.into());
    let unknown = ArenaError::NoSuchBot(name("idle"));
    assert_eq!(arena.remove_bot(&name("idle")).await.unwrap_err(), unknown);
    assert_eq!(arena.principal_of_token(token.reveal()), None);
    let next = reopen(store).await;
    assert_eq!(next.bot(&name("idle")).await.unwrap_err(), unknown);
    assert_eq!(next.principal_of_token(token.reveal()), None);
    let (view, _) = next.register_bot(name("idle")).await.unwrap();
    assert!(view.session.is_none());
    assert_eq!(next.principal_of_token(token.reveal()), None, "a later bot of this name inherits nothing");
}

#[tokio::test]
async fn the_requests_of_a_removed_bot_are_forgotten() {
    let (store, arena) = shaky_arena().await;
    let idle_request = request(Some("idle"), "tournament");
    arena.register_bot(name("idle")).await.unwrap();
    let first = create_tournament(&arena, idle_request.clone()).await.unwrap();
    assert_eq!(create_tournament(&arena, idle_request.clone()).await, Ok(first));
    arena.remove_bot(&name("idle")).await.unwrap();
    let next = reopen(store).await;
    for arena in [next, arena] {
        arena.register_bot(name("idle")).await.unwrap();
        let again = create_tournament(&arena, idle_request.clone()).await.unwrap();
        assert_ne!(again, first, "a later bot of this name inherits nothing");
        arena.remove_bot(&name("idle")).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_bot_in_use_cannot_be_removed() {
    let arena = arena().await;
    arena.register_bot(name("third")).await.unwrap();
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    arena.join_tournament(id, &name("third")).await.unwrap();
    assert!(refusal(&arena, "third").await.contains(&id.to_string()));
    arena.cancel_tournament(id).await.unwrap();
    arena.remove_bot(&name("third")).await.unwrap();
    assert!(arena.tournament(id).await.unwrap().stored.field.is_empty());

    arena.create_match(duel_setup()).await.unwrap();
    assert!(refusal(&arena, "first").await.contains("unfinished match"));
    // No bot plays, so the clocks run out.
    while arena.open_match_count() > 0 {
        tokio::time::sleep(BANK).await;
    }
    assert!(refusal(&arena, "first").await.contains("it has played"));
}
