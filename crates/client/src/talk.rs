//! Talk: the messages that seats send each other before they declare their rows.

use super::MatchInfo;
use lastnim_core::{
    game::{Pact, Row, Seat, SeatSet},
    referee::{OfferId, TalkContent},
};
use std::{ops::Deref, sync::Arc, time::Duration};

/// A message that a bot sends to other seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The seats that hear it; empty for everyone, including watchers. It must be empty for an offer or an acceptance,
    /// which the server sends to the members of the pact.
    pub to: SeatSet,
    /// What it says.
    pub content: TalkContent,
}

/// A message that the bot has sent or heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkMessage {
    /// The sender.
    pub seat: Seat,
    /// The round, from 0.
    pub round: u32,
    /// The number among the messages of the sender in this round, from 0.
    pub number: u32,
    /// The seats that hear it; empty if everyone does. It is also empty for an offer or an acceptance that this process
    /// has sent.
    pub to: SeatSet,
    /// What it says.
    pub content: TalkContent,
}

/// A round of talk that has begun. Dereferences to the [`MatchInfo`], whose messages are those of earlier rounds and
/// the bot's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkRound {
    pub(super) info: Arc<MatchInfo>,
    pub(super) round: u32,
    pub(super) time_left: Duration,
}

impl Message {
    /// Creates a message to everyone that says a text. A match limits its length; see [`TalkTerms`](super::TalkTerms).
    pub fn text(text: impl Into<String>) -> Self {
        Self { to: SeatSet::default(), content: TalkContent::Text(text.into()) }
    }

    /// Creates a message to everyone that claims a row: "this is what I want".
    pub fn claim(row: Row) -> Self {
        Self { to: SeatSet::default(), content: TalkContent::Claim(row) }
    }

    /// Creates a message that offers a pact, of which the bot is a member, to the other members. It is also the bot's
    /// acceptance.
    pub fn offer(pact: Pact) -> Self {
        Self { to: SeatSet::default(), content: TalkContent::Offer(pact) }
    }

    /// Creates a message that accepts a pact, which another seat has offered to the bot in an earlier round.
    pub fn accept(offer: OfferId) -> Self {
        Self { to: SeatSet::default(), content: TalkContent::Accept(offer) }
    }

    /// Returns whether a message that the bot has sent has the same content and goes to the same seats. The content of
    /// a message about a pact determines its seats.
    pub(super) fn is_same(&self, sent: &TalkMessage) -> bool {
        let is_about_pact = matches!(self.content, TalkContent::Offer(_) | TalkContent::Accept(_));
        self.content == sent.content && (is_about_pact || self.to == sent.to)
    }

    /// Sends the message to these seats only. An empty list means everyone.
    #[must_use]
    pub fn to(self, seats: impl IntoIterator<Item = Seat>) -> Self {
        Self { to: seats.into_iter().collect(), ..self }
    }
}

impl TalkMessage {
    /// Returns the round, the sender and the number, which together identify the message in its match.
    pub(super) fn place(&self) -> (u32, Seat, u32) {
        (self.round, self.seat, self.number)
    }

    /// Returns the id of the offer in this message, with which another seat can accept it.
    pub fn offer_id(&self) -> OfferId {
        OfferId { seat: self.seat, round: self.round, number: self.number }
    }
}

impl TalkRound {
    /// Returns a round as the bot sees it when the round begins, for testing a bot without a server.
    pub fn practice(info: &MatchInfo, round: u32) -> Self {
        let time_left = info.terms.talk.unwrap_or_default().round_time;
        Self { info: Arc::new(info.clone()), round, time_left }
    }

    /// Returns the facts about the match, with the messages so far.
    pub fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// Returns the number of the round, from 0.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns the time that was left in the round when the server sent it.
    pub fn time_left(&self) -> Duration {
        self.time_left
    }
}

impl Deref for TalkRound {
    type Target = MatchInfo;

    fn deref(&self) -> &MatchInfo {
        &self.info
    }
}
