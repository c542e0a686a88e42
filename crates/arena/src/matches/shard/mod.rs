//! Shards: synchronous state machines that own matches, and their async shells.
//!
//! A [`Shard`](machine::Shard) turns inputs with their times into effects: changes to commit, messages to sessions, and
//! the ends of matches. It uses no tokio, clock, lock or store. A [`ShardHandle`] passes it the inputs of sessions and
//! organisers, hands its effects to the group commit and the outboxes, and wakes it when a clock runs out.

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
