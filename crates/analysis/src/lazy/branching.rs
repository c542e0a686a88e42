//! Solves games in which some rows are unknown or partly known.

use super::{PartialRow, SolvingPlan};
use lastnim_core::{
    game::{Game, MAX_SEATS, Seat},
    oracle::{Budget, HaltReason},
};

/// Used in place of an index for each seat whose row is known.
const NOT_OPEN: u8 = u8::MAX;

/// A solver for a game in which the rows of some seats are open, that is, unknown or partly known.
#[derive(Debug)]
pub(crate) struct BranchingSolver {
    plan: SolvingPlan,
    n: usize,
    /// The seat after the one whose takes are checked.
    after_taker: usize,
    /// By seat: its index among the open seats, or [`NOT_OPEN`].
    open: [u8; MAX_SEATS],
    /// By seat, then by winner: the rank in the known row.
    ranks: Vec<[u8; MAX_SEATS]>,
    /// By seat to move: the winner when no counter is left.
    over: [u8; MAX_SEATS],
}

/// A branch of the search: the possible open rows that it covers, and its progress.
#[derive(Debug, Clone)]
pub(crate) struct OpenBranch {
    /// What the branch assumes about the open rows, in the order of the open seats.
    pub(crate) known: Vec<PartialRow>,
    /// Number of solved levels of the plan.
    solved: usize,
    /// By seat to move: the winner at the last solved level.
    winners: [u8; MAX_SEATS],
    /// By counters left in the pile: the winner if the seat after the taker is to move.
    winners_after_take: [u8; MAX_SEATS + 1],
}

/// Two winners, as offsets, whose order a seat's partial row leaves undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UndecidedPair {
    /// The seat's index among the open seats.
    pub(crate) open_seat: usize,
    /// The two offsets.
    pub(crate) offsets: [usize; 2],
}

/// The result of advancing a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BranchProgress {
    /// The branch needs to compare an undecided pair.
    Fork(UndecidedPair),
    /// A checked take is not optimal for any row of the branch.
    Refuted,
    /// The branch is finished: all its rows give the same answer.
    Done,
}

impl BranchingSolver {
    /// Creates a solver that treats the rows of the seats in `open` as unknown or partly known. `taker` is the seat
    /// whose takes the plan checks, if it checks any.
    pub(crate) fn new(plan: SolvingPlan, game: &Game, open: &[Seat], taker: Seat) -> Self {
        let seats = game.matrix.seats();
        let mut places = [NOT_OPEN; MAX_SEATS];
        for (place, seat) in (0..).zip(open) {
            places[seat.index()] = place;
        }
        let (mut over, mut ranks) = ([0; MAX_SEATS], Vec::with_capacity(seats.get()));
        for (seat, row) in game.matrix.rows().enumerate() {
            let mut by_winner = [0; MAX_SEATS];
            for (rank, &offset) in (0..).zip(row.offsets()) {
                by_winner[seats.seat_at_offset(seat, offset.into()).index()] = rank;
            }
            ranks.push(by_winner);
            over[seat.index()] = game.ending.winner(seat, seats).index() as u8;
        }
        let after_taker = seats.next(taker).index();
        Self { plan, n: seats.get(), after_taker, open: places, ranks, over }
    }

    /// Starts a branch with these partial rows.
    pub(crate) fn start(&self, known: Vec<PartialRow>) -> OpenBranch {
        OpenBranch { known, solved: 0, winners: self.over, winners_after_take: [0; MAX_SEATS + 1] }
    }

    /// Advances a branch until it forks or ends. Each level of a pile costs one step of the budget.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(crate) fn advance(
        &self,
        branch: &mut OpenBranch,
        budget: &mut Budget<'_>,
    ) -> Result<BranchProgress, HaltReason> {
        while let Some(level) = self.plan.levels.get(branch.solved) {
            budget.spend(1)?;
            let before = branch.winners;
            if level.counters == 1 {
                branch.winners_after_take[0] = before[self.after_taker];
            }
            let mut needed = level.seats;
            while needed != 0 {
                let seat = needed.trailing_zeros() as usize;
                needed &= needed - 1;
                let next = before[if seat + 1 == self.n { 0 } else { seat + 1 }];
                let kept = before[seat];
                branch.winners[seat] = if level.counters == 1 || next == kept {
                    next
                } else {
                    match self.preferred_winner(branch, seat, [kept, next]) {
                        Ok(better) => better,
                        Err(fork) => {
                            branch.winners = before;
                            return Ok(BranchProgress::Fork(fork));
                        }
                    }
                };
            }
            branch.winners_after_take[level.counters] = branch.winners[self.after_taker];
            let best = branch.winners[(self.after_taker + self.n - 1) % self.n];
            if level.counters_after_takes.iter().any(|&left| branch.winners_after_take[left] != best) {
                return Ok(BranchProgress::Refuted);
            }
            branch.solved += 1;
            if level.ends_pile && self.is_settled(branch, level.seats) {
                branch.solved = self.plan.levels.len();
                branch.winners = [winner_of_first_seat(branch, level.seats); MAX_SEATS];
            }
        }
        Ok(BranchProgress::Done)
    }

    /// Returns the one of two winners that a seat prefers. If the branch leaves their order undecided, returns the pair
    /// as an error.
    fn preferred_winner(
        &self,
        branch: &OpenBranch,
        seat: usize,
        winners: [u8; 2],
    ) -> Result<u8, UndecidedPair> {
        let [one, other] = winners;
        let open = self.open[seat];
        if open == NOT_OPEN {
            let rank = |winner| self.ranks[seat][usize::from(winner)];
            return Ok(if rank(one) < rank(other) { one } else { other });
        }
        let known = &branch.known[usize::from(open)];
        let offsets = winners.map(|winner| {
            let winner = usize::from(winner);
            if winner >= seat { winner - seat } else { winner + self.n - seat }
        });
        if known.prefers(offsets[0], offsets[1]) {
            Ok(one)
        } else if known.prefers(offsets[1], offsets[0]) {
            Ok(other)
        } else {
            Err(UndecidedPair { open_seat: open.into(), offsets })
        }
    }

    /// Returns whether the winner is the same no matter which of the given seats is to move. If so, all further levels
    /// have the same winner.
    fn is_settled(&self, branch: &OpenBranch, seats: u32) -> bool {
        let only = winner_of_first_seat(branch, seats);
        (0..self.n).all(|seat| seats >> seat & 1 == 0 || branch.winners[seat] == only)
    }
}

/// Returns the winner if the first of the given seats is to move.
fn winner_of_first_seat(branch: &OpenBranch, seats: u32) -> u8 {
    branch.winners[seats.trailing_zeros() as usize % MAX_SEATS]
}

impl OpenBranch {
    /// Returns the winner if `seat` is to move. The branch must be done, and its plan must need this winner.
    pub(crate) fn winner(&self, seat: Seat) -> usize {
        self.winners[seat.index()].into()
    }

    /// Splits a branch in two: one in which the seat prefers the first of the two winners, and one in which it prefers
    /// the second.
    pub(crate) fn split(self, fork: UndecidedPair) -> [Self; 2] {
        fork.split_rows(&self.known).map(|known| Self { known, ..self.clone() })
    }
}

impl UndecidedPair {
    /// Splits partial rows, in the order of the open seats, in two: those in which the seat prefers the first of the
    /// two winners, and those in which it prefers the second.
    pub(crate) fn split_rows(self, known: &[PartialRow]) -> [Vec<PartialRow>; 2] {
        let [one, other] = self.offsets;
        [[one, other], [other, one]].map(|[preferred, less]| {
            let mut known = known.to_vec();
            let row = &mut known[self.open_seat];
            *row = row.with_preference(preferred, less).expect("the order of the two is undecided");
            known
        })
    }
}
