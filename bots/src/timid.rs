//! A bot that takes as few counters as it can.

use lastnim_client::{Bot, MatchView};

/// Takes one counter, and declares the standard row.
#[derive(Debug, Clone, Copy)]
pub struct Timid;

impl Bot for Timid {
    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }
}
