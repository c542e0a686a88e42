//! Messages that a bot sends for a match before it has read the match's end.

/// The number of messages for a match that may arrive after its end and not count as idle: a message of talk, the end
/// of the talk, a row and a take.
const MAX_LATE_MESSAGES_PER_MATCH: u64 = 4;

/// How many more messages for ended matches a session may send without their being counted. An end allows a few such
/// messages until the bot has answered a ping that was sent after it: all messages from before the bot read the end
/// have arrived by then.
#[derive(Debug, Default)]
pub struct LateMessages {
    /// The number of ends of matches that were sent to the session.
    sent_ends: u64,
    allowed: u64,
}

impl LateMessages {
    /// Notes that the end of a match was sent to the session.
    pub fn note_end_sent(&mut self) {
        self.sent_ends += 1;
        self.allowed += MAX_LATE_MESSAGES_PER_MATCH;
    }

    /// Returns the number of ends sent so far, to be remembered with the next ping.
    pub fn sent_ends(&self) -> u64 {
        self.sent_ends
    }

    /// Notes that the bot answered a ping that was sent after the first `sent_ends` ends.
    pub fn confirm_ends(&mut self, sent_ends: u64) {
        let unconfirmed = self.sent_ends.saturating_sub(sent_ends);
        self.allowed = self.allowed.min(unconfirmed * MAX_LATE_MESSAGES_PER_MATCH);
    }

    /// Returns whether one more message for an ended match may arrive without being counted, and notes it if so.
    pub fn excuse_message(&mut self) -> bool {
        let excused = self.allowed > 0;
        self.allowed -= u64::from(excused);
        excused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_excused(late: &mut LateMessages) -> u64 {
        (0..100).map(|_| u64::from(late.excuse_message())).sum()
    }

    #[test]
    fn each_end_excuses_a_few_messages_until_it_is_confirmed() {
        let mut late = LateMessages::default();
        assert_eq!(count_excused(&mut late), 0);
        late.note_end_sent();
        let before = late.sent_ends();
        late.note_end_sent();
        late.note_end_sent();
        late.confirm_ends(before);
        assert_eq!(count_excused(&mut late), 2 * MAX_LATE_MESSAGES_PER_MATCH);
        late.confirm_ends(before);
        assert_eq!(count_excused(&mut late), 0, "a pong restores nothing");
        late.note_end_sent();
        late.confirm_ends(late.sent_ends());
        assert_eq!(count_excused(&mut late), 0);
    }
}
