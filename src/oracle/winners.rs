//! The fast path: the winners by first seat and nothing else.

use super::handover::Handover;
use crate::game::{AllianceMatrix, BySeat, Ending, Piles, Seat};
use std::array;

/// Returns, by the seat that moves first, the seat that wins under optimal play.
///
/// It takes O(N n^2) whatever the piles hold, as a pile of x counters is worth min(x, n) (the cap theorem), and stops
/// as soon as the winner no longer depends on who moves. With up to eight seats a row of ranks lives in a register.
///
/// ```
/// use lastnim::{game::{AllianceMatrix, Ending, Piles, SeatCount}, oracle};
///
/// let piles = Piles::parse(&[4, 3]).unwrap();
/// let matrix = AllianceMatrix::standard(SeatCount::new(4).unwrap());
/// let winners = oracle::winners(&piles, &matrix, Ending::ToMoveWins);
/// let seats: Vec<_> = winners.iter().map(|seat| seat.index()).collect();
/// assert_eq!(seats, [2, 3, 0, 1]);
/// ```
pub fn winners(piles: &Piles, matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    match matrix.seats().get() {
        2 => unrolled::<2>(piles, matrix, ending),
        3 => unrolled::<3>(piles, matrix, ending),
        4 => unrolled::<4>(piles, matrix, ending),
        5 => unrolled::<5>(piles, matrix, ending),
        6 => unrolled::<6>(piles, matrix, ending),
        7 => unrolled::<7>(piles, matrix, ending),
        8 => unrolled::<8>(piles, matrix, ending),
        _ => looped(piles, matrix, ending),
    }
}

fn looped(piles: &Piles, matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    let handover = Handover::of(matrix);
    let mut ranks = Handover::when_over(matrix, ending);
    for &counters in piles.as_slice() {
        let after = handover.with_pile(&ranks, counters);
        if after == ranks && handover.first_counter(&ranks) == ranks {
            break;
        }
        ranks = after;
    }
    Handover::winners(matrix, &ranks)
}

/// A rank times 8: how far a row of packed ranks is shifted to look that rank up.
type Shift = u64;

/// [`Handover`] for up to eight seats: byte `r` of row `p` is the shift for `p` of the winner that `p+1` ranks `r`th.
type Packed<const N: usize> = [u64; N];

fn unrolled<const N: usize>(piles: &Piles, matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    let rows = matrix.rows().as_slice();
    let handover: Packed<N> = array::from_fn(|seat| {
        let (mover, next) = (&rows[seat], &rows[(seat + 1) % N]);
        next.offsets().iter().rev().fold(0, |row, &offset| {
            (row << 8) | (8 * mover.rank_of_offset((usize::from(offset) + 1) % N) as u64)
        })
    });
    let winner_offset = match ending {
        Ending::ToMoveWins => 0,
        Ending::LastMoverWins => N - 1,
    };
    let mut shifts: [Shift; N] = array::from_fn(|seat| 8 * rows[seat].rank_of_offset(winner_offset) as u64);
    for &counters in piles.as_slice() {
        let mut before = shifts;
        shifts = handed_over(&handover, &before);
        if shifts == before {
            // Handing over changes nothing: the winner is the same whoever moves, and stays so.
            break;
        }
        for _ in 1..counters.min(N as u64) {
            before = shifts;
            let after = handed_over(&handover, &before);
            shifts = array::from_fn(|seat| before[seat].min(after[seat]));
            if shifts == before {
                break;
            }
        }
    }
    BySeat::from_fn(matrix.seats(), |seat| {
        let offset = rows[seat.index()].offsets()[(shifts[seat.index()] / 8) as usize];
        matrix.seats().offset(seat, usize::from(offset))
    })
}

#[inline]
fn handed_over<const N: usize>(handover: &Packed<N>, shifts: &[Shift; N]) -> [Shift; N] {
    array::from_fn(|seat| (handover[seat] >> (shifts[(seat + 1) % N] & 63)) & 0xff)
}
