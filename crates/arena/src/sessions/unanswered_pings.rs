//! The pings of a session to which answers may be under way.

use lastnim_core::referee::Timestamp;
use std::collections::VecDeque;

/// Pings that are waited for at once: an answer that takes longer than so many intervals says nothing.
const MAX_UNANSWERED: usize = 8;

/// A ping that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentPing {
    pub sent_at: Timestamp,
    /// Ends that had been handed to sessions of the bot when it was sent.
    pub ends: u64,
}

/// What a pong answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredPing {
    /// This ping.
    Sent(SentPing),
    /// A ping that is not waited for any longer, as too many were sent since.
    GivenUp,
    /// No ping of its id was sent, or it was answered before.
    Unknown,
}

/// The pings of a session to which answers may be under way. Where a message takes longer than the interval between pings there are
/// several, and a bot may answer them in any order.
#[derive(Debug, Default)]
pub struct UnansweredPings {
    /// With their ids, the oldest first.
    pings: VecDeque<(u64, SentPing)>,
    next_id: u64,
    /// Pings that were given up, and to which no answer has come yet.
    given_up: u64,
}

impl UnansweredPings {
    /// Notes a ping that is being sent, and returns its id. The oldest one is given up for it if there are too many.
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

    /// Takes out the ping that a pong answers.
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
            // A session that waits for nothing keeps no memory for it.
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
        SentPing { sent_at: Timestamp::default(), ends }
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
    fn the_oldest_is_given_up_where_too_many_are_unanswered() {
        let mut pings = UnansweredPings::default();
        let last = (0..=MAX_UNANSWERED as u64).map(|ends| pings.note_sent(ping(ends))).last();
        assert_eq!(last, Some(MAX_UNANSWERED as u64));
        assert_eq!(pings.pings.len(), MAX_UNANSWERED);
        assert_eq!(pings.take_answered(0), AnsweredPing::GivenUp);
        assert_eq!(
            pings.take_answered(0),
            AnsweredPing::Unknown,
            "no more pongs are forgiven than pings given up"
        );
        assert_eq!(pings.take_answered(1), AnsweredPing::Sent(ping(1)));
    }
}
