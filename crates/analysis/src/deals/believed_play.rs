//! The outcomes that a seat can reach if the others believe its declared row.

use super::Deal;
use lastnim_core::{
    game::{MAX_SEATS, Position, Row, Seat, SeatCount},
    oracle::recurrence::{RankRecurrence, Ranks},
};
use std::iter;

/// The solution of a game in which all other seats believe the declared row of one seat, the deceiver, and this seat
/// plays its best reply to them.
///
/// The others make takes that are optimal for the declared rows. If several takes are optimal, the one that is worst
/// for the deceiver counts. So the resulting rank is one that the deceiver can be sure of, however the others choose.
///
/// Beyond n counters in a pile, the winners for the declared rows no longer change. From there on, one more counter can
/// only improve the result of the deceiver at its own takes and worsen it at the takes of others, and if it changes
/// nothing, no further counter does. So at most n^2 counters of a pile matter.
#[derive(Debug, Clone)]
pub(super) struct BelievedPlay {
    deceiver: Seat,
    seats: SeatCount,
    recurrence: RankRecurrence,
    /// The states when the untouched piles are the only piles, indexed by the number of these piles.
    prefixes: Box<[PlayState]>,
}

/// The results for each seat to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlayState {
    /// The rank, in the declared row of the seat to move, of the winner under optimal play for the declared rows.
    declared: Ranks,
    /// The rank, in the dealt row of the deceiver, of the winner when the deceiver plays its best reply.
    reached: [u8; MAX_SEATS],
}

impl BelievedPlay {
    /// Solves the game of a deal, in O(N n^3) time for N piles and n seats.
    pub(super) fn new(deal: &Deal, deceiver: Seat) -> Self {
        let (game, declared) = (deal.dealt_game(), deal.declared());
        let (seats, row): (_, &Row) = (declared.seats(), &game.matrix[deceiver]);
        let mut reached = [0; MAX_SEATS];
        for seat in seats.iter() {
            reached[seat.index()] = row.rank(deceiver, game.ending.winner(seat, seats)) as u8;
        }
        let end_state =
            PlayState { declared: RankRecurrence::ranks_when_over(declared, game.ending), reached };
        let recurrence = RankRecurrence::of_matrix(declared);
        let mut play = Self { deceiver, seats, recurrence, prefixes: Box::new([]) };
        let piles = game.piles.as_slice().iter();
        let next_states = piles.scan(end_state, |state, &counters| {
            *state = play.state_with_pile(*state, counters);
            Some(*state)
        });
        play.prefixes = iter::once(end_state).chain(next_states).collect();
        play
    }

    /// Returns the rank in the deceiver's dealt row, 0 to n-1, that it can be sure of from this position.
    pub(super) fn rank(&self, position: &Position) -> u8 {
        let prefix = self.prefixes[position.untouched_piles().len()];
        self.state_with_pile(prefix, position.counters()).reached[position.to_move().index()]
    }

    fn state_with_pile(&self, empty: PlayState, counters: u64) -> PlayState {
        let mut state = empty;
        for counter in 1..=counters {
            let more = self.state_with_another_counter(&state, counter);
            if counter > 1 && more == state {
                break;
            }
            state = more;
        }
        state
    }

    /// Returns the state with `counter` counters in the pile, computed from the state with one counter fewer.
    fn state_with_another_counter(&self, fewer: &PlayState, counter: u64) -> PlayState {
        let declared = if counter == 1 {
            self.recurrence.ranks_with_one_counter(&fewer.declared)
        } else {
            self.recurrence.ranks_with_another_counter(&fewer.declared)
        };
        let mut reached = [0; MAX_SEATS];
        for seat in self.seats.iter() {
            let place = seat.index();
            let (kept, after) = (fewer.reached[place], fewer.reached[(place + 1) % self.seats.get()]);
            reached[place] = if counter == 1 {
                after
            } else if seat == self.deceiver {
                kept.min(after)
            } else if declared[place] != fewer.declared[place] {
                // Taking one counter is better for the declared row than all other takes.
                after
            } else if self.recurrence.rank_after(&fewer.declared, seat) == declared[place] {
                // Taking one counter is as good for the declared row as the best other takes.
                kept.max(after)
            } else {
                kept
            };
        }
        PlayState { declared, reached }
    }
}
