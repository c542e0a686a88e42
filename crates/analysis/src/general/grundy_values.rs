//! A memoising solver for Grundy values.

use super::{
    Anyone, ExceededBound, MemoryBounds, Rules, SearchStopped,
    position_table::{PositionTable, vec_bytes_with_more},
    sequence::PileValues,
};
use lastnim_core::oracle::Budget;

/// A solver for the Grundy values of an impartial two-player game in which the last mover wins.
///
/// The value of a position is the smallest number that is not the value of an option (mex); the value of a sum is the
/// exclusive or of the values of its parts (Sprague 1935, Grundy 1939). The seat to move wins exactly when the value is
/// not 0. None of this is true for three or more seats.
#[derive(Debug)]
pub struct GrundySolver<'a, R: Rules> {
    rules: &'a R,
    bounds: MemoryBounds,
    known: PositionTable<R::Position>,
    /// The values of parts by size, computed from their sequence before any search.
    by_size: PileValues,
}

/// A part whose value is being computed.
struct OpenPart<P, I> {
    part: P,
    heap_bytes: usize,
    options: I,
    /// The current option: the combined value of its evaluated parts, and its parts that are still to be evaluated.
    option: Option<(u32, Vec<P>)>,
    /// The values of the options evaluated so far, as a bit set: bit v is set if an option has the value v.
    seen: Vec<u64>,
}

impl<'a, R: Rules<MoverKind = Anyone>> GrundySolver<'a, R> {
    /// Creates a solver that knows no values yet.
    pub fn new(rules: &'a R, bounds: MemoryBounds) -> Self {
        Self { rules, bounds, known: PositionTable::new(), by_size: PileValues::default() }
    }

    /// Returns the number of parts whose values were computed.
    pub fn state_count(&self) -> u64 {
        (self.known.len() + self.by_size.computed_count()) as u64
    }

    /// If the values of parts follow a [sequence](Rules::periodic_sequence), computes them from it, up to the size of
    /// the largest part of a position. Once a period is proved, larger parts need no search.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn extend_sequence(
        &mut self,
        position: &R::Position,
        budget: &mut Budget<'_>,
    ) -> Result<(), SearchStopped> {
        let Some(sequence) = self.rules.periodic_sequence() else { return Ok(()) };
        let parts = self.rules.independent_parts(position);
        let largest = parts.iter().filter_map(|part| self.rules.part_size(part)).max().unwrap_or_default();
        if self.by_size.get(largest).is_none() {
            self.by_size = sequence.pile_values(largest, self.bounds, budget)?;
        }
        Ok(())
    }

    /// Returns the Grundy value of a position.
    ///
    /// # Errors
    /// If a limit is reached. Computed values are kept.
    pub fn value(&mut self, position: &R::Position, budget: &mut Budget<'_>) -> Result<u32, SearchStopped> {
        let parts = self.rules.independent_parts(position).into_iter();
        parts.map(|part| self.part_value(part, budget)).try_fold(0, |value, part| Ok(value ^ part?))
    }

    /// Returns the Grundy value of each part of a position.
    ///
    /// # Errors
    /// If a limit is reached. Computed values are kept.
    pub fn part_values(
        &mut self,
        position: &R::Position,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(R::Position, u32)>, SearchStopped> {
        let parts = self.rules.independent_parts(position).into_iter();
        parts.map(|part| Ok((part.clone(), self.part_value(part, budget)?))).collect()
    }

    fn part_value(&mut self, part: R::Position, budget: &mut Budget<'_>) -> Result<u32, SearchStopped> {
        match self.look_up(&part) {
            Some(value) => Ok(value),
            None => {
                self.search(part, budget).map_err(|bound| SearchStopped { bound, states: self.state_count() })
            }
        }
    }

    fn look_up(&self, part: &R::Position) -> Option<u32> {
        let value_of_size = || self.by_size.get(self.rules.part_size(part)?);
        self.rules.grundy_by_formula(part).or_else(value_of_size).or_else(|| self.known.get(part))
    }

    fn search(&mut self, root: R::Position, budget: &mut Budget<'_>) -> Result<u32, ExceededBound> {
        let rules = self.rules;
        let open_part = |part: R::Position| OpenPart {
            heap_bytes: rules.position_heap_bytes(&part),
            options: rules.moves(part.clone(), Anyone).map(|(_, option)| rules.independent_parts(&option)),
            option: None,
            seen: Vec::new(),
            part,
        };
        // Each open part waits until the next one is solved. It counts twice, because its iterator holds a second copy
        // of the part.
        let root = open_part(root);
        let mut waiting_heap_bytes = 2 * root.heap_bytes;
        let mut waiting = vec![root];
        while let Some(last) = waiting.last_mut() {
            if last.option.is_none() {
                last.option = last.options.next().map(|parts| (0, parts));
                budget.spend(1).map_err(ExceededBound::Work)?;
            }
            let Some((value, parts)) = &mut last.option else {
                let Some(solved) = waiting.pop() else { break };
                waiting_heap_bytes -= 2 * solved.heap_bytes;
                let value = smallest_unseen(&solved.seen);
                self.known.insert(solved.part, value, solved.heap_bytes);
                if waiting.is_empty() {
                    return Ok(value);
                }
                continue;
            };
            match parts.last().map(|part| self.look_up(part)) {
                None => {
                    mark_seen(&mut last.seen, *value);
                    last.option = None;
                }
                Some(Some(part)) => {
                    *value ^= part;
                    parts.pop();
                }
                Some(None) => {
                    let part = open_part(parts[parts.len() - 1].clone());
                    waiting_heap_bytes += 2 * part.heap_bytes;
                    let seen: usize = last.seen.capacity() * size_of::<u64>();
                    let bytes = self.known.bytes_with_more(waiting.len() + 1)
                        + vec_bytes_with_more(&waiting, 1)
                        + (waiting_heap_bytes + seen) as u64;
                    self.bounds.check_memory(self.known.len() + waiting.len() + 1, bytes)?;
                    waiting.push(part);
                }
            }
        }
        unreachable!("the first part is solved last")
    }
}

fn mark_seen(seen: &mut Vec<u64>, value: u32) {
    let word = (value / u64::BITS) as usize;
    if word >= seen.len() {
        seen.resize(word + 1, 0);
    }
    seen[word] |= 1 << (value % u64::BITS);
}

/// Returns the smallest number whose bit is not set (mex).
fn smallest_unseen(seen: &[u64]) -> u32 {
    let full = seen.iter().take_while(|&&word| word == u64::MAX).count();
    let rest = seen.get(full).map_or(0, |word| word.trailing_ones());
    full as u32 * u64::BITS + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mex_is_the_smallest_number_not_seen() {
        let mex_of = |values: &[u32]| {
            let mut seen = Vec::new();
            for &value in values {
                mark_seen(&mut seen, value);
            }
            smallest_unseen(&seen)
        };
        // Common textbook examples, and numbers at the boundaries between words.
        assert_eq!((mex_of(&[2, 4, 5, 6]), mex_of(&[0, 1, 2, 6]), mex_of(&[])), (0, 3, 0));
        let numbers_to = |last: u32| (0..=last).collect::<Vec<_>>();
        assert_eq!(
            (mex_of(&numbers_to(63)), mex_of(&numbers_to(64)), mex_of(&numbers_to(127))),
            (64, 65, 128)
        );
    }
}
