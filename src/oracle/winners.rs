//! The fast path: the winners by first seat and nothing else.

use super::handover::Handover;
use crate::game::{AllianceMatrix, BySeat, Ending, Piles, Seat};
use std::array;

/// Returns, by the seat that moves first, the seat that wins under optimal play.
///
/// It takes O(N n^2) whatever the piles hold, as a pile of x counters is worth min(x, n) (the cap theorem), and stops
/// as soon as the winner no longer depends on who moves. With up to sixteen seats a row of ranks lives in a register.
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
    winners_of(piles.as_slice(), matrix, ending)
}

/// Returns [`winners`] for nonempty piles.
pub(super) fn winners_of(piles: &[u64], matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    match matrix.seats().get() {
        2 => unrolled::<2>(piles, matrix, ending),
        3 => unrolled::<3>(piles, matrix, ending),
        4 => unrolled::<4>(piles, matrix, ending),
        5 => unrolled::<5>(piles, matrix, ending),
        6 => unrolled::<6>(piles, matrix, ending),
        7 => unrolled::<7>(piles, matrix, ending),
        8 => unrolled::<8>(piles, matrix, ending),
        9 => unrolled::<9>(piles, matrix, ending),
        10 => unrolled::<10>(piles, matrix, ending),
        11 => unrolled::<11>(piles, matrix, ending),
        12 => unrolled::<12>(piles, matrix, ending),
        13 => unrolled::<13>(piles, matrix, ending),
        14 => unrolled::<14>(piles, matrix, ending),
        15 => unrolled::<15>(piles, matrix, ending),
        16 => unrolled::<16>(piles, matrix, ending),
        _ => looped(piles, matrix, ending),
    }
}

fn looped(piles: &[u64], matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    let handover = Handover::of(matrix);
    let mut ranks = Handover::when_over(matrix, ending);
    for &counters in piles {
        let after = handover.with_pile(&ranks, counters);
        if after == ranks && handover.first_counter(&ranks) == ranks {
            break;
        }
        ranks = after;
    }
    Handover::winners(matrix, &ranks)
}

/// A rank times 4: how far packed ranks are shifted to look that rank up.
type Shift = u64;

/// One rank in each of up to sixteen fields of four bits, the first in the lowest.
type Packed = u64;

/// The same recurrence as [`looped`]'s for up to sixteen seats, with all ranks in registers.
fn unrolled<const N: usize>(piles: &[u64], matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    let offsets: [&[u8; N]; N] = array::from_fn(|seat| {
        let row = &matrix.rows().as_slice()[seat];
        row.offsets().try_into().expect("a row has an offset for each seat")
    });
    let ranks: [Packed; N] = array::from_fn(|seat| by_offset(offsets[seat]));
    let handover: [Packed; N] = array::from_fn(|seat| {
        // The next seat's offset o is this seat's offset o + 1.
        let by_next_offset = (ranks[seat] >> 4) | ((ranks[seat] & 0xf) << (4 * (N - 1)));
        let next = offsets[(seat + 1) % N];
        let packed =
            next.iter().rev().fold(0, |packed, &offset| (packed << 4) | rank(by_next_offset, offset));
        // What is looked up is a shift.
        packed.rotate_left(2)
    });
    let winner_offset = match ending {
        Ending::ToMoveWins => 0,
        Ending::LastMoverWins => N as u8 - 1,
    };
    let mut shifts: [Shift; N] = array::from_fn(|seat| 4 * rank(ranks[seat], winner_offset));
    for &counters in piles {
        let first = handed_over(&handover, &shifts);
        if equal(&first, &shifts) {
            // Handing over changes nothing: the winner is the same whoever moves, and stays so.
            break;
        }
        shifts = first;
        for _ in 1..counters.min(N as u64) {
            let after = handed_over(&handover, &shifts);
            let better: [Shift; N] = array::from_fn(|seat| shifts[seat].min(after[seat]));
            if equal(&better, &shifts) {
                break;
            }
            shifts = better;
        }
    }
    BySeat::from_fn(matrix.seats(), |seat| {
        let winner = seat.index() + usize::from(offsets[seat.index()][(shifts[seat.index()] / 4) as usize]);
        let winner = if winner < N { winner } else { winner - N };
        matrix.seats().seat(winner).expect("a winner is a seat")
    })
}

/// Packs the ranks of a row by offset.
fn by_offset<const N: usize>(offsets: &[u8; N]) -> Packed {
    (0..).zip(offsets).fold(0, |packed, (rank, &offset)| packed | (rank << (4 * offset)))
}

fn rank(by_offset: Packed, offset: u8) -> u64 {
    (by_offset >> (4 * offset)) & 0xf
}

/// Looks up what a shift is handed over as.
#[inline]
fn look_up<const N: usize>(handover: Packed, shift: Shift) -> Shift {
    // The sixteenth field is the only one that lies across the end, and a plain shift is quicker.
    let field = if N < 16 { handover >> (shift & 63) } else { handover.rotate_right(shift as u32) };
    field & 0x3c
}

#[inline]
fn handed_over<const N: usize>(handover: &[Packed; N], shifts: &[Shift; N]) -> [Shift; N] {
    array::from_fn(|seat| look_up::<N>(handover[seat], shifts[(seat + 1) % N]))
}

/// Compares without leaving the registers, which an array's own comparison does.
#[inline]
fn equal<const N: usize>(some: &[Shift; N], others: &[Shift; N]) -> bool {
    some.iter().zip(others).fold(0, |difference, (one, other)| difference | (one ^ other)) == 0
}
