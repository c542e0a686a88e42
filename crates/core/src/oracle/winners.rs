//! The fast solver, which computes only the winners, by first seat.

use super::recurrence::RankRecurrence;
use crate::game::{AllianceMatrix, BySeat, Ending, Piles, Seat};
use std::array;

/// Returns the winners under optimal play, by first seat.
///
/// Takes O(N n^2) time for N piles and n seats, whatever the number of counters, since a pile of x counters is worth
/// min(x, n) (the cap theorem). Stops as soon as the winner no longer depends on which seat is to move. With up to
/// sixteen seats, a row of ranks fits into one register.
///
/// ```
/// use lastnim_core::{game::{AllianceMatrix, Ending, Piles, SeatCount}, oracle};
///
/// let piles = Piles::parse(&[4, 3]).unwrap();
/// let matrix = AllianceMatrix::standard(SeatCount::new(4).unwrap());
/// let winners = oracle::solve_winners(&piles, &matrix, Ending::ToMoveWins);
/// let seats: Vec<_> = winners.iter().map(|seat| seat.index()).collect();
/// assert_eq!(seats, [2, 3, 0, 1]);
/// ```
pub fn solve_winners(piles: &Piles, matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    winners_of_piles(piles.as_slice(), matrix, ending)
}

/// Computes the result of [`solve_winners`]; every pile must be nonempty.
pub(super) fn winners_of_piles(piles: &[u64], matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    match matrix.seats().get() {
        2 => winners_in_registers::<2>(piles, matrix, ending),
        3 => winners_in_registers::<3>(piles, matrix, ending),
        4 => winners_in_registers::<4>(piles, matrix, ending),
        5 => winners_in_registers::<5>(piles, matrix, ending),
        6 => winners_in_registers::<6>(piles, matrix, ending),
        7 => winners_in_registers::<7>(piles, matrix, ending),
        8 => winners_in_registers::<8>(piles, matrix, ending),
        9 => winners_in_registers::<9>(piles, matrix, ending),
        10 => winners_in_registers::<10>(piles, matrix, ending),
        11 => winners_in_registers::<11>(piles, matrix, ending),
        12 => winners_in_registers::<12>(piles, matrix, ending),
        13 => winners_in_registers::<13>(piles, matrix, ending),
        14 => winners_in_registers::<14>(piles, matrix, ending),
        15 => winners_in_registers::<15>(piles, matrix, ending),
        16 => winners_in_registers::<16>(piles, matrix, ending),
        _ => winners_by_loop(piles, matrix, ending),
    }
}

fn winners_by_loop(piles: &[u64], matrix: &AllianceMatrix, ending: Ending) -> BySeat<Seat> {
    let recurrence = RankRecurrence::of_matrix(matrix);
    let mut ranks = RankRecurrence::ranks_when_over(matrix, ending);
    for &counters in piles {
        let after = recurrence.ranks_with_pile(&ranks, counters);
        if after == ranks && recurrence.ranks_with_one_counter(&ranks) == ranks {
            break;
        }
        ranks = after;
    }
    RankRecurrence::solve_winners(matrix, &ranks)
}

/// A rank times 4, which is the shift that looks up the entry for this rank in packed ranks.
type RankShift = u64;

/// Up to sixteen ranks in fields of four bits each, the first rank in the lowest bits.
type PackedRanks = u64;

/// Computes the same as [`winners_by_loop`] for up to sixteen seats, with all ranks in registers.
fn winners_in_registers<const N: usize>(
    piles: &[u64],
    matrix: &AllianceMatrix,
    ending: Ending,
) -> BySeat<Seat> {
    let offsets: [&[u8; N]; N] = array::from_fn(|seat| {
        let row = &matrix.rows().as_slice()[seat];
        row.offsets().try_into().expect("a row has an offset for each seat")
    });
    let ranks: [PackedRanks; N] = array::from_fn(|seat| pack_ranks_by_offset(offsets[seat]));
    let recurrence: [PackedRanks; N] = array::from_fn(|seat| {
        // Offset o of the next seat means the same seat as offset o + 1 of this one.
        let next_ranks = (ranks[seat] >> 4) | ((ranks[seat] & 0xf) << (4 * (N - 1)));
        let next = offsets[(seat + 1) % N];
        let packed =
            next.iter().rev().fold(0, |packed, &offset| (packed << 4) | unpack_rank(next_ranks, offset));
        // Every rank is multiplied by 4, so that the result of a look-up is the shift for the next one.
        packed.rotate_left(2)
    });
    let winner_offset = match ending {
        Ending::ToMoveWins => 0,
        Ending::LastMoverWins => N as u8 - 1,
    };
    let mut shifts: [RankShift; N] = array::from_fn(|seat| 4 * unpack_rank(ranks[seat], winner_offset));
    for &counters in piles {
        let first = apply_recurrence(&recurrence, &shifts);
        if shifts_equal(&first, &shifts) {
            // If passing the turn changes nothing, the winner no longer depends on which seat is to move.
            break;
        }
        shifts = first;
        for _ in 1..counters.min(N as u64) {
            let after = apply_recurrence(&recurrence, &shifts);
            let better: [RankShift; N] = array::from_fn(|seat| shifts[seat].min(after[seat]));
            if shifts_equal(&better, &shifts) {
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

/// Packs the ranks of a row, in the order of their offsets.
fn pack_ranks_by_offset<const N: usize>(offsets: &[u8; N]) -> PackedRanks {
    (0..).zip(offsets).fold(0, |packed, (rank, &offset)| packed | (rank << (4 * offset)))
}

fn unpack_rank(by_offset: PackedRanks, offset: u8) -> u64 {
    (by_offset >> (4 * offset)) & 0xf
}

/// Looks up the rank that results from passing the turn.
#[inline]
fn look_up_rank<const N: usize>(recurrence: PackedRanks, shift: RankShift) -> RankShift {
    // Only the sixteenth field wraps around. With fewer fields, a plain shift is enough, and it is faster.
    let field = if N < 16 { recurrence >> (shift & 63) } else { recurrence.rotate_right(shift as u32) };
    field & 0x3c
}

#[inline]
fn apply_recurrence<const N: usize>(
    recurrence: &[PackedRanks; N],
    shifts: &[RankShift; N],
) -> [RankShift; N] {
    array::from_fn(|seat| look_up_rank::<N>(recurrence[seat], shifts[(seat + 1) % N]))
}

/// Compares the arrays in registers, which `==` on arrays does not do.
#[inline]
fn shifts_equal<const N: usize>(some: &[RankShift; N], others: &[RankShift; N]) -> bool {
    some.iter().zip(others).fold(0, |difference, (one, other)| difference | (one ^ other)) == 0
}
