//! Tests that the robustness of games other than Last Nim agrees with minimax and with searches under altered
//! preferences.

use lastnim_analysis::general::{
    ExceededBound, GameNumbers, GeneralAnswer, GeneralGame, GeneralRobustness, MemoryBounds, Mover,
    PileSizes, Rules, Ruleset, SolveStopped,
    rulesets::{EndNim, Kayles, LastNim, Nim, SubtractionGame},
};
use lastnim_analysis::{Coalition, SmallestCoalition};
use lastnim_core::game::testing::{matrices, permutations};
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Row, Seat, SeatCount};
use lastnim_core::oracle::{Budget, TakeSafety};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::HashMap;

/// A position, together with the seat to move, the preferences and the ending.
struct RobustnessCase<'a, R: Rules> {
    rules: &'a R,
    position: R::Position,
    game: GeneralGame,
    matrix: &'a AllianceMatrix,
    first: Seat,
    ending: Ending,
}

impl<R: Rules> RobustnessCase<'_, R> {
    fn after(&self, position: &R::Position, to_move: Seat) -> impl Iterator<Item = (R::Move, R::Position)> {
        self.rules.moves(position.clone(), R::MoverKind::of_seat(to_move))
    }

    /// Returns the rank that a seat can hold against all others, by plain minimax.
    fn minimax_rank(&self, guarded: Seat, position: &R::Position, to_move: Seat) -> u32 {
        let seats = self.matrix.seats();
        let ranks = self
            .after(position, to_move)
            .map(|(_, after)| self.minimax_rank(guarded, &after, seats.next(to_move)));
        let rank = if to_move == guarded { ranks.min() } else { ranks.max() };
        rank.unwrap_or_else(|| self.matrix.rank(guarded, self.ending.winner(to_move, seats)) as u32)
    }

    /// Returns the winner if the seats `turned` turn against `guarded`: each of them picks the winner that `guarded`
    /// ranks worst.
    fn winner_against(&self, guarded: Seat, turned: &[Seat], position: &R::Position, to_move: Seat) -> Seat {
        let seats = self.matrix.seats();
        let winners = self
            .after(position, to_move)
            .map(|(_, after)| self.winner_against(guarded, turned, &after, seats.next(to_move)));
        let picked = if turned.contains(&to_move) {
            winners.max_by_key(|&winner| self.matrix.rank(guarded, winner))
        } else {
            winners.min_by_key(|&winner| self.matrix.rank(to_move, winner))
        };
        picked.unwrap_or_else(|| self.ending.winner(to_move, seats))
    }

    fn assess(&self) -> (GeneralAnswer, GeneralRobustness) {
        let (bounds, seats) = (MemoryBounds::default(), self.matrix.seats().get());
        let mut budget = Budget::unbounded();
        self.game.solve_and_assess(self.matrix, self.first, self.ending, seats, bounds, &mut budget).unwrap()
    }

    fn check(&self) {
        let (answer, found) = self.assess();
        let what = format!("{} {} {} seat {}", self.game, self.matrix, self.ending, self.first);
        for (guarded, figures) in found.seats.enumerate() {
            let rank = |winner| self.matrix.rank(guarded, winner) as u32;
            let winner_with_rivals =
                |turned: &[Seat]| self.winner_against(guarded, turned, &self.position, self.first);
            let guaranteed = self.minimax_rank(guarded, &self.position, self.first);
            assert_eq!(figures.guaranteed_rank, guaranteed, "{what}");
            assert_eq!(rank(figures.guaranteed_winner), guaranteed, "{what}");
            assert_eq!(figures.predicted_rank, rank(answer.winner), "{what}");
            let coalitions = coalitions_against(self.matrix.seats(), guarded);
            let smallest =
                coalitions.iter().find(|turned| rank(winner_with_rivals(turned)) > figures.predicted_rank);
            match &figures.smallest_coalition {
                SmallestCoalition::None => assert_eq!(smallest, None, "{what}"),
                SmallestCoalition::Found(Coalition { seats: turned, winner, rank: found_rank }) => {
                    assert_eq!(Some(turned.len()), smallest.map(Vec::len), "{what}");
                    assert_eq!((*winner, *found_rank), (winner_with_rivals(turned), rank(*winner)), "{what}");
                    assert!(*found_rank > figures.predicted_rank, "{what}");
                }
                larger @ SmallestCoalition::LargerThan { .. } => {
                    panic!("{larger:?}: nothing limits the search")
                }
            }
        }
        self.check_moves(&answer, &found, &what);
    }

    fn check_moves(&self, answer: &GeneralAnswer, found: &GeneralRobustness, what: &str) {
        let next = self.matrix.seats().next(self.first);
        let guaranteed: HashMap<String, u32> = self
            .after(&self.position, self.first)
            .map(|(play, after)| (play.to_string(), self.minimax_rank(self.first, &after, next)))
            .collect();
        let before = found.seats[self.first].guaranteed_rank;
        let is_sure_of_nothing = before as usize + 1 == self.matrix.seats().get();
        assert_eq!((found.moves.len(), guaranteed.len()), (answer.options.len(), answer.options.len()));
        for (option, robustness) in answer.options.iter().zip(&found.moves) {
            assert_eq!(robustness.guaranteed_rank, guaranteed[&option.play], "{what}: {}", option.play);
            let expected = match (option.is_optimal(), robustness.guaranteed_rank == before) {
                (true, true) => TakeSafety::Safe,
                (true, false) => TakeSafety::Risky,
                (false, true) if !is_sure_of_nothing => TakeSafety::SafeError,
                (false, _) => TakeSafety::Error,
            };
            assert_eq!(robustness.safety, expected, "{what}: {}", option.play);
        }
    }
}

/// Returns all nonempty sets of seats other than `guarded`, by ascending size.
fn coalitions_against(seats: SeatCount, guarded: Seat) -> Vec<Vec<Seat>> {
    let coalitions = (1..1_u32 << seats.get()).filter(|bits| bits >> guarded.index() & 1 == 0);
    let mut coalitions: Vec<Vec<Seat>> =
        coalitions.map(|bits| seats.iter().filter(|seat| bits >> seat.index() & 1 == 1).collect()).collect();
    coalitions.sort_by_key(Vec::len);
    coalitions
}

fn game_numbers(ruleset: Ruleset, piles: &[u64]) -> GameNumbers {
    let set = if ruleset == Ruleset::Subtraction { vec![1, 3] } else { Vec::new() };
    GameNumbers { piles: piles.to_vec(), set, ..GameNumbers::default() }
}

fn check_game<R: Rules<Position = PileSizes>>(
    rules: &R,
    ruleset: Ruleset,
    piles: &[u64],
    matrix: &AllianceMatrix,
    [first, ending]: [usize; 2],
) {
    let position = piles.iter().map(|&size| size as u32).collect();
    let game = GeneralGame::parse(ruleset, &game_numbers(ruleset, piles)).unwrap();
    let (first, ending) = (matrix.seats().seat(first).unwrap(), Ending::ALL[ending]);
    RobustnessCase { rules, position, game, matrix, first, ending }.check();
}

fn check_rulesets(piles: &[u64], matrix: &AllianceMatrix, question: [usize; 2]) {
    check_game(&Nim, Ruleset::Nim, piles, matrix, question);
    check_game(&Kayles, Ruleset::Kayles, piles, matrix, question);
    check_game(&EndNim, Ruleset::EndNim, piles, matrix, question);
    check_game(&SubtractionGame::parse(&[1, 3]).unwrap(), Ruleset::Subtraction, piles, matrix, question);
}

#[test]
fn small_positions_of_every_matrix_of_three_seats_agree_with_minimax() {
    let rows: Vec<Row> = permutations(SeatCount::new(3).unwrap());
    for (one, two) in rows.iter().flat_map(|one| rows.iter().map(move |two| (one, two))) {
        for three in &rows {
            let rows = BySeat::try_from(vec![one.clone(), two.clone(), three.clone()]).unwrap();
            let matrix = AllianceMatrix::from_rows(rows).unwrap();
            for piles in [&[1][..], &[2], &[3], &[4], &[1, 2], &[2, 2], &[1, 3], &[1, 1, 2]] {
                for ending in 0..2 {
                    check_rulesets(piles, &matrix, [0, ending]);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn random_positions_agree_with_minimax(
        matrix in matrices(2..=4),
        piles in vec(1..=3_u64, 1..=3),
        first in any::<prop::sample::Index>(),
        ending in 0..2_usize,
    ) {
        prop_assume!(piles.iter().sum::<u64>() <= 6);
        check_rulesets(&piles, &matrix, [first.index(matrix.seats().get()), ending]);
    }

    #[test]
    fn last_nim_answers_like_the_fast_solver(
        matrix in matrices(2..=4),
        piles in vec(1..=4_u64, 1..=2),
        ending in select(&Ending::ALL[..]),
    ) {
        let game = GeneralGame::parse(Ruleset::LastNim, &game_numbers(Ruleset::LastNim, &piles)).unwrap();
        let position: PileSizes = piles.iter().map(|&size| size as u32).collect();
        let question = RobustnessCase { rules: &LastNim, position, game, matrix: &matrix, first: Seat::FIRST, ending };
        let (answer, found) = question.assess();
        // In Last Nim, an option may cover a range of takes. Only options of a single take are compared.
        let single = |play: &str| !play.contains(" to ");
        let next = matrix.seats().next(Seat::FIRST);
        for (play, after) in question.after(&question.position, Seat::FIRST) {
            let options = answer.options.iter().zip(&found.moves);
            let mut found = options.filter(|(option, _)| single(&option.play) && option.play == play.to_string());
            if let Some((_, robustness)) = found.next() {
                prop_assert_eq!(robustness.guaranteed_rank, question.minimax_rank(Seat::FIRST, &after, next));
            }
        }
        for (guarded, figures) in found.seats.enumerate() {
            let expected = question.minimax_rank(guarded, &question.position, Seat::FIRST);
            prop_assert_eq!(figures.guaranteed_rank, expected);
        }
        prop_assert_eq!(answer.options.len(), found.moves.len());
    }
}

#[test]
fn a_small_budget_stops_the_search_for_coalitions_or_causes_an_error() {
    let matrix = AllianceMatrix::standard(SeatCount::new(4).unwrap());
    let game = GeneralGame::parse(Ruleset::Nim, &GameNumbers::of_piles(&[2, 3, 4])).unwrap();
    let assess = |steps| {
        let bounds = MemoryBounds::default();
        let mut budget = Budget::of_steps(steps);
        game.solve_and_assess(&matrix, Seat::FIRST, Ending::LastMoverWins, 3, bounds, &mut budget)
            .map(|(_, found)| (found, budget.steps_spent()))
    };
    assert!(
        matches!(assess(100), Err(SolveStopped { stopped, .. }) if matches!(stopped.bound, ExceededBound::Work(_)))
    );
    let (full, steps) = assess(u64::MAX).unwrap();
    let (cut, _) = assess(steps - 1).unwrap();
    let is_halted = |found: &GeneralRobustness| {
        found.seats.iter().any(|figures| {
            matches!(figures.smallest_coalition, SmallestCoalition::LargerThan { halt: Some(_), .. })
        })
    };
    assert!(is_halted(&cut) && !is_halted(&full));
    let unsearched = game
        .solve_and_assess(
            &matrix,
            Seat::FIRST,
            Ending::LastMoverWins,
            0,
            MemoryBounds::default(),
            &mut Budget::unbounded(),
        )
        .unwrap();
    assert!(unsearched.1.seats.iter().all(|figures| matches!(
        figures.smallest_coalition,
        SmallestCoalition::None | SmallestCoalition::LargerThan { seats: 0, halt: None }
    )));
}
