//! Which results a schedule was told, and which of them count.

use super::{CheckpointError, ensure_holds, ensure_results_fit};
use crate::schedule::NumberSequence;
use crate::{MatchResult, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The results that a schedule was told: which they are, and those among them that do not count yet, and perhaps never will.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReportedResults {
    numbers: NumberSequence,
    unsettled: BTreeMap<u64, MatchResult>,
}

impl ReportedResults {
    /// Tells a schedule a result, and returns those that count from now on. Each is to be told once.
    pub fn report_result(&mut self, result: MatchResult, schedule: &mut dyn Schedule) -> Vec<MatchResult> {
        schedule.report_result(&result);
        self.numbers.leave_out(result.number);
        let settled = schedule.settled_below();
        if self.unsettled.is_empty() && result.number < settled {
            return vec![result];
        }
        self.unsettled.insert(result.number, result);
        let later = self.unsettled.split_off(&settled);
        std::mem::replace(&mut self.unsettled, later).into_values().collect()
    }

    /// Returns whether the result of a number was told.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers.contains(number)
    }

    /// Returns the lowest number of which no result was told.
    pub fn all_reported_below(&self) -> u64 {
        self.numbers.next()
    }

    /// Returns how many results above [that number](Self::all_reported_below) were told.
    pub fn reported_above(&self) -> usize {
        self.numbers.left_out_above()
    }

    /// Returns how many results count.
    pub fn counted_results(&self) -> u64 {
        self.all_reported_below() + self.reported_above() as u64 - self.unsettled.len() as u64
    }

    pub(crate) fn numbers(&self) -> &NumberSequence {
        &self.numbers
    }

    /// Checks what was read of a checkpoint.
    pub(super) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        self.numbers.ensure_consistent()?;
        ensure_results_fit(&self.unsettled)?;
        let told = self.unsettled.keys().all(|&number| self.contains(number));
        ensure_holds(told, "a result waits that was never told")
    }
}
