//! Tests of start times and of the end of entries, with a system clock that the test sets.

use super::fixture::{name, with_timeout};
use super::shaky_store::{ShakyStore, StoreBehaviour, shaky_store};
use crate::environment::Environment;
use crate::{Arena, ArenaError, Backend, Limits, NewBot, NewTournament};
use lastnim_core::game::TournamentId;
use lastnim_core::referee::{Terms, Timestamp};
use lastnim_store::Token;
use lastnim_tournament::{AllianceSource, Settings, SettingsDraft, TournamentState, testing};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::sleep;

/// The start time, in seconds since 1970.
const START: u64 = 1_800_000_000;

/// A server whose system clock the test sets.
struct TimedServer {
    arena: Arena,
    store: Arc<ShakyStore>,
    /// The time that the system's clock shows, in seconds since 1970.
    date: Arc<AtomicU64>,
}

impl TimedServer {
    async fn open(store: Arc<ShakyStore>, seconds: u64) -> Self {
        let date = Arc::new(AtomicU64::new(seconds));
        let shown = Arc::clone(&date);
        let environment = Environment::new(
            move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::Relaxed)),
            |bytes| getrandom::fill(bytes).expect("the system has a random source"),
        );
        let backend = Backend { store: store.clone(), environment, ..Backend::in_memory() };
        let arena = Arena::open(Limits::default(), backend, []).await.unwrap();
        Self { arena, store, date }
    }

    /// Opens a server an hour before the start time, with three bots.
    async fn start() -> Self {
        let server = Self::open(shaky_store(), START - 3_600).await;
        for bot in ["first", "second", "third"] {
            server.arena.register_bot(name(bot)).await.unwrap();
        }
        server
    }

    /// Creates a tournament for two seats.
    async fn create(&self, change: impl FnOnce(&mut SettingsDraft)) -> TournamentId {
        self.try_create(change).await.unwrap()
    }

    async fn try_create(&self, change: impl FnOnce(&mut SettingsDraft)) -> Result<TournamentId, ArenaError> {
        let mut draft = (*testing::settings(2, 1, AllianceSource::Standard)).clone();
        change(&mut draft);
        let new = NewTournament { settings: Settings::new(draft).unwrap(), terms: Terms::default() };
        self.arena.create_tournament(new).await.map(|view| view.stored.id)
    }

    /// Creates a tournament with the start time.
    async fn create_timed(&self) -> TournamentId {
        self.create(|draft| draft.start_at = Some(time(START))).await
    }

    async fn join(&self, id: TournamentId, bot: &str) -> Result<TournamentState, ArenaError> {
        self.arena.join_tournament(id, &name(bot)).await.map(|view| view.stored.state)
    }

    /// Sets the system's clock, and returns the state of the tournament two seconds later.
    async fn state_at(&self, id: TournamentId, seconds: u64) -> TournamentState {
        self.date.store(seconds, Ordering::Relaxed);
        sleep(Duration::from_secs(2)).await;
        self.arena.tournament(id).await.unwrap().stored.state
    }
}

fn time(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

#[tokio::test(start_paused = true)]
async fn a_tournament_starts_at_its_time_on_the_system_clock() {
    let server = TimedServer::start().await;
    let id = server.create_timed().await;
    server.join(id, "first").await.unwrap();
    server.join(id, "second").await.unwrap();
    sleep(Duration::from_hours(2)).await;
    let early = server.state_at(id, START - 1).await;
    assert_eq!(early, TournamentState::Open, "the server's own clock does not count");
    assert_eq!(server.state_at(id, START - 86_400).await, TournamentState::Open, "the clock was set back");
    assert_eq!(server.state_at(id, START).await, TournamentState::Running);
}

#[tokio::test(start_paused = true)]
async fn a_tournament_with_too_few_bots_starts_when_enough_have_joined() {
    let server = TimedServer::start().await;
    let id = server.create_timed().await;
    server.join(id, "first").await.unwrap();
    assert_eq!(server.state_at(id, START + 60).await, TournamentState::Open);
    assert_eq!(server.join(id, "second").await, Ok(TournamentState::Open));
    assert_eq!(server.state_at(id, START + 62).await, TournamentState::Running);
}

#[tokio::test(start_paused = true)]
async fn a_tournament_starts_at_its_time_or_once_enough_bots_have_joined() {
    let server = TimedServer::start().await;
    let id = server.create(|draft| (draft.start_at, draft.start_when) = (Some(time(START)), Some(3))).await;
    server.join(id, "first").await.unwrap();
    assert_eq!(server.join(id, "second").await, Ok(TournamentState::Open));
    assert_eq!(server.join(id, "third").await, Ok(TournamentState::Running));
    let other =
        server.create(|draft| (draft.start_at, draft.start_when) = (Some(time(START)), Some(3))).await;
    server.join(other, "first").await.unwrap();
    server.join(other, "second").await.unwrap();
    assert_eq!(server.state_at(other, START).await, TournamentState::Running, "two bots are enough");
}

#[tokio::test(start_paused = true)]
async fn a_tournament_starts_late_if_the_server_was_down_at_its_time() {
    let before = TimedServer::start().await;
    let (full, short) = (before.create_timed().await, before.create_timed().await);
    before.join(full, "first").await.unwrap();
    before.join(full, "second").await.unwrap();
    before.join(short, "first").await.unwrap();
    before.arena.stop(Duration::ZERO).await;
    let after = TimedServer::open(before.store, START + 3_600).await;
    assert_eq!(after.state_at(full, START + 3_602).await, TournamentState::Running);
    assert_eq!(after.state_at(short, START + 3_602).await, TournamentState::Open);
    after.join(short, "third").await.unwrap();
    assert_eq!(after.state_at(short, START + 3_604).await, TournamentState::Running);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_cannot_be_stored_is_tried_again() {
    let server = TimedServer::start().await;
    let id = server.create_timed().await;
    server.join(id, "first").await.unwrap();
    server.join(id, "second").await.unwrap();
    server.store.set(StoreBehaviour::RefusesStarts);
    assert_eq!(server.state_at(id, START).await, TournamentState::Open);
    server.store.set(StoreBehaviour::Fine);
    assert_eq!(server.state_at(id, START).await, TournamentState::Running);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_tournament_does_not_start() {
    let server = TimedServer::start().await;
    let id = server.create_timed().await;
    server.join(id, "first").await.unwrap();
    server.join(id, "second").await.unwrap();
    server.arena.cancel_tournament(id).await.unwrap();
    assert_eq!(server.state_at(id, START).await, TournamentState::Cancelled);
    with_timeout("the stop", server.arena.stop(Duration::ZERO)).await;
}

#[tokio::test(start_paused = true)]
async fn no_bot_enters_after_entries_have_closed() {
    let server = TimedServer::start().await;
    let id = server.create(|draft| draft.entries_close_at = Some(time(START))).await;
    server.join(id, "first").await.unwrap();
    server.date.store(START - 1, Ordering::Relaxed);
    server.join(id, "second").await.unwrap();
    server.date.store(START, Ordering::Relaxed);
    let refused = server.join(id, "third").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("tournament {id}: entries closed at 2027-01-15T08:00:00.000000Z")
    );
    assert_eq!(server.join(id, "second").await, Ok(TournamentState::Open), "joining twice does no harm");
    server.arena.start_tournament(id).await.unwrap();
    // The clock shows the time at which entries would close.
    let refused = server.try_create(|draft| draft.entries_close_at = Some(time(START))).await.unwrap_err();
    let expected = "entries_close_at: 2027-01-15T08:00:00.000000Z has passed: expected a time after 2027-01-15T08:00:00.000000Z, the time of the server";
    assert_eq!(refused.to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_entry_code_does_not_work_after_entries_have_closed() {
    let server = TimedServer::start().await;
    let id = server.create(|draft| draft.entries_close_at = Some(time(START))).await;
    let code = server.arena.create_entry_code(id, 2).await.unwrap();
    server
        .arena
        .register_entrant(id, NewBot::new(name("fourth"), Token::generate()), code.clone())
        .await
        .unwrap();
    server.date.store(START, Ordering::Relaxed);
    let refused = server
        .arena
        .register_entrant(id, NewBot::new(name("fifth"), Token::generate()), code)
        .await
        .map(drop)
        .unwrap_err();
    assert!(matches!(refused, ArenaError::EntriesClosed { .. }), "{refused}");
    let refused = server.arena.create_entry_code(id, 1).await.unwrap_err();
    assert!(matches!(refused, ArenaError::EntriesClosed { .. }), "{refused}");
    let code = server.arena.tournament(id).await.unwrap().stored.entry_code;
    assert_eq!(code.map(|code| code.uses_left), Some(1));
    server.arena.revoke_entry_code(id).await.expect("it can still be revoked");
}
