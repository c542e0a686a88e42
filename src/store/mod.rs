//! What must last. Everything that may not be lost passes through [`Store::commit`], and nothing is announced before
//! that returns. This store keeps it in memory, for as long as the server runs.

mod change;
mod kept_match;
mod matches;
mod memory;
mod token;

pub use change::{Change, StoredBot, StoredTournament};
pub use matches::{MatchFilter, MatchSummary, StoredMatch};
pub use memory::{Room, Store, StoreError};
pub use token::{Token, TokenError, TokenHash};
