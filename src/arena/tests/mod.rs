//! What is live, without a network: what happens when things happen at once, or break down on the way.

mod breakdown;
mod hall;
mod sessions;
mod stopping;
