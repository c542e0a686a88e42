//! Language models as bots, with scripted endpoints that work, lie, stall or break off.
//!
//! No test waits a fixed time for something to happen; replies that time out stall forever.

mod answers;
mod asking;
mod benchmark;
mod budgets;
mod failures;
#[expect(clippy::cast_precision_loss, reason = "a test's numbers are small")]
mod group_plans;
mod killed_tournament;
mod matches;
#[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a test's numbers are small")]
mod measures;
mod outages;
#[expect(clippy::cast_precision_loss, reason = "a test's numbers are small")]
mod played_games;
mod programs;
mod prompts;
mod proofs;
mod published_transcripts;
mod scripted_endpoint;
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a test's numbers are small"
)]
mod seat_claims;
mod server;
mod shown_transcripts;
#[expect(clippy::cast_precision_loss, reason = "a test's numbers are small")]
mod spending;
mod talk;
mod tournaments;
