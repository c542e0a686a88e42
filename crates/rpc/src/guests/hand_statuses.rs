//! How the hands of a player stand.

use super::hand_status::HandStatus;
use lastnim_core::game::MatchId;
use lastnim_proto::MatchEvent;
use std::collections::BTreeMap;

/// Hands of a player whose status is kept. Of more the oldest is forgotten, one that is over first.
const MAX_HANDS: usize = 32;

/// How the hands of a player stand, as far as its session has heard.
#[derive(Debug)]
pub(super) struct HandStatuses {
    by_match: BTreeMap<MatchId, HandStatus>,
    /// The revision before anything is heard.
    first_revision: u64,
    /// Events of hands so far.
    heard: u64,
    /// The revision of hands of which nothing is kept: above all that those had which were forgotten.
    unkept_revision: u64,
}

impl HandStatuses {
    /// Begins to count at a revision.
    pub(super) fn begin_at(first_revision: u64) -> Self {
        let (by_match, heard) = Default::default();
        Self { by_match, first_revision, heard, unkept_revision: first_revision }
    }

    /// Returns how a hand stands. Of one that was forgotten nothing is known but that what was shown is older.
    pub(super) fn status_of(&self, id: MatchId) -> HandStatus {
        let unkept = || HandStatus::with_revision(self.unkept_revision);
        self.by_match.get(&id).cloned().unwrap_or_else(unkept)
    }

    /// Returns a number that grows with all that is heard.
    pub(super) fn revision(&self) -> u64 {
        self.first_revision + self.heard
    }

    /// Returns whether a hand is not over.
    pub(super) fn has_open_hand(&self) -> bool {
        self.by_match.values().any(|hand| !hand.is_over)
    }

    /// Takes an event of a hand in.
    pub(super) fn apply(&mut self, id: MatchId, event: &MatchEvent) {
        self.heard += 1;
        let unkept = HandStatus::with_revision(self.unkept_revision);
        self.by_match.entry(id).or_insert(unkept).apply(event);
        if self.by_match.len() > MAX_HANDS {
            self.forget_oldest_hand(id);
        }
    }

    /// Forgets the oldest hand but one, one that is over if there is any. Ids of matches grow with time.
    fn forget_oldest_hand(&mut self, kept: MatchId) {
        let others = || self.by_match.iter().filter(|(id, _)| **id != kept);
        let oldest_over = others().find(|(_, hand)| hand.is_over);
        if let Some(id) = oldest_over.or_else(|| others().next()).map(|(id, _)| *id) {
            self.by_match.remove(&id);
            // No hand has a revision above this one: each event that raises one raises this one.
            self.unkept_revision = self.revision();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;
    use lastnim_core::referee::{EndReason, ForfeitReason};

    fn match_id(number: usize) -> MatchId {
        format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap()
    }

    #[test]
    fn hands_that_are_over_are_forgotten_before_those_that_are_not() {
        let mut hands = HandStatuses::begin_at(7);
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let begun = MatchEvent::Forfeited { seat, reason: ForfeitReason::Resigned };
        let ended = MatchEvent::Ended { reason: EndReason::Finished, winner: None, audit: None };
        hands.apply(match_id(0), &begun);
        let mut last = 0;
        for number in 1..10 * MAX_HANDS {
            hands.apply(match_id(number), &begun);
            hands.apply(match_id(number), &ended);
            assert!(hands.by_match.len() <= MAX_HANDS && hands.by_match.contains_key(&match_id(0)));
            let ended = hands.status_of(match_id(number));
            assert!(
                ended.is_over && (9..=hands.revision()).contains(&ended.revision) && ended.revision >= last
            );
            last = ended.revision;
        }
        assert!(hands.has_open_hand());
        for number in 1_000..1_000 + 2 * MAX_HANDS {
            hands.apply(match_id(number), &begun);
        }
        assert_eq!(hands.by_match.len(), MAX_HANDS);
        assert!(!hands.by_match.contains_key(&match_id(0)), "it is older than all that are open");
    }

    #[test]
    fn no_revision_of_a_hand_comes_twice() {
        let mut hands = HandStatuses::begin_at(7);
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let event = MatchEvent::Forfeited { seat, reason: ForfeitReason::Resigned };
        let mut shown = vec![7; 2 * MAX_HANDS];
        for _ in 0..3 {
            for (number, last) in shown.iter_mut().enumerate() {
                let before = hands.status_of(match_id(number)).revision;
                hands.apply(match_id(number), &event);
                let heard = hands.status_of(match_id(number)).revision;
                assert!(before >= *last && heard > before, "{last}, {before} and {heard}");
                assert!(heard <= hands.revision(), "{heard}");
                *last = heard;
            }
        }
        let behind = hands.status_of(match_id(0)).revision;
        assert!(behind > shown[0] && !hands.by_match.contains_key(&match_id(0)), "{behind}");
    }
}
