//! Guarantees of all schedules and of each format.

mod checkpoints;
mod field_changes;
mod gauntlet;
mod knockout;
mod ladder;
mod promises;
mod rehearsal;
mod round_robin;
mod sprt;
mod swiss;

use super::*;
use rehearsal::{Rehearsal, field, settings};
