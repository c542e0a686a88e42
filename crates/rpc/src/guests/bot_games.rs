//! People who play a bot's matches, using its token.

use super::game_session::{GameSession, SessionListener};
use super::game_status::GameStatus;
use crate::access::Access;
use crate::status::{arena_status, refusal_status};
use lastnim_arena::{Arena, OpenGame, OpenSeat};
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::SeatAction;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tonic::{Code, Request, Status};

/// The minimum time between updates of a page, since a bot with many matches gets events constantly.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(250);

/// The sessions of people who play a bot's matches with its token. Such a session is like the one that the bot's
/// program opens, and a newer session of the bot replaces an older one. Cheap to clone.
#[derive(Debug, Clone)]
pub struct BotGames {
    arena: Arena,
    access: Access,
    /// The sessions by bot; the lock is not held across an await.
    sessions: Arc<Mutex<PersonSessions>>,
}

/// The open sessions of people who play as bots.
#[derive(Debug, Default)]
struct PersonSessions {
    by_bot: HashMap<BotName, PersonSession>,
    /// The number of the next session.
    next_number: u64,
}

/// A session kept open for a person.
#[derive(Debug)]
struct PersonSession {
    session: GameSession,
    /// The number that tells the session apart from earlier and later ones.
    number: u64,
    /// A guard that ends the session when it is dropped.
    _end: oneshot::Sender<()>,
}

impl BotGames {
    /// Creates a collection without sessions.
    pub fn new(arena: Arena, access: Access) -> Self {
        Self { arena, access, sessions: Arc::default() }
    }

    /// Returns the bot whose token is in a request.
    ///
    /// # Errors
    /// If the request has no token, or its token is not a bot's.
    pub fn bot_of_request<T>(&self, request: &Request<T>) -> Result<BotName, Status> {
        self.access.require_bot(request)
    }

    /// Takes over the seats of the bot whose token is in a request, and holds them until `until` at the latest. This
    /// ends any earlier session of the bot.
    ///
    /// # Errors
    /// If the token is not a bot's, the session limit is reached, or the server is stopping.
    pub fn take_seats<T>(&self, request: &Request<T>, until: Instant) -> Result<(), Status> {
        let bot = self.access.require_bot(request)?;
        let (end, ended) = oneshot::channel();
        let (number, listener) = {
            // The lock ensures that the newer of two concurrent sessions is kept.
            let mut sessions = self.lock_sessions();
            let (session, listener) = GameSession::open(&self.arena, &bot).map_err(arena_status)?;
            let number = sessions.next_number;
            sessions.next_number += 1;
            sessions.by_bot.insert(bot.clone(), PersonSession { session, number, _end: end });
            (number, listener)
        };
        tokio::spawn(self.clone().listen_to_session(bot.clone(), number, listener, (until, ended)));
        // The token is checked again, because it may have been replaced before this session existed, in which case the
        // replacement did not close the session.
        self.access.require_bot(request).map(drop).inspect_err(|_| self.remove_session(&bot, number))
    }

    /// Takes the seats of the bot whose token is in a request, as [`take_seats`](Self::take_seats) does, unless the bot
    /// has a session. After a restart, nobody has one.
    ///
    /// # Errors
    /// As for [`take_seats`](Self::take_seats).
    pub fn take_free_seats<T>(&self, request: &Request<T>, until: Instant) -> Result<(), Status> {
        if self.arena.is_connected(&self.access.require_bot(request)?) {
            return Ok(());
        }
        self.take_seats(request, until)
    }

    /// Leaves the seats of a bot, unless its program has them.
    pub fn leave_seats(&self, bot: &BotName) {
        self.lock_sessions().by_bot.remove(bot);
    }

    /// Performs an action in an open match of a bot. The game's status then shows the result.
    ///
    /// # Errors
    /// If the token of the request is not a bot's, no person holds the bot's seats any more, or the match is over.
    pub async fn act<T>(&self, request: &Request<T>, id: MatchId, action: SeatAction) -> Result<(), Status> {
        let bot = self.access.require_bot(request)?;
        if let Some(session) = self.session(&bot)
            && session.act(id, action).await
        {
            return Ok(());
        }
        if !self.arena.is_match_open(id) {
            return Err(refusal_status(Code::FailedPrecondition, "MATCH_OVER", "the match is over"));
        }
        let message = format!("another session has {bot}'s seats: take them back, then repeat the action");
        Err(refusal_status(Code::Aborted, "SESSION_REPLACED", &message))
    }

    /// Returns a number that grows with each event in a bot's session; `None` if no person holds the bot's seats.
    pub fn revision(&self, bot: &BotName) -> Option<u64> {
        self.session(bot).map(|session| session.revision())
    }

    /// Waits for a quarter of a second, and then until the session of a bot has events newer than `revision`, the session is
    /// over, or the time is up.
    pub async fn wait_for_newer_events(&self, bot: &BotName, within: Duration, revision: u64) {
        let Some(mut session) = self.session(bot) else { return };
        tokio::time::sleep(MIN_UPDATE_INTERVAL.min(within)).await;
        // A timeout is ignored, because the page then shows the current state.
        let _ = tokio::time::timeout(within, session.wait_for_newer_events(revision)).await;
    }

    /// Returns the status of a game, as known to a bot's session.
    pub fn game_status(&self, bot: &BotName, id: MatchId) -> GameStatus {
        self.session(bot).map(|session| session.status_of(id)).unwrap_or_default()
    }

    /// Waits until the status of a game meets a condition, the session is over, or the time is up.
    pub async fn wait_for_status(
        &self,
        bot: &BotName,
        id: MatchId,
        within: Duration,
        mut is_enough: impl FnMut(&GameStatus) -> bool,
    ) {
        let Some(mut session) = self.session(bot) else { return };
        let enough = session.games.wait_for(|games| is_enough(&games.status_of(id)));
        // A timeout is ignored, because the page then shows the current state.
        let _ = tokio::time::timeout(within, enough).await;
    }

    /// Returns the seat of a bot in an open match; `None` if the bot has no seat in it, or the match is over. Does not
    /// wait for other reads.
    pub fn open_seat(&self, bot: &BotName, id: MatchId) -> Option<OpenSeat> {
        self.arena.open_seat(bot, id)
    }

    /// Returns up to `limit` open matches of a bot, with those that wait for the bot at the front, and whether there
    /// are more. Does not wait for other reads.
    pub fn open_games(&self, bot: &BotName, limit: usize) -> (Vec<OpenGame>, bool) {
        self.arena.open_games(bot, limit)
    }

    fn session(&self, bot: &BotName) -> Option<GameSession> {
        let sessions = self.lock_sessions();
        sessions.by_bot.get(bot).map(|kept| kept.session.clone()).filter(GameSession::is_open)
    }

    /// Listens to a session until it is over, another one replaces it, or the time is up.
    async fn listen_to_session(
        self,
        bot: BotName,
        number: u64,
        mut listener: SessionListener,
        (until, mut ended): (Instant, oneshot::Receiver<()>),
    ) {
        loop {
            tokio::select! {
                biased;
                _ = &mut ended => break,
                () = tokio::time::sleep_until(until.into()) => break,
                is_open = listener.listen() => if !is_open { break },
            }
        }
        self.remove_session(&bot, number);
        listener.close().await;
    }

    fn remove_session(&self, bot: &BotName, number: u64) {
        let mut sessions = self.lock_sessions();
        if sessions.by_bot.get(bot).is_some_and(|kept| kept.number == number) {
            sessions.by_bot.remove(bot);
        }
    }

    fn lock_sessions(&self) -> MutexGuard<'_, PersonSessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
