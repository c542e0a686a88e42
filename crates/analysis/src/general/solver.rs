//! Backward induction with memoisation, for any game.

use super::{
    ExceededBound, MemoryBounds, Mover, Rules, SearchStopped,
    position_table::{PositionTable, vec_bytes_with_more},
};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Seat},
    oracle::{
        Budget,
        recurrence::{RankRecurrence, Ranks},
    },
};

/// A solver that finds the winner of each position of a game under optimal play, for each seat to move.
///
/// Each position is solved on demand and only once. Positions in progress are kept in a list, not on the call stack, so
/// the depth of the search is limited only by memory. Each option of a position costs one step of the budget.
#[derive(Debug)]
pub struct PositionSolver<'a, R: Rules> {
    rules: &'a R,
    matrix: &'a AllianceMatrix,
    bounds: MemoryBounds,
    recurrence: RankRecurrence,
    /// By seat to move: the rank, in this seat's row, of the seat that wins if the game is over.
    over: Ranks,
    /// By kind of mover, then by seat: 0 for seats of this kind, [`NO_RANK`] for all others.
    others: Vec<Ranks>,
    /// For each solved position: the index of its n entries in `ranks`, divided by n.
    known: PositionTable<R::Position>,
    ranks: Vec<u8>,
}

/// A position in progress.
struct OpenPosition<P, I> {
    position: P,
    heap_bytes: usize,
    /// The index of the current kind of mover, in `Mover::ALL`.
    mover: usize,
    options: I,
    /// By seat to move: the best rank found so far, or [`NO_RANK`].
    best: Ranks,
    /// Whether no further option can be better for any seat of the current kind of mover.
    is_settled: bool,
}

/// Used in place of the rank of a seat that has no option; it is worse than every real rank.
const NO_RANK: u8 = u8::MAX;

impl<'a, R: Rules> PositionSolver<'a, R> {
    /// Creates a solver that has not solved any position yet.
    pub fn new(rules: &'a R, matrix: &'a AllianceMatrix, ending: Ending, bounds: MemoryBounds) -> Self {
        let others = R::MoverKind::ALL.iter().map(|&mover| {
            let mut others = [NO_RANK; _];
            for seat in matrix.seats().iter().filter(|&seat| R::MoverKind::of_seat(seat) == mover) {
                others[seat.index()] = 0;
            }
            others
        });
        Self {
            rules,
            matrix,
            bounds,
            recurrence: RankRecurrence::of_matrix(matrix),
            over: RankRecurrence::ranks_when_over(matrix, ending),
            others: others.collect(),
            known: PositionTable::new(),
            ranks: Vec::new(),
        }
    }

    /// Returns the number of solved positions.
    pub fn state_count(&self) -> u64 {
        self.known.len() as u64
    }

    /// Returns the winners under optimal play, by first seat.
    ///
    /// # Errors
    /// If a limit is reached. Solved positions are kept.
    pub fn winners(
        &mut self,
        position: &R::Position,
        budget: &mut Budget<'_>,
    ) -> Result<BySeat<Seat>, SearchStopped> {
        let position = self.rules.canonical_position(position.clone());
        let ranks = match self.look_up(&position) {
            Some(ranks) => ranks,
            None => self
                .search(position, budget)
                .map_err(|bound| SearchStopped { bound, states: self.state_count() })?,
        };
        Ok(RankRecurrence::solve_winners(self.matrix, &ranks))
    }

    fn look_up(&self, position: &R::Position) -> Option<Ranks> {
        let n = self.matrix.seats().get();
        let at = self.known.get(position)? as usize * n;
        let mut ranks = Ranks::default();
        ranks[..n].copy_from_slice(&self.ranks[at..at + n]);
        Some(ranks)
    }

    fn search(&mut self, root: R::Position, budget: &mut Budget<'_>) -> Result<Ranks, ExceededBound> {
        let rules = self.rules;
        let options_of = |position: &R::Position, mover: usize| {
            rules
                .moves(position.clone(), R::MoverKind::ALL[mover])
                .map(|(_, after)| rules.canonical_position(after))
        };
        let open_position = |position: R::Position| OpenPosition {
            heap_bytes: rules.position_heap_bytes(&position),
            mover: 0,
            options: options_of(&position, 0),
            best: [NO_RANK; _],
            is_settled: false,
            position,
        };
        // Each open position waits until the next one is solved. It counts twice, because its iterator holds a second
        // copy of the position.
        let root = open_position(root);
        let mut waiting_heap_bytes = 2 * root.heap_bytes;
        let mut waiting = vec![root];
        while let Some(last) = waiting.last_mut() {
            if let Some(option) = last.next(options_of, R::MoverKind::ALL.len()) {
                budget.spend(1).map_err(ExceededBound::Work)?;
                if let Some(ranks) = self.look_up(&option) {
                    self.improve_best_ranks(last, &ranks);
                } else {
                    let option = open_position(option);
                    waiting_heap_bytes += 2 * option.heap_bytes;
                    let open_ones = waiting.len() + 1;
                    let bytes = self.bytes_with_more(open_ones)
                        + vec_bytes_with_more(&waiting, 1)
                        + waiting_heap_bytes as u64;
                    self.bounds.check_memory(self.known.len() + open_ones, bytes)?;
                    waiting.push(option);
                }
                continue;
            }
            let Some(solved) = waiting.pop() else { break };
            waiting_heap_bytes -= 2 * solved.heap_bytes;
            let ranks = self.store_solved(solved);
            match waiting.last_mut() {
                Some(before) => self.improve_best_ranks(before, &ranks),
                None => return Ok(ranks),
            }
        }
        unreachable!("the first position is solved last")
    }

    /// Returns the number of bytes in use after `more` further positions are solved.
    fn bytes_with_more(&self, more: usize) -> u64 {
        self.known.bytes_with_more(more) + vec_bytes_with_more(&self.ranks, more * self.matrix.seats().get())
    }

    fn improve_best_ranks<I>(&self, open: &mut OpenPosition<R::Position, I>, option: &Ranks) {
        let others = &self.others[open.mover];
        let after = self.recurrence.ranks_with_one_counter(option);
        open.is_settled = true;
        for seat in 0..self.matrix.seats().get() {
            open.best[seat] = open.best[seat].min(after[seat] | others[seat]);
            open.is_settled &= open.best[seat] & !others[seat] == 0;
        }
    }

    /// Stores a solved position and returns its ranks, by seat to move.
    fn store_solved<I>(&mut self, solved: OpenPosition<R::Position, I>) -> Ranks {
        let n = self.matrix.seats().get();
        let mut ranks = self.over;
        for (rank, &best) in ranks.iter_mut().zip(&solved.best[..n]).filter(|&(_, &best)| best != NO_RANK) {
            *rank = best;
        }
        let number = u32::try_from(self.ranks.len() / n).expect("the number of states fits a u32");
        self.ranks.extend_from_slice(&ranks[..n]);
        self.known.insert(solved.position, number, solved.heap_bytes);
        ranks
    }
}

impl<P, I: Iterator<Item = P>> OpenPosition<P, I> {
    /// Returns the next relevant option, either of the current kind of mover or of a later kind.
    fn next(&mut self, options_of: impl Fn(&P, usize) -> I, movers: usize) -> Option<P> {
        loop {
            if !self.is_settled
                && let Some(option) = self.options.next()
            {
                return Some(option);
            }
            if self.mover + 1 == movers {
                return None;
            }
            self.mover += 1;
            self.options = options_of(&self.position, self.mover);
            self.is_settled = false;
        }
    }
}
