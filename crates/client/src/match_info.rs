//! The facts about a match that are known before its first take.

use super::TalkMessage;
use lastnim_core::{
    game::{MatchId, Row, Seat},
    referee::{MatchSetup, OfferedPact, TalkContent},
};
use std::ops::Deref;

/// The facts about a match that are fixed before the first take, as one seat sees them. Dereferences to the
/// [`MatchSetup`], so that `info.piles` is a field of the setup.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchInfo {
    /// The id of the match.
    pub id: MatchId,
    /// The bot's seat.
    pub seat: Seat,
    /// The bots, the piles, the clock and so on.
    pub setup: MatchSetup,
    /// The private row that was dealt to the bot, by which it scores whatever it declares; `None` if no rows are dealt.
    /// Others see it after the match.
    pub dealt_row: Option<Row>,
    /// The messages that the bot has sent or heard so far, in order of round, sender and number; empty if the seats do
    /// not talk.
    pub messages: Vec<TalkMessage>,
}

impl MatchInfo {
    /// Returns the row that says what the bot wants: its dealt row, or the standard row if no rows are dealt.
    pub fn honest_row(&self) -> Row {
        self.dealt_row.clone().unwrap_or_else(|| Row::standard(self.seats()))
    }

    /// Returns the last row that a seat has claimed to the bot or to everyone, or that the bot has claimed itself.
    pub fn last_claim(&self, seat: Seat) -> Option<&Row> {
        self.messages
            .iter()
            .rev()
            .filter(|message| message.seat == seat)
            .find_map(|message| if let TalkContent::Claim(row) = &message.content { Some(row) } else { None })
    }

    /// Returns the pacts that the bot has offered or heard of, with the acceptances that it knows. A member of a pact
    /// knows all acceptances of earlier rounds.
    pub fn pacts(&self) -> Vec<OfferedPact> {
        OfferedPact::collect(self.messages.iter().map(|message| (message.offer_id(), &message.content)))
    }

    /// Returns whether the organiser assigned the rows, so that seats do not declare.
    pub fn rows_are_assigned(&self) -> bool {
        self.assigned.is_some()
    }
}

impl Deref for MatchInfo {
    type Target = MatchSetup;

    fn deref(&self) -> &MatchSetup {
        &self.setup
    }
}
