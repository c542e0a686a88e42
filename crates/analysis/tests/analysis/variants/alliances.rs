//! Tests of the solver for two alliances.

use super::{State, seat_count, small_piles, start_position, takes_of};
use lastnim_analysis::variants::{AllianceSolution, Alliances};
use lastnim_core::game::{
    AllianceMatrix, BySeat, Ending, MAX_COUNTERS, MAX_SEATS, Piles, Row, Seat, SeatSet,
};
use lastnim_core::oracle::{self, Budget, HaltReason};
use proptest::{collection::vec, prelude::*, sample::select};

/// Returns whether `alliance`, which is seat 0's alliance, wins; by minimax.
fn first_alliance_wins(state: &State, alliance: SeatSet, ending: Ending) -> bool {
    if let Some(winner) = state.winner(ending) {
        return alliance.contains(winner);
    }
    let mut wins = state.takes().map(|take| first_alliance_wins(&state.after(take), alliance, ending));
    if alliance.contains(state.to_move) { wins.any(|wins| wins) } else { wins.all(|wins| wins) }
}

#[test]
fn all_small_positions_agree_with_minimax() {
    for n in 2..=4 {
        let seats = seat_count(n);
        for bits in 1..(1_u32 << n) - 1 {
            let listed: Vec<u64> = (0..n as u64).filter(|seat| bits >> seat & 1 == 1).collect();
            let alliances = Alliances::parse(&listed, seats).unwrap();
            let one = alliances.alliance_of(Seat::FIRST);
            for (piles, ending) in
                small_piles(6).into_iter().flat_map(|piles| Ending::ALL.map(|ending| (piles.clone(), ending)))
            {
                let position = start_position(&piles, 0, seats);
                let solved =
                    AllianceSolution::solve(&position, &alliances, ending, &mut Budget::unbounded()).unwrap();
                let wins = |state: &State| first_alliance_wins(state, one, ending);
                for (seat, winning) in solved.winning_by_first.enumerate() {
                    let expected = wins(&State::new(&piles, seat, seats));
                    assert_eq!(*winning == one, expected, "{piles:?} {alliances} {ending} seat {seat}");
                    assert!(expected || winning.intersection(one).is_empty());
                }
                let state = State::new(&piles, Seat::FIRST, seats);
                let optimal: Vec<u64> =
                    state.takes().filter(|&take| wins(&state.after(take)) == wins(&state)).collect();
                assert_eq!(takes_of(&solved.optimal_takes), optimal, "{piles:?} {alliances} {ending}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_strict_extension_gives_the_same_alliance(
        members in vec(any::<bool>(), 2..=MAX_SEATS),
        keys in vec(vec(any::<u8>(), MAX_SEATS), MAX_SEATS),
        piles in vec(prop_oneof![1..=40_u64, Just(MAX_COUNTERS)], 1..=6),
        ending in select(&Ending::ALL[..]),
    ) {
        let listed: Vec<u64> = (0..).zip(&members).filter(|(_, member)| **member).map(|(seat, _)| seat).collect();
        let seats = seat_count(members.len());
        let Ok(alliances) = Alliances::parse(&listed, seats) else { return Ok(()) };
        let rows = BySeat::from_fn(seats, |seat| {
            let own = alliances.alliance_of(seat);
            let mut offsets: Vec<u64> = (0..seats.get() as u64).collect();
            offsets.sort_by_key(|&offset| {
                let winner = seats.seat_at_offset(seat, offset as usize);
                (!own.contains(winner), keys[seat.index()][offset as usize])
            });
            Row::parse(&offsets, seats).unwrap()
        });
        let matrix = AllianceMatrix::from_rows(rows).unwrap();
        let winners = oracle::solve_winners(&Piles::parse(&piles).unwrap(), &matrix, ending);
        let solved = AllianceSolution::solve(
            &start_position(&piles, 0, seats), &alliances, ending, &mut Budget::of_steps(1_000_000)).unwrap();
        for (seat, winning) in solved.winning_by_first.enumerate() {
            prop_assert!(winning.contains(winners[seat]));
        }
    }
}

#[test]
fn the_error_names_the_budget_that_was_too_small() {
    let seats = seat_count(4);
    let alliances = Alliances::parse(&[0, 2], seats).unwrap();
    let stopped = AllianceSolution::solve(
        &start_position(&[5, 5], 0, seats),
        &alliances,
        Ending::ToMoveWins,
        &mut Budget::of_steps(7),
    );
    assert_eq!(stopped, Err(HaltReason::OutOfSteps { limit: 7 }));
}
