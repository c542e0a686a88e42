//! Tests that the analyses of declarations agree with an enumeration of all rows and profiles.

use lastnim_analysis::{
    BestDeclaration, Completeness, Equilibria, EquilibriaError, RowCount, RowProfiles, TruthCheck,
};
use lastnim_core::game::testing::{games, permutations, with_row};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Game, MAX_SEATS, Piles, Row, Seat, SeatCount},
    oracle::{self, Budget, HaltReason},
};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

fn predicted_winner(game: &Game) -> Seat {
    oracle::solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()]
}

proptest! {
    #[test]
    fn best_declarations_agree_with_enumeration(
        game in games(2..=6, 1..=5, 1..=9),
        seat in any::<prop::sample::Index>(),
    ) {
        let seats = game.matrix.seats();
        let seat = seats.seat(seat.index(seats.get())).unwrap();
        let found = BestDeclaration::find(&game, seat, &mut Budget::unbounded());
        let rank_with = |row: &Row| game.matrix.rank(seat, predicted_winner(&with_row(&game, seat, row)));
        let rows = permutations(seats);
        let best = rows.iter().map(rank_with).min().unwrap();
        prop_assert_eq!((found.best.rank, found.settled), (best, Completeness::Complete));
        prop_assert_eq!(found.truthful.winner, predicted_winner(&game));
        prop_assert_eq!(game.matrix.rank(seat, found.best.winner), best);
        let mut count = 0;
        for row in &rows {
            let is_best = rank_with(row) == best;
            count += u128::from(is_best);
            let leaves = found.rows.leaves().iter().filter(|leaf| leaf.admits(row)).count();
            prop_assert_eq!(leaves, usize::from(is_best), "{} is in {} leaves", row, leaves);
        }
        prop_assert_eq!(found.count, RowCount::Exactly(count));
        prop_assert_eq!(found.rows.count_rows(&mut Budget::unbounded()), found.count);
        prop_assert_eq!(found.rows.rows().count() as u128, count);
        let truth = &game.matrix[seat];
        let examples = found.examples(&game, 3);
        prop_assert_eq!(examples.len() as u128, count.min(3));
        prop_assert_eq!(found.is_truth_best(), found.rows.contains(truth));
        prop_assert_eq!(examples.first() == Some(truth), found.is_truth_best());
    }

    #[test]
    fn truth_is_an_equilibrium_if_no_row_of_any_seat_is_better(game in games(2..=5, 1..=4, 1..=7)) {
        let seats = game.matrix.seats();
        let rank_with = |seat, row: &Row| game.matrix.rank(seat, predicted_winner(&with_row(&game, seat, row)));
        let can_gain = |seat: &Seat| {
            let truthful = game.matrix.rank(*seat, predicted_winner(&game));
            permutations(seats).iter().any(|row| rank_with(*seat, row) < truthful)
        };
        match TruthCheck::check(&game, &mut Budget::unbounded()) {
            TruthCheck::Equilibrium => prop_assert_eq!(seats.iter().find(can_gain), None),
            TruthCheck::Refuted(deviation) => {
                prop_assert_eq!(seats.iter().find(can_gain), Some(deviation.seat));
                let deviating = with_row(&game, deviation.seat, &deviation.row);
                prop_assert_eq!(predicted_winner(&deviating), deviation.deviating.winner);
                prop_assert!(deviation.deviating.rank < deviation.truthful.rank);
            }
            TruthCheck::Unsettled { .. } => prop_assert!(false, "the budget is unbounded"),
        }
    }

    #[test]
    fn a_partial_answer_is_part_of_the_complete_one(
        game in games(3..=6, 1..=4, 1..=7),
        steps in 0..2_000_u64,
    ) {
        check_best_within_budget(&game, steps);
    }

    #[test]
    fn uncounted_profiles_make_the_answer_partial(
        game in games(2..=3, 1..=3, 1..=4),
        share in 0..=1_000_u64,
    ) {
        let mut whole = Budget::unbounded();
        let all = Equilibria::find(&game, &mut whole).unwrap();
        check_equilibria_within_budget(&game, &all, whole.steps_spent() * share / 1_000);
    }
}

/// Compares the answer within a budget of `steps` with the answer without a limit.
fn check_best_within_budget(game: &Game, steps: u64) {
    let seat = game.first_seat();
    let all = BestDeclaration::find(game, seat, &mut Budget::unbounded());
    let part = BestDeclaration::find(game, seat, &mut Budget::of_steps(steps));
    assert!(part.best.rank >= all.best.rank && part.best.rank <= part.truthful.rank);
    assert!(!part.is_best_certain() || part.best == all.best);
    match part.settled {
        Completeness::Complete => assert_eq!((part.best, part.count), (all.best, all.count)),
        Completeness::Partial { settled, all: rows, halt } => {
            assert!(settled < rows && !part.count.is_exact());
            assert_eq!(halt, HaltReason::OutOfSteps { limit: steps });
            if part.is_truth_best() {
                assert!(part.count.at_least() >= 1 && part.rows.contains(&game.matrix[seat]));
                assert_eq!(part.examples(game, 1), [game.matrix[seat].clone()]);
            }
            assert!(part.best != all.best || part.rows.rows().all(|row| all.rows.contains(&row)));
        }
    }
}

/// Compares the equilibria found within a budget of `steps` with all equilibria of the game.
fn check_equilibria_within_budget(game: &Game, all: &Equilibria, steps: u64) {
    let part = Equilibria::find(game, &mut Budget::of_steps(steps)).unwrap();
    match part.settled {
        Completeness::Complete => assert_eq!((&part.by_winner, &part.truth), (&all.by_winner, &all.truth)),
        Completeness::Partial { settled, all: profiles, halt } => {
            assert!(settled < profiles && !part.count().is_exact(), "{settled} of {profiles} in {steps}");
            assert_eq!(halt, HaltReason::OutOfSteps { limit: steps });
        }
    }
}

#[test]
fn a_budget_that_ends_in_the_last_leaf_gives_a_partial_answer() {
    let rows = [vec![0, 3, 2, 1], vec![0, 1, 2, 3], vec![1, 2, 0, 3], vec![2, 3, 0, 1]];
    let game = Game::parse(&[2, 1, 4], &rows, 1, Ending::ToMoveWins).unwrap();
    let mut whole = Budget::unbounded();
    let all = BestDeclaration::find(&game, game.first_seat(), &mut whole);
    assert_eq!(all.count, RowCount::Exactly(8));
    let part = BestDeclaration::find(&game, game.first_seat(), &mut Budget::of_steps(36));
    assert!(!part.settled.is_complete() && !part.count.is_exact(), "{part:?}");
    assert!(part.is_best_certain(), "every row was examined: {part:?}");
    for steps in 0..=whole.steps_spent() {
        check_best_within_budget(&game, steps);
    }
    let enough = BestDeclaration::find(&game, game.first_seat(), &mut Budget::of_steps(whole.steps_spent()));
    assert_eq!(enough, all);
}

#[test]
fn every_budget_gives_consistent_equilibria() {
    let new_game =
        |piles: &[u64], rows: &[Vec<u64>]| Game::parse(piles, rows, 0, Ending::ToMoveWins).unwrap();
    for game in [
        // In this game, the very last step is spent on counting.
        new_game(&[1], &[vec![0, 1], vec![1, 0]]),
        new_game(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]]),
    ] {
        let mut whole = Budget::unbounded();
        let all = Equilibria::find(&game, &mut whole).unwrap();
        for steps in 0..=whole.steps_spent() {
            check_equilibria_within_budget(&game, &all, steps);
        }
        assert!(
            Equilibria::find(&game, &mut Budget::of_steps(whole.steps_spent()))
                .unwrap()
                .settled
                .is_complete()
        );
    }
}

/// All profiles of rows, with the winner of each.
struct Profiles {
    rows: Vec<Row>,
    matrices: Vec<AllianceMatrix>,
    winners: Vec<Seat>,
}

impl Profiles {
    fn of_game(game: &Game) -> Self {
        let seats = game.matrix.seats();
        let rows = permutations(seats);
        let profiles = rows.len().pow(seats.get() as u32);
        let matrix = |profile: usize| {
            let row = |seat: Seat| rows[profile / rows.len().pow(seat.index() as u32) % rows.len()].clone();
            AllianceMatrix::from_rows(BySeat::from_fn(seats, row)).unwrap()
        };
        let matrices: Vec<_> = (0..profiles).map(matrix).collect();
        let winners = matrices
            .iter()
            .map(|matrix| oracle::solve_winners(&game.piles, matrix, game.ending)[game.first_seat()])
            .collect();
        Self { rows, matrices, winners }
    }

    /// Returns, for every profile, whether it is an equilibrium if `truth` contains the true rows.
    fn equilibria(&self, truth: &AllianceMatrix) -> Vec<bool> {
        let mut is_equilibrium = vec![true; self.winners.len()];
        for seat in truth.seats().iter() {
            let place = self.rows.len().pow(seat.index() as u32);
            for first in
                (0..self.winners.len()).filter(|profile| (profile / place).is_multiple_of(self.rows.len()))
            {
                let deviations = || (0..self.rows.len()).map(|row| first + row * place);
                let rank = |profile: usize| truth.rank(seat, self.winners[profile]);
                let best = deviations().map(rank).min().unwrap();
                for profile in deviations() {
                    is_equilibrium[profile] &= rank(profile) == best;
                }
            }
        }
        is_equilibrium
    }
}

/// Compares the equilibria that the search finds with those among all enumerated profiles.
fn check_equilibria(game: &Game, profiles: &Profiles) {
    let found = Equilibria::find(game, &mut Budget::unbounded()).unwrap();
    assert_eq!((found.settled, found.regions_left_out), (Completeness::Complete, 0));
    let mut by_winner = BySeat::filled(game.matrix.seats(), &0);
    let is_equilibrium = profiles.equilibria(&game.matrix);
    for ((declared, &winner), is_equilibrium) in
        profiles.matrices.iter().zip(&profiles.winners).zip(is_equilibrium)
    {
        let regions: Vec<_> = found.regions.iter().filter(|region| region.contains(declared)).collect();
        assert_eq!(regions.len(), usize::from(is_equilibrium), "{declared} in {game:?}");
        if let [region] = regions[..] {
            assert_eq!(region.winner, winner);
            by_winner[winner] += 1;
        }
    }
    assert_eq!(found.by_winner, by_winner.map(|&count| RowCount::Exactly(count)), "{game:?}");
    assert!(found.regions.iter().all(|region| region.contains(&region.example())));
    let truth = TruthCheck::check(game, &mut Budget::unbounded()) == TruthCheck::Equilibrium;
    assert_eq!(truth, found.regions.iter().any(|region| region.contains(&game.matrix)));
}

fn new_game(piles: &[u64], matrix: &AllianceMatrix, first: usize, ending: Ending) -> Game {
    Game::new(Piles::parse(piles).unwrap(), matrix.clone(), first, ending).unwrap()
}

#[test]
fn equilibria_of_three_seats_agree_with_enumeration() {
    let standard = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    for (piles, ending) in [
        (&[2][..], Ending::ToMoveWins),
        (&[3, 3], Ending::LastMoverWins),
        (&[1, 2, 2], Ending::ToMoveWins),
        (&[3, 1, 4, 2], Ending::ToMoveWins),
    ] {
        let profiles = Profiles::of_game(&new_game(piles, &standard, 1, ending));
        for truth in &profiles.matrices {
            check_equilibria(&new_game(piles, truth, 1, ending), &profiles);
        }
    }
}

#[test]
fn equilibria_of_four_seats_agree_with_enumeration() {
    let rows = [vec![2, 0, 1, 3], vec![3, 1, 0, 2], vec![0, 1, 2, 3], vec![1, 3, 2, 0]];
    let matrix = AllianceMatrix::parse(&rows).unwrap();
    for (piles, first, ending) in [
        (&[2, 3][..], 0, Ending::ToMoveWins),
        (&[4, 1, 2], 2, Ending::LastMoverWins),
        (&[5], 3, Ending::ToMoveWins),
    ] {
        let game = new_game(piles, &matrix, first, ending);
        check_equilibria(&game, &Profiles::of_game(&game));
    }
}

#[test]
fn a_partial_answer_counts_the_covered_profiles() {
    let matrix = AllianceMatrix::standard(SeatCount::new(4).unwrap());
    let mut game = new_game(&[3, 2, 4], &matrix, 0, Ending::ToMoveWins);
    let all = Equilibria::find(&game, &mut Budget::unbounded()).unwrap();
    let mut before = 0;
    for steps in [0, 300, 3_000] {
        let part = Equilibria::find(&game, &mut Budget::of_steps(steps)).unwrap();
        let Completeness::Partial { settled, all: profiles, halt } = part.settled else {
            panic!("{steps} steps are too few");
        };
        assert_eq!((profiles, halt), (24_u128.pow(4), HaltReason::OutOfSteps { limit: steps }));
        assert!(before <= settled && settled < profiles && part.count().at_least() <= settled);
        let is_found = |region: &RowProfiles| all.regions.iter().any(|one| one.contains(&region.example()));
        assert!(part.regions.iter().all(is_found));
        assert!(part.by_winner.iter().all(|count| !count.is_exact()), "each count is only a lower bound");
        before = settled;
    }
    assert!(before > 0);
    game.matrix = AllianceMatrix::standard(SeatCount::new(9).unwrap());
    let error = Equilibria::find(&game, &mut Budget::unbounded()).unwrap_err();
    assert_eq!(error, EquilibriaError::Seats(SeatCount::new(9).unwrap()));
}

#[test]
fn a_proved_truthful_equilibrium_is_counted_at_once() {
    let matrix = AllianceMatrix::standard(SeatCount::new(8).unwrap());
    let game = new_game(&[3, 4, 5], &matrix, 0, Ending::ToMoveWins);
    let mut proof = Budget::unbounded();
    assert_eq!(TruthCheck::check(&game, &mut proof), TruthCheck::Equilibrium);
    let found = Equilibria::find(&game, &mut Budget::of_steps(proof.steps_spent())).unwrap();
    assert_eq!(found.truth, TruthCheck::Equilibrium);
    assert!(!found.settled.is_complete() && found.count().at_least() >= 1);
    assert!(found.by_winner[predicted_winner(&game)].at_least() >= 1);
    assert_eq!(found.examples(&game.matrix, 1), [(game.matrix.clone(), predicted_winner(&game))]);
}

#[test]
fn examples_are_distinct_equilibria_up_to_the_limit() {
    let rows = [vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
    let game = new_game(&[1, 2, 2], &AllianceMatrix::parse(&rows).unwrap(), 0, Ending::ToMoveWins);
    let found = Equilibria::find(&game, &mut Budget::unbounded()).unwrap();
    let all = found.examples(&game.matrix, 100);
    assert_eq!((all.len() as u128, &all[0].0), (found.count().at_least(), &game.matrix));
    for (place, (declared, winner)) in all.iter().enumerate() {
        let region = found.regions.iter().find(|region| region.contains(declared)).unwrap();
        assert_eq!(region.winner, *winner);
        assert!(all[..place].iter().all(|(other, _)| other != declared), "{declared} is shown once");
    }
    for region in &found.regions {
        assert_eq!(region.matrices().count() as u128, region.count.at_least());
        assert_eq!(region.matrices().next(), Some(region.example()));
    }
}

#[test]
fn searches_with_many_seats_stop_at_the_budget() {
    let matrix = AllianceMatrix::standard(SeatCount::new(MAX_SEATS).unwrap());
    let game = new_game(&[40; 12], &matrix, 5, Ending::ToMoveWins);
    let found = BestDeclaration::find(&game, Seat::FIRST, &mut Budget::of_steps(200_000));
    assert!(found.best.rank <= found.truthful.rank && found.leaves > 0);
    let Completeness::Partial { settled, all, .. } = found.settled else { return };
    assert!(settled < all);
}

#[test]
fn the_search_has_far_fewer_leaves_than_there_are_rows() {
    let mut runner = TestRunner::deterministic();
    for (seats, expected) in [(7, 13.0..24.0), (8, 16.0..32.0)] {
        let strategy = games(seats..=seats, 10..=10, 1..=12);
        let games = 300;
        let leaves = (0..games).map(|_| {
            let game = strategy.new_tree(&mut runner).unwrap().current();
            BestDeclaration::find(&game, game.first_seat(), &mut Budget::unbounded()).leaves as u32
        });
        let mean = f64::from(leaves.sum::<u32>()) / f64::from(games);
        assert!(expected.contains(&mean), "{mean} leaves with {seats} seats");
    }
}
