//! Language models as bots, with endpoints that follow a script: those that work, and those that lie, stall and break off.
//!
//! Nothing here waits for a fixed time to see what happens; what is timed out stands still for good.

mod answers;
mod asking;
mod budgets;
mod endpoint_errors;
mod failures;
mod matches;
mod programs;
mod proofs;
mod scripted_endpoint;
mod server;
mod tournaments;
