//! Who is connected, and where everybody sits.

use super::match_handle::MatchHandle;
use super::outbox::{Closing, Outbox};
use crate::game::{BotName, MatchId, Seat, TournamentId};
use crate::referee::RefusalReason;
use crate::tournament::SetAside;
use crate::wire::{Feed, ServerEvent, pb};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// Knows the desk of every bot that has ever sat down since the server started.
#[derive(Debug, Default)]
pub struct Roster {
    desks: RwLock<HashMap<BotName, Arc<Desk>>>,
    sessions: AtomicUsize,
    /// Whether nobody is let in any more.
    closed: AtomicBool,
}

/// Where the session of one bot and its open seats meet. Both sides change it under one lock, so that a match that
/// begins and a session that opens at the same moment never miss each other.
#[derive(Debug, Default)]
pub struct Desk {
    state: Mutex<DeskState>,
}

#[derive(Debug, Default)]
struct DeskState {
    session: Option<SessionLink>,
    /// How many sessions there have been.
    sessions: u64,
    seats: HashMap<MatchId, Arc<SeatLink>>,
    /// The tournaments that run and have set the bot aside, and why: each of its sessions is told.
    aside: BTreeMap<TournamentId, SetAside>,
}

/// One open session, as matches see it.
#[derive(Debug, Clone)]
pub struct SessionLink {
    /// Its number; a newer session of the same bot has a higher one.
    pub id: u64,
    outbox: Outbox<ServerEvent>,
    own_turns_only: Arc<AtomicBool>,
    noise: Arc<Noise>,
    lag_micros: Arc<AtomicU64>,
}

/// Messages that led nowhere: refused, repeated, unasked for.
#[derive(Debug, Default)]
struct Noise {
    count: AtomicU64,
    /// What was wrong with the last of them.
    last: Mutex<Option<String>>,
}

/// One seat in an open match, shared by the match and the bot's sessions.
#[derive(Debug)]
pub struct SeatLink {
    /// The seat.
    pub seat: Seat,
    /// The match.
    pub match_handle: MatchHandle,
    /// What was sent for the seat and not yet read by the match.
    pub unread: AtomicUsize,
    /// Sessions that have been promised a snapshot and that the match has not heard of yet.
    pub awaited: AtomicUsize,
    /// Whether the bot has declared a row, or tried to.
    pub declared: AtomicBool,
    /// What the match may send to the seat between two of its turns.
    allowance: usize,
}

/// Says what was wrong with a message, with the word that its refusal has for programs.
pub fn describe_refusal(reason: RefusalReason, message: &str, id: Option<MatchId>) -> String {
    let word = pb::RefusalReason::from(reason).as_str_name();
    match id {
        Some(id) => format!("{word}: match {id}: {message}"),
        None => format!("{word}: {message}"),
    }
}

impl SessionLink {
    fn new(id: u64, outbox: Outbox<ServerEvent>) -> Self {
        Self { id, outbox, own_turns_only: Arc::default(), noise: Arc::default(), lag_micros: Arc::default() }
    }

    /// Sends an event to the bot.
    pub fn send(&self, event: ServerEvent) {
        self.outbox.push(event);
    }

    /// Ends the session.
    pub fn close(&self, closing: Closing) {
        self.outbox.close(closing);
    }

    /// Ends the session, and names an example of what led to it.
    pub fn close_for(&self, closing: Closing, example: &str) {
        self.outbox.close_for(closing, example);
    }

    /// Waits until the session's stream is over.
    pub async fn over(&self) {
        self.outbox.over().await;
    }

    /// Waits until the bot has read all that is still to be sent, or is gone; for at most so long, after which it is
    /// dropped.
    pub async fn send_the_rest(&self, within: Duration) {
        if tokio::time::timeout(within, self.outbox.finished()).await.is_err() {
            self.outbox.discard();
        }
    }

    /// Counts a message of the bot that led nowhere, and keeps in mind what was wrong with it.
    pub fn count_noise(&self, wrong: String) {
        *self.noise.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
        self.noise.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many messages of the bot led nowhere.
    pub fn noise(&self) -> u64 {
        self.noise.count.load(Ordering::Relaxed)
    }

    /// Returns what was wrong with the last message that led nowhere.
    pub fn last_noise(&self) -> Option<String> {
        self.noise.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the round-trip lag as it was last measured.
    pub fn set_lag(&self, lag: Duration) {
        self.lag_micros.store(u64::try_from(lag.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the round-trip lag as it was last measured; zero before that.
    pub fn lag(&self) -> Duration {
        Duration::from_micros(self.lag_micros.load(Ordering::Relaxed))
    }

    /// Sets which takes the session hears of.
    pub fn subscribe(&self, feed: Feed) {
        self.own_turns_only.store(feed == Feed::OwnTurns, Ordering::Relaxed);
    }

    /// Returns whether the session hears of every seat's takes.
    pub fn hears_all(&self) -> bool {
        !self.own_turns_only.load(Ordering::Relaxed)
    }
}

impl SeatLink {
    /// Makes the link to a seat.
    pub fn new(seat: Seat, match_handle: MatchHandle) -> Self {
        // Between two turns of a live seat each seat moves once and may be lost once; besides come the start, the
        // rows, the turn, the end, and what answers the seat's own messages.
        let allowance = 2 * match_handle.seats().get() + 8;
        let (unread, awaited, declared) = Default::default();
        Self { seat, match_handle, unread, awaited, declared, allowance }
    }
}

impl Roster {
    /// Returns the desk of a bot.
    pub fn desk(&self, bot: &BotName) -> Arc<Desk> {
        if let Some(desk) = self.desks.read().unwrap_or_else(PoisonError::into_inner).get(bot) {
            return Arc::clone(desk);
        }
        let mut desks = self.desks.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(desks.entry(bot.clone()).or_default())
    }

    /// Takes away the desk of a bot that is no more.
    pub fn forget(&self, bot: &BotName) {
        self.desks.write().unwrap_or_else(PoisonError::into_inner).remove(bot);
    }

    /// Takes a place for a new session and returns whether there was one: `most` may be open at once. A bot that has one
    /// open is let in all the same, as the new one takes its place: the old one may be dead without anybody having
    /// noticed.
    pub fn admit_session(&self, bot: &BotName, most: usize) -> bool {
        let room = if self.desk(bot).is_connected() { usize::MAX } else { most };
        let admitted = |open| (open < room).then_some(open + 1);
        self.sessions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admitted).is_ok()
    }

    /// Gives back the place of a session.
    pub fn release_session(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns how many sessions are open.
    pub fn session_count(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Lets nobody in from now on: whoever looks at every session after this has seen the last of them.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Returns whether nobody is let in any more.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Does something with every open session.
    pub fn for_each_session(&self, mut act: impl FnMut(&SessionLink)) {
        for desk in self.desks.read().unwrap_or_else(PoisonError::into_inner).values() {
            if let Some(session) = &desk.lock().session {
                act(session);
            }
        }
    }
}

impl Desk {
    /// Puts a new session at the desk in place of an older one, greets it, and returns it and the seats to be told of
    /// it; `None` if the roster is closed.
    pub fn connect(
        &self,
        roster: &Roster,
        outbox: Outbox<ServerEvent>,
        welcome: impl FnOnce(usize) -> ServerEvent,
    ) -> Option<(SessionLink, Vec<Arc<SeatLink>>)> {
        let mut state = self.lock();
        // Both under the lock: whoever closes the roster and then goes round the desks misses nobody, and of two sessions
        // the one that stays has the higher number.
        if roster.is_closed() {
            return None;
        }
        state.sessions += 1;
        let session = SessionLink::new(state.sessions, outbox);
        let allowance = state.seats.values().map(|seat| seat.allowance).sum();
        session.outbox.raise_limit(allowance);
        session.send(welcome(state.seats.len()));
        session.outbox.raise_limit(state.aside.len());
        for (&tournament, set_aside) in &state.aside {
            session.send(ServerEvent::SetAside { tournament, set_aside: set_aside.clone() });
        }
        session.outbox.lower_limit(state.aside.len());
        if let Some(older) = state.session.replace(session.clone()) {
            older.close(Closing::Replaced);
        }
        for seat in state.seats.values() {
            seat.awaited.fetch_add(1, Ordering::Relaxed);
        }
        Some((session, state.seats.values().cloned().collect()))
    }

    /// Takes a session away, if it has not been replaced, and returns the seats to be told of it.
    pub fn disconnect(&self, session: &SessionLink) -> Vec<Arc<SeatLink>> {
        let mut state = self.lock();
        if state.session.as_ref().is_some_and(|current| current.id == session.id) {
            state.session = None;
        }
        state.seats.values().cloned().collect()
    }

    /// Ends the session, if there is one.
    pub fn close_session(&self, closing: Closing) {
        if let Some(session) = self.lock().session.take() {
            session.close(closing);
        }
    }

    /// Returns whether a session is open.
    pub fn is_connected(&self) -> bool {
        self.lock().session.is_some()
    }

    /// Returns how many open matches the bot sits in.
    pub fn open_matches(&self) -> usize {
        self.lock().seats.len()
    }

    /// Gives the bot a seat in a match that begins, and returns its session, if one is open.
    pub fn sit_down(&self, id: MatchId, seat: Arc<SeatLink>) -> Option<SessionLink> {
        let mut state = self.lock();
        let session = state.session.clone();
        if let Some(session) = &session {
            session.outbox.raise_limit(seat.allowance);
        }
        state.seats.insert(id, seat);
        session
    }

    /// Takes the bot's seat in a match that is over.
    pub fn stand_up(&self, id: MatchId) {
        let mut state = self.lock();
        if let Some(seat) = state.seats.remove(&id)
            && let Some(session) = &state.session
        {
            session.outbox.lower_limit(seat.allowance);
        }
    }

    /// Tells the bot that it is set aside, now if a session is open, and each session from now on.
    pub fn set_aside(&self, tournament: TournamentId, set_aside: SetAside) {
        let mut state = self.lock();
        if let Some(session) = &state.session {
            // It must not be lost for what it is told besides its matches.
            session.outbox.raise_limit(1);
            session.send(ServerEvent::SetAside { tournament, set_aside: set_aside.clone() });
            session.outbox.lower_limit(1);
        }
        state.aside.insert(tournament, set_aside);
    }

    /// Tells further sessions no more that the bot is set aside.
    pub fn take_back(&self, tournament: TournamentId) {
        self.lock().aside.remove(&tournament);
    }

    /// Returns the bot's seat in an open match.
    pub fn seat(&self, id: MatchId) -> Option<Arc<SeatLink>> {
        self.lock().seats.get(&id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
