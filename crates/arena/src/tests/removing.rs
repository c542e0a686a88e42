//! Bots that never played are removed.

use super::fixture::{BANK, arena, connect, duel, name, reopen, shaky_arena, soon};
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
async fn a_bot_that_is_removed_is_gone_for_this_server_and_the_next() {
    let (store, arena) = shaky_arena().await;
    let (_, token) = arena.register_bot(name("idle")).await.unwrap();
    let (_requests, mut stream) = connect(&arena, "idle").unwrap();
    arena.remove_bot(&name("idle")).await.unwrap();
    let closing = async {
        loop {
            match stream.next().await.expect("it says why it ends") {
                Ok(_) => {}
                Err(closing) => break closing,
            }
        }
    };
    let closed = soon("the end of the session", closing).await;
    assert_eq!(closed, crate::CloseReason::BotRemoved.into());
    let unknown = ArenaError::NoSuchBot(name("idle"));
    assert_eq!(arena.remove_bot(&name("idle")).await.unwrap_err(), unknown);
    assert_eq!(arena.principal_of_token(token.reveal()), None);
    let next = reopen(store).await;
    assert_eq!(next.bot(&name("idle")).await.unwrap_err(), unknown);
    assert_eq!(next.principal_of_token(token.reveal()), None);
    let (view, _) = next.register_bot(name("idle")).await.unwrap();
    assert!(view.session.is_none());
    assert_eq!(next.principal_of_token(token.reveal()), None, "a later bot of its name has nothing from it");
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_is_needed_stays() {
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

    arena.create_match(duel()).await.unwrap();
    assert!(refusal(&arena, "first").await.contains("not over"));
    // Nobody takes a seat before the clocks have run out.
    while arena.open_match_count() > 0 {
        tokio::time::sleep(BANK).await;
    }
    assert!(refusal(&arena, "first").await.contains("it has played"));
}
