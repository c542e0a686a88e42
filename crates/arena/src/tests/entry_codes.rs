//! Tests of entry codes, without a network.

use super::fixture::{arena, name, reopen, shaky_arena};
use super::ladder::{ladder, wait_for_view};
use super::shaky_store::StoreBehaviour;
use crate::tournaments::cpu_times::CpuTask;
use crate::{Arena, ArenaError, NewBot, NewTournament, Principal};
use lastnim_core::game::TournamentId;
use lastnim_core::referee::Terms;
use lastnim_store::{EntryCode, Store as _, Token};
use lastnim_tournament::{AllianceSource, AllowList, Settings, SettingsDraft, TournamentState, testing};
use std::time::Duration;

/// Creates a tournament for two seats.
async fn create(arena: &Arena, change: impl FnOnce(&mut SettingsDraft)) -> TournamentId {
    let mut draft = (*testing::settings(2, 1, AllianceSource::Standard)).clone();
    change(&mut draft);
    let new = NewTournament { settings: Settings::new(draft).unwrap(), terms: Terms::default() };
    arena.create_tournament(new).await.unwrap().stored.id
}

/// Registers a bot with a code, and returns the error if it is refused.
async fn enter(arena: &Arena, id: TournamentId, bot: &str, code: &EntryCode) -> Result<(), ArenaError> {
    let token = Token::generate();
    let (view, entered) =
        arena.register_entrant(id, NewBot::new(name(bot), token.clone()), code.clone()).await?;
    assert_eq!(view.stored.name, name(bot));
    assert!(entered.stored.field.contains(&name(bot)));
    assert_eq!(arena.principal_of_token(token.reveal()), Some(Principal::Bot(name(bot))));
    Ok(())
}

/// Returns how many uses the code has left; `None` if there is no code.
async fn uses_left(arena: &Arena, id: TournamentId) -> Option<u32> {
    arena.tournament(id).await.unwrap().stored.entry_code.map(|code| code.uses_left)
}

#[tokio::test]
async fn a_code_registers_exactly_as_many_bots_as_it_has_uses() {
    let arena = arena().await;
    let id = create(&arena, |_| {}).await;
    let code = arena.create_entry_code(id, 3).await.unwrap();
    let entering: Vec<_> = (0..10)
        .map(|number| {
            let (arena, code) = (arena.clone(), code.clone());
            tokio::spawn(async move { enter(&arena, id, &format!("bot-{number}"), &code).await })
        })
        .collect();
    let mut entered = 0;
    for result in entering {
        match result.await.unwrap() {
            Ok(()) => entered += 1,
            Err(error) => assert_eq!(error, ArenaError::EntryCodeUsedUp(id)),
        }
    }
    let field = arena.tournament(id).await.unwrap().stored.field.len();
    assert_eq!((entered, field, uses_left(&arena, id).await), (3, 3, Some(0)));
    assert_eq!(arena.list_bots(None, 99).await.unwrap().len(), 2 + 3);
}

#[tokio::test]
async fn only_the_current_code_of_the_tournament_works_and_refusals_cost_no_use() {
    let arena = arena().await;
    let id = create(&arena, |_| {}).await;
    let other = create(&arena, |_| {}).await;
    let foreign = arena.create_entry_code(other, 1).await.unwrap();
    let wrong = Err(ArenaError::WrongEntryCode(id));
    assert_eq!(enter(&arena, id, "third", &foreign).await, wrong, "it has no code");
    let replaced = arena.create_entry_code(id, 1).await.unwrap();
    let code = arena.create_entry_code(id, 1).await.unwrap();
    for refused in [&foreign, &replaced, &EntryCode::generate()] {
        assert_eq!(enter(&arena, id, "third", refused).await, wrong);
    }
    assert_eq!(enter(&arena, id, "first", &code).await, Err(ArenaError::NameTaken(name("first"))));
    let guest = "guest-0123456789abcdef";
    assert_eq!(enter(&arena, id, guest, &code).await, Err(ArenaError::GuestName(name(guest))));
    assert_eq!(uses_left(&arena, id).await, Some(1));
    enter(&arena, id, "third", &code).await.unwrap();
    assert_eq!(enter(&arena, id, "fourth", &code).await, Err(ArenaError::EntryCodeUsedUp(id)));
    arena.revoke_entry_code(id).await.unwrap();
    arena.revoke_entry_code(id).await.expect("revoking twice is harmless");
    assert_eq!(enter(&arena, id, "fourth", &code).await, wrong);
    assert_eq!((uses_left(&arena, id).await, uses_left(&arena, other).await), (None, Some(1)));
    let unknown = TournamentId::new(1, &[7; 10]);
    let hidden = Err(ArenaError::WrongEntryCode(unknown));
    assert_eq!(enter(&arena, unknown, "fourth", &code).await, hidden, "ids cannot be guessed with a code");
    assert_eq!(arena.create_entry_code(unknown, 1).await, Err(ArenaError::NoSuchTournament(unknown)));
}

#[tokio::test]
async fn only_allowed_bots_enter() {
    let arena = arena().await;
    let allow = ["first", "team-*"].map(|name| name.parse().unwrap()).to_vec();
    let id = create(&arena, |draft| draft.allow = AllowList::new(allow).unwrap()).await;
    arena.join_tournament(id, &name("first")).await.unwrap();
    let refusal = |bot: &str| ArenaError::NotAllowed { id, bot: name(bot) };
    assert_eq!(arena.join_tournament(id, &name("second")).await.unwrap_err(), refusal("second"));
    let code = arena.create_entry_code(id, 1).await.unwrap();
    assert_eq!(enter(&arena, id, "third", &code).await, Err(refusal("third")));
    enter(&arena, id, "team-3", &code).await.unwrap();
}

#[tokio::test]
async fn a_repeated_registration_returns_the_same_bot_and_costs_no_use() {
    let arena = arena().await;
    let id = create(&arena, |draft| draft.start_when = Some(2)).await;
    let code = arena.create_entry_code(id, 2).await.unwrap();
    let tokens = [Token::generate(), Token::generate()];
    let register = |bot: &str, token: &Token| {
        arena.register_entrant(id, NewBot::new(name(bot), token.clone()), code.clone())
    };
    let results = tokio::join!(register("ann", &tokens[0]), register("ann", &tokens[0]));
    assert_eq!(results.0.unwrap().0.stored, results.1.unwrap().0.stored);
    assert_eq!(uses_left(&arena, id).await, Some(1));
    let refused = register("ann", &tokens[1]).await.map(drop).unwrap_err();
    assert_eq!(refused, ArenaError::NameTaken(name("ann")));
    let refused = register("bob", &tokens[0]).await.map(drop).unwrap_err();
    assert_eq!(refused, ArenaError::TokenTaken);
    // The second bot uses the code up, and starts the tournament.
    register("bob", &tokens[1]).await.unwrap();
    let (repeated, view) = register("bob", &tokens[1]).await.unwrap();
    assert_eq!((repeated.stored.name, view.stored.state), (name("bob"), TournamentState::Running));
    assert_eq!(uses_left(&arena, id).await, Some(0));
    arena.cancel_tournament(id).await.unwrap();
    let (repeated, view) = register("bob", &tokens[1]).await.unwrap();
    assert_eq!((repeated.stored.name, view.stored.state), (name("bob"), TournamentState::Cancelled));
    // A bot that has not entered is not told that it has.
    let other = create(&arena, |_| {}).await;
    let elsewhere =
        arena.register_entrant(other, NewBot::new(name("bob"), tokens[1].clone()), code.clone()).await;
    assert_eq!(elsewhere.map(drop), Err(ArenaError::WrongEntryCode(other)));
}

#[tokio::test]
async fn a_registration_cannot_be_repeated_without_end() {
    let arena = arena().await;
    let id = create(&arena, |_| {}).await;
    let (code, token) = (arena.create_entry_code(id, 1).await.unwrap(), Token::generate());
    let register = || arena.register_entrant(id, NewBot::new(name("ann"), token.clone()), code.clone());
    register().await.unwrap();
    let mut repeats = 0;
    let refused = loop {
        match register().await {
            Ok(_) if repeats < 1_000 => repeats += 1,
            answer => break answer.map(drop),
        }
    };
    assert!(repeats >= 60 && matches!(refused, Err(ArenaError::RepeatRateExceeded { .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_token_gets_one_bot_when_several_are_registered_at_once() {
    let arena = arena().await;
    let running = ladder(&arena, None).await;
    arena.start_tournament(running).await.unwrap();
    wait_for_view(&arena, running, |view| view.awaits_bots).await;
    let token = Token::generate();
    let mut entering = Vec::new();
    for (id, bot) in
        [(create(&arena, |_| {}).await, "ann"), (create(&arena, |_| {}).await, "bob"), (running, "cid")]
    {
        let code = arena.create_entry_code(id, 1).await.unwrap();
        let (arena, token) = (arena.clone(), token.clone());
        entering.push(tokio::spawn(async move {
            let entered = arena.register_entrant(id, NewBot::new(name(bot), token), code).await;
            (bot, entered.map(drop))
        }));
    }
    let (own, without_code) = (arena.clone(), token.clone());
    entering.push(tokio::spawn(async move {
        ("dan", own.register_bot_with_token(NewBot::new(name("dan"), without_code)).await.map(drop))
    }));
    let mut registered = Vec::new();
    for result in entering {
        match result.await.unwrap() {
            (bot, Ok(())) => registered.push(bot),
            (_, Err(refused)) => assert_eq!(refused, ArenaError::TokenTaken),
        }
    }
    let [bot] = registered[..] else { panic!("{registered:?} have one token") };
    assert_eq!(arena.principal_of_token(token.reveal()), Some(Principal::Bot(name(bot))));
    assert_eq!(arena.list_bots(None, 99).await.unwrap().len(), 2 + 1);
}

#[tokio::test]
async fn a_code_survives_a_restart() {
    let (store, arena) = shaky_arena().await;
    let id = create(&arena, |_| {}).await;
    let code = arena.create_entry_code(id, 2).await.unwrap();
    let token = Token::generate();
    arena.register_entrant(id, NewBot::new(name("third"), token.clone()), code.clone()).await.unwrap();
    let next = reopen(store.clone()).await;
    assert_eq!(next.principal_of_token(token.reveal()), Some(Principal::Bot(name("third"))));
    enter(&next, id, "fourth", &code).await.unwrap();
    assert_eq!(enter(&next, id, "fifth", &code).await, Err(ArenaError::EntryCodeUsedUp(id)));
    let field = next.tournament(id).await.unwrap().stored.field;
    assert_eq!(*field, [name("third"), name("fourth")]);
    let last = reopen(store).await;
    assert_eq!(enter(&last, id, "fifth", &code).await, Err(ArenaError::EntryCodeUsedUp(id)));
}

#[tokio::test(start_paused = true)]
async fn a_code_works_only_while_bots_can_enter() {
    let arena = arena().await;
    let id = create(&arena, |draft| draft.start_when = Some(2)).await;
    let code = arena.create_entry_code(id, 3).await.unwrap();
    enter(&arena, id, "third", &code).await.unwrap();
    assert_eq!(arena.entry_code_uses(&arena.tournament(id).await.unwrap()), 2);
    enter(&arena, id, "fourth", &code).await.unwrap();
    let view = arena.tournament(id).await.unwrap();
    assert_eq!(view.stored.state, TournamentState::Running, "it was the last");
    assert_eq!((arena.entry_code_uses(&view), uses_left(&arena, id).await), (0, Some(1)));
    let started = enter(&arena, id, "fifth", &code).await.unwrap_err();
    assert!(matches!(started, ArenaError::WrongState { state: TournamentState::Running, .. }), "{started}");
    let refused = arena.create_entry_code(id, 1).await.unwrap_err();
    assert!(matches!(refused, ArenaError::WrongState { .. }), "{refused}");
    arena.cancel_tournament(id).await.unwrap();
    assert_eq!(enter(&arena, id, "fifth", &code).await, Err(ArenaError::WrongEntryCode(id)));
}

#[tokio::test(start_paused = true)]
async fn a_code_registers_bots_for_a_running_ladder() {
    let (store, arena) = shaky_arena().await;
    let id = ladder(&arena, None).await;
    arena.start_tournament(id).await.unwrap();
    wait_for_view(&arena, id, |view| view.awaits_bots).await;
    let code = arena.create_entry_code(id, 2).await.unwrap();
    assert_eq!(enter(&arena, id, "first", &code).await, Err(ArenaError::NameTaken(name("first"))));
    store.set(StoreBehaviour::RefusesFieldChanges);
    let refused = enter(&arena, id, "third", &code).await.unwrap_err();
    assert!(matches!(refused, ArenaError::Store(_)), "{refused}");
    assert!(store.bot(&name("third")).await.unwrap().is_none(), "without its entry it is not registered");
    assert_eq!(uses_left(&arena, id).await, Some(2));
    store.set(StoreBehaviour::Fine);
    let token = Token::generate();
    let register = || arena.register_entrant(id, NewBot::new(name("third"), token.clone()), code.clone());
    register().await.unwrap();
    assert_eq!(uses_left(&arena, id).await, Some(1), "the director's copy does not overwrite it");
    arena.leave_tournament(id, &name("third")).await.unwrap();
    let (repeated, view) = register().await.expect("a repetition, although the bot has left");
    assert_eq!(repeated.stored.name, name("third"));
    assert!(!view.stored.field.contains(&name("third")));
    assert_eq!(uses_left(&arena, id).await, Some(1));
    enter(&arena, id, "fourth", &code).await.unwrap();
    let next = reopen(store).await;
    assert_eq!(uses_left(&next, id).await, Some(0));
    assert!(next.tournament(id).await.unwrap().stored.field.contains(&name("fourth")));
}

#[tokio::test]
async fn a_taken_name_does_not_make_the_server_plan() {
    let (store, arena) = shaky_arena().await;
    let id = create(&arena, |draft| draft.start_when = Some(2)).await;
    let code = arena.create_entry_code(id, 2).await.unwrap();
    enter(&arena, id, "third", &code).await.unwrap();
    let planning = || arena.live_tournament(id).unwrap().cpu_times.spent(CpuTask::Planning);
    // The next bot would be the last that the tournament waits for.
    for taken in ["first", "third"] {
        assert_eq!(enter(&arena, id, taken, &code).await, Err(ArenaError::NameTaken(name(taken))));
    }
    assert_eq!(planning(), Duration::ZERO);
    store.set(StoreBehaviour::RefusesStarts);
    enter(&arena, id, "fourth", &code).await.unwrap_err();
    assert!(planning() > Duration::ZERO, "a free name does");
}

#[tokio::test]
async fn a_bot_whose_entry_is_not_stored_is_not_registered() {
    let (store, arena) = shaky_arena().await;
    let id = create(&arena, |draft| draft.start_when = Some(2)).await;
    let code = arena.create_entry_code(id, 2).await.unwrap();
    enter(&arena, id, "third", &code).await.unwrap();
    store.set(StoreBehaviour::RefusesStarts);
    let refused = enter(&arena, id, "fourth", &code).await.unwrap_err();
    assert!(matches!(refused, ArenaError::Store(_)), "{refused}");
    assert!(store.bot(&name("fourth")).await.unwrap().is_none());
    assert_eq!(uses_left(&arena, id).await, Some(1));
    store.set(StoreBehaviour::Fine);
    enter(&arena, id, "fourth", &code).await.unwrap();
}
