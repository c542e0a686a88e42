//! The actions of a bot in a match.

use super::{NoteHash, NoteHashError, OfferId, TalkContent};
use crate::game::Row;
use std::fmt;

/// A bot's action for its seat, not yet checked against the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatAction {
    /// Declare a row.
    Declare {
        /// The offsets of the row, which should be a permutation of 0 to n - 1.
        offsets: Vec<u64>,
        /// The note hash, or why it is invalid.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// Take counters.
    Take {
        /// The ply that the take is for.
        ply: u32,
        /// The number of counters.
        take: u64,
        /// The note hash, or why it is invalid.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// Resign.
    Resign,
    /// Send a message to other seats.
    Say(Box<SubmittedMessage>),
    /// End the seat's own talk in a round.
    EndTalk {
        /// The round, from 0.
        round: u32,
    },
}

/// A message that a bot sent, not yet checked against the match.
#[derive(Clone, PartialEq, Eq)]
pub struct SubmittedMessage {
    /// The round, which should be the current one.
    pub round: u32,
    /// The number of the message, which should be the number of messages that the seat has already sent in this round.
    pub number: u32,
    /// The seats that should hear it; empty for everyone.
    pub to: Vec<u32>,
    /// The content; `None` if there is no content, or this server does not know its kind.
    pub content: Option<SubmittedContent>,
}

/// What a bot's message says, not yet checked against the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmittedContent {
    /// A text.
    Text(String),
    /// The offsets of a row.
    Claim(Vec<u64>),
    /// The members of a pact, each with its relations. A relation `(a, b)` means that the member must rank seat `a`
    /// before seat `b`.
    Offer(Vec<(usize, Vec<(usize, usize)>)>),
    /// The place of the message that offers the accepted pact.
    Accept {
        /// The number of the sender's seat.
        seat: u32,
        /// The round, from 0.
        round: u32,
        /// The number of the message among the sender's messages in this round, from 0.
        number: u32,
    },
}

impl From<&TalkContent> for SubmittedContent {
    fn from(content: &TalkContent) -> Self {
        match content {
            TalkContent::Text(text) => Self::Text(text.clone()),
            TalkContent::Claim(row) => Self::Claim(row.offsets().iter().copied().map(u64::from).collect()),
            TalkContent::Offer(pact) => {
                let members = pact.members().iter().map(|member| {
                    let relations = member.relations();
                    let relations = relations.map(|(before, after)| (before.index(), after.index()));
                    (member.seat.index(), relations.collect())
                });
                Self::Offer(members.collect())
            }
            &TalkContent::Accept(OfferId { seat, round, number }) => {
                Self::Accept { seat: seat.into(), round, number }
            }
        }
    }
}

/// Hides the content, so that it cannot get into a log.
impl fmt::Debug for SubmittedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SubmittedMessage({}, {}, {:?})", self.round, self.number, self.to)
    }
}

impl SeatAction {
    /// Creates a declaration.
    pub fn declare(row: &Row, note_hash: Option<NoteHash>) -> Self {
        let offsets = row.offsets().iter().copied().map(u64::from).collect();
        Self::Declare { offsets, note_hash: Ok(note_hash) }
    }

    /// Creates a take.
    pub fn take(ply: u32, take: u64, note_hash: Option<NoteHash>) -> Self {
        Self::Take { ply, take, note_hash: Ok(note_hash) }
    }

    /// Returns a short description, such as "a resignation".
    pub fn describe(&self) -> String {
        match self {
            Self::Declare { .. } => "a row".to_owned(),
            Self::Take { ply, take, .. } => format!("a take of {take} at ply {ply}"),
            Self::Resign => "a resignation".to_owned(),
            Self::Say(message) => format!("message {} of round {}", message.number, message.round),
            Self::EndTalk { round } => format!("the end of talk in round {round}"),
        }
    }
}
