//! Tests that the rationalisable rows agree with an enumeration of all rows.

use lastnim_analysis::{
    AddGameError, AddGameOutcome, DeclaredRow, KnowledgeReading, Minimality, RationalisableRows, RowCount,
    StoredGameLimits, TakeOfGame,
};
use lastnim_core::game::testing::{games, permutations, with_row};
use lastnim_core::{
    game::{Game, Row, Seat, SeatCount},
    oracle::{Budget, Mover, PlayedTake, Solution, reference::BackwardInduction},
};
use proptest::{
    collection::vec, prelude::*, sample::Index, strategy::ValueTree as _, test_runner::TestRunner,
};

/// A played game and the seat under test.
#[derive(Debug, Clone)]
struct PlayedGame {
    game: Game,
    seat: Seat,
    takes: Vec<PlayedTake>,
}

/// How the seat under test plays. The other seats play at random.
#[derive(Debug, Clone, Copy)]
enum PlayStyle {
    AtRandom,
    OptimallyFor(u64),
}

/// Plays a game to its end. If `play` is optimal, its number selects one of all possible rows, and the seat plays
/// optimally for that row.
fn play_game(game: Game, seat: Index, choices: &[Index], play: PlayStyle) -> PlayedGame {
    let seats = game.matrix.seats();
    let seat = seats.seat(seat.index(seats.get())).unwrap();
    let row = match play {
        PlayStyle::AtRandom => None,
        PlayStyle::OptimallyFor(number) => {
            let rows = permutations(seats);
            Some(rows[(number % rows.len() as u64) as usize].clone())
        }
    };
    let solution = row.map(|row| Solution::new(&with_row(&game, seat, &row)));
    let (mut position, mut takes) = (game.first_position(), Vec::new());
    for choice in choices.iter().cycle() {
        if position.is_over() {
            break;
        }
        let take = match &solution {
            Some(solution) if position.to_move() == seat => {
                let optimal: Vec<_> = super::list_takes(&solution.optimal_takes(&position));
                optimal[choice.index(optimal.len())]
            }
            _ => 1 + choice.index(position.counters() as usize) as u64,
        };
        position.take(take).unwrap();
        takes.push(PlayedTake::by_bot(take));
    }
    PlayedGame { game, seat, takes }
}

fn any_games(
    seats: std::ops::RangeInclusive<usize>,
    games_of: std::ops::RangeInclusive<usize>,
    how: impl Strategy<Value = PlayStyle> + Clone,
) -> impl Strategy<Value = Vec<PlayedGame>> {
    (seats, how).prop_flat_map(move |(seats, how)| {
        let choices = vec(any::<Index>(), 20);
        let one = (games(seats..=seats, 1..=4, 1..=7), any::<Index>(), choices);
        let play_with_steward = move |(game, seat, choices): (Game, Index, Vec<Index>)| {
            let mut played = play_game(game, seat, &choices, how);
            // The steward makes some of the takes, including some of the seat under test.
            for (take, choice) in played.takes.iter_mut().zip(choices.iter().cycle()) {
                take.mover = if choice.index(11) == 0 { Mover::Steward } else { Mover::Bot };
            }
            played
        };
        vec(one.prop_map(play_with_steward), games_of.clone())
    })
}

fn any_play() -> impl Strategy<Value = PlayStyle> + Clone {
    prop_oneof![Just(PlayStyle::AtRandom), any::<u64>().prop_map(PlayStyle::OptimallyFor)]
}

/// Returns, for each take of the seat's own bot, whether the row explains it, by the definitions and plain backward
/// induction.
fn explained_takes(played: &PlayedGame, reading: KnowledgeReading, row: &Row) -> Vec<(u32, bool)> {
    let PlayedGame { game, seat, takes } = played;
    let solution = match reading {
        KnowledgeReading::CommonKnowledge => BackwardInduction::new(&with_row(game, *seat, row)),
        KnowledgeReading::DeclaredBelieved => BackwardInduction::new(game),
    };
    let (mut position, mut explained) = (game.first_position(), Vec::new());
    for (ply, take) in (0..).zip(takes) {
        let rank_after = |take| {
            let mut after = position.clone();
            after.take(take).unwrap();
            row.rank(*seat, solution.winner(&after))
        };
        if position.to_move() == *seat && take.mover == Mover::Bot {
            let best = (1..=position.counters()).map(rank_after).min();
            explained.push((ply, best == Some(rank_after(take.take))));
        }
        position.take(take.take).unwrap();
    }
    explained
}

fn add_games(
    games: &[PlayedGame],
    reading: KnowledgeReading,
    limits: StoredGameLimits,
) -> RationalisableRows {
    let mut rows = RationalisableRows::with_limits(games[0].game.matrix.seats(), reading, limits);
    for played in games {
        let _ = rows.add_game(&played.game, played.seat, &played.takes, &mut Budget::unbounded()).unwrap();
    }
    rows
}

fn any_reading() -> impl Strategy<Value = KnowledgeReading> {
    prop::sample::select(&[KnowledgeReading::CommonKnowledge, KnowledgeReading::DeclaredBelieved][..])
}

proptest! {
    #[test]
    fn rationalisable_rows_agree_with_enumeration(games in any_games(2..=6, 1..=3, any_play()), reading in any_reading()) {
        let rows = add_games(&games, reading, StoredGameLimits::default());
        prop_assert_eq!((rows.game_count(), rows.games_left_out()), (games.len() as u64, 0));
        let mut takes = 0;
        let mut count = 0;
        for row in permutations(games[0].game.matrix.seats()) {
            let explained: Vec<_> = games.iter().flat_map(|played| explained_takes(played, reading, &row)).collect();
            let explains_all = explained.iter().all(|(_, explained)| *explained);
            takes = explained.len() as u64;
            count += u128::from(explains_all);
            let leaves = rows.rows().leaves().iter().filter(|leaf| leaf.admits(&row)).count();
            prop_assert_eq!(leaves, usize::from(explains_all), "{}", row);
        }
        prop_assert_eq!(rows.take_count(), takes);
        prop_assert_eq!(rows.rows().count_rows(&mut Budget::unbounded()), RowCount::Exactly(count));
        prop_assert_eq!(rows.contradiction(&mut Budget::unbounded()).is_some(), count == 0);
    }

    #[test]
    fn the_shortest_contradiction_is_found(
        games in any_games(3..=5, 2..=5, Just(PlayStyle::AtRandom)),
        reading in any_reading(),
    ) {
        let found = add_games(&games, reading, StoredGameLimits::default());
        let Some(contradiction) = found.contradiction(&mut Budget::unbounded()) else { return Ok(()) };
        prop_assert_eq!(contradiction.minimality, Minimality::Proved);
        // For each take, this tells which rows do not explain it.
        let rows = permutations(games[0].game.matrix.seats());
        let mut refuted: Vec<(TakeOfGame, Vec<bool>)> = Vec::new();
        for (game, played) in (0..).zip(&games) {
            let by_row: Vec<_> = rows.iter().map(|row| explained_takes(played, reading, row)).collect();
            for (place, &(ply, _)) in by_row[0].iter().enumerate() {
                refuted.push((TakeOfGame { game, ply }, by_row.iter().map(|takes| !takes[place].1).collect()));
            }
        }
        let refuted_of = |take: &TakeOfGame| &refuted.iter().find(|(other, _)| other == take).unwrap().1;
        let named: Vec<_> = contradiction.takes.iter().map(refuted_of).collect();
        prop_assert!(contradiction.takes.is_sorted());
        prop_assert!(refutes_all(&named), "{:?}", contradiction);
        let all: Vec<_> = refuted.iter().map(|(_, rows)| rows).collect();
        prop_assert!(!any_refutes_all(&all, named.len() - 1, &mut Vec::new()), "{:?}", contradiction);
    }

    #[test]
    fn a_seat_that_plays_optimally_for_a_row_is_explained_by_it(
        (number, games) in any::<u64>().prop_flat_map(|number| {
            (Just(number), any_games(2..=6, 1..=6, Just(PlayStyle::OptimallyFor(number))))
        }),
    ) {
        let rows = add_games(&games, KnowledgeReading::CommonKnowledge, StoredGameLimits::default());
        let all = permutations(games[0].game.matrix.seats());
        prop_assert!(rows.rows().contains(&all[(number % all.len() as u64) as usize]));
    }

    #[test]
    fn limits_never_exclude_a_possible_row(
        games in any_games(4..=6, 1..=5, any_play()),
        max_leaves in 1..4_usize,
        max_takes in 0..6_usize,
    ) {
        let exact = add_games(&games, KnowledgeReading::CommonKnowledge, StoredGameLimits::default());
        let limited = add_games(&games, KnowledgeReading::CommonKnowledge, StoredGameLimits { max_leaves, max_takes });
        prop_assert!(limited.rows().leaves().len() <= max_leaves);
        prop_assert!(exact.rows().rows().all(|row| limited.rows().contains(&row)));
        if limited.games_left_out() == 0 {
            prop_assert!(limited.rows().rows().all(|row| exact.rows().contains(&row)));
        }
        if let Some(contradiction) = limited.contradiction(&mut Budget::of_steps(10)) {
            prop_assert!(exact.rows().is_empty() && !contradiction.takes.is_empty());
        }
    }
}

fn refutes_all(takes: &[&Vec<bool>]) -> bool {
    (0..takes.first().map_or(1, |rows| rows.len())).all(|row| takes.iter().any(|rows| rows[row]))
}

/// Returns whether `chosen`, with at most `max_takes` further takes, can refute all rows. Tries all sets of takes.
fn any_refutes_all<'a>(takes: &[&'a Vec<bool>], max_takes: usize, chosen: &mut Vec<&'a Vec<bool>>) -> bool {
    if refutes_all(chosen) {
        return true;
    }
    max_takes > 0
        && takes.iter().enumerate().any(|(place, &rows)| {
            chosen.push(rows);
            let found = any_refutes_all(&takes[place + 1..], max_takes - 1, chosen);
            chosen.pop();
            found
        })
}

fn two_seat_game() -> Game {
    let rows = [vec![0, 1], vec![0, 1]];
    Game::parse(&[3], &rows, 0, lastnim_core::game::Ending::ToMoveWins).unwrap()
}

#[test]
fn declared_rows_are_tracked() {
    let game = two_seat_game();
    let mut rows = RationalisableRows::new(game.matrix.seats(), KnowledgeReading::DeclaredBelieved);
    assert_eq!((rows.declared(), rows.is_declared_rational()), (&DeclaredRow::Nothing, None));
    let mut add = |game: &Game, takes: &[u64]| {
        let takes: Vec<_> = takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
        let added = rows.add_game(game, Seat::FIRST, &takes, &mut Budget::unbounded());
        (added, rows.declared().clone(), rows.is_declared_rational(), rows.take_count())
    };
    let row = game.matrix[Seat::FIRST].clone();
    let honest = add(&game, &[2, 1]);
    assert_eq!(honest, (Ok(AddGameOutcome::Counted), DeclaredRow::Always(row.clone()), Some(true), 1));
    let blunder = add(&game, &[1, 1, 1]);
    assert_eq!(blunder, (Ok(AddGameOutcome::Counted), DeclaredRow::Always(row), Some(false), 3));
    let other = with_row(&game, Seat::FIRST, &Row::favouring(1, game.matrix.seats()));
    assert_eq!(add(&other, &[]), (Ok(AddGameOutcome::Counted), DeclaredRow::Various, None, 3));
    let contradiction = rows.contradiction(&mut Budget::unbounded()).unwrap();
    let expected = [TakeOfGame { game: 0, ply: 0 }, TakeOfGame { game: 1, ply: 0 }];
    assert_eq!(contradiction.takes, expected);
    assert_eq!(contradiction.takes[1].to_string(), "game 2, take 1");
}

#[test]
fn unsuitable_games_are_rejected() {
    let three = SeatCount::new(3).unwrap();
    let mut rows = RationalisableRows::new(three, KnowledgeReading::CommonKnowledge);
    let mut refusal = |game: &Game, seat, takes: &[PlayedTake]| {
        let error = rows.add_game(game, seat, takes, &mut Budget::unbounded()).unwrap_err();
        (error.to_string(), rows.game_count())
    };
    let message = "a game with 2 seats after games with 3: all games must have the same number of seats";
    assert_eq!(refusal(&two_seat_game(), Seat::FIRST, &[]), (message.into(), 0));
    let rows = vec![vec![0, 1, 2]; 3];
    let game = Game::parse(&[3], &rows, 0, lastnim_core::game::Ending::ToMoveWins).unwrap();
    let error = refusal(&game, Seat::FIRST, &[PlayedTake::by_bot(2), PlayedTake::by_bot(2)]).0;
    assert_eq!(error, "take 2: a take of 2 from pile 0, which has 1 left: take 1 to 1");
    let third = SeatCount::new(4).unwrap().seat(3).unwrap();
    assert_eq!(refusal(&game, third, &[]).0, "seat 3: expected 0 to 2");
}

#[test]
fn a_game_beyond_the_budget_is_left_out() {
    let game = two_seat_game();
    let mut rows = RationalisableRows::new(game.matrix.seats(), KnowledgeReading::CommonKnowledge);
    let takes = [PlayedTake::by_bot(1), PlayedTake::by_bot(2)];
    let added = rows.add_game(&game, Seat::FIRST, &takes, &mut Budget::of_steps(1)).unwrap();
    assert!(matches!(added, AddGameOutcome::Halted(_)));
    assert_eq!((rows.game_count(), rows.games_left_out(), rows.rows().rows().count()), (1, 1, 2));
    assert!(
        AddGameError::Seats { given: rows.rows().seats(), seats: rows.rows().seats() }
            .to_string()
            .contains("2 seats")
    );
}

#[test]
fn three_games_expose_about_half_of_random_movers() {
    let mut runner = TestRunner::deterministic();
    let strategy = (games(4..=4, 5..=5, 1..=9), any::<Index>(), vec(any::<Index>(), 64));
    let mut sample = || strategy.new_tree(&mut runner).unwrap().current();
    let samples = 600;
    let caught = (0..samples).filter(|_| {
        let games = [(); 3].map(|()| {
            let (game, seat, choices) = sample();
            play_game(game, seat, &choices, PlayStyle::AtRandom)
        });
        add_games(&games, KnowledgeReading::CommonKnowledge, StoredGameLimits::default()).rows().is_empty()
    });
    let share = f64::from(caught.count() as u32) / f64::from(samples);
    assert!((0.40..0.52).contains(&share), "{share}: 46% is expected, with a standard error of 2%");
}
