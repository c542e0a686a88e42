//! Shards: plain synchronous machines that own matches, and the carriers around them.
//!
//! A [`Shard`](machine::Shard) takes inputs with their times and gives back effects: changes to commit, messages by session, ends.
//! It knows neither tokio nor clock, lock or store. A [`ShardHandle`] carries: it feeds the machine what sessions and organisers
//! send, hands what it decides to the group commit and to the outboxes, and wakes it when a clock runs out.

mod batch;
mod delivery;
mod effect;
mod freeze;
mod handle;
mod input;
mod live_match;
mod live_seat;
mod machine;
mod tally;
#[cfg(test)]
mod tests;
mod timer;
mod view;

pub(crate) use batch::ActionBatch;
pub(crate) use effect::MatchExit;
pub use effect::WatchEvent;
pub(crate) use handle::{MatchContext, MatchTicket, ShardHandle, Shards, WatchAdmission};
pub(crate) use input::{MatchInput, SeatSession};
pub(crate) use live_match::{Beginning, MatchTerms, SeatBacklogFull};
pub(crate) use machine::ActionRefused;
pub use tally::ShardTally;
pub(crate) use view::AnnouncedMatch;
