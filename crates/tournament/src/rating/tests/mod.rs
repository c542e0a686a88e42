//! Ratings against known strengths, and against the faults of other models.

mod calibration;
mod faults;
mod likelihood;
mod online;
mod satisfaction;
