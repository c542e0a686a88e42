//! Which ends of matches and tournaments a bot may not have heard of.

use lastnim_core::game::{MatchId, TournamentId};
use lastnim_store::UnheardMatches;
use std::collections::{BTreeMap, BTreeSet};

/// Sessions in which a bot is told of the same end, after which it counts as heard: a bot that confirms nothing and comes back
/// again and again does not make the server read it without end.
const MAX_TELLINGS: u8 = 3;

/// The ends of which a bot may not have heard. What was put into a stream may never be read: it counts as heard once the bot
/// has answered a ping that was sent after it.
#[derive(Debug)]
pub struct EndNotifications {
    matches: UnheardEnds<MatchId>,
    tournaments: UnheardEnds<TournamentId>,
    /// Ends that were handed to sessions so far.
    handed: u64,
    /// Whether what the store knew of when the server started is among the matches.
    is_loaded: bool,
    /// Whether the newest session was told of what its bot had missed.
    has_caught_up: bool,
    /// The newest match of whose end the bot has heard.
    newest_heard: Option<MatchId>,
    /// The oldest match that this server has left without an end: the next one has it.
    left_open: Option<MatchId>,
    /// The bot has heard of the ends of all matches up to this one.
    heard_through: Option<MatchId>,
    /// What was handed to the store of that.
    written: Option<MatchId>,
    /// Tournaments of whose ends it has heard, and that the store does not know of.
    unwritten: Vec<TournamentId>,
    /// Matches of which the newest session was promised a snapshot: they tell it of their ends themselves.
    promised: BTreeSet<MatchId>,
}

/// What the bot has heard, for the store.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HeardEnds {
    /// It has heard of the ends of all matches up to this one.
    pub through: Option<MatchId>,
    /// It has heard of the ends of these tournaments.
    pub tournaments: Vec<TournamentId>,
}

impl HeardEnds {
    /// Returns whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.through.is_none() && self.tournaments.is_empty()
    }
}

impl EndNotifications {
    /// Keeps at most `room` ends of matches and as many of tournaments, the newest.
    pub fn new(room: usize) -> Self {
        Self {
            matches: UnheardEnds::new(room),
            tournaments: UnheardEnds::new(room),
            handed: 0,
            is_loaded: false,
            has_caught_up: false,
            newest_heard: None,
            left_open: None,
            heard_through: None,
            written: None,
            unwritten: Vec::new(),
            promised: BTreeSet::new(),
        }
    }

    /// Takes note that a session begins, which is promised a snapshot of some matches.
    pub fn begin_session(&mut self, promised: impl Iterator<Item = MatchId>) {
        self.promised = promised.collect();
        self.has_caught_up = false;
        let given_up = self.matches.take_stale();
        self.newest_heard = self.newest_heard.max(given_up.last().copied());
        self.unwritten.extend(self.tournaments.take_stale());
    }

    /// Returns whether the store need not be asked.
    pub fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// Adds what the store knows.
    pub fn add_stored(&mut self, found: &UnheardMatches) {
        if !std::mem::replace(&mut self.is_loaded, true) {
            // What had no room here since the server started is among what the store has counted.
            self.matches.left_out = found.more;
            for &id in &found.newest {
                self.matches.add(id);
            }
        }
    }

    /// Takes note of the end of a match, which has been handed to a session, if there is one.
    pub fn add_match_end(&mut self, id: MatchId, session: Option<u64>) {
        self.matches.add(id);
        if let Some(session) = session {
            self.note_match_end_sent(id, session);
        }
    }

    /// Takes note that a match is left without an end.
    pub fn note_match_left_open(&mut self, id: MatchId) {
        self.left_open = Some(self.left_open.map_or(id, |oldest| oldest.min(id)));
    }

    /// Returns the oldest match of whose end a session has still to be told.
    pub fn next_match_end(&self, session: u64) -> Option<MatchId> {
        self.matches.next_for_session(session, &self.promised)
    }

    /// Takes note that the end of a match was handed to a session.
    pub fn note_match_end_sent(&mut self, id: MatchId, session: u64) {
        self.handed += 1;
        self.matches.mark_sent(id, session, self.handed);
    }

    /// Takes note that nobody can be told of the end of a match.
    pub fn skip_match_end(&mut self, id: MatchId) {
        self.matches.skip(id);
    }

    /// Takes note that the newest session was told of what its bot had missed. Returns how many ends it was not told of, as
    /// there were too many, and forgets it.
    pub fn finish_catching_up(&mut self) -> u64 {
        self.has_caught_up = true;
        std::mem::take(&mut self.matches.left_out)
    }

    /// Takes note that the end of a tournament was handed to a session; returns whether that was not so before.
    pub fn note_tournament_end_sent(&mut self, id: TournamentId, session: u64) -> bool {
        self.tournaments.add(id);
        let is_new = !self.tournaments.was_sent_to(id, session);
        self.handed += 1;
        self.tournaments.mark_sent(id, session, self.handed);
        is_new
    }

    /// Returns how many ends were handed to sessions so far: a ping that is sent now comes behind them.
    pub fn sent_count(&self) -> u64 {
        self.handed
    }

    /// Takes note that a session has answered a ping that was sent behind so many ends. `oldest_open` is the oldest match in
    /// which the bot sits.
    ///
    /// Nothing is confirmed as long as the store may still name it, for what is forgotten here would then be told once more:
    /// matches before those of the store were added, and tournaments before the session has caught up.
    pub fn confirm_sent(&mut self, session: u64, handed: u64, oldest_open: Option<MatchId>) {
        if self.has_caught_up {
            self.unwritten.extend(self.tournaments.take_confirmed(session, handed));
        }
        if !self.is_loaded {
            return;
        }
        let heard = self.matches.take_confirmed(session, handed);
        self.newest_heard = self.newest_heard.max(heard.last().copied());
        let unheard = [oldest_open, self.left_open, self.matches.oldest()].into_iter().flatten().min();
        let through = match (self.newest_heard, unheard) {
            (Some(heard), Some(unheard)) => Some(heard.min(unheard.before())),
            (heard, _) => heard,
        };
        self.heard_through = self.heard_through.max(through);
    }

    /// Returns what the store has still to be told.
    pub fn take_heard_ends(&mut self) -> HeardEnds {
        let tournaments = std::mem::take(&mut self.unwritten);
        let through = self.heard_through.filter(|_| self.heard_through > self.written);
        self.written = self.written.max(through);
        HeardEnds { through, tournaments }
    }
}

/// Ends that are still to be confirmed, the oldest first: as many as there is room for, and how many were left out.
#[derive(Debug)]
struct UnheardEnds<K> {
    ends: BTreeMap<K, EndDelivery>,
    room: usize,
    /// Ends that no session was told of and for which there was no room.
    left_out: u64,
}

/// To which session an end was handed last.
#[derive(Debug, Clone, Copy, Default)]
struct EndDelivery {
    /// 0 stands for none.
    session: u64,
    handed: u64,
    tellings: u8,
}

impl<K: Ord + Copy> UnheardEnds<K> {
    fn new(room: usize) -> Self {
        Self { ends: BTreeMap::new(), room, left_out: 0 }
    }

    fn add(&mut self, key: K) {
        self.ends.entry(key).or_default();
        while self.ends.len() > self.room
            && let Some((_, telling)) = self.ends.pop_first()
        {
            self.left_out += u64::from(telling.tellings == 0);
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
        ends.find(|(key, telling)| telling.session != session && !promised.contains(key)).map(|(&key, _)| key)
    }

    fn was_sent_to(&self, key: K, session: u64) -> bool {
        self.ends.get(&key).is_some_and(|telling| telling.session == session)
    }

    fn mark_sent(&mut self, key: K, session: u64, handed: u64) {
        if let Some(telling) = self.ends.get_mut(&key) {
            telling.tellings += u8::from(telling.session != session);
            (telling.session, telling.handed) = (session, handed);
        }
    }

    /// Takes out what was told often enough.
    fn take_stale(&mut self) -> Vec<K> {
        self.take_where(|telling| telling.tellings >= MAX_TELLINGS)
    }

    /// Takes out what was handed to a session before that many ends were.
    fn take_confirmed(&mut self, session: u64, handed: u64) -> Vec<K> {
        self.take_where(|telling| telling.session == session && telling.handed <= handed)
    }

    fn take_where(&mut self, is_heard: impl Fn(&EndDelivery) -> bool) -> Vec<K> {
        let heard = self.ends.iter().filter(|(_, telling)| is_heard(telling)).map(|(&key, _)| key).collect();
        for key in &heard {
            self.ends.remove(key);
        }
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> MatchId {
        MatchId::new(number, &[1; 10])
    }

    /// Tells a session of all that it has still to be told of, and returns the numbers of the matches.
    fn tell(ends: &mut EndNotifications, session: u64) -> usize {
        let mut told = 0;
        while let Some(id) = ends.next_match_end(session) {
            ends.note_match_end_sent(id, session);
            told += 1;
        }
        told
    }

    fn loaded(room: usize) -> EndNotifications {
        let mut ends = EndNotifications::new(room);
        ends.add_stored(&UnheardMatches::default());
        ends
    }

    #[test]
    fn what_is_confirmed_is_not_told_again() {
        let mut ends = loaded(9);
        ends.add_match_end(id(1), None);
        ends.add_match_end(id(2), Some(1));
        assert_eq!((ends.next_match_end(1), tell(&mut ends, 1)), (Some(id(1)), 1));
        let before = ends.sent_count();
        ends.add_match_end(id(3), Some(1));
        ends.confirm_sent(1, before, None);
        assert_eq!(ends.take_heard_ends().through, Some(id(2)));
        assert_eq!(ends.next_match_end(2), Some(id(3)), "it came behind the ping");
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!((tell(&mut ends, 2), ends.take_heard_ends().through), (0, Some(id(3))));
        assert!(ends.take_heard_ends().is_empty(), "the store knows it");
    }

    #[test]
    fn a_match_that_is_to_tell_of_its_end_itself_is_left_to_it() {
        let mut ends = loaded(9);
        ends.begin_session([id(1)].into_iter());
        ends.add_match_end(id(1), None);
        assert_eq!(ends.next_match_end(1), None);
        ends.begin_session(std::iter::empty());
        assert_eq!(ends.next_match_end(2), Some(id(1)), "it did not come to that");
    }

    #[test]
    fn a_pong_of_another_session_confirms_nothing() {
        let mut ends = loaded(9);
        ends.add_match_end(id(1), Some(1));
        ends.confirm_sent(2, u64::MAX, None);
        assert_eq!((tell(&mut ends, 2), ends.take_heard_ends().is_empty()), (1, true));
    }

    #[test]
    fn no_end_that_is_to_come_counts_as_heard() {
        let mut ends = loaded(9);
        for number in [2, 5, 7] {
            ends.add_match_end(id(number), Some(1));
        }
        ends.confirm_sent(1, ends.sent_count(), Some(id(4)));
        assert_eq!(ends.take_heard_ends().through, Some(id(4).before()));
        ends.note_match_left_open(id(6));
        ends.note_match_left_open(id(8));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_heard_ends().through, Some(id(6).before()));
    }

    #[test]
    fn before_the_store_was_asked_nothing_is_written() {
        let mut ends = EndNotifications::new(9);
        ends.add_match_end(id(5), Some(1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert!(ends.take_heard_ends().is_empty());
        ends.add_stored(&UnheardMatches { newest: vec![id(4), id(3)], more: 7 });
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_heard_ends().through, Some(id(3).before()));
        assert_eq!((tell(&mut ends, 1), ends.finish_catching_up()), (2, 7));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_heard_ends().through, Some(id(5)));
    }

    #[test]
    fn what_a_session_was_told_before_the_store_was_asked_is_not_told_again() {
        let mut ends = EndNotifications::new(9);
        ends.begin_session(std::iter::empty());
        ends.add_match_end(id(5), Some(1));
        ends.confirm_sent(1, ends.sent_count(), None);
        ends.add_stored(&UnheardMatches { newest: vec![id(5), id(4)], more: 0 });
        assert_eq!((ends.next_match_end(1), tell(&mut ends, 1)), (Some(id(4)), 1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!((ends.take_heard_ends().through, tell(&mut ends, 2)), (Some(id(5)), 0));
    }

    #[test]
    fn a_tournament_that_ends_while_a_session_catches_up_is_told_once() {
        let mut ends = loaded(9);
        let tournament = TournamentId::new(1, &[1; 10]);
        ends.begin_session(std::iter::empty());
        assert!(ends.note_tournament_end_sent(tournament, 1));
        ends.confirm_sent(1, ends.sent_count(), None);
        assert!(!ends.note_tournament_end_sent(tournament, 1), "the store names it still");
        ends.finish_catching_up();
        ends.confirm_sent(1, ends.sent_count(), None);
        assert_eq!(ends.take_heard_ends().tournaments, [tournament]);
    }

    #[test]
    fn the_newest_are_kept_and_the_rest_counted() {
        let mut ends = loaded(3);
        (0..10).for_each(|number| ends.add_match_end(id(number), None));
        assert_eq!(ends.next_match_end(1), Some(id(7)), "the oldest of them first");
        assert_eq!((tell(&mut ends, 1), ends.finish_catching_up(), ends.finish_catching_up()), (3, 7, 0));
        (10..20).for_each(|number| ends.add_match_end(id(number), Some(1)));
        assert_eq!(ends.finish_catching_up(), 0, "a session was told of them");
    }

    #[test]
    fn a_bot_that_confirms_nothing_is_told_a_few_times() {
        let mut ends = loaded(9);
        ends.add_match_end(id(1), None);
        let tournament = TournamentId::new(1, &[1; 10]);
        let mut told = Vec::new();
        for session in 1..6 {
            ends.begin_session(std::iter::empty());
            told.push(tell(&mut ends, session));
            if session < 4 {
                assert!(ends.note_tournament_end_sent(tournament, session));
                assert!(!ends.note_tournament_end_sent(tournament, session), "once in a session");
            }
        }
        assert_eq!(told, [1, 1, 1, 0, 0]);
        ends.confirm_sent(5, 0, None);
        assert_eq!(ends.take_heard_ends(), HeardEnds { through: Some(id(1)), tournaments: vec![tournament] });
    }
}
