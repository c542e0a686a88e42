//! `lastnim dataset`: positions with labels, for those who train.

mod command;
mod difficulty;
mod labelling;
mod position_draw;
mod position_id;

pub use command::{DatasetArgs, run};
