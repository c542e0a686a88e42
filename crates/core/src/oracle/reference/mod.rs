//! Slow, independent ways to solve a game, to check the oracle against.
//!
//! They follow the definitions word by word and share no code and no theorem with the oracle: a pile counts with all its
//! counters. Nothing but tests, benchmarks and a suspicious auditor calls them, and only with small piles: time and
//! memory rise with the counters.

mod backward_induction;
mod erring_play;
mod game_tree;
mod memoised;
mod opposition;

pub use backward_induction::BackwardInduction;
pub use erring_play::win_probabilities_with_errors;
pub use game_tree::GameTree;
pub use memoised::memoised_winner;
pub use opposition::{MinimaxRanks, winner_against_coalition};
