//! What all schedules promise, and what each format promises besides.

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
