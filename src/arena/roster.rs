//! Who is connected, and where everybody sits.

use super::bot_ends::{BotEnds, Heard};
use super::limits::Limits;
use super::match_handle::MatchHandle;
use super::outbox::{Closing, Outbox};
use crate::game::{BotName, MatchId, Seat, TournamentId};
use crate::referee::RefusalReason;
use crate::store::UnheardMatches;
use crate::tournament::{SetAside, TournamentEnd};
use crate::wire::{Feed, ServerEvent, pb};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// Knows the desk of every bot that has ever sat down since the server started.
#[derive(Debug)]
pub struct Roster {
    desks: RwLock<HashMap<BotName, Arc<Desk>>>,
    sessions: AtomicUsize,
    /// Whether nobody is let in any more.
    closed: AtomicBool,
    /// Ends of matches that a bot is told of when it comes back.
    missed_ends: usize,
}

impl Default for Roster {
    fn default() -> Self {
        Self::new(Limits::default().missed_ends)
    }
}

/// Where the session of one bot and its open seats meet. Both sides change it under one lock, so that a match that
/// begins and a session that opens at the same moment never miss each other.
#[derive(Debug)]
pub struct Desk {
    state: Mutex<DeskState>,
}

#[derive(Debug)]
struct DeskState {
    session: Option<SessionLink>,
    /// How many sessions there have been.
    sessions: u64,
    seats: HashMap<MatchId, Arc<SeatLink>>,
    /// The tournaments that run and have set the bot aside, and why: each of its sessions is told.
    aside: BTreeMap<TournamentId, SetAside>,
    /// The ends that the bot may not have heard of.
    ends: BotEnds,
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

    /// Sends an event besides those of the bot's matches, for which there is always room: a session must not be lost for it.
    pub fn send_besides(&self, event: ServerEvent) {
        self.outbox.raise_limit(1);
        self.send(event);
        self.outbox.lower_limit(1);
    }

    /// Waits until nothing waits to be sent to the bot, or the session is over.
    pub async fn drained(&self) {
        self.outbox.drained().await;
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

impl DeskState {
    /// Takes the bot's seat in a match; returns whether it had one.
    fn stand_up(&mut self, id: MatchId) -> bool {
        let Some(seat) = self.seats.remove(&id) else { return false };
        if let Some(session) = &self.session {
            session.outbox.lower_limit(seat.allowance);
        }
        true
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
    /// Starts empty. A bot that comes back is told of at most so many ends of matches.
    pub fn new(missed_ends: usize) -> Self {
        let (desks, sessions, closed) = Default::default();
        Self { desks, sessions, closed, missed_ends }
    }

    /// Returns the desk of a bot.
    pub fn desk(&self, bot: &BotName) -> Arc<Desk> {
        if let Some(desk) = self.desks.read().unwrap_or_else(PoisonError::into_inner).get(bot) {
            return Arc::clone(desk);
        }
        let mut desks = self.desks.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(desks.entry(bot.clone()).or_insert_with(|| Arc::new(Desk::new(self.missed_ends))))
    }

    /// Returns the desk of a bot that has had a session or a seat since the server started.
    pub fn existing_desk(&self, bot: &BotName) -> Option<Arc<Desk>> {
        self.desks.read().unwrap_or_else(PoisonError::into_inner).get(bot).cloned()
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
    fn new(missed_ends: usize) -> Self {
        let (session, sessions, seats, aside) = Default::default();
        let ends = BotEnds::new(missed_ends);
        Self { state: Mutex::new(DeskState { session, sessions, seats, aside, ends }) }
    }

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
        let DeskState { seats, ends, .. } = &mut *state;
        ends.begin_session(seats.keys().copied());
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

    /// Takes the bot's seat in a match of whose end it has been told, as far as it has a session.
    pub fn stand_up(&self, id: MatchId) {
        self.lock().stand_up(id);
    }

    /// Takes the bot's seat in a match that this server leaves without an end; of one that it has left nothing is changed.
    pub fn leave_match(&self, id: MatchId) {
        let mut state = self.lock();
        if state.stand_up(id) {
            state.ends.leave_open(id);
        }
    }

    /// Takes note that a match of the bot is over, of which a session has been told, if there is one.
    pub fn match_ended(&self, id: MatchId, session: Option<&SessionLink>) {
        self.lock().ends.match_ended(id, session.map(|session| session.id));
    }

    /// Returns whether the ends that the store knows the bot to have missed are known here as well.
    pub fn knows_unheard(&self) -> bool {
        self.lock().ends.is_loaded()
    }

    /// Adds the ends that the store knows the bot to have missed.
    pub fn add_unheard(&self, found: &UnheardMatches) {
        self.lock().ends.load(found);
    }

    /// Returns the oldest match of whose end a session has still to be told.
    pub fn end_to_tell(&self, session: &SessionLink) -> Option<MatchId> {
        self.lock().ends.match_to_tell(session.id)
    }

    /// Tells a session of the end of a match that its bot may have missed.
    pub fn tell_end(&self, id: MatchId, event: ServerEvent, session: &SessionLink) {
        let mut state = self.lock();
        session.send_besides(event);
        state.ends.hand_match(id, session.id);
    }

    /// Counts the end of a match among those that nobody can be told of.
    pub fn leave_out_end(&self, id: MatchId) {
        self.lock().ends.leave_out(id);
    }

    /// Tells the bot of the end of a tournament, if it has a session and that has not been told.
    pub fn tell_tournament_end(&self, end: TournamentEnd) {
        let mut state = self.lock();
        let DeskState { session, ends, .. } = &mut *state;
        if let Some(session) = session
            && ends.hand_tournament(end.id, session.id)
        {
            session.send_besides(ServerEvent::TournamentEnded(Box::new(end)));
        }
    }

    /// Tells a session that its bot knows of all ends.
    pub fn tell_caught_up(&self, missed_ends: u64, session: &SessionLink) {
        let left_out = self.lock().ends.take_left_out();
        session.send_besides(ServerEvent::CaughtUp { missed_ends, left_out });
    }

    /// Returns how many ends have been handed to sessions: a ping that is sent from now on comes behind them.
    pub fn handed_ends(&self) -> u64 {
        self.lock().ends.handed()
    }

    /// Takes note that a session has answered a ping that came behind so many ends.
    pub fn confirm_ends(&self, session: &SessionLink, handed: u64) {
        let mut state = self.lock();
        let DeskState { seats, ends, .. } = &mut *state;
        ends.confirm(session.id, handed, seats.keys().min().copied());
    }

    /// Returns what the store has still to be told of the ends that the bot has heard of.
    pub fn take_heard(&self) -> Heard {
        self.lock().ends.take_heard()
    }

    /// Tells the bot that it is set aside, now if a session is open, and each session from now on.
    pub fn set_aside(&self, tournament: TournamentId, set_aside: SetAside) {
        let mut state = self.lock();
        if let Some(session) = &state.session {
            session.send_besides(ServerEvent::SetAside { tournament, set_aside: set_aside.clone() });
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
