//! A bot that uses Monte Carlo tree search.

mod bot;
mod candidate_takes;
mod playouts;
mod search_tree;

pub use bot::Mcts;
pub use playouts::{Playouts, PlayoutsError};
