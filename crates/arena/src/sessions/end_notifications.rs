//! Keeps track of the ends of matches and tournaments that a bot may have missed.

use lastnim_core::game::{MatchId, TournamentId};
use lastnim_store::UnacknowledgedMatches;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of sessions to which the same end is sent. After that it counts as acknowledged, so that a bot
/// that keeps reconnecting without acknowledging ends does not cause endless reads.
const MAX_SENDS_PER_END: u8 = 3;

/// Match and tournament ends that a bot may have missed. Sending a notification does not prove that the bot read it, so
/// an end counts as acknowledged once the bot answers a later ping, or after it has been sent to [`MAX_SENDS_PER_END`]
/// sessions.
#[derive(Debug)]
pub struct EndNotifications {
    matches: UnacknowledgedEnds<MatchId>,
    tournaments: UnacknowledgedEnds<TournamentId>,
    /// The number of ends sent so far.
    sent_ends: u64,
    /// Whether the missed ends in the store have been added.
    is_loaded: bool,
    /// Whether the newest session has been sent all missed ends.
    has_caught_up: bool,
    /// The newest match whose end was acknowledged.
    newest_acknowledged: Option<MatchId>,
    /// The oldest match that this server left unfinished; a later server will send its end.
    oldest_left_open: Option<MatchId>,
    /// The match up to which the ends of all matches have been acknowledged.
    acknowledged_through: Option<MatchId>,
    /// The last value of `acknowledged_through` that was passed to the store.
    stored_through: Option<MatchId>,
    /// Tournaments whose acknowledged ends have not been passed to the store yet.
    unwritten_tournaments: Vec<TournamentId>,
    /// Matches whose snapshots were promised to the newest session. They also send their ends to that session
    /// themselves.
    promised: BTreeSet<MatchId>,
}

/// Acknowledged ends to write to the store.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AcknowledgedEnds {
    /// The match up to which the ends of all matches have been acknowledged.
    pub through: Option<MatchId>,
    /// Tournaments whose ends have been acknowledged.
    pub tournaments: Vec<TournamentId>,
}

impl AcknowledgedEnds {
    /// Returns whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.through.is_none() && self.tournaments.is_empty()
    }
}

impl EndNotifications {
    /// Creates an empty collection that keeps only the newest ends: those of at most `max_kept` matches and `max_kept`
    /// tournaments.
    pub fn new(max_kept: usize) -> Self {
        Self {
            matches: UnacknowledgedEnds::new(max_kept),
            tournaments: UnacknowledgedEnds::new(max_kept),
            sent_ends: 0,
            is_loaded: false,
            has_caught_up: false,
            newest_acknowledged: None,
            oldest_left_open: None,
            acknowledged_through: None,
            stored_through: None,
            unwritten_tournaments: Vec::new(),
            promised: BTreeSet::new(),
        }
    }

    /// Notes the start of a session that was promised snapshots of some matches.
    pub fn begin_session(&mut self, promised: impl Iterator<Item = MatchId>) {
        self.promised = promised.collect();
        self.has_caught_up = false;
        let given_up = self.matches.take_stale();
        self.newest_acknowledged = self.newest_acknowledged.max(given_up.last().copied());
        self.unwritten_tournaments.extend(self.tournaments.take_stale());
    }

    /// Returns whether the missed ends in the store have been added.
    pub fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// Adds the missed ends in the store. Only the first call has an effect.
    pub fn add_stored(&mut self, found: &UnacknowledgedMatches) {
        if !std::mem::replace(&mut self.is_loaded, true) {
            // The count from the store already includes the ends dropped here since the server started.
            self.matches.left_out = found.more;
            for &id in &found.newest {
                self.matches.add(id);
            }
        }
    }

    /// Adds the end of a match. If `session` is given, the end was already sent to the session with this number.
    pub fn add_match_end(&mut self, id: MatchId, session: Option<u64>) {
        self.matches.add(id);
        if let Some(session) = session {
            self.note_match_end_sent(id, session);
        }
    }

    /// Notes that the server stops playing a match without ending it.
    pub fn note_match_left_open(&mut self, id: MatchId) {
        self.oldest_left_open = Some(self.oldest_left_open.map_or(id, |oldest| oldest.min(id)));
    }

    /// Returns the oldest match whose end must still be sent to a session.
    pub fn next_match_end(&self, session: u64) -> Option<MatchId> {
        self.matches.next_for_session(session, &self.promised)
    }

    /// Notes that the end of a match was sent to a session.
    pub fn note_match_end_sent(&mut self, id: MatchId, session: u64) {
        self.sent_ends += 1;
        self.matches.mark_sent(id, session, self.sent_ends);
    }

    /// Notes that the end of a match cannot be sent.
    pub fn skip_match_end(&mut self, id: MatchId) {
        self.matches.skip(id);
    }

    /// Notes that the newest session was sent all missed ends. Returns the number of ends that were dropped unsent, and
    /// resets this number.
    pub fn finish_catching_up(&mut self) -> u64 {
        self.has_caught_up = true;
        std::mem::take(&mut self.matches.left_out)
    }

    /// Notes that the end of a tournament was sent to a session; returns false if the session had already been sent it.
    pub fn note_tournament_end_sent(&mut self, id: TournamentId, session: u64) -> bool {
        self.tournaments.add(id);
        let is_new = !self.tournaments.was_sent_to(id, session);
        self.sent_ends += 1;
        self.tournaments.mark_sent(id, session, self.sent_ends);
        is_new
    }

    /// Returns the number of ends sent so far, to be remembered with the next ping.
    pub fn sent_count(&self) -> u64 {
        self.sent_ends
    }

    /// Notes that a session answered a ping that was sent after the first `sent_ends` ends. `oldest_open` is the oldest
    /// open match in which the bot has a seat.
    ///
    /// Ends of matches are confirmed only after those in the store were added, and ends of tournaments only after the
    /// session has caught up: otherwise confirmed ends would be read from the store and sent again.
    pub fn confirm_sent(&mut self, session: u64, sent_ends: u64, oldest_open: Option<MatchId>) {
        if self.has_caught_up {
            self.unwritten_tournaments.extend(self.tournaments.take_confirmed(session, sent_ends));
        }
        if !self.is_loaded {
            return;
        }
        let acknowledged = self.matches.take_confirmed(session, sent_ends);
        self.newest_acknowledged = self.newest_acknowledged.max(acknowledged.last().copied());
        let oldest_unacknowledged =
            [oldest_open, self.oldest_left_open, self.matches.oldest()].into_iter().flatten().min();
        let through = match (self.newest_acknowledged, oldest_unacknowledged) {
            (Some(acknowledged), Some(oldest_unacknowledged)) => {
                Some(acknowledged.min(oldest_unacknowledged.before()))
            }
            (acknowledged, _) => acknowledged,
        };
        self.acknowledged_through = self.acknowledged_through.max(through);
    }

    /// Returns the acknowledged ends that have not been passed to the store yet.
    pub fn take_acknowledged_ends(&mut self) -> AcknowledgedEnds {
        let tournaments = std::mem::take(&mut self.unwritten_tournaments);
        let through = self.acknowledged_through.filter(|_| self.acknowledged_through > self.stored_through);
        self.stored_through = self.stored_through.max(through);
        AcknowledgedEnds { through, tournaments }
    }
}

/// A limited number of unacknowledged ends, the oldest first, and the number of those that were dropped.
#[derive(Debug)]
struct UnacknowledgedEnds<K> {
    ends: BTreeMap<K, EndDelivery>,
    max_kept: usize,
    /// The number of ends that were dropped unsent.
    left_out: u64,
}

/// The session to which an end was last sent, and the number of sessions to which it was sent.
#[derive(Debug, Clone, Copy, Default)]
struct EndDelivery {
    /// The number of the session to which the end was last sent; 0 if it has not been sent yet.
    session: u64,
    sent_ends: u64,
    sends: u8,
}

impl<K: Ord + Copy> UnacknowledgedEnds<K> {
    fn new(max_kept: usize) -> Self {
        Self { ends: BTreeMap::new(), max_kept, left_out: 0 }
    }

    fn add(&mut self, key: K) {
        self.ends.entry(key).or_default();
        while self.ends.len() > self.max_kept
            && let Some((_, delivery)) = self.ends.pop_first()
        {
            self.left_out += u64::from(delivery.sends == 0);
        }
    }

    fn skip(&mut self, key: K) {
        self.left_out += u64::from(self.ends.remove(&key).is_some());
    }

    fn oldest(&self) -> Option<K> {
        self.ends.first_key_value().map(|(&key, _)| key)
    }

    fn next_for_session(&self, session: u64, promised: &BTreeSet<K>) -> Option<K> {
        let mut ends = self.ends.iter();
        ends.find(|(key, delivery)| delivery.session != session && !promised.contains(key))
            .map(|(&key, _)| key)
    }

    fn was_sent_to(&self, key: K, session: u64) -> bool {
        self.ends.get(&key).is_some_and(|delivery| delivery.session == session)
    }

    fn mark_sent(&mut self, key: K, session: u64, sent_ends: u64) {
        if let Some(delivery) = self.ends.get_mut(&key) {
            delivery.sends += u8::from(delivery.session != session);
            (delivery.session, delivery.sent_ends) = (session, sent_ends);
        }
    }

    /// Removes and returns the ends that were sent the maximum number of times.
    fn take_stale(&mut self) -> Vec<K> {
        self.take_where(|delivery| delivery.sends >= MAX_SENDS_PER_END)
    }

    /// Removes and returns the ends that a session was sent before a ping, as counted by `sent_ends`.
    fn take_confirmed(&mut self, session: u64, sent_ends: u64) -> Vec<K> {
        self.take_where(|delivery| delivery.session == session && delivery.sent_ends <= sent_ends)
    }

    fn take_where(&mut self, is_acknowledged: impl Fn(&EndDelivery) -> bool) -> Vec<K> {
        let acknowledged =
            self.ends.iter().filter(|(_, delivery)| is_acknowledged(delivery)).map(|(&key, _)| key).collect();
        for key in &acknowledged {
            self.ends.remove(key);
        }
        acknowledged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> MatchId {
        MatchId::new(number, &[1; 10])
    }

    /// Sends a session all pending ends of matches, and returns how many there were.
    fn send_ends(ends: &mut EndNotifications, session: u64) -> usize {
        let mut count = 0;
        while let Some(id) = ends.next_match_end(session) {
            ends.note_match_end_sent(id, session);
            count += 1;
        }
        count
    }

    fn loaded_notifications(max_kept: usize) -> EndNotifications {
        let mut ends = EndNotifications::new(max_kept);
        ends.add_stored(&UnacknowledgedMatches::default());
        ends
    }

    #[test]
    fn acknowledged_ends_are_not_sent_again() {
        let mut ends = loaded_notifications(9);
        ends.add_match_end(id(1), None);
        ends.add_match_end(id(2), Some(1));
        assert_eq!((ends.next_match_end(1), send_ends(&mut ends, 1)), (Some(id(1)), 1));
        let before = ends.sent_count();
        ends.add_match_end(id(3), Some(1));
        ends.confirm_sent(1, before, None);
        assert_eq!(ends.take_acknowledged_ends().through, Some(id(2)));
        assert_eq!(ends.next_match_end(2), Some(id(3)), "it was sent after the ping");
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!((send_ends(&mut ends, 2), ends.take_acknowledged_ends().through), (0, Some(id(3))));
        assert!(ends.take_acknowledged_ends().is_empty(), "the store has it");
    }

    #[test]
    fn a_match_with_a_promised_snapshot_sends_its_own_end() {
        let mut ends = loaded_notifications(9);
        ends.begin_session([id(1)].into_iter());
        ends.add_match_end(id(1), None);
        assert_eq!(ends.next_match_end(1), None);
        ends.begin_session(std::iter::empty());
        assert_eq!(ends.next_match_end(2), Some(id(1)), "the match did not send it");
    }

    #[test]
    fn a_pong_of_another_session_confirms_nothing() {
        let mut ends = loaded_notifications(9);
        ends.add_match_end(id(1), Some(1));
        ends.confirm_sent(2, u64::MAX, None);
        assert_eq!((send_ends(&mut ends, 2), ends.take_acknowledged_ends().is_empty()), (1, true));
    }

    #[test]
    fn future_ends_are_not_acknowledged() {
        let mut ends = loaded_notifications(9);
        for number in [2, 5, 7] {
            ends.add_match_end(id(number), Some(1));
        }
        ends.confirm_sent(1, ends.sent_count(), Some(id(4)));
        assert_eq!(ends.take_acknowledged_ends().through, Some(id(4).before()));
        ends.note_match_left_open(id(6));
        ends.note_match_left_open(id(8));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_acknowledged_ends().through, Some(id(6).before()));
    }

    #[test]
    fn nothing_is_written_before_the_store_was_read() {
        let mut ends = EndNotifications::new(9);
        ends.add_match_end(id(5), Some(1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert!(ends.take_acknowledged_ends().is_empty());
        ends.add_stored(&UnacknowledgedMatches { newest: vec![id(4), id(3)], more: 7 });
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_acknowledged_ends().through, Some(id(3).before()));
        assert_eq!((send_ends(&mut ends, 1), ends.finish_catching_up()), (2, 7));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_acknowledged_ends().through, Some(id(5)));
    }

    #[test]
    fn ends_sent_before_the_store_was_read_are_not_repeated() {
        let mut ends = EndNotifications::new(9);
        ends.begin_session(std::iter::empty());
        ends.add_match_end(id(5), Some(1));
        ends.confirm_sent(1, ends.sent_count(), None);
        ends.add_stored(&UnacknowledgedMatches { newest: vec![id(5), id(4)], more: 0 });
        assert_eq!((ends.next_match_end(1), send_ends(&mut ends, 1)), (Some(id(4)), 1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!((ends.take_acknowledged_ends().through, send_ends(&mut ends, 2)), (Some(id(5)), 0));
    }

    #[test]
    fn a_tournament_that_ends_during_catch_up_is_sent_once() {
        let mut ends = loaded_notifications(9);
        let tournament = TournamentId::new(1, &[1; 10]);
        ends.begin_session(std::iter::empty());
        assert!(ends.note_tournament_end_sent(tournament, 1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert!(!ends.note_tournament_end_sent(tournament, 1), "the store still lists it");
        ends.finish_catching_up();
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_acknowledged_ends().tournaments, [tournament]);
    }

    #[test]
    fn ends_beyond_the_limit_are_only_counted() {
        let mut ends = loaded_notifications(3);
        (0..10).for_each(|number| ends.add_match_end(id(number), None));
        assert_eq!(ends.next_match_end(1), Some(id(7)), "the oldest of the kept ends comes first");
        assert_eq!(
            (send_ends(&mut ends, 1), ends.finish_catching_up(), ends.finish_catching_up()),
            (3, 7, 0)
        );
        (10..20).for_each(|number| ends.add_match_end(id(number), Some(1)));
        assert_eq!(ends.finish_catching_up(), 0, "the dropped ends had been sent to a session");
    }

    #[test]
    fn unacknowledged_ends_are_sent_a_few_times() {
        let mut ends = loaded_notifications(9);
        ends.add_match_end(id(1), None);
        let tournament = TournamentId::new(1, &[1; 10]);
        let mut counts = Vec::new();
        for session in 1..6 {
            ends.begin_session(std::iter::empty());
            counts.push(send_ends(&mut ends, session));
            if session < 4 {
                assert!(ends.note_tournament_end_sent(tournament, session));
                assert!(!ends.note_tournament_end_sent(tournament, session), "only once per session");
            }
        }
        assert_eq!(counts, [1, 1, 1, 0, 0]);
        ends.confirm_sent(5, 0, None);
        assert_eq!(
            ends.take_acknowledged_ends(),
            AcknowledgedEnds { through: Some(id(1)), tournaments: vec![tournament] }
        );
    }
}
