//! Finds the smallest coalition that worsens a seat's rank by turning against it.

use crate::lazy::SolvingPlan;
use lastnim_core::game::{BySeat, Game, MAX_SEATS, Seat, SeatCount};
use lastnim_core::oracle::{Budget, HaltReason};

/// A set of seats as bits.
type SeatBits = u32;

/// A set of seats that turn against another seat, and the outcome.
///
/// To turn against seat i is to play for the reverse of i's row instead of one's own. Everyone knows who has turned,
/// the other seats keep their rows, and all play optimally. This is the equilibrium of another alliance matrix, not a
/// minimax value, unless all other seats turn. So a larger coalition may do less harm than a smaller one that it
/// contains, because the remaining seats react to those that turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coalition {
    /// The seats of the coalition, in ascending order; at least one.
    pub seats: Vec<Seat>,
    /// The resulting winner.
    pub winner: Seat,
    /// The winner's place in the row of the seat against which the coalition turns.
    pub rank: u32,
}

/// The result of the search for the smallest coalition that worsens a seat's rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmallestCoalition {
    /// No coalition worsens the rank: the seat can guarantee its predicted rank.
    None,
    /// This coalition worsens the rank, and no smaller one does.
    Found(Coalition),
    /// No coalition of up to this size worsens the rank. Not all larger ones were searched, but the coalition of all
    /// other seats does worsen it.
    LargerThan {
        /// The size, as a number of seats; may be 0.
        seats: usize,
        /// The reason why the search ended before the requested size, if it did.
        halt: Option<HaltReason>,
    },
}

/// The search for the smallest coalition against one seat, in ascending order of size.
///
/// The search does not fix in advance which seats have turned. It forks only if a seat compares two winners that its
/// own row and the reverse of the guarded seat's row order differently.
#[derive(Debug)]
pub(super) struct CoalitionSearch<'a> {
    game: &'a Game,
    plan: &'a SolvingPlan,
    guarded: Seat,
    predicted_rank: u8,
    /// By seat, then by winner: the rank in the seat's row.
    ranks: &'a [[u8; MAX_SEATS]],
    /// By seat to move: the winner when no counter is left.
    over: [u8; MAX_SEATS],
}

/// A set of coalitions: all those that contain the turned seats and none of the loyal ones.
#[derive(Debug, Clone, Copy)]
struct CoalitionBranch {
    turned: SeatBits,
    loyal: SeatBits,
    /// Number of solved levels of the plan.
    solved: usize,
    /// By seat to move: the winner at the last solved level.
    winners: [u8; MAX_SEATS],
}

impl<'a> CoalitionSearch<'a> {
    /// Creates the search for coalitions against `guarded`.
    pub(super) fn new(
        game: &'a Game,
        plan: &'a SolvingPlan,
        ranks: &'a [[u8; MAX_SEATS]],
        guarded: Seat,
        predicted_rank: u32,
    ) -> Self {
        let seats = game.matrix.seats();
        let mut over = [0; MAX_SEATS];
        for seat in seats.iter() {
            over[seat.index()] = game.ending.winner(seat, seats).index() as u8;
        }
        Self { game, plan, guarded, predicted_rank: predicted_rank as u8, ranks, over }
    }

    /// Finds a coalition of this size that worsens the rank, provided that no smaller one does. Each level of a pile
    /// costs one step of the budget.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(super) fn find_of_size(
        &self,
        size: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Coalition>, HaltReason> {
        let own = 1 << self.guarded.index();
        let root = CoalitionBranch { turned: 0, loyal: own, solved: 0, winners: self.over };
        let mut branches = vec![root];
        while let Some(mut branch) = branches.pop() {
            if let Some(seat) = self.solve_until_fork(&mut branch, size, budget)? {
                branches.push(CoalitionBranch { loyal: branch.loyal | 1 << seat, ..branch });
                branches.push(CoalitionBranch { turned: branch.turned | 1 << seat, ..branch });
                continue;
            }
            let winner = branch.winners[self.game.first_seat().index()];
            let rank = self.ranks[self.guarded.index()][usize::from(winner)];
            if rank > self.predicted_rank {
                return Ok(Some(self.coalition(&branch, winner, rank)));
            }
        }
        Ok(None)
    }

    /// Advances a branch to the end of the plan, or until it matters whether some undecided seat has turned; returns
    /// this seat. No more than `size` seats turn in a branch.
    fn solve_until_fork(
        &self,
        branch: &mut CoalitionBranch,
        size: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Option<usize>, HaltReason> {
        let n = self.game.matrix.seats().get();
        let is_full = branch.turned.count_ones() as usize == size;
        for level in &self.plan.levels()[branch.solved..] {
            budget.spend(1)?;
            let before = branch.winners;
            for seat in seats_of_bits(level.seats()) {
                let next = before[if seat + 1 == n { 0 } else { seat + 1 }];
                let kept = before[seat];
                branch.winners[seat] = if level.counters() == 1 || next == kept {
                    next
                } else {
                    let own = self.preferred_if_loyal(seat, kept, next);
                    let turned = self.preferred_if_turned(kept, next);
                    let bit = 1 << seat;
                    if own == turned || branch.loyal & bit != 0 {
                        own
                    } else if branch.turned & bit != 0 {
                        turned
                    } else if is_full {
                        own
                    } else {
                        branch.winners = before;
                        return Ok(Some(seat));
                    }
                };
            }
            branch.solved += 1;
        }
        Ok(None)
    }

    fn preferred_if_loyal(&self, seat: usize, one: u8, other: u8) -> u8 {
        let rank = |winner: u8| self.ranks[seat][usize::from(winner)];
        if rank(one) < rank(other) { one } else { other }
    }

    fn preferred_if_turned(&self, one: u8, other: u8) -> u8 {
        let rank = |winner: u8| self.ranks[self.guarded.index()][usize::from(winner)];
        if rank(one) > rank(other) { one } else { other }
    }

    fn coalition(&self, branch: &CoalitionBranch, winner: u8, rank: u8) -> Coalition {
        let seats = self.game.matrix.seats();
        let seat = |index| seats.seat(index).expect("each bit is a seat");
        Coalition {
            seats: seats_of_bits(branch.turned).map(seat).collect(),
            winner: seat(winner.into()),
            rank: rank.into(),
        }
    }
}

/// Returns, by seat and then by winner, the winner's rank in the seat's row.
pub(super) fn ranks_by_winner(game: &Game) -> Vec<[u8; MAX_SEATS]> {
    let seats: SeatCount = game.matrix.seats();
    let by_winner = BySeat::from_fn(seats, |seat| {
        let mut ranks = [0; MAX_SEATS];
        for winner in seats.iter() {
            ranks[winner.index()] = game.matrix.rank(seat, winner) as u8;
        }
        ranks
    });
    by_winner.as_slice().to_vec()
}

fn seats_of_bits(mut bits: SeatBits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let seat = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (seat < MAX_SEATS).then_some(seat)
    })
}
