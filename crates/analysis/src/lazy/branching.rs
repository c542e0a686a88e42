//! Solving with rows that are not known.

use super::{PartialRow, SolvingPlan};
use lastnim_core::{
    game::{Game, MAX_SEATS, Seat},
    oracle::{Budget, HaltReason},
};

/// Marks a seat whose row is known.
const KNOWN: u8 = u8::MAX;

/// A game with the rows of some seats open, on its way to an answer.
#[derive(Debug)]
pub(crate) struct BranchingSolver {
    course: SolvingPlan,
    n: usize,
    /// The seat after the one whose takes are asked to be optimal.
    after_taker: usize,
    /// By seat: its place among the open seats.
    open: [u8; MAX_SEATS],
    /// By seat, then by winner: the rank in the given row.
    ranks: Vec<[u8; MAX_SEATS]>,
    over: [u8; MAX_SEATS],
}

/// One way that the open rows may be, as far as the solver has compared.
#[derive(Debug, Clone)]
pub(crate) struct OpenBranch {
    /// What is known of the open rows, in the order in which the seats were given.
    pub(crate) known: Vec<PartialRow>,
    /// How many levels of the course are solved.
    solved: usize,
    /// By seat to move: the winner at the last level.
    winners: [u8; MAX_SEATS],
    /// By counters left in the pile, the winner with the next seat after the taker to move.
    handed_over: [u8; MAX_SEATS + 1],
}

/// Two winners that a seat compares and its order leaves undecided, as offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UndecidedPair {
    /// The seat's place among the open ones.
    pub(crate) open: usize,
    /// The two offsets.
    pub(crate) offsets: [usize; 2],
}

/// How far a branch came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BranchProgress {
    /// To a comparison that is open.
    Fork(UndecidedPair),
    /// To a take that was not optimal.
    Refuted,
    /// To its end: every row that it stands for gives the same answer.
    Done,
}

impl BranchingSolver {
    /// Opens the rows of some seats. `taker` is whose takes the course asks about, if it does.
    pub(crate) fn new(course: SolvingPlan, game: &Game, open: &[Seat], taker: Seat) -> Self {
        let seats = game.matrix.seats();
        let mut places = [KNOWN; MAX_SEATS];
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
        Self { course, n: seats.get(), after_taker, open: places, ranks, over }
    }

    /// Starts from what is known of the open rows.
    pub(crate) fn start(&self, known: Vec<PartialRow>) -> OpenBranch {
        OpenBranch { known, solved: 0, winners: self.over, handed_over: [0; MAX_SEATS + 1] }
    }

    /// Solves on till something is open or all is answered. A step is one level of a pile.
    ///
    /// # Errors
    /// If the budget does not last.
    pub(crate) fn advance(
        &self,
        branch: &mut OpenBranch,
        budget: &mut Budget<'_>,
    ) -> Result<BranchProgress, HaltReason> {
        while let Some(level) = self.course.levels.get(branch.solved) {
            budget.spend(1)?;
            let before = branch.winners;
            if level.counters == 1 {
                branch.handed_over[0] = before[self.after_taker];
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
            branch.handed_over[level.counters] = branch.winners[self.after_taker];
            let best = branch.winners[(self.after_taker + self.n - 1) % self.n];
            if level.leaving.iter().any(|&left| branch.handed_over[left] != best) {
                return Ok(BranchProgress::Refuted);
            }
            branch.solved += 1;
            if level.ends_pile && self.is_settled(branch, level.seats) {
                branch.solved = self.course.levels.len();
                branch.winners = [winner_of_first_seat(branch, level.seats); MAX_SEATS];
            }
        }
        Ok(BranchProgress::Done)
    }

    /// Returns which of two winners a seat prefers.
    fn preferred_winner(
        &self,
        branch: &OpenBranch,
        seat: usize,
        winners: [u8; 2],
    ) -> Result<u8, UndecidedPair> {
        let [one, other] = winners;
        let open = self.open[seat];
        if open == KNOWN {
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
            Err(UndecidedPair { open: open.into(), offsets })
        }
    }

    /// Returns whether one winner is left, whoever moves: then it stays so.
    fn is_settled(&self, branch: &OpenBranch, seats: u32) -> bool {
        let only = winner_of_first_seat(branch, seats);
        (0..self.n).all(|seat| seats >> seat & 1 == 0 || branch.winners[seat] == only)
    }
}

/// Returns the winner of the first of some seats.
fn winner_of_first_seat(branch: &OpenBranch, seats: u32) -> u8 {
    branch.winners[seats.trailing_zeros() as usize % MAX_SEATS]
}

impl OpenBranch {
    /// Returns the winner with `seat` to move, at the end of a course that needs it.
    pub(crate) fn winner(&self, seat: Seat) -> usize {
        self.winners[seat.index()].into()
    }

    /// Splits it in two: the first of the two winners is preferred, or the second.
    pub(crate) fn split(self, fork: UndecidedPair) -> [Self; 2] {
        let [one, other] = fork.offsets;
        let known = self.known[fork.open];
        let with = |mut branch: Self, preferred, other| {
            branch.known[fork.open] = known.with_preference(preferred, other).expect("the two are undecided");
            branch
        };
        [with(self.clone(), one, other), with(self, other, one)]
    }
}
