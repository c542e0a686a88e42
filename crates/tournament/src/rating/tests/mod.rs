//! Tests of ratings against known strengths, and for the faults of other models.

mod calibration;
mod faults;
mod likelihood;
mod online;
mod satisfaction;
