//! Tests of ratings against known strengths, and for the faults of other models.

mod calibration;
mod faults;
mod ladder_intervals;
mod likelihood;
mod online;
mod satisfaction;
