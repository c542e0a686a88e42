//! Tests that robustness agrees with minimax, with solutions of altered matrices and with the definition of random
//! play, and that it has some general properties.

use lastnim_analysis::{
    Coalition, ErrorOutlook, ErrorOutlookError, ErrorRate, MAX_ERRING_COUNTERS, Robustness, SmallestCoalition,
};
use lastnim_core::game::testing::{games, matrices, permutations};
use lastnim_core::{
    game::{
        AllianceMatrix, BySeat, Ending, Game, MAX_COUNTERS, MAX_PILES, MAX_SEATS, Piles, Row, Seat, SeatCount,
    },
    oracle::{
        Budget, GuaranteedRanks, Solution, TakeSafety,
        reference::{MinimaxRanks, win_probabilities_with_errors, winner_against_coalition},
    },
};
use proptest::{collection::vec, prelude::*};
use std::collections::HashSet;

fn assess_fully(game: &Game) -> Robustness {
    Robustness::assess(game, MAX_SEATS, &mut Budget::unbounded())
}

/// Returns all nonempty sets of seats other than `guarded`, by ascending size.
fn other_coalitions(seats: SeatCount, guarded: Seat) -> Vec<Vec<Seat>> {
    let others: Vec<Seat> = seats.iter().filter(|&seat| seat != guarded).collect();
    let mut coalitions: Vec<Vec<Seat>> = (1..1_u32 << others.len())
        .map(|bits| {
            let has_turned = |place: usize| bits >> place & 1 == 1;
            others.iter().enumerate().filter(|&(place, _)| has_turned(place)).map(|(_, &seat)| seat).collect()
        })
        .collect();
    coalitions.sort_by_key(Vec::len);
    coalitions
}

/// Returns a row for `seat` that ranks the winners in the reverse of `guarded`'s order.
fn reversed_row(game: &Game, guarded: Seat, seat: Seat) -> Row {
    let seats = game.matrix.seats();
    let offsets: Vec<u64> = game.matrix[guarded]
        .offsets()
        .iter()
        .rev()
        .map(|&offset| seats.distance_between(seat, seats.seat_at_offset(guarded, offset.into())) as u64)
        .collect();
    Row::parse(&offsets, seats).unwrap()
}

/// Returns the game after a coalition has turned against `guarded`.
fn game_with_coalition(game: &Game, guarded: Seat, coalition: &[Seat]) -> Game {
    let rows = BySeat::from_fn(game.matrix.seats(), |seat| {
        if coalition.contains(&seat) { reversed_row(game, guarded, seat) } else { game.matrix[seat].clone() }
    });
    let mut turned = game.clone();
    turned.matrix = AllianceMatrix::from_rows(rows).unwrap();
    turned
}

/// Compares the assessment of a game's start position with the reference implementations.
fn check_assessment(game: &Game) {
    let robustness = assess_fully(game);
    let (seats, position) = (game.matrix.seats(), game.first_position());
    for (seat, figures) in robustness.seats.enumerate() {
        let minimax_rank = MinimaxRanks::new(game, seat).rank(&position);
        assert_eq!(figures.guaranteed_rank as usize, minimax_rank, "{game:?}");
        assert_eq!(figures.guaranteed_rank as usize, game.matrix.rank(seat, figures.guaranteed_winner));
        assert_eq!(figures.predicted_rank as usize, game.matrix.rank(seat, robustness.winner));
        let rank_against = |coalition: &[Seat]| {
            game.matrix.rank(seat, winner_against_coalition(game, seat, coalition)) as u32
        };
        let coalitions = other_coalitions(seats, seat);
        assert_eq!(rank_against(coalitions.last().unwrap()), figures.guaranteed_rank, "{game:?}");
        let smallest = coalitions.iter().find(|coalition| rank_against(coalition) > figures.predicted_rank);
        match &figures.smallest_coalition {
            SmallestCoalition::None => assert_eq!(smallest, None, "{game:?}"),
            SmallestCoalition::Found(Coalition { seats: turned, winner, rank }) => {
                assert_eq!(Some(turned.len()), smallest.map(Vec::len), "{game:?}");
                assert_eq!(*winner, winner_against_coalition(game, seat, turned));
                assert_eq!(*rank, rank_against(turned));
                assert!(*rank > figures.predicted_rank);
            }
            larger @ SmallestCoalition::LargerThan { .. } => panic!("{larger:?}: nothing bounds the search"),
        }
    }
    check_takes(game, &robustness);
    assert_eq!(position, robustness.position);
}

fn check_takes(game: &Game, robustness: &Robustness) {
    let (mover, mut next) = (game.first_seat(), 1);
    let mut minimax = MinimaxRanks::new(game, mover);
    let figures = &robustness.seats[mover];
    for option in &robustness.takes {
        assert_eq!(option.takes.lo, next);
        next = option.takes.hi + 1;
        for take in option.takes.lo..=option.takes.hi {
            let mut after = game.first_position();
            after.take(take).unwrap();
            assert_eq!(option.guaranteed_rank as usize, minimax.rank(&after));
            assert_eq!(option.winner, Solution::new(game).winner(&after));
            let is_optimal = option.winner == robustness.winner;
            let keeps = option.guaranteed_rank == figures.guaranteed_rank;
            let is_sure_of_nothing = figures.guaranteed_rank as usize + 1 == game.matrix.seats().get();
            let expected = match (is_optimal, keeps) {
                (true, true) => TakeSafety::Safe,
                (true, false) => TakeSafety::Risky,
                (false, true) if !is_sure_of_nothing => TakeSafety::SafeError,
                (false, _) => TakeSafety::Error,
            };
            assert_eq!(option.safety, expected);
        }
    }
    assert_eq!(next, game.first_position().counters() + 1);
    assert!(robustness.takes.len() <= 2 * game.matrix.seats().get() + 1);
}

/// Returns all lists of 1 to `max_piles` piles, each with 1 to `counters` counters.
fn small_piles(max_piles: usize, counters: u64) -> Vec<Piles> {
    let mut all: Vec<Vec<u64>> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..max_piles {
        last =
            last.iter().flat_map(|piles| (1..=counters).map(|last| [&piles[..], &[last]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all.iter().skip(1).map(|piles| Piles::parse(piles).unwrap()).collect()
}

#[test]
fn every_matrix_of_three_seats_agrees_with_minimax() {
    let rows = permutations(SeatCount::new(3).unwrap());
    for (first, one) in rows.iter().enumerate() {
        for (second, other) in rows.iter().enumerate() {
            for (third, last) in rows.iter().enumerate() {
                let rows = BySeat::try_from(vec![one.clone(), other.clone(), last.clone()]).unwrap();
                let matrix = AllianceMatrix::from_rows(rows).unwrap();
                // The rotations of each matrix are tested as well, so it is enough to let seat 0 move first.
                for ending in Ending::ALL {
                    // Most matrices are tested with up to two piles, some with up to three.
                    let (max_piles, counters) =
                        if (first + second + third) % 7 == 0 { (3, 3) } else { (2, 4) };
                    for piles in small_piles(max_piles, counters) {
                        check_assessment(&Game::new(piles, matrix.clone(), 0, ending).unwrap());
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn four_and_five_seats_agree_with_minimax(game in games(4..=5, 1..=4, 1..=7)) {
        check_assessment(&game);
    }

    #[test]
    fn six_seats_agree_with_minimax(game in games(6..=6, 1..=3, 1..=8)) {
        check_assessment(&game);
    }

    #[test]
    fn play_with_errors_agrees_with_its_definition(
        game in games(2..=5, 1..=4, 1..=7),
        rate in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64],
    ) {
        let seats = game.matrix.seats();
        let rate = ErrorRate::new(rate).unwrap();
        let outlook = ErrorOutlook::of_game(&game, rate, &mut Budget::unbounded()).unwrap();
        let winner = Solution::new(&game).winner(&game.first_position());
        let if_all_err = win_probabilities_with_errors(&game, &BySeat::filled(seats, &rate.get()));
        for seat in seats.iter() {
            prop_assert!((outlook.win_probabilities[seat] - if_all_err[seat]).abs() < 1e-12);
            let rates = BySeat::from_fn(seats, |other| if other == seat { 0.0 } else { rate.get() });
            let if_others_err = win_probabilities_with_errors(&game, &rates);
            let expected_rank = |probabilities: &BySeat<f64>| -> f64 {
                probabilities.enumerate().map(|(w, p)| p * f64::from(game.matrix.rank(seat, w) as u32)).sum()
            };
            let kept = |probabilities: &BySeat<f64>| -> f64 {
                let is_kept = |w: Seat| game.matrix.rank(seat, w) <= game.matrix.rank(seat, winner);
                probabilities.enumerate().filter(|&(w, _)| is_kept(w)).map(|(_, p)| p).sum()
            };
            let figures = &outlook.seats[seat];
            let pairs = [
                (figures.expected_rank_if_all_err, expected_rank(&if_all_err)),
                (figures.expected_rank_if_others_err, expected_rank(&if_others_err)),
                (figures.kept_if_all_err, kept(&if_all_err)),
                (figures.kept_if_others_err, kept(&if_others_err)),
            ];
            for (figure, expected) in pairs {
                prop_assert!((figure - expected).abs() < 1e-12, "{figure} instead of {expected}");
            }
            let probabilities =
                [outlook.win_probabilities[seat], figures.kept_if_all_err, figures.kept_if_others_err];
            prop_assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)), "{probabilities:?}");
        }
    }
}

proptest! {
    #[test]
    fn with_two_opposed_seats_the_price_of_trust_is_0(game in games(2..=2, 1..=8, 1..=40)) {
        let robustness = assess_fully(&game);
        // If both seats want the same winner, a seat that turns no longer plays for its own row.
        let are_opposed = game.matrix[Seat::FIRST].offsets() == game.matrix.rows().as_slice()[1].offsets();
        for figures in &robustness.seats {
            prop_assert!(!are_opposed || figures.price_of_trust() == 0);
            prop_assert!(!are_opposed || figures.smallest_coalition == SmallestCoalition::None);
        }
        let is_plain = |safety| safety == TakeSafety::Safe || safety == TakeSafety::Error;
        prop_assert!(!are_opposed || robustness.takes.iter().all(|option| is_plain(option.safety)));
    }

    #[test]
    fn the_guaranteed_rank_assumes_that_all_other_seats_are_opponents(
        game in games(2..=MAX_SEATS, 1..=8, 1..=50),
    ) {
        let (seats, position) = (game.matrix.seats(), game.first_position());
        let predicted = Solution::new(&game).winner(&position);
        for seat in seats.iter() {
            let others: Vec<Seat> = seats.iter().filter(|&other| other != seat).collect();
            let turned = game_with_coalition(&game, seat, &others);
            let winner = Solution::new(&turned).winner(&position);
            let guaranteed = GuaranteedRanks::of_seat(&game, seat);
            prop_assert_eq!(guaranteed.rank(&position) as usize, game.matrix.rank(seat, winner));
            prop_assert!(guaranteed.rank(&position) as usize >= game.matrix.rank(seat, predicted));
        }
    }

    #[test]
    fn no_coalition_does_more_harm_than_all_others_together(game in games(2..=6, 1..=5, 1..=9)) {
        for (seat, figures) in assess_fully(&game).seats.enumerate() {
            for coalition in other_coalitions(game.matrix.seats(), seat) {
                let turned = game_with_coalition(&game, seat, &coalition);
                let winner = Solution::new(&turned).winner(&game.first_position());
                prop_assert!(game.matrix.rank(seat, winner) <= figures.guaranteed_rank as usize);
            }
        }
    }

    #[test]
    fn only_the_takes_of_a_seat_worsen_its_guaranteed_rank(
        game in games(2..=8, 1..=5, 1..=12),
        choices in vec(any::<prop::sample::Index>(), 60),
    ) {
        let seats = game.matrix.seats();
        let guaranteed = BySeat::from_fn(seats, |seat| GuaranteedRanks::of_seat(&game, seat));
        let mut position = game.first_position();
        for choice in choices {
            if position.is_over() {
                break;
            }
            let before = guaranteed.map(|guaranteed| guaranteed.rank(&position));
            let after_takes: Vec<_> = guaranteed[position.to_move()].ranks_after(&position).collect();
            let (mover, take) = (position.to_move(), 1 + choice.index(position.counters() as usize) as u64);
            position.take(take).unwrap();
            for seat in seats.iter() {
                let after = guaranteed[seat].rank(&position);
                if seat == mover {
                    prop_assert!(after >= before[seat]);
                    let listed = after_takes.iter().find(|(takes, _)| takes.contains(take));
                    prop_assert_eq!(listed.map(|&(_, rank)| rank), Some(after));
                    prop_assert_eq!(after_takes.iter().map(|&(_, rank)| rank).min(), Some(before[seat]));
                } else {
                    prop_assert!(after <= before[seat], "other seats' takes do not worsen the guaranteed rank");
                }
            }
        }
        for seat in seats.iter() {
            let winner = game.ending.winner(position.to_move(), seats);
            prop_assert_eq!(guaranteed[seat].rank(&position) as usize, game.matrix.rank(seat, winner));
        }
    }

    #[test]
    fn giant_piles_have_the_guarantees_of_capped_piles(
        matrix in matrices(2..=MAX_SEATS),
        piles in vec(MAX_COUNTERS - 3..=MAX_COUNTERS, 1..=MAX_PILES),
    ) {
        let n = matrix.seats().get() as u64;
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::LastMoverWins).unwrap();
        let mut capped = game.clone();
        capped.piles = Piles::parse(&vec![n; piles.len()]).unwrap();
        let robustness = Robustness::assess(&game, 0, &mut Budget::unbounded());
        for (seat, figures) in robustness.seats.enumerate() {
            let capped = GuaranteedRanks::of_seat(&capped, seat).rank(&capped.first_position());
            prop_assert_eq!(figures.guaranteed_rank, capped);
        }
        let takes = &robustness.takes;
        prop_assert_eq!((takes[0].takes.lo, takes[takes.len() - 1].takes.hi), (1, game.first_position().counters()));
        prop_assert!(takes.windows(2).all(|pair| pair[0].takes.hi + 1 == pair[1].takes.lo));
    }

    #[test]
    fn without_errors_the_predicted_winner_wins(game in games(2..=8, 1..=5, 1..=30)) {
        let outlook = ErrorOutlook::of_game(&game, ErrorRate::NONE, &mut Budget::unbounded()).unwrap();
        let winner = Solution::new(&game).winner(&game.first_position());
        prop_assert!((outlook.win_probabilities[winner] - 1.0).abs() < 1e-12);
        for (seat, figures) in outlook.seats.enumerate() {
            let rank = f64::from(game.matrix.rank(seat, winner) as u32);
            prop_assert!((figures.expected_rank_if_all_err - rank).abs() < 1e-9);
            prop_assert!((figures.expected_rank_if_others_err - rank).abs() < 1e-9);
        }
    }
}

/// Returns a generator of pseudorandom numbers (xorshift64), each below a given bound.
fn number_generator() -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    }
}

#[test]
fn with_three_seats_predicted_wins_are_rarely_forced() {
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let mut draw_below = number_generator();
    let mut sure = 0;
    for _ in 0..2_000 {
        let piles: Vec<u64> = (0..2 + draw_below(5)).map(|_| 1 + draw_below(9)).collect();
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix.clone(), 0, Ending::ToMoveWins).unwrap();
        sure += u32::from(Robustness::assess(&game, 0, &mut Budget::unbounded()).is_winner_sure());
    }
    // An independent program found that 184 of 2,000 predicted wins are forced.
    assert!((60..=500).contains(&sure), "{sure} of 2000");
}

#[test]
fn random_games_have_takes_of_every_safety() {
    let rows = permutations(SeatCount::new(3).unwrap());
    let mut draw_below = number_generator();
    let mut kinds = HashSet::new();
    for _ in 0..2_000 {
        let rows = BySeat::from_fn(SeatCount::new(3).unwrap(), |_| rows[draw_below(6) as usize].clone());
        let piles: Vec<u64> = (0..=draw_below(4)).map(|_| 1 + draw_below(9)).collect();
        let matrix = AllianceMatrix::from_rows(rows).unwrap();
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
        let robustness = Robustness::assess(&game, 0, &mut Budget::unbounded());
        kinds.extend(robustness.takes.iter().map(|option| option.safety));
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn larger_coalitions_may_do_less_harm_and_some_even_help() {
    // This is possible because the seats outside a coalition adapt their play to who is in it.
    let mut draw_below = number_generator();
    let (seats, guarded) = (SeatCount::new(4).unwrap(), Seat::FIRST);
    let all = permutations(seats);
    let (mut less_harm, mut help) = (false, false);
    for _ in 0..20_000 {
        let rows = BySeat::from_fn(seats, |_| all[draw_below(24) as usize].clone());
        let piles: Vec<u64> = (0..=draw_below(4)).map(|_| 1 + draw_below(5)).collect();
        let matrix = AllianceMatrix::from_rows(rows).unwrap();
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
        let rank = |coalition: &[usize]| {
            let coalition: Vec<Seat> = coalition.iter().map(|&seat| seats.seat(seat).unwrap()).collect();
            game.matrix.rank(guarded, winner_against_coalition(&game, guarded, &coalition))
        };
        less_harm |= rank(&[1, 2]) < rank(&[1]);
        help |= rank(&[1]) < rank(&[]);
        if less_harm && help {
            return;
        }
    }
    panic!("less harm: {less_harm}, help: {help}");
}

#[test]
fn a_search_that_stops_early_names_its_limit() {
    let seats = SeatCount::new(5).unwrap();
    let mut draw_below = number_generator();
    let random_games = std::iter::repeat_with(|| {
        let piles: Vec<u64> = (0..2 + draw_below(4)).map(|_| 1 + draw_below(9)).collect();
        let piles = Piles::parse(&piles).unwrap();
        Game::new(piles, AllianceMatrix::standard(seats), 0, Ending::ToMoveWins).unwrap()
    });
    let is_larger = |game: &Game, size: usize| {
        assess_fully(game).seats.iter().position(|figures| {
            matches!(&figures.smallest_coalition, SmallestCoalition::Found(found) if found.seats.len() > size)
        })
    };
    let game = random_games.take(10_000).find(|game| is_larger(game, 1).is_some()).unwrap();
    let seat = is_larger(&game, 1).unwrap();
    let smallest_coalition = |max_coalition, budget: &mut Budget<'_>| {
        Robustness::assess(&game, max_coalition, budget).seats.as_slice()[seat].smallest_coalition.clone()
    };
    let bounded = smallest_coalition(1, &mut Budget::unbounded());
    assert_eq!(bounded, SmallestCoalition::LargerThan { seats: 1, halt: None });
    let none = smallest_coalition(0, &mut Budget::unbounded());
    assert_eq!(none, SmallestCoalition::LargerThan { seats: 0, halt: None });
    assert!(matches!(
        smallest_coalition(4, &mut Budget::of_steps(3)),
        SmallestCoalition::LargerThan { seats: 0, halt: Some(_) }
    ));
}

#[test]
fn thirty_two_seats_are_searched_within_a_budget() {
    let seats = SeatCount::new(32).unwrap();
    let mut draw_below = number_generator();
    let rows = BySeat::from_fn(seats, |_| {
        let mut row: Vec<u64> = (0..32).collect();
        (1..32).rev().for_each(|place| row.swap(place, draw_below(place as u64 + 1) as usize));
        Row::parse(&row, seats).unwrap()
    });
    let piles = Piles::parse(&[(); 6].map(|()| 1 + draw_below(40))).unwrap();
    let game = Game::new(piles, AllianceMatrix::from_rows(rows).unwrap(), 0, Ending::ToMoveWins).unwrap();
    let mut budget = Budget::of_steps(200_000);
    let robustness = Robustness::assess(&game, 31, &mut budget);
    for (seat, figures) in robustness.seats.enumerate() {
        if let SmallestCoalition::Found(found) = &figures.smallest_coalition {
            let turned = game_with_coalition(&game, seat, &found.seats);
            let winner = Solution::new(&turned).winner(&game.first_position());
            assert_eq!(found.winner, winner);
            assert_eq!(found.rank as usize, game.matrix.rank(seat, winner));
        }
    }
    assert!(
        robustness
            .seats
            .iter()
            .any(|figures| { matches!(figures.smallest_coalition, SmallestCoalition::Found(_)) })
    );
}

#[test]
fn rounding_keeps_probabilities_between_0_and_1() {
    for piles in [vec![3, 4, 5], vec![7, 9], vec![20, 30, 40], vec![5, 5, 5, 5]] {
        for (percent, rows) in (1..100).flat_map(|percent| [(percent, 2), (percent, 3), (percent, 5)]) {
            let matrix = AllianceMatrix::standard(SeatCount::new(rows).unwrap());
            let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
            let rate = ErrorRate::new(f64::from(percent) / 100.0).unwrap();
            let outlook = ErrorOutlook::of_game(&game, rate, &mut Budget::unbounded()).unwrap();
            let worst = f64::from(rows as u32 - 1);
            for (figures, &wins) in outlook.seats.as_slice().iter().zip(outlook.win_probabilities.as_slice())
            {
                for probability in [wins, figures.kept_if_all_err, figures.kept_if_others_err] {
                    assert!((0.0..=1.0).contains(&probability), "{piles:?} {percent}%: {probability}");
                }
                for rank in [figures.expected_rank_if_all_err, figures.expected_rank_if_others_err] {
                    assert!((0.0..=worst).contains(&rank), "{piles:?} {percent}%: {rank}");
                }
            }
        }
    }
}

#[test]
fn play_with_errors_rejects_too_many_counters() {
    let rows = vec![vec![0, 1, 2]; 3];
    let outlook = |piles: &[u64], budget: &mut Budget<'_>| {
        let game = Game::parse(piles, &rows, 0, Ending::ToMoveWins).unwrap();
        ErrorOutlook::of_game(&game, ErrorRate::new(0.1).unwrap(), budget)
    };
    let refused = outlook(&[MAX_COUNTERS, MAX_COUNTERS], &mut Budget::unbounded()).unwrap_err();
    assert_eq!(refused, ErrorOutlookError::TooManyCounters { counters: 2 * u128::from(MAX_COUNTERS) });
    assert_eq!(
        refused.to_string(),
        "18446744073709551614 counters in total: expected at most 10000000, because a calculation with errors examines every possible take"
    );
    assert!(outlook(&[MAX_ERRING_COUNTERS, 1], &mut Budget::unbounded()).is_err());
    let halted = outlook(&[MAX_ERRING_COUNTERS], &mut Budget::of_steps(1000));
    assert!(matches!(halted, Err(ErrorOutlookError::Halt(_))));
    let end_outlook = outlook(&[0], &mut Budget::unbounded()).unwrap();
    assert_eq!(end_outlook.win_probabilities.as_slice(), [1.0, 0.0, 0.0]);
}
