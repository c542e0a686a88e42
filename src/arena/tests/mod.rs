//! What is live, without a network: what happens when things happen at once, or break down on the way.

mod breakdown;
pub(super) mod hall;
mod sessions;
mod stopping;
mod tournaments;
