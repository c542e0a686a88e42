//! Tests that ratings recover known strengths and avoid the faults of other models.

mod calibration;
mod faults;
mod ladder_intervals;
mod likelihood;
mod online;
mod satisfaction;
