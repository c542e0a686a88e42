//! Language models as bots, with endpoints that follow a script: those that work, and those that lie, stall and break off.
//!
//! Nothing here waits for a fixed time to see what happens; what is timed out stands still for good.

mod answers;
mod asking;
mod benchmark;
mod budgets;
mod endpoint_errors;
mod failures;
mod killed_tournament;
mod matches;
#[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "the numbers of a test are small")]
mod measures;
#[expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]
mod played_games;
mod programs;
mod proofs;
mod published_transcripts;
mod scripted_endpoint;
mod server;
mod shown_transcripts;
mod tournaments;
