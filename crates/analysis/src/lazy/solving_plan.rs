//! Plans that list the winners that a query needs, in the order in which they are computed: pile by pile from the
//! first, and in each pile from one counter upwards.

use lastnim_core::game::{Game, MAX_SEATS, Seat, SeatCount, offset_bit};

/// A set of seats as bits.
type SeatBits = u32;

/// The levels of piles that a query needs. For each level, the plan lists the seats whose winners are needed.
///
/// Level b of a pile is the function `W_b(p)`: the winner if seat p is to move and b counters are left in that pile.
/// With n seats there are no levels above n (the cap theorem: `W_b = W_n` for `b >= n`). Leaving out all winners on
/// which the answer does not depend reduces the number of forks.
#[derive(Debug, Clone)]
pub(crate) struct SolvingPlan {
    pub(super) levels: Vec<PileLevel>,
}

#[derive(Debug, Clone)]
pub(crate) struct PileLevel {
    /// The number of counters left in the pile, 1 to n.
    pub(super) counters: usize,
    /// The seats whose winners are needed.
    pub(super) seats: SeatBits,
    /// Whether this is the last level of the pile in the plan.
    pub(super) ends_pile: bool,
    /// For each played take at this level that must be optimal: the counters left after it, 0 to n.
    pub(super) counters_after_takes: Vec<usize>,
}

/// A take to be checked for optimality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OptimalityCheck {
    /// The index of the pile in play, from 0.
    pub(crate) pile: usize,
    /// The number of counters in this pile before the take.
    pub(crate) counters: u64,
    /// The number of counters in this pile after the take.
    pub(crate) left: u64,
}

impl PileLevel {
    /// Returns the number of counters left in the pile, 1 to n.
    pub(crate) fn counters(&self) -> usize {
        self.counters
    }

    /// Returns the seats whose winners are needed, as bits.
    pub(crate) fn seats(&self) -> u32 {
        self.seats
    }
}

impl SolvingPlan {
    /// Returns the levels in the order in which they are solved.
    pub(crate) fn levels(&self) -> &[PileLevel] {
        &self.levels
    }

    /// Creates the plan for finding the winner of the game.
    pub(crate) fn for_winner(game: &Game) -> Self {
        let mut asked = NeededLevels::of_game(game);
        if let (Some(asked), Some(&counters)) = (asked.piles.last_mut(), game.piles.as_slice().last()) {
            asked[capped_pile(counters, game.matrix.seats())].seats = offset_bit(game.first_seat().index());
        }
        asked.into_plan()
    }

    /// Creates the plan for checking whether takes of a seat are optimal.
    pub(crate) fn for_takes(game: &Game, seat: Seat, checks: &[OptimalityCheck]) -> Self {
        let seats = game.matrix.seats();
        let mut asked = NeededLevels::of_game(game);
        for check in checks {
            let levels = &mut asked.piles[check.pile];
            let [from, left] = [check.counters, check.left].map(|counters| capped_pile(counters, seats));
            levels[from].seats |= offset_bit(seat.index());
            levels[left].seats |= offset_bit(seats.next(seat).index());
            if !levels[from].counters_after_takes.contains(&left) {
                levels[from].counters_after_takes.push(left);
            }
        }
        asked.into_plan()
    }
}

fn capped_pile(counters: u64, seats: SeatCount) -> usize {
    counters.min(seats.get() as u64) as usize
}

/// For each pile, and for each number of counters left in it from 0 to n: the seats whose winners are needed.
struct NeededLevels<'a> {
    game: &'a Game,
    piles: Vec<Vec<NeededLevel>>,
}

#[derive(Clone, Default)]
struct NeededLevel {
    seats: SeatBits,
    counters_after_takes: Vec<usize>,
}

impl<'a> NeededLevels<'a> {
    fn of_game(game: &'a Game) -> Self {
        let levels = vec![NeededLevel::default(); game.matrix.seats().get() + 1];
        Self { game, piles: vec![levels; game.piles.len()] }
    }

    /// Adds all winners on which the needed ones depend, from the last pile's highest level down, and returns the plan.
    fn into_plan(mut self) -> SolvingPlan {
        let n = self.game.matrix.seats().get();
        let next = |seats: SeatBits| (seats << 1 | seats >> (n - 1)) & (u32::MAX >> (MAX_SEATS - n));
        let mut levels = Vec::new();
        let mut needed = 0;
        for (pile, asked) in self.piles.iter_mut().enumerate().rev() {
            asked[capped_pile(self.game.piles.as_slice()[pile], self.game.matrix.seats())].seats |= needed;
            let mut ends_pile = true;
            for counters in (1..=n).rev() {
                let NeededLevel { seats, counters_after_takes } = std::mem::take(&mut asked[counters]);
                if seats == 0 {
                    continue;
                }
                asked[counters - 1].seats |= if counters == 1 { next(seats) } else { seats | next(seats) };
                levels.push(PileLevel { counters, seats, ends_pile, counters_after_takes });
                ends_pile = false;
            }
            needed = asked[0].seats;
        }
        levels.reverse();
        SolvingPlan { levels }
    }
}
