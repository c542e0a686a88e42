//! Tests the guarantees of all schedules and of each format.

mod checkpoints;
mod field_changes;
mod gauntlet;
mod knockout;
mod ladder;
mod round_robin;
mod schedule_properties;
mod schedule_simulation;
mod sprt;
mod swiss;

use super::*;
use schedule_simulation::{ScheduleSimulation, field, settings};
