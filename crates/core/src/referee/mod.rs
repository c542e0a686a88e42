//! The referee: one match as a state machine, `(input, now) -> effects`.
//!
//! The code is pure: time is an argument, and nothing here sends, stores or waits. The state of a match is a function
//! of its events, so replaying a record always gives the same state.

mod canonical;
mod canonical_reader;
mod card_hash;
mod chain;
mod clock;
mod deal;
mod effect;
mod event;
mod manifest_hash;
mod note_hash;
mod pacts;
mod record;
mod refereeing;
mod refusal;
mod seal;
mod seat_action;
mod setup;
mod snapshot;
mod state;
mod talk;
mod terms;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod time;

pub use canonical::{append_stored_bytes, canonical_bytes};
pub use canonical_reader::{CanonicalBytesError, parse_canonical_bytes};
pub use card_hash::CardHash;
pub use chain::EventHash;
pub use clock::{Clock, ClockError, TimeBank};
pub use deal::{Deal, DealError, DealHash, DealRule, DealSecret, DealtRows, MAX_DEAL_ROWS, PublishedSecret};
pub use effect::{RefereeEffect, RefereeInput, SeatMessage, Turn};
pub use event::{EndReason, Event, ForfeitReason, RowDefault, TimedEvent};
pub use manifest_hash::{ManifestHash, ManifestHasher};
pub use note_hash::{NoteHash, NoteHashError};
pub use pacts::{OfferId, OfferedPact};
pub use record::{MAX_EVENTS, Record, RecordError};
pub use refereeing::{Referee, RunningClock};
pub use refusal::{Refusal, RefusalReason};
pub use seal::{PublicKey, PublicKeyError, Seal, Signature, SigningKey};
pub use seat_action::{SeatAction, SubmittedContent, SubmittedMessage};
pub use setup::{MatchSetup, MatchSetupError, Origin};
pub use snapshot::{MatchPhase, MatchSnapshot};
pub use state::{InvalidEvent, MatchState};
pub use talk::{
    Audience, MAX_ROUND_MESSAGES, MAX_TALK_ROUNDS, MAX_TEXT_CHARS, OpenedContent, TalkContent, TalkMessage,
    TalkPrivacy, TalkSecret, TalkTerms, TalkTermsError, TalkView,
};
pub use terms::{DEFAULT_MAX_PLIES, DEFAULT_STRIKES, MAX_PLIES, MAX_STRIKES, Terms, TermsError};
pub use time::Timestamp;
