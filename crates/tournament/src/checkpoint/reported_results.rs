//! The results reported to a schedule, and which of them count.

use super::{CheckpointError, ensure_results_fit, ensure_valid};
use crate::schedule::NumberSequence;
use crate::{MatchResult, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The results reported to a schedule: their numbers, and the results that do not count yet and may never count.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReportedResults {
    numbers: NumberSequence,
    unsettled: BTreeMap<u64, MatchResult>,
}

impl ReportedResults {
    /// Reports a result to a schedule, and returns the results that count from now on. Each result must be reported
    /// exactly once.
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

    /// Returns whether the result with this number was reported.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers.contains(number)
    }

    /// Returns the lowest number without a reported result.
    pub fn first_unreported(&self) -> u64 {
        self.numbers.next()
    }

    /// Returns how many results were reported with numbers above the [first unreported one](Self::first_unreported).
    pub fn reported_above_gap(&self) -> usize {
        self.numbers.left_out_above()
    }

    /// Returns the number of results that count.
    pub fn result_count(&self) -> u64 {
        self.first_unreported() + self.reported_above_gap() as u64 - self.unsettled.len() as u64
    }

    pub(crate) fn numbers(&self) -> &NumberSequence {
        &self.numbers
    }

    /// Checks that the values decoded from a checkpoint are consistent.
    pub(super) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        self.numbers.ensure_consistent()?;
        ensure_results_fit(&self.unsettled)?;
        let all_reported = self.unsettled.keys().all(|&number| self.contains(number));
        ensure_valid(all_reported, "a result that does not count yet is missing from the reported results")
    }
}
