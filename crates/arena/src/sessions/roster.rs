//! Who is connected, and where everybody sits.

use crate::limits::Limits;
use crate::matches::match_handle::MatchHandle;
use crate::sessions::end_notifications::{EndNotifications, HeardEnds};
use crate::sessions::outbox::{CloseReason, Outbox};
use crate::sessions::session_link::SessionLink;
use crate::sessions::version_history::{LastVersionWrite, VersionWrite};
use lastnim_core::game::{BotName, BotVersion, MatchId, Seat, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::ServerEvent;
use lastnim_store::UnheardMatches;
use lastnim_tournament::{Suspension, TournamentEnd};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The presence of every bot that has had a session or a seat since the server started.
#[derive(Debug)]
pub struct Roster {
    presences: RwLock<BTreeMap<BotName, Arc<Presence>>>,
    /// The number of the next presence.
    next_number: AtomicU64,
    sessions: AtomicUsize,
    /// Sessions that were opened or have ended.
    session_changes: AtomicU64,
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
pub struct Presence {
    number: u64,
    state: Mutex<PresenceState>,
}

#[derive(Debug)]
struct PresenceState {
    session: Option<SessionLink>,
    /// How many sessions there have been.
    sessions: u64,
    seats: BTreeMap<MatchId, SeatRoute>,
    /// The tournaments that run and have suspended the bot, and why: each of its sessions is told.
    suspended: BTreeMap<TournamentId, Suspension>,
    /// The ends that the bot may not have heard of.
    ends: EndNotifications,
    version_write: Option<LastVersionWrite>,
}

/// How a session of a bot reaches one of the bot's seats.
#[derive(Debug, Clone)]
pub struct SeatRoute {
    /// The seat.
    pub seat: Seat,
    /// The match.
    pub match_handle: MatchHandle,
    /// What the match may send to the seat between two of its turns.
    allowance: usize,
}

impl PresenceState {
    fn routes(&self) -> Vec<(MatchId, SeatRoute)> {
        self.seats.iter().map(|(&id, route)| (id, route.clone())).collect()
    }

    /// Takes the bot's seat in a match; returns whether it had one.
    fn leave_seat(&mut self, id: MatchId) -> bool {
        let Some(seat) = self.seats.remove(&id) else { return false };
        if let Some(session) = &self.session {
            session.outbox().lower_limit(seat.allowance);
        }
        true
    }
}

impl SeatRoute {
    /// Makes the route to a seat.
    pub fn new(seat: Seat, match_handle: MatchHandle) -> Self {
        // Between two turns of a live seat each seat moves once and may be lost once; besides come the start, the
        // rows, the turn, the end, and what answers the seat's own messages.
        let allowance = 2 * match_handle.seats().get() + 8;
        Self { seat, match_handle, allowance }
    }
}

impl Roster {
    /// Starts empty. A bot that comes back is told of at most so many ends of matches.
    pub fn new(missed_ends: usize) -> Self {
        let (presences, next_number, sessions, session_changes, closed) = Default::default();
        Self { presences, next_number, sessions, session_changes, closed, missed_ends }
    }

    /// Returns the presence of a bot.
    pub fn presence(&self, bot: &BotName) -> Arc<Presence> {
        if let Some(presence) = self.presences.read().unwrap_or_else(PoisonError::into_inner).get(bot) {
            return Arc::clone(presence);
        }
        let mut presences = self.presences.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(presences.entry(bot.clone()).or_insert_with(|| {
            let number = self.next_number.fetch_add(1, Ordering::Relaxed);
            Arc::new(Presence::new(number, self.missed_ends))
        }))
    }

    /// Returns the presence of a bot that has had a session or a seat since the server started.
    pub fn existing_presence(&self, bot: &BotName) -> Option<Arc<Presence>> {
        self.presences.read().unwrap_or_else(PoisonError::into_inner).get(bot).cloned()
    }

    /// Forgets a bot that has been removed.
    pub fn forget_bot(&self, bot: &BotName) {
        self.presences.write().unwrap_or_else(PoisonError::into_inner).remove(bot);
    }

    /// Takes a place for a new session and returns whether there was one: `max_sessions` may be open at once. A bot that has
    /// one open is let in all the same, as the new one takes its place: the old one may be dead without anybody having
    /// noticed. Nothing is kept of a bot for which there is no room.
    pub fn admit_session(&self, bot: &BotName, max_sessions: usize) -> bool {
        let is_connected = self.existing_presence(bot).is_some_and(|presence| presence.is_connected());
        let room = if is_connected { usize::MAX } else { max_sessions };
        let admitted = |open| (open < room).then_some(open + 1);
        self.sessions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admitted).is_ok()
    }

    /// Gives back the place of a session.
    pub fn release_session(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
        self.session_changes.fetch_add(1, Ordering::Release);
    }

    /// Returns how many sessions are open.
    pub fn session_count(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Returns how often a session was opened or has ended.
    pub fn session_changes(&self) -> u64 {
        self.session_changes.load(Ordering::Acquire)
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
        for presence in self.presences.read().unwrap_or_else(PoisonError::into_inner).values() {
            if let Some(session) = &presence.lock().session {
                act(session);
            }
        }
    }
}

impl Presence {
    fn new(number: u64, missed_ends: usize) -> Self {
        let (session, sessions, seats, suspended, version_write) = Default::default();
        let ends = EndNotifications::new(missed_ends);
        let state = PresenceState { session, sessions, seats, suspended, ends, version_write };
        Self { number, state: Mutex::new(state) }
    }

    /// Returns the bot's number, which no other bot has while the server runs.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Puts a new session in place of an older one, greets it, and returns it and the seats to be told of
    /// it; `None` if the roster is closed.
    pub fn connect(
        &self,
        roster: &Roster,
        version: BotVersion,
        opened_at: Timestamp,
        outbox: Outbox<ServerEvent>,
        welcome: impl FnOnce(usize) -> ServerEvent,
    ) -> Option<(SessionLink, Vec<(MatchId, SeatRoute)>)> {
        let mut state = self.lock();
        // Both under the lock: whoever closes the roster and then goes through all presences misses nobody, and of two sessions
        // the one that stays has the higher number.
        if roster.is_closed() {
            return None;
        }
        state.sessions += 1;
        let session = SessionLink::new(state.sessions, version, opened_at, outbox);
        let allowance = state.seats.values().map(|seat| seat.allowance).sum();
        session.outbox().raise_limit(allowance);
        session.send(welcome(state.seats.len()));
        session.outbox().raise_limit(state.suspended.len());
        for (&tournament, suspension) in &state.suspended {
            session.send(ServerEvent::Suspended { tournament, suspension: suspension.clone() });
        }
        session.outbox().lower_limit(state.suspended.len());
        if let Some(older) = state.session.replace(session.clone()) {
            older.close(CloseReason::Replaced);
        }
        roster.session_changes.fetch_add(1, Ordering::Release);
        let PresenceState { seats, ends, .. } = &mut *state;
        ends.begin_session(seats.keys().copied());
        Some((session, state.routes()))
    }

    /// Takes a session away, if it has not been replaced, and returns the seats to be told of it.
    pub fn disconnect(&self, session: &SessionLink) -> Vec<(MatchId, SeatRoute)> {
        let mut state = self.lock();
        if state.session.as_ref().is_some_and(|current| current.id() == session.id()) {
            state.session = None;
        }
        state.routes()
    }

    /// Returns the routes to all seats of the bot.
    pub fn routes(&self) -> Vec<(MatchId, SeatRoute)> {
        self.lock().routes()
    }

    /// Ends the session, if there is one.
    pub fn close_session(&self, closing: CloseReason) {
        if let Some(session) = self.lock().session.take() {
            session.close(closing);
        }
    }

    /// Returns whether a session is open.
    pub fn is_connected(&self) -> bool {
        self.lock().session.is_some()
    }

    /// Returns whether the bot has neither a session nor a seat.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        state.session.is_none() && state.seats.is_empty()
    }

    /// Returns the open session, if there is one.
    pub fn session(&self) -> Option<SessionLink> {
        self.lock().session.clone()
    }

    /// Says when a version is to be written to the history of the bot; what is to be written now counts as written.
    pub(crate) fn claim_version_write(&self, version: &BotVersion, now: Timestamp) -> VersionWrite {
        LastVersionWrite::claim(&mut self.lock().version_write, version, now)
    }

    /// Returns how many open matches the bot sits in.
    pub fn open_match_count(&self) -> usize {
        self.lock().seats.len()
    }

    /// Returns up to `limit` open matches that the bot sits in, the oldest first.
    pub fn open_match_ids(&self, limit: usize) -> Vec<MatchId> {
        let mut ids: Vec<_> = self.lock().seats.keys().copied().collect();
        ids.sort_unstable();
        ids.truncate(limit);
        ids
    }

    /// Gives the bot a seat in a match that begins, and returns its session, if one is open.
    pub fn take_seat(&self, id: MatchId, seat: SeatRoute) -> Option<SessionLink> {
        let mut state = self.lock();
        let session = state.session.clone();
        if let Some(session) = &session {
            session.outbox().raise_limit(seat.allowance);
        }
        state.seats.insert(id, seat);
        session
    }

    /// Takes the bot's seat in a match of whose end it has been told, as far as it has a session.
    pub fn leave_seat(&self, id: MatchId) {
        self.lock().leave_seat(id);
    }

    /// Takes the bot's seat in a match that this server leaves without an end; of one that it has left nothing is changed.
    pub fn leave_match(&self, id: MatchId) {
        let mut state = self.lock();
        if state.leave_seat(id) {
            state.ends.note_match_left_open(id);
        }
    }

    /// Takes note that a match of the bot is over, of which a session has been told, if there is one.
    pub fn note_match_ended(&self, id: MatchId, session: Option<u64>) {
        self.lock().ends.add_match_end(id, session);
    }

    /// Returns whether the ends that the store knows the bot to have missed are known here as well.
    pub fn has_loaded_unheard(&self) -> bool {
        self.lock().ends.is_loaded()
    }

    /// Adds the ends that the store knows the bot to have missed.
    pub fn add_unheard(&self, found: &UnheardMatches) {
        self.lock().ends.add_stored(found);
    }

    /// Returns the oldest match of whose end a session has still to be told.
    pub fn next_match_end(&self, session: &SessionLink) -> Option<MatchId> {
        self.lock().ends.next_match_end(session.id())
    }

    /// Tells a session of the end of a match that its bot may have missed.
    pub fn send_match_end(&self, id: MatchId, event: ServerEvent, session: &SessionLink) {
        let mut state = self.lock();
        session.send_beyond_limit(event);
        state.ends.note_match_end_sent(id, session.id());
    }

    /// Counts the end of a match among those that nobody can be told of.
    pub fn skip_match_end(&self, id: MatchId) {
        self.lock().ends.skip_match_end(id);
    }

    /// Tells the bot of the end of a tournament, if it has a session and that has not been told.
    pub fn send_tournament_end(&self, end: TournamentEnd) {
        let mut state = self.lock();
        let PresenceState { session, ends, .. } = &mut *state;
        if let Some(session) = session
            && ends.note_tournament_end_sent(end.id, session.id())
        {
            session.send_beyond_limit(ServerEvent::TournamentEnded(Box::new(end)));
        }
    }

    /// Tells a session that its bot knows of all ends; one that was replaced hears nothing.
    pub fn send_caught_up(&self, missed_ends: u64, session: &SessionLink) {
        let mut state = self.lock();
        if state.session.as_ref().is_none_or(|newest| newest.id() != session.id()) {
            return;
        }
        let left_out = state.ends.finish_catching_up();
        session.send_beyond_limit(ServerEvent::CaughtUp { missed_ends, left_out });
    }

    /// Returns how many ends have been handed to sessions: a ping that is sent from now on comes behind them.
    pub fn sent_end_count(&self) -> u64 {
        self.lock().ends.sent_count()
    }

    /// Takes note that a session has answered a ping that came behind so many ends.
    pub fn confirm_ends(&self, session: &SessionLink, handed: u64) {
        let mut state = self.lock();
        let PresenceState { seats, ends, .. } = &mut *state;
        ends.confirm_sent(session.id(), handed, seats.keys().min().copied());
    }

    /// Returns what the store has still to be told of the ends that the bot has heard of.
    pub fn take_heard_ends(&self) -> HeardEnds {
        self.lock().ends.take_heard_ends()
    }

    /// Tells the bot that it is suspended, now if a session is open, and each session from now on.
    pub fn tell_suspended(&self, tournament: TournamentId, suspension: Suspension) {
        let mut state = self.lock();
        if let Some(session) = &state.session {
            session.send_beyond_limit(ServerEvent::Suspended { tournament, suspension: suspension.clone() });
        }
        state.suspended.insert(tournament, suspension);
    }

    /// Tells further sessions no more that the bot is suspended.
    pub fn withdraw_suspension(&self, tournament: TournamentId) {
        self.lock().suspended.remove(&tournament);
    }

    fn lock(&self) -> MutexGuard<'_, PresenceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_a_bot_for_which_there_is_no_room() {
        let roster = Roster::default();
        assert!(roster.admit_session(&"first".parse().unwrap(), 1));
        for number in 0..100 {
            assert!(!roster.admit_session(&format!("guest-{number}").parse().unwrap(), 1));
        }
        assert_eq!((roster.session_count(), roster.presences.read().unwrap().len()), (1, 0));
    }
}
