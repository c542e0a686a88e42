//! `lastnim dataset`: positions with labels, to train models on.

mod command;
mod difficulty;
mod labelling;
mod position_draw;
mod position_id;

pub use command::{DatasetArgs, run};
