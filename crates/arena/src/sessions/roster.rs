//! Keeps track of the bots' sessions and seats.

use crate::limits::Limits;
use crate::matches::match_handle::MatchHandle;
use crate::sessions::end_notifications::{AcknowledgedEnds, EndNotifications};
use crate::sessions::outbox::{CloseReason, Outbox};
use crate::sessions::session_link::SessionLink;
use crate::sessions::version_history::{LastVersionWrite, VersionWrite};
use lastnim_core::game::{BotName, BotVersion, MatchId, Seat, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::ServerEvent;
use lastnim_store::UnacknowledgedMatches;
use lastnim_tournament::{Suspension, TournamentEnd};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The presence of every bot that has had a session or a seat since the server started.
#[derive(Debug)]
pub struct Roster {
    presences: RwLock<BTreeMap<BotName, Arc<Presence>>>,
    next_number: AtomicU64,
    sessions: AtomicUsize,
    /// The number of times that a session was opened or ended.
    session_changes: AtomicU64,
    /// Whether new sessions are rejected.
    closed: AtomicBool,
    /// The maximum number of missed match ends that are sent to a bot when it reconnects.
    missed_ends: usize,
}

impl Default for Roster {
    fn default() -> Self {
        Self::new(Limits::default().missed_ends)
    }
}

/// The session and the open seats of one bot, under one lock, so that a match that begins and a session that opens
/// never miss each other.
#[derive(Debug)]
pub struct Presence {
    /// The bot's number, which is unique while the server runs.
    number: u64,
    state: Mutex<PresenceState>,
}

#[derive(Debug)]
struct PresenceState {
    session: Option<SessionLink>,
    /// The number of sessions so far.
    sessions: u64,
    seats: BTreeMap<MatchId, SeatRoute>,
    /// The running tournaments that have suspended the bot, with the reasons, which are sent to each new session.
    suspended: BTreeMap<TournamentId, Suspension>,
    /// The ends that the bot may have missed.
    ends: EndNotifications,
    version_write: Option<LastVersionWrite>,
}

/// The route from a bot's session to one of its seats.
#[derive(Debug, Clone)]
pub struct SeatRoute {
    pub seat: Seat,
    pub match_handle: MatchHandle,
    /// The number of messages that the match may send to the seat between two of its turns.
    allowance: usize,
}

impl PresenceState {
    fn routes(&self) -> Vec<(MatchId, SeatRoute)> {
        self.seats.iter().map(|(&id, route)| (id, route.clone())).collect()
    }

    /// Removes the bot's seat in a match; returns whether it had one.
    fn leave_seat(&mut self, id: MatchId) -> bool {
        let Some(seat) = self.seats.remove(&id) else { return false };
        if let Some(session) = &self.session {
            session.outbox().lower_limit(seat.allowance);
        }
        true
    }
}

impl SeatRoute {
    /// Creates the route to a seat.
    pub fn new(seat: Seat, match_handle: MatchHandle) -> Self {
        // Between two turns of a seat, each seat moves once and may be forfeited once. The other messages announce the
        // start, the rows, the turn and the end, and answer the seat's own messages.
        let allowance = 2 * match_handle.seats().get() + 8;
        Self { seat, match_handle, allowance }
    }
}

impl Roster {
    /// Creates an empty roster, with a limit on the missed match ends that are sent to a bot when it reconnects.
    pub fn new(missed_ends: usize) -> Self {
        let (presences, next_number, sessions, session_changes, closed) = Default::default();
        Self { presences, next_number, sessions, session_changes, closed, missed_ends }
    }

    /// Returns the presence of a bot, creating it if needed.
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

    /// Returns the presence of a bot; `None` if the bot has had no session and no seat since the server started.
    pub fn existing_presence(&self, bot: &BotName) -> Option<Arc<Presence>> {
        self.presences.read().unwrap_or_else(PoisonError::into_inner).get(bot).cloned()
    }

    /// Forgets a removed bot.
    pub fn forget_bot(&self, bot: &BotName) {
        self.presences.write().unwrap_or_else(PoisonError::into_inner).remove(bot);
    }

    /// Reserves one of `max_sessions` places for a new session; returns whether one was free. A bot with an open
    /// session is always admitted, since the new session replaces the old one, which may be dead. Nothing is stored for
    /// a rejected bot.
    pub fn admit_session(&self, bot: &BotName, max_sessions: usize) -> bool {
        let is_connected = self.existing_presence(bot).is_some_and(|presence| presence.is_connected());
        let limit = if is_connected { usize::MAX } else { max_sessions };
        let admitted = |open| (open < limit).then_some(open + 1);
        self.sessions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admitted).is_ok()
    }

    /// Releases the place of a session.
    pub fn release_session(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
        self.session_changes.fetch_add(1, Ordering::Release);
    }

    /// Returns the number of open sessions.
    pub fn session_count(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Returns the number of times that a session was opened or ended.
    pub fn session_change_count(&self) -> u64 {
        self.session_changes.load(Ordering::Acquire)
    }

    /// Rejects new sessions from now on, so that a later iteration over all sessions misses none.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Returns whether new sessions are rejected.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Calls a function for every open session.
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

    /// Returns the bot's number, which is unique while the server runs.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Opens a new session in place of any older one, and sends it a welcome. Returns the new session and the seats
    /// whose matches must be notified; `None` if the roster is closed.
    pub fn connect(
        &self,
        roster: &Roster,
        version: BotVersion,
        opened_at: Timestamp,
        outbox: Outbox<ServerEvent>,
        welcome: impl FnOnce(usize) -> ServerEvent,
    ) -> Option<(SessionLink, Vec<(MatchId, SeatRoute)>)> {
        let mut state = self.lock();
        // The check and the replacement both happen under the lock. So code that closes the roster and then visits all
        // sessions misses none, and the session that remains is the one with the highest number.
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

    /// Removes a session, unless it has been replaced, and returns the seats whose matches must be notified.
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

    /// Closes the session, if there is one.
    pub fn close_session(&self, closing: CloseReason) {
        if let Some(session) = self.lock().session.take() {
            session.close(closing);
        }
    }

    /// Returns whether the bot has an open session.
    pub fn is_connected(&self) -> bool {
        self.lock().session.is_some()
    }

    /// Returns whether the bot has neither a session nor a seat.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        state.session.is_none() && state.seats.is_empty()
    }

    pub fn session(&self) -> Option<SessionLink> {
        self.lock().session.clone()
    }

    /// Returns when to write a version to the bot's history. If the caller must write it now, it is recorded as
    /// written.
    pub(crate) fn claim_version_write(&self, version: &BotVersion, now: Timestamp) -> VersionWrite {
        LastVersionWrite::claim(&mut self.lock().version_write, version, now)
    }

    /// Returns the number of open matches in which the bot has a seat.
    pub fn open_match_count(&self) -> usize {
        self.lock().seats.len()
    }

    /// Returns up to `limit` open matches of the bot, the oldest first.
    pub fn open_match_ids(&self, limit: usize) -> Vec<MatchId> {
        let mut ids: Vec<_> = self.lock().seats.keys().copied().collect();
        ids.sort_unstable();
        ids.truncate(limit);
        ids
    }

    /// Gives the bot a seat in a new match, and returns its open session, if there is one.
    pub fn take_seat(&self, id: MatchId, seat: SeatRoute) -> Option<SessionLink> {
        let mut state = self.lock();
        let session = state.session.clone();
        if let Some(session) = &session {
            session.outbox().raise_limit(seat.allowance);
        }
        state.seats.insert(id, seat);
        session
    }

    /// Removes the bot's seat in a match that has ended, after the end was sent to the bot's session, if it has one.
    pub fn leave_seat(&self, id: MatchId) {
        self.lock().leave_seat(id);
    }

    /// Removes the bot's seat in a match that stays unfinished. Has no effect if the bot has no seat there.
    pub fn leave_match(&self, id: MatchId) {
        let mut state = self.lock();
        if state.leave_seat(id) {
            state.ends.note_match_left_open(id);
        }
    }

    /// Notes the end of a match. If `session` is given, the end was already sent to the session with this number.
    pub fn note_match_ended(&self, id: MatchId, session: Option<u64>) {
        let mut state = self.lock();
        state.ends.add_match_end(id, session);
        if let Some(link) = state.session.as_ref().filter(|link| Some(link.id()) == session) {
            link.note_match_end_sent();
        }
    }

    /// Returns whether the missed ends in the store have been loaded.
    pub fn has_loaded_unacknowledged(&self) -> bool {
        self.lock().ends.is_loaded()
    }

    /// Adds the missed ends from the store.
    pub fn add_unacknowledged(&self, found: &UnacknowledgedMatches) {
        self.lock().ends.add_stored(found);
    }

    /// Returns the oldest match whose end must still be sent to a session.
    pub fn next_match_end(&self, session: &SessionLink) -> Option<MatchId> {
        self.lock().ends.next_match_end(session.id())
    }

    /// Sends a session the end of a match that its bot may have missed.
    pub fn send_match_end(&self, id: MatchId, event: ServerEvent, session: &SessionLink) {
        let mut state = self.lock();
        session.send_beyond_limit(event);
        state.ends.note_match_end_sent(id, session.id());
    }

    /// Notes that the end of a match cannot be sent.
    pub fn skip_match_end(&self, id: MatchId) {
        self.lock().ends.skip_match_end(id);
    }

    /// Sends the bot the end of a tournament, if it has a session that was not sent this end before.
    pub fn send_tournament_end(&self, end: TournamentEnd) {
        let mut state = self.lock();
        let PresenceState { session, ends, .. } = &mut *state;
        if let Some(session) = session
            && ends.note_tournament_end_sent(end.id, session.id())
        {
            session.send_beyond_limit(ServerEvent::TournamentEnded(Box::new(end)));
        }
    }

    /// Tells a session that it has been sent all missed ends. Has no effect if the session was replaced.
    pub fn send_caught_up(&self, missed_ends: u64, session: &SessionLink) {
        let mut state = self.lock();
        if state.session.as_ref().is_none_or(|newest| newest.id() != session.id()) {
            return;
        }
        let left_out = state.ends.finish_catching_up();
        session.send_beyond_limit(ServerEvent::CaughtUp { missed_ends, left_out });
    }

    /// Returns the number of ends sent so far, to be remembered with the next ping.
    pub fn sent_end_count(&self) -> u64 {
        self.lock().ends.sent_count()
    }

    /// Notes that a session answered a ping that was sent after the first `sent_ends` ends.
    pub fn confirm_ends(&self, session: &SessionLink, sent_ends: u64) {
        let mut state = self.lock();
        let PresenceState { seats, ends, .. } = &mut *state;
        ends.confirm_sent(session.id(), sent_ends, seats.keys().min().copied());
    }

    /// Returns the acknowledged ends that have not been passed to the store yet.
    pub fn take_acknowledged_ends(&self) -> AcknowledgedEnds {
        self.lock().ends.take_acknowledged_ends()
    }

    /// Tells the current session and all later ones that the bot is suspended.
    pub fn send_suspension(&self, tournament: TournamentId, suspension: Suspension) {
        let mut state = self.lock();
        if let Some(session) = &state.session {
            session.send_beyond_limit(ServerEvent::Suspended { tournament, suspension: suspension.clone() });
        }
        state.suspended.insert(tournament, suspension);
    }

    /// Stops telling new sessions that the bot is suspended.
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
    fn nothing_is_stored_for_a_rejected_bot() {
        let roster = Roster::default();
        assert!(roster.admit_session(&"first".parse().unwrap(), 1));
        for number in 0..100 {
            assert!(!roster.admit_session(&format!("guest-{number}").parse().unwrap(), 1));
        }
        assert_eq!((roster.session_count(), roster.presences.read().unwrap().len()), (1, 0));
    }
}
