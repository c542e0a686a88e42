//! `lastnim oracle dataset`: positions with labels, to train models on.

mod command;

pub use command::{DatasetArgs, run};
