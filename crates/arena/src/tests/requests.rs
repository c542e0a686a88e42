//! Tests of requests that are made again after their answer was lost.

use super::fixture::{arena_with_store, duel_setup, name, reopen, shaky_arena, with_timeout};
use super::shaky_store::StoreBehaviour;
use crate::{Arena, ArenaError, Backend, CreationRequest, NewBot, NewMatch, NewTournament, Principal};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_store::{MatchFilter, MemoryStore, RequestHash, RequestKey, RetentionLimits, Token};
use lastnim_tournament::{AllianceSource, testing};
use std::sync::Arc;

fn new_tournament() -> NewTournament {
    NewTournament { settings: testing::settings(2, 1, AllianceSource::Standard), terms: Terms::default() }
}

pub(super) fn request(caller: Option<&str>, message: &str) -> CreationRequest {
    let key = RequestKey { caller: caller.map(name), id: "one".parse().unwrap() };
    CreationRequest { key, hash: RequestHash::of_request("Create", message.as_bytes()) }
}

pub(super) async fn create_tournament(
    arena: &Arena,
    request: impl Into<Option<CreationRequest>>,
) -> Result<TournamentId, ArenaError> {
    let created = arena.create_tournament_once(new_tournament(), request.into());
    with_timeout("a tournament", created).await.map(|view| view.stored.id)
}

async fn create_match(
    arena: &Arena,
    request: impl Into<Option<CreationRequest>>,
) -> Result<MatchId, ArenaError> {
    let created = arena.create_match_once(NewMatch::from(duel_setup()), request.into());
    with_timeout("a match", created).await.map(|summary| summary.id)
}

async fn counts(arena: &Arena) -> (usize, usize) {
    let tournaments = arena.list_tournaments(None, 99).await.unwrap().len();
    (tournaments, arena.list_matches(&MatchFilter::default(), None, 99).await.unwrap().len())
}

#[tokio::test]
async fn a_repeated_request_returns_what_the_first_one_created() {
    let store = Backend::in_memory().store;
    let mut arena = arena_with_store(store.clone()).await;
    let [tournament, mut of_match] = ["tournament", "match"].map(|message| request(None, message));
    of_match.key.id = "two".parse().unwrap();
    let first = create_tournament(&arena, tournament.clone()).await.unwrap();
    let second = create_match(&arena, of_match.clone()).await.unwrap();
    assert_eq!(create_tournament(&arena, tournament.clone()).await, Ok(first));
    assert_eq!(create_match(&arena, of_match).await, Ok(second));
    assert_eq!(counts(&arena).await, (1, 1));
    // A server in memory stores a match when it is over, so the next server knows only the tournament.
    arena = reopen(store).await;
    assert_eq!(create_tournament(&arena, tournament.clone()).await, Ok(first));

    let refused = create_tournament(&arena, request(None, "other")).await.unwrap_err().to_string();
    let start = "request_id: one was used at ";
    assert!(
        refused.starts_with(start) && refused.contains(&format!("created tournament {first}")),
        "{refused}"
    );
    let refused = create_match(&arena, request(None, "other")).await;
    assert!(matches!(refused, Err(ArenaError::RequestIdUsed { .. })), "{refused:?}");
    assert_eq!(counts(&arena).await.0, 1);
    let bot_tournament = create_tournament(&arena, request(Some("first"), "tournament")).await.unwrap();
    assert_ne!(bot_tournament, first, "each caller has its own ids");
    assert_ne!(
        create_tournament(&arena, None).await.unwrap(),
        create_tournament(&arena, None).await.unwrap()
    );
}

#[tokio::test]
async fn equal_requests_at_the_same_moment_create_one_thing() {
    let arena = arena_with_store(Backend::in_memory().store).await;
    let match_request = request(Some("first"), "match");
    let matches =
        tokio::join!(create_match(&arena, match_request.clone()), create_match(&arena, match_request));
    let tournament_request = request(None, "tournament");
    let tournaments = tokio::join!(
        create_tournament(&arena, tournament_request.clone()),
        create_tournament(&arena, tournament_request)
    );
    assert_eq!(matches.0.unwrap(), matches.1.unwrap());
    assert_eq!(tournaments.0.unwrap(), tournaments.1.unwrap());
    assert_eq!(counts(&arena).await, (1, 1));
}

#[tokio::test]
async fn a_bot_cannot_repeat_a_request_without_end() {
    let arena = arena_with_store(Backend::in_memory().store).await;
    let bot_request = request(Some("first"), "match");
    let first = create_match(&arena, bot_request.clone()).await.unwrap();
    let mut repeats = 0;
    let refused = loop {
        match create_match(&arena, bot_request.clone()).await {
            Ok(again) if repeats < 1_000 => assert_eq!(again, first),
            answer => break answer,
        }
        repeats += 1;
    };
    assert!(repeats >= 60 && matches!(refused, Err(ArenaError::RepeatRateExceeded { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_request_whose_match_was_not_stored_creates_one_when_it_is_repeated() {
    let (store, arena) = shaky_arena().await;
    store.set(StoreBehaviour::RefusesOneMatch);
    let refused = create_match(&arena, request(None, "x")).await;
    assert_eq!(refused, Err(ArenaError::MatchNotStored));
    let not_open = async {
        while arena.open_match_count() > 0 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout("the end of the match", not_open).await;
    let found = create_match(&arena, request(None, "x")).await.unwrap();
    assert_ne!(Some(found), store.refused_match());
    assert_eq!(create_match(&arena, request(None, "x")).await, Ok(found));
    let refused = create_match(&arena, request(None, "other")).await;
    assert!(matches!(refused, Err(ArenaError::RequestIdUsed { .. })), "{refused:?}");
    assert_eq!(counts(&arena).await, (0, 1));
}

#[tokio::test]
async fn a_request_whose_tournament_is_no_longer_kept_creates_one_when_it_is_repeated() {
    let retention = RetentionLimits { tournaments: 1, ..RetentionLimits::default() };
    let store = Arc::new(MemoryStore::new(retention));
    let arena = arena_with_store(store).await;
    let mut ids = Vec::new();
    for message in ["x", "y"] {
        let mut request = request(None, message);
        request.key.id = message.parse().unwrap();
        let id = create_tournament(&arena, request).await.unwrap();
        arena.cancel_tournament(id).await.unwrap();
        ids.push(id);
    }
    assert_eq!(arena.tournament(ids[0]).await.unwrap_err(), ArenaError::NoSuchTournament(ids[0]));
    let mut repeated = request(None, "x");
    repeated.key.id = "x".parse().unwrap();
    let created = create_tournament(&arena, repeated.clone()).await.unwrap();
    assert!(!ids.contains(&created), "{created}");
    assert_eq!(create_tournament(&arena, repeated).await, Ok(created));
}

#[tokio::test]
async fn a_request_repeated_after_an_outage_finds_what_was_created_meanwhile() {
    let (store, arena) = shaky_arena().await;
    store.set(StoreBehaviour::Hangs);
    let mut writes = store.next_write();
    let behind = arena.clone();
    let creating = tokio::spawn(async move { create_tournament(&behind, request(None, "x")).await });
    with_timeout("a write that hangs", writes.changed()).await.unwrap();
    store.set(StoreBehaviour::OutOfOrder);
    let answer = with_timeout("an answer", creating).await.unwrap();
    assert!(matches!(answer, Err(ArenaError::Delayed(_))), "{answer:?}");
    store.set(StoreBehaviour::Fine);
    arena.wait_until_store_usable().await;
    let found = create_tournament(&arena, request(None, "x")).await.unwrap();
    let listed = arena.list_tournaments(None, 9).await.unwrap();
    assert_eq!(listed.iter().map(|view| view.stored.id).collect::<Vec<_>>(), [found]);
}

#[tokio::test]
async fn registering_again_with_the_same_token_is_harmless() {
    let admin = Token::generate();
    let tokens = [(admin.clone(), Principal::Admin)];
    let arena = Arena::open(crate::Limits::default(), Backend::in_memory(), tokens).await.unwrap();
    let (ann, bob, token) = (name("ann"), name("bob"), Token::generate());
    let register =
        |bot: &_, token: &Token| arena.register_bot_with_token(NewBot::new(Clone::clone(bot), token.clone()));
    let (one, two) = tokio::join!(register(&ann, &token), register(&ann, &token));
    assert_eq!(one.unwrap().stored, two.unwrap().stored);
    assert_eq!(arena.principal_of_token(token.reveal()), Some(Principal::Bot(ann.clone())));
    assert_eq!(arena.list_bots(None, 9).await.unwrap().len(), 1);
    let refused = register(&ann, &Token::generate()).await.unwrap_err();
    assert_eq!(refused, ArenaError::NameTaken(ann.clone()));
    for taken in [&token, &admin] {
        assert_eq!(register(&bob, taken).await.unwrap_err(), ArenaError::TokenTaken);
    }
    arena.rotate_token(&ann).await.unwrap();
    assert_eq!(
        register(&ann, &token).await.unwrap_err(),
        ArenaError::NameTaken(ann),
        "the old token is invalid"
    );
}
