//! `lastnim oracle dataset`: writes labelled positions, to train models on.

mod command;

pub use command::{DatasetArgs, run};
