//! A bot that tries out games before it takes.

mod bot;
mod candidate_takes;
mod playouts;
mod search_tree;

pub use bot::Mcts;
pub use playouts::{Playouts, PlayoutsError};
