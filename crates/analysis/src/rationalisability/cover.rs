//! Minimum sets of takes that refute every row of a sample.

use lastnim_core::oracle::{Budget, HaltReason};
use std::collections::HashMap;

/// A set of rows from the sample, as bits.
type SampleRowBits = Vec<u64>;

/// Records which takes refute which rows of a sample.
pub(super) struct RefutationCover {
    /// By take: the rows that it refutes.
    refuted: Vec<SampleRowBits>,
    rows: usize,
}

impl RefutationCover {
    /// Creates a cover for this number of takes, without rows.
    pub(super) fn of_takes(takes: usize) -> Self {
        Self { refuted: vec![Vec::new(); takes], rows: 0 }
    }

    /// Adds a row with the takes that refute it.
    pub(super) fn add_row(&mut self, refuting: &[usize]) {
        let (word, bit) = (self.rows / 64, self.rows % 64);
        for &take in refuting {
            self.refuted[take].resize(word + 1, 0);
            self.refuted[take][word] |= 1 << bit;
        }
        self.rows += 1;
    }

    /// Finds at most `max_takes` takes that together refute every row. A step is one take examined in one node of the
    /// search.
    pub(super) fn find_takes(
        &self,
        max_takes: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<usize>>, HaltReason> {
        let takes = self.best_takes(budget)?;
        let mut chosen = Vec::new();
        let found = self.search(&takes, &vec![0; self.rows.div_ceil(64)], &mut chosen, max_takes, budget)?;
        Ok(found.then_some(chosen))
    }

    /// Returns the takes that are worth trying: all except those whose refuted rows are all refuted by another take.
    fn best_takes(&self, budget: &mut Budget<'_>) -> Result<Vec<usize>, HaltReason> {
        let mut by_rows = HashMap::new();
        for (take, rows) in self.refuted.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            by_rows.entry(rows).or_insert(take);
        }
        let mut different: Vec<_> = by_rows.into_values().collect();
        different.sort_unstable();
        let mut best = Vec::new();
        for &take in &different {
            budget.spend(different.len() as u64)?;
            let rows = &self.refuted[take];
            let is_less = |&&other: &&usize| other != take && is_subset(rows, &self.refuted[other]);
            if different.iter().find(is_less).is_none() {
                best.push(take);
            }
        }
        Ok(best)
    }

    /// Adds takes to `chosen` until all rows are refuted, branching on the row that the fewest takes refute. Returns
    /// whether this is possible with `max_takes` takes.
    fn search(
        &self,
        takes: &[usize],
        refuted: &[u64],
        chosen: &mut Vec<usize>,
        max_takes: usize,
        budget: &mut Budget<'_>,
    ) -> Result<bool, HaltReason> {
        budget.spend(1 + takes.len() as u64)?;
        let left = (0..self.rows).filter(|&row| !has_row(refuted, row));
        let count = |row: &usize| takes.iter().filter(|&&take| has_row(&self.refuted[take], *row)).count();
        let Some(hardest) = left.min_by_key(count) else { return Ok(true) };
        if chosen.len() == max_takes {
            return Ok(false);
        }
        for &take in takes.iter().filter(|&&take| has_row(&self.refuted[take], hardest)) {
            let mut more = refuted.to_vec();
            for (word, theirs) in more.iter_mut().zip(&self.refuted[take]) {
                *word |= theirs;
            }
            chosen.push(take);
            if self.search(takes, &more, chosen, max_takes, budget)? {
                return Ok(true);
            }
            chosen.pop();
        }
        Ok(false)
    }
}

fn has_row(rows: &[u64], row: usize) -> bool {
    rows.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
}

/// Returns whether `rows` is a subset of `others`; missing words count as 0.
fn is_subset(rows: &[u64], others: &[u64]) -> bool {
    rows.iter().enumerate().all(|(word, bits)| bits & !others.get(word).copied().unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_cover_is_found() {
        let mut cover = RefutationCover::of_takes(5);
        assert_eq!(
            cover.find_takes(0, &mut Budget::unbounded()),
            Ok(Some(Vec::new())),
            "without rows, no take is needed"
        );
        for refuting in [&[0, 1][..], &[1, 2], &[2, 3], &[0, 3], &[3, 4]] {
            cover.add_row(refuting);
        }
        assert_eq!(cover.find_takes(1, &mut Budget::unbounded()), Ok(None));
        assert_eq!(
            cover.find_takes(2, &mut Budget::unbounded()).map(|takes| takes.map(|mut takes| {
                takes.sort_unstable();
                takes
            })),
            Ok(Some(vec![1, 3]))
        );
        cover.add_row(&[]);
        assert_eq!(cover.find_takes(5, &mut Budget::unbounded()), Ok(None), "no take refutes this row");
        assert!(cover.find_takes(5, &mut Budget::of_steps(3)).is_err());
    }
}
