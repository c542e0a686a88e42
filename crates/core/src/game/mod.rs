//! The rules of multi-player Last Nim (seats, preferences, piles, positions, takes), and the names and ids of bots,
//! matches and tournaments.
//!
//! Pure code: no I/O, no clock, no randomness. Raw input is parsed once into these types, whose values are always
//! valid. Each error names the invalid value and says what was expected.

mod alliance;
pub(crate) mod base64_text;
mod bot_name;
mod bot_profile;
mod bot_version;
mod by_seat;
mod closest_word;
mod ending;
mod game;
mod match_id;
mod match_map;
mod pact;
mod partial_row;
mod piles;
mod position;
mod row;
mod seat;
mod seat_set;
mod seat_versions;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tournament_id;
mod uuid_id;

pub use alliance::{AllianceMatrix, AllianceMatrixError};
pub use base64_text::Base64Error;
pub use bot_name::{BotName, BotNameError};
pub use bot_profile::{BotProfile, ProfileLink, ProfileLinkError, ProfileName, ProfileNameError};
pub use bot_version::{BotVersion, ConfigHash, ConfigHashError, VersionLabel, VersionLabelError};
pub use by_seat::BySeat;
pub use closest_word::find_closest_word;
pub use ending::{Ending, EndingError};
pub use game::{Game, GameError};
pub use match_id::{MatchId, MatchIdError};
pub use match_map::{MatchIdHasher, MatchMap};
pub use pact::{MAX_PACT_SEATS, Pact, PactError, PactMember};
pub use partial_row::{LinearExtensions, PartialRow, offset_bit, offsets_in};
pub use piles::{MAX_COUNTERS, MAX_PILES, Piles, PilesError};
pub use position::{IllegalTake, Position};
pub use row::{Row, RowError};
pub use seat::{MAX_SEATS, MIN_SEATS, Seat, SeatCount, SeatCountError, SeatError};
pub use seat_set::SeatSet;
pub use seat_versions::{MAX_SEAT_VERSIONS, SeatVersions};
pub use tournament_id::{TournamentId, TournamentIdError};
