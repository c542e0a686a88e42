//! Tests that the analyses agree with slow reference implementations, closed forms and data.

mod deals;
mod declarations;
mod general;
mod rationalisability;
mod robustness;
mod trees;
mod variants;

use lastnim_core::oracle::OptimalTakes;

fn list_takes(takes: &OptimalTakes) -> Vec<u64> {
    takes.iter().flat_map(|range| range.lo..=range.hi).collect()
}
