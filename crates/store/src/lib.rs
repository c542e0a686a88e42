//! The data that the server stores.
//!
//! A [`Store`] keeps the data, either in memory for as long as the server runs, or in a database. All changes pass
//! through [`GroupCommit`], and are announced only after they have been written.

mod availability;
mod boot_clock;
mod change;
mod check;
mod clock;
mod entry_code;
mod error;
mod group_commit;
mod latency_histogram;
mod lost_seat;
mod matches;
mod memory;
mod memory_match;
mod open;
mod prune;
mod reader;
mod request;
mod seen_version;
mod sql;
mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod token;
mod transcript;
mod unacknowledged;
mod url;

pub use change::{Change, FieldHistory, FinishedMatch, StoredBot, StoredTournament, TournamentResult};
pub use check::{StoreCheck, check_store};
pub use clock::{
    ClockFit, ClockJump, LaterTimes, MAX_CLOCK_STEP_AHEAD, MAX_CLOCK_STEP_BACK, NewestIds, StoredClock,
    approximate_duration,
};
pub use entry_code::{EntryCode, EntryCodeError, MAX_ENTRY_CODE_USES, StoredEntryCode, UNAMBIGUOUS_CHARS};
pub use error::StoreError;
pub use group_commit::{CommitCounts, CommitListener, GroupCommit, MatchCommit};
pub use latency_histogram::LatencyCounts;
pub use lost_seat::LostSeat;
pub use matches::{HeadsPage, MatchFilter, MatchHead, MatchSummary, StoredMatch, StoredResult};
pub use memory::{MemoryStore, RetentionLimits};
pub use open::{
    DatabaseHolder, OpenOptions, back_up, open_reader, open_reader_with, open_store, open_store_with,
    wait_for_database,
};
pub use prune::{MAX_PRUNED_AT_ONCE, PruneFilter, PrunePage, prune_store};
pub use reader::{MatchCounts, StoreReader, StoreSize};
pub use request::{
    Creation, MAX_REQUESTS, MAX_REQUESTS_PER_CALLER, REQUEST_LIFETIME, RequestHash, RequestId,
    RequestIdError, RequestKey, StoredRequest,
};
pub use seen_version::{MAX_SEEN_VERSIONS, SeenVersion};
pub use store::Store;
pub use token::{Token, TokenError, TokenHash};
pub use transcript::{QuestionPlace, StoredTranscript, TranscriptHead};
pub use unacknowledged::{MAX_COUNTED_ENDS, UnacknowledgedMatches};
pub use url::{StoreUrl, StoreUrlError};
