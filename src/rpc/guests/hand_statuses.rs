//! How the hands of a guest stand.

use super::hand_status::HandStatus;
use crate::game::MatchId;
use crate::wire::MatchEvent;
use std::collections::BTreeMap;

/// Hands of a guest whose status is kept. Of more the oldest is forgotten, one that is over first.
const MAX_HANDS: usize = 32;

/// How the hands of a guest stand, as far as its session has heard.
#[derive(Debug, Default)]
pub(super) struct HandStatuses {
    by_match: BTreeMap<MatchId, HandStatus>,
    /// Events of hands so far.
    heard: u64,
}

impl HandStatuses {
    /// Returns how a hand stands; `None` if nothing was heard of it, or it was forgotten.
    pub(super) fn get(&self, id: MatchId) -> Option<&HandStatus> {
        self.by_match.get(&id)
    }

    /// Returns how many events of hands were heard.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// Returns whether a hand is not over.
    pub(super) fn has_open_hand(&self) -> bool {
        self.by_match.values().any(|hand| !hand.is_over)
    }

    /// Takes an event of a hand in. The status of a new hand begins with `first_revision`.
    pub(super) fn apply(&mut self, id: MatchId, event: &MatchEvent, first_revision: u64) {
        self.heard += 1;
        let unheard = || HandStatus::with_revision(first_revision);
        self.by_match.entry(id).or_insert_with(unheard).apply(event);
        if self.by_match.len() > MAX_HANDS {
            self.forget_oldest_hand();
        }
    }

    /// Forgets the oldest hand, one that is over if there is any. Ids of matches grow with time.
    fn forget_oldest_hand(&mut self) {
        let mut ids = self.by_match.iter();
        let oldest_over = ids.find(|(_, hand)| hand.is_over).map(|(id, _)| *id);
        if let Some(id) = oldest_over.or_else(|| self.by_match.keys().next().copied()) {
            self.by_match.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SeatCount;
    use crate::referee::{EndReason, ForfeitReason};

    fn match_id(number: usize) -> MatchId {
        format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap()
    }

    #[test]
    fn hands_that_are_over_are_forgotten_before_those_that_are_not() {
        let mut hands = HandStatuses::default();
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let begun = MatchEvent::Forfeited { seat, reason: ForfeitReason::Resigned };
        let ended = MatchEvent::Ended { reason: EndReason::Finished, winner: None, audit: None };
        hands.apply(match_id(0), &begun, 7);
        for number in 1..10 * MAX_HANDS {
            hands.apply(match_id(number), &begun, 7);
            hands.apply(match_id(number), &ended, 7);
            assert!(hands.by_match.len() <= MAX_HANDS && hands.get(match_id(0)).is_some());
            assert!(hands.get(match_id(number)).is_some_and(|hand| hand.is_over && hand.revision == 9));
        }
        assert!(hands.has_open_hand());
        for number in 1_000..1_000 + 2 * MAX_HANDS {
            hands.apply(match_id(number), &begun, 7);
        }
        assert_eq!(hands.by_match.len(), MAX_HANDS);
        assert!(hands.get(match_id(0)).is_none(), "it is older than all that are open");
    }
}
