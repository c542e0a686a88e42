//! Talk: the messages that seats send each other before they declare their rows.
//!
//! # How a message is proved without its content
//! The hash chain of a record covers a commitment to the content of each message, but not the content. So a record
//! proves the same whether it shows a private message or not. `derive_key(context, input)` and `keyed_hash(key, input)`
//! are the modes of BLAKE3; a seat and a kind are one byte, a round and a number four bytes, little-endian.
//!
//! | what | how it is derived |
//! |---|---|
//! | secret of a match | `keyed_hash(derive_key("lastnim 2026 talk secret", seed of the server's key), the 16 bytes of the match id)` |
//! | salt of a message | `keyed_hash(secret of the match, seat, round, number)` |
//! | commitment to a message | `derive_key("lastnim 2026 talk message", seat, round, number, salt, kind, content)` |
//!
//! | kind | what it says | content |
//! |---|---|---|
//! | 1 | text | its UTF-8 bytes |
//! | 2 | claim | the offsets of its row |
//! | 3 | offer of a pact | for each member in seat order: its seat; the number of its relations, a byte; and of each relation the seat that comes before and the seat that comes after |
//! | 4 | acceptance | seat, round and number of the message with the offer |
//!
//! The relations of a member are those from which all others follow, in ascending order of their offsets. Only someone
//! who knows the salt can compare a commitment with a guess at the content.

use super::{DealHash, OfferId, OfferedPact, SigningKey};
use crate::game::{MatchId, Pact, Row, Seat, SeatSet};
use std::{borrow::Cow, fmt, time::Duration};
use thiserror::Error;

/// The maximum number of rounds of talk in a match.
pub const MAX_TALK_ROUNDS: u32 = 4;
/// The maximum number of characters in a text.
pub const MAX_TEXT_CHARS: u32 = 1_000;
/// The maximum number of messages that a seat can send in one round.
pub const MAX_ROUND_MESSAGES: u32 = 4;

/// How seats talk before they declare their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TalkTerms {
    /// The number of rounds, 1 to [`MAX_TALK_ROUNDS`].
    pub rounds: u32,
    /// The maximum length of a round, 1 ms to an hour.
    pub round_time: Duration,
    /// The maximum number of characters in a text, 1 to [`MAX_TEXT_CHARS`].
    pub text_chars: u32,
    /// Whether a seat can send a message to some seats only, and whether others can read it later.
    pub privacy: TalkPrivacy,
    /// Whether seats can sign pacts. This needs two rounds, because a pact is accepted in a later round than it is
    /// offered.
    pub pacts: bool,
}

/// Whether seats can send private messages: messages to some seats only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TalkPrivacy {
    /// All messages go to everyone.
    Open,
    /// Private messages stay private.
    Private,
    /// Everybody can read private messages once the match has a winner.
    Published,
}

/// A value of [`TalkTerms`] that is out of range, or a round time that is not a whole number of ms.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{field} is {value}: expected a whole number from {min} to {max}{}",
    if *min > 1 { ", because a pact is offered in one round and accepted in a later one" } else { "" }
)]
pub struct TalkTermsError {
    /// The name of the value in protocol messages.
    pub field: &'static str,
    /// The given value.
    pub value: u64,
    /// The minimum.
    pub min: u32,
    /// The maximum.
    pub max: u32,
}

impl Default for TalkTerms {
    /// Returns two rounds of at most 60 s, with texts of up to 500 characters; private messages are possible and stay
    /// private; there are no pacts.
    fn default() -> Self {
        Self {
            rounds: 2,
            round_time: Duration::from_mins(1),
            text_chars: 500,
            privacy: TalkPrivacy::Private,
            pacts: false,
        }
    }
}

impl TalkTerms {
    /// Returns an error for each value that is out of range, and for a round time that is not a whole number of ms.
    pub fn find_errors(&self) -> Vec<TalkTermsError> {
        let round_ms = u64::try_from(self.round_time.as_millis()).unwrap_or(u64::MAX);
        let bounds = [
            ("rounds", self.rounds.into(), if self.pacts { 2 } else { 1 }, MAX_TALK_ROUNDS),
            ("round_ms", round_ms, 1, 3_600_000),
            ("text_chars", self.text_chars.into(), 1, MAX_TEXT_CHARS),
        ];
        let is_fractional = self.round_time != Duration::from_millis(round_ms);
        let is_wrong = |&(field, value, min, max): &(&str, u64, u32, u32)| {
            value < min.into() || value > max.into() || field == "round_ms" && is_fractional
        };
        let wrong = bounds.into_iter().filter(is_wrong);
        wrong.map(|(field, value, min, max)| TalkTermsError { field, value, min, max }).collect()
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TalkContent {
    /// A text.
    Text(String),
    /// A row that the sender claims to want.
    Claim(Row),
    /// An offer of a pact, of which the sender is a member.
    Offer(Pact),
    /// The sender accepts a pact that another seat offered.
    Accept(OfferId),
}

/// The seats that hear a message, apart from the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everybody, including watchers.
    Everyone,
    /// These seats. Others can read the message once the match has a winner if `published` is true, and never if not.
    Seats {
        /// The seats, at least one.
        seats: SeatSet,
        /// Whether the message is published with the winner: [`TalkPrivacy::Published`].
        published: bool,
    },
}

/// A message of a seat.
#[derive(Clone, PartialEq, Eq)]
pub struct TalkMessage {
    /// The sender.
    pub seat: Seat,
    /// The round, from 0.
    pub round: u32,
    /// The number of the message among the sender's messages in this round, from 0.
    pub number: u32,
    /// Who hears it.
    pub audience: Audience,
    /// The commitment to the content.
    pub commitment: DealHash,
    /// The content with the salt of the commitment; `None` in a record that does not show it.
    pub opened: Option<OpenedContent>,
}

/// The content of a message and the salt of its commitment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedContent {
    /// The salt.
    pub salt: DealHash,
    /// The content.
    pub content: TalkContent,
}

/// The secret of a match from which the salts of its messages are derived. `Debug` hides it.
#[derive(Clone, Default)]
pub struct TalkSecret([u8; 32]);

/// What a seat knows about the talk of its match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkView {
    /// The round, from 0; `None` once the talk is over.
    pub round: Option<u32>,
    /// The time left in the round.
    pub left: Option<Duration>,
    /// Whether the seat has ended its own talk in this round.
    pub is_done: bool,
    /// The messages that the seat has sent or heard, in the order in which they were sent.
    pub messages: Vec<TalkMessage>,
    /// The pacts of which the seat is a member and knows, in the order in which they were offered, with the acceptances
    /// that it knows.
    pub pacts: Vec<OfferedPact>,
}

impl TalkContent {
    /// Returns the number of the content's kind, and its bytes.
    pub(super) fn to_kind_and_bytes(&self) -> (u8, Cow<'_, [u8]>) {
        match self {
            Self::Text(text) => (1, text.as_bytes().into()),
            Self::Claim(row) => (2, row.offsets().into()),
            Self::Offer(pact) => (3, pact_bytes(pact).into()),
            &Self::Accept(OfferId { seat, round, number }) => {
                (4, place_bytes(seat, round, number).to_vec().into())
            }
        }
    }
}

impl Audience {
    /// Returns whether a seat hears a message with this audience.
    pub fn contains(self, seat: Seat) -> bool {
        match self {
            Self::Everyone => true,
            Self::Seats { seats, .. } => seats.contains(seat),
        }
    }
}

impl TalkMessage {
    /// Creates a message.
    pub fn new(
        (seat, round, number): (Seat, u32, u32),
        audience: Audience,
        content: TalkContent,
        salt: DealHash,
    ) -> Self {
        let opened = OpenedContent { salt, content };
        let commitment = opened.commitment(seat, round, number);
        Self { seat, round, number, audience, commitment, opened: Some(opened) }
    }

    /// Returns whether the content, if it is shown, is the committed one.
    pub fn is_genuine(&self) -> bool {
        let commitment =
            self.opened.as_ref().map(|opened| opened.commitment(self.seat, self.round, self.number));
        commitment.is_none_or(|commitment| commitment == self.commitment)
    }

    /// Returns the content, if the record shows it.
    pub fn content(&self) -> Option<&TalkContent> {
        self.opened.as_ref().map(|opened| &opened.content)
    }

    /// Returns the content, if the record may show it to everybody once it shows the message; `None` for a message that
    /// stays private, or whose content is not known.
    pub fn public_content(&self) -> Option<&OpenedContent> {
        let is_private = matches!(self.audience, Audience::Seats { published: false, .. });
        self.opened.as_ref().filter(|_| !is_private)
    }
}

/// Hides the content, so that it cannot get into a log.
impl fmt::Debug for TalkMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seat, round, number, audience, .. } = self;
        write!(f, "TalkMessage({seat}, {round}, {number}, {audience:?})")
    }
}

impl OpenedContent {
    fn commitment(&self, seat: Seat, round: u32, number: u32) -> DealHash {
        let (kind, bytes) = self.content.to_kind_and_bytes();
        let mut hasher = blake3::Hasher::new_derive_key("lastnim 2026 talk message");
        hasher.update(&place_bytes(seat, round, number)).update(self.salt.as_bytes());
        hasher.update(&[kind]).update(&bytes);
        DealHash::from_bytes(*hasher.finalize().as_bytes())
    }
}

impl TalkSecret {
    /// Derives the secret of a match on the server that has this key.
    pub fn of_match(key: &SigningKey, id: MatchId) -> Self {
        let server_secret = key.derive_secret("lastnim 2026 talk secret");
        Self(*blake3::keyed_hash(&server_secret, id.as_bytes()).as_bytes())
    }

    pub(super) fn salt(&self, seat: Seat, round: u32, number: u32) -> DealHash {
        DealHash::from_bytes(*blake3::keyed_hash(&self.0, &place_bytes(seat, round, number)).as_bytes())
    }
}

impl fmt::Debug for TalkSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TalkSecret(hidden)")
    }
}

fn pact_bytes(pact: &Pact) -> Vec<u8> {
    let byte = |seat: Seat| seat.index() as u8;
    let members = pact.members().iter().flat_map(|member| {
        let relations: Vec<_> = member.relations().collect();
        let count = u8::try_from(relations.len()).expect("a pact has few seats");
        let seats = relations.into_iter().flat_map(|(before, after)| [before, after].map(byte));
        [byte(member.seat), count].into_iter().chain(seats.collect::<Vec<_>>())
    });
    members.collect()
}

fn place_bytes(seat: Seat, round: u32, number: u32) -> [u8; 9] {
    let mut bytes = [0; 9];
    bytes[0] = seat.index() as u8;
    bytes[1..5].copy_from_slice(&round.to_le_bytes());
    bytes[5..].copy_from_slice(&number.to_le_bytes());
    bytes
}
