//! Slow, independent solvers to check the oracle.
//!
//! They follow the definitions literally and share no code or theorem with the oracle; in particular, they examine
//! every possible number of counters. They are for tests, benchmarks and independent checks of small piles, since their
//! time and memory grow with the number of counters.

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
