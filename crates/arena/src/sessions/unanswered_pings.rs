//! Keeps the pings of a session that have not been answered yet.

use lastnim_core::referee::Timestamp;
use std::collections::VecDeque;

/// The maximum number of unanswered pings that are kept; a pong that comes this many intervals late is ignored.
const MAX_UNANSWERED: usize = 8;

/// A ping that was sent to a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentPing {
    pub sent_at: Timestamp,
    /// The number of ends that had been sent to the bot when the ping was sent.
    pub ends: u64,
    /// The number of ends of matches that had been sent to the session when the ping was sent.
    pub match_ends: u64,
}

/// The ping that a pong answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredPing {
    Sent(SentPing),
    /// A ping that was dropped because too many later ones were sent.
    GivenUp,
    /// No ping with this id was sent, or it was already answered.
    Unknown,
}

/// The unanswered pings of a session. There are several if an answer takes longer than the ping interval, and a bot may
/// answer them in any order.
#[derive(Debug, Default)]
pub struct UnansweredPings {
    /// The pings with their ids, the oldest first.
    pings: VecDeque<(u64, SentPing)>,
    next_id: u64,
    /// The number of dropped pings that are still unanswered.
    given_up: u64,
}

impl UnansweredPings {
    /// Notes a new ping, and returns its id. Drops the oldest ping if there are too many.
    pub fn note_sent(&mut self, ping: SentPing) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if self.pings.len() == MAX_UNANSWERED {
            self.pings.pop_front();
            self.given_up += 1;
        }
        self.pings.push_back((id, ping));
        id
    }

    /// Removes and returns the ping that a pong answers.
    pub fn take_answered(&mut self, id: u64) -> AnsweredPing {
        let position = self.pings.iter().position(|&(sent, _)| sent == id);
        let Some((_, ping)) = position.and_then(|position| self.pings.remove(position)) else {
            if id >= self.next_id || self.given_up == 0 {
                return AnsweredPing::Unknown;
            }
            self.given_up -= 1;
            return AnsweredPing::GivenUp;
        };
        if self.pings.is_empty() {
            // The memory is released, so that an idle session does not keep it.
            self.pings = VecDeque::new();
        }
        AnsweredPing::Sent(ping)
    }
}

#[cfg(test)]
mod tests {
    use super::{AnsweredPing, MAX_UNANSWERED, SentPing, UnansweredPings};
    use lastnim_core::referee::Timestamp;

    fn ping(ends: u64) -> SentPing {
        SentPing { sent_at: Timestamp::default(), ends, match_ends: 0 }
    }

    #[test]
    fn each_ping_is_answered_once_in_any_order() {
        let mut pings = UnansweredPings::default();
        let ids = [pings.note_sent(ping(10)), pings.note_sent(ping(11)), pings.note_sent(ping(12))];
        assert_eq!(ids, [0, 1, 2]);
        let answered = |ends| AnsweredPing::Sent(ping(ends));
        assert_eq!(pings.take_answered(1), answered(11));
        assert_eq!(pings.take_answered(1), AnsweredPing::Unknown, "it was answered before");
        assert_eq!(pings.take_answered(2), answered(12));
        assert_eq!(pings.take_answered(0), answered(10));
        assert_eq!(pings.take_answered(3), AnsweredPing::Unknown, "it was not sent");
        assert_eq!(pings.note_sent(ping(13)), 3);
    }

    #[test]
    fn the_oldest_of_too_many_pings_is_dropped() {
        let mut pings = UnansweredPings::default();
        let last = (0..=MAX_UNANSWERED as u64).map(|ends| pings.note_sent(ping(ends))).last();
        assert_eq!(last, Some(MAX_UNANSWERED as u64));
        assert_eq!(pings.pings.len(), MAX_UNANSWERED);
        assert_eq!(pings.take_answered(0), AnsweredPing::GivenUp);
        assert_eq!(
            pings.take_answered(0),
            AnsweredPing::Unknown,
            "no more late pongs are accepted than pings were dropped"
        );
        assert_eq!(pings.take_answered(1), AnsweredPing::Sent(ping(1)));
    }
}
