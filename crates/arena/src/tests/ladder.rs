//! Tests of bots that join, leave or are suspended while a ladder runs, without a network and mostly without connected
//! bots.

use super::fixture::{TIMEOUT, arena, connect, name, read_until, reopen, shaky_arena, with_timeout};
use super::shaky_store::{ShakyStore, StoreBehaviour};
use crate::{Arena, ArenaError, NewTournament, TournamentView};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_proto::{MatchEvent, ServerEvent};
use lastnim_store::Store;
use lastnim_tournament::{
    AllianceSource, BoundedCount, FormatVerdict, LadderPairing, LadderSettings, Settings, SettingsDraft,
    SuspensionReason, TableGroups, TournamentFormat, TournamentState, testing,
};
use std::sync::Arc;
use std::time::Duration;

/// Creates a ladder of two-seat matches with assigned rows, and enters both bots. A bot that misses two matches is
/// suspended.
pub(super) async fn ladder(arena: &Arena, groups: Option<u64>) -> TournamentId {
    let ladder = LadderSettings {
        groups: groups.map(|groups| BoundedCount::new(groups).unwrap()),
        table_groups: TableGroups::ONE,
        suspend_after: BoundedCount::new(2).unwrap(),
        pairing: LadderPairing::default(),
    };
    let plain = testing::settings(2, 1, AllianceSource::Standard);
    let settings =
        Settings::new(SettingsDraft { format: TournamentFormat::Ladder(ladder), ..(*plain).clone() })
            .unwrap();
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in ["first", "second"] {
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    id
}

/// Waits until a tournament meets a condition.
pub(super) async fn wait_for_view(
    arena: &Arena,
    id: TournamentId,
    settled: impl Fn(&TournamentView) -> bool,
) -> TournamentView {
    let mut watch = arena.watch_tournament(id).await.unwrap();
    // Since time is paused, clocks run out without real waiting.
    let looking = tokio::time::timeout(100 * TIMEOUT, watch.wait_for(settled));
    looking.await.expect("it gets there").unwrap().clone()
}

async fn suspended_bots(arena: &Arena, id: TournamentId) -> Vec<String> {
    match &*arena.format_verdict(id).await.unwrap() {
        FormatVerdict::Suspended(suspended) => {
            suspended.iter().map(|suspended| suspended.bot.to_string()).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn names(view: &TournamentView) -> Vec<&str> {
    view.stored.field.iter().map(BotName::as_str).collect()
}

fn match_started(event: &ServerEvent) -> Option<()> {
    matches!(event, ServerEvent::InMatch { event: MatchEvent::Started { .. }, .. }).then_some(())
}

#[tokio::test(start_paused = true)]
async fn a_ladder_waits_until_enough_suspended_bots_have_returned() {
    let arena = arena().await;
    let id = ladder(&arena, None).await;
    arena.start_tournament(id).await.unwrap();
    let waiting = wait_for_view(&arena, id, |view| view.awaits_bots).await;
    assert_eq!((waiting.stored.state, waiting.played, waiting.total), (TournamentState::Running, 2, 0));
    assert_eq!(suspended_bots(&arena, id).await, ["first", "second"]);

    let (_first, mut hears) = connect(&arena, "first").unwrap();
    let received = read_until(&mut hears, |event| match event {
        ServerEvent::Suspended { tournament, suspension } => Some((*tournament, suspension.clone())),
        _ => None,
    });
    let (tournament, suspension) = received.await;
    assert_eq!((tournament, suspension.reason()), (id, SuspensionReason::NeverCame));
    assert_eq!((suspension.lost, suspension.no_shows, suspension.last), (2, 2, 1));

    let view = arena.join_tournament(id, &name("first")).await.unwrap();
    assert!(view.awaits_bots, "one is not enough");
    assert_eq!(names(&view), ["second", "first"]);
    assert_eq!(suspended_bots(&arena, id).await, ["second"]);
    arena.register_bot(name("third")).await.unwrap();
    let view = arena.join_tournament(id, &name("third")).await.unwrap();
    assert_eq!(names(&view), ["second", "first", "third"]);
    read_until(&mut hears, match_started).await;
    // The bot `second` is still left out. The bot `first` misses its matches and is suspended again, and so is the
    // newcomer.
    let waiting = wait_for_view(&arena, id, |view| view.awaits_bots && view.played == 4).await;
    assert_eq!(waiting.stored.state, TournamentState::Running);
    assert_eq!(suspended_bots(&arena, id).await, ["second", "first", "third"]);
    let lines = arena.standings(id).await.unwrap();
    let line = |bot: &str| lines.iter().find(|line| line.bot == name(bot)).unwrap().clone();
    assert_eq!((line("first").matches, line("third").matches, line("third").no_shows), (4, 2, 2));

    // A bot that leaves is no longer suspended, and keeps its line in the standings.
    let view = arena.leave_tournament(id, &name("third")).await.unwrap();
    assert_eq!(names(&view), ["second", "first"]);
    assert_eq!(suspended_bots(&arena, id).await, ["second", "first"]);
    assert_eq!(arena.standings(id).await.unwrap().len(), 3);
    let cancelled = arena.cancel_tournament(id).await.unwrap();
    assert_eq!((cancelled.stored.state, cancelled.awaits_bots), (TournamentState::Cancelled, false));
    assert_eq!(names(&cancelled), ["second", "first"]);
    let refused = arena.join_tournament(id, &name("third")).await.unwrap_err();
    assert!(matches!(refused, ArenaError::WrongState { state: TournamentState::Cancelled, .. }), "{refused}");
    // After the end, no bot is told that it is suspended.
    for bot in ["first", "third"] {
        let (_bot, mut hears) = connect(&arena, bot).unwrap();
        // A suspension would come before the first ping; missed ends may also come before it.
        read_until(&mut hears, |event| match event {
            ServerEvent::Suspended { .. } => {
                panic!("{bot} is told of a suspension after the end of the ladder: {event:?}")
            }
            ServerEvent::Ping { .. } => Some(()),
            _ => None,
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn bots_join_and_leave_a_ladder_until_its_last_round() {
    let arena = arena().await;
    let id = ladder(&arena, Some(1)).await;
    arena.register_bot(name("third")).await.unwrap();
    arena.start_tournament(id).await.unwrap();
    // The only round of the ladder is being played, and the bot could play only from the next round on.
    let view = arena.join_tournament(id, &name("third")).await.unwrap();
    assert_eq!(names(&view), ["first", "second", "third"]);
    arena.join_tournament(id, &name("third")).await.expect("joining twice does no harm");
    let final_view = wait_for_view(&arena, id, |view| view.stored.state.is_over()).await;
    assert_eq!(
        (final_view.stored.state, final_view.played, final_view.total),
        (TournamentState::Finished, 2, 2)
    );
    assert_eq!(arena.tournament(id).await.unwrap().stored, final_view.stored);
    assert_eq!(arena.standings(id).await.unwrap().len(), 3);
    let refused = arena.leave_tournament(id, &name("third")).await.unwrap_err();
    assert!(matches!(refused, ArenaError::WrongState { state: TournamentState::Finished, .. }), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_not_stored_has_no_effect() {
    let (store, arena) = shaky_arena().await;
    arena.register_bot(name("third")).await.unwrap();
    let id = ladder(&arena, None).await;
    arena.start_tournament(id).await.unwrap();
    wait_for_view(&arena, id, |view| view.awaits_bots).await;
    store.set(StoreBehaviour::RefusesFieldChanges);
    let refused = arena.join_tournament(id, &name("third")).await.unwrap_err();
    assert!(matches!(refused, ArenaError::Store(_)), "{refused}");
    assert_eq!(names(&arena.tournament(id).await.unwrap()), ["first", "second"]);
    assert!(store.field_history(id).await.unwrap().changes.is_empty());

    // While the store cannot be used, the caller gets an error that says that the change is delayed, and the change is
    // made later.
    store.set(StoreBehaviour::Fine);
    let before = store.next_write();
    store.set(StoreBehaviour::Hangs);
    let joining = tokio::spawn({
        let arena = arena.clone();
        async move { arena.join_tournament(id, &name("third")).await }
    });
    with_timeout("a write", store.wait_for_blocked_write()).await;
    drop(before);
    store.set(StoreBehaviour::OutOfOrder);
    let delayed = with_timeout("an answer", joining).await.unwrap();
    assert!(matches!(delayed, Err(ArenaError::Delayed(_))), "{delayed:?}");
    store.set(StoreBehaviour::Fine);
    let joined = wait_for_view(&arena, id, |view| view.stored.field.len() == 3).await;
    assert_eq!(names(&joined), ["first", "second", "third"]);
    let history = store.field_history(id).await.unwrap();
    assert_eq!((history.start.len(), history.changes.len()), (2, 1));
}

/// Stops an arena, and opens another one on its store.
async fn restart_arena(arena: Arena, store: &Arc<ShakyStore>) -> Arena {
    arena.stop(Duration::ZERO).await;
    reopen(Arc::<ShakyStore>::clone(store)).await
}

#[tokio::test(start_paused = true)]
async fn a_ladder_keeps_waiting_for_bots_after_a_restart() {
    let (store, arena) = shaky_arena().await;
    arena.register_bot(name("third")).await.unwrap();
    let id = ladder(&arena, None).await;
    arena.start_tournament(id).await.unwrap();
    wait_for_view(&arena, id, |view| view.awaits_bots).await;
    arena.join_tournament(id, &name("third")).await.unwrap();
    arena.leave_tournament(id, &name("second")).await.unwrap();
    let before = (suspended_bots(&arena, id).await, arena.standings(id).await.unwrap());
    assert_eq!(before.0, ["first"]);

    let arena = restart_arena(arena, &store).await;
    let view = wait_for_view(&arena, id, |view| view.awaits_bots).await;
    assert_eq!((names(&view), view.played), (vec!["first", "third"], 2));
    let mut lines = arena.standings(id).await.unwrap().to_vec();
    let mut expected = before.1.to_vec();
    // Ratings are not compared, because they are computed only on request.
    for line in lines.iter_mut().chain(&mut expected) {
        (line.rating, line.skill) = (None, None);
    }
    assert_eq!((suspended_bots(&arena, id).await, lines), (before.0, expected));
    let (_first, mut hears) = connect(&arena, "first").unwrap();
    read_until(&mut hears, |event| matches!(event, ServerEvent::Suspended { .. }).then_some(())).await;
    arena.join_tournament(id, &name("first")).await.unwrap();
    read_until(&mut hears, match_started).await;
    let arena = restart_arena(arena, &store).await;
    let view = wait_for_view(&arena, id, |view| view.played > 2).await;
    assert_eq!(names(&view), ["third", "first"]);
    arena.cancel_tournament(id).await.unwrap();
}

#[tokio::test]
async fn a_bot_that_leaves_before_the_start_does_not_play() {
    let arena = arena().await;
    let settings = testing::settings(2, 1, AllianceSource::Standard);
    let new = NewTournament { settings, terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in ["first", "second"] {
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    for _ in 0..2 {
        let view = arena.leave_tournament(id, &name("first")).await.unwrap();
        assert_eq!(names(&view), ["second"], "leaving twice does no harm");
    }
    assert_eq!(arena.standings(id).await.unwrap().len(), 1);
    let few = arena.start_tournament(id).await.unwrap_err();
    assert!(matches!(few, ArenaError::Field { .. }), "{few}");
    let unknown = arena.leave_tournament(id, &name("stranger")).await.unwrap_err();
    assert_eq!(unknown, ArenaError::NoSuchBot(name("stranger")));
    let view = arena.join_tournament(id, &name("first")).await.unwrap();
    assert_eq!(names(&view), ["second", "first"]);
    arena.start_tournament(id).await.unwrap();
}
