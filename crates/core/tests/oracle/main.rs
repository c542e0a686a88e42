//! Checks the oracle against data, closed forms, and slow references.

mod audits;
mod batches;
mod closed_forms;
mod data;
mod explanations;
mod properties;

use lastnim_core::{
    game::{BySeat, Seat},
    oracle::OptimalTakes,
};

fn seat_indices(seats: &BySeat<Seat>) -> Vec<usize> {
    seats.iter().map(|seat| seat.index()).collect()
}

fn list_takes(takes: &OptimalTakes) -> Vec<u64> {
    takes.iter().flat_map(|range| range.lo..=range.hi).collect()
}
