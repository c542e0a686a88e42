//! Random games for bot tests.

use lastnim_client::MatchView;
use lastnim_core::{
    game::{BySeat, Ending, Game, MAX_COUNTERS, MatchId, Piles, testing::matrices},
    referee::{Deal, DealHash, DealRule, MatchSetup},
};
use lastnim_tournament::SeededDraw;
use proptest::{
    prelude::*,
    sample::{Index, select},
};
use std::ops::RangeInclusive;

/// Generates games with 2 to 6 seats and a few piles, some of which have the maximum size.
pub(super) fn games() -> impl Strategy<Value = Game> {
    games_with_seats(2..=6)
}

/// Generates games whose number of seats lies in this range, with a few piles, some of which have the maximum size.
pub(super) fn games_with_seats(seats: RangeInclusive<usize>) -> impl Strategy<Value = Game> {
    let pile = prop_oneof![1_u64..12, Just(MAX_COUNTERS)];
    games_of(seats, prop::collection::vec(pile, 1..6))
}

/// Generates games with 2 to 4 seats that are small enough for a test to try every take.
pub(super) fn small_games() -> impl Strategy<Value = Game> {
    games_of(2..=4, prop::collection::vec(1_u64..5, 1..5))
}

fn games_of(
    seats: RangeInclusive<usize>,
    piles: impl Strategy<Value = Vec<u64>>,
) -> impl Strategy<Value = Game> {
    (matrices(seats), piles, any::<Index>(), select(&Ending::ALL[..])).prop_map(
        |(matrix, piles, first, ending)| {
            let first = first.index(matrix.seats().get());
            Game::new(Piles::parse(&piles).unwrap(), matrix, first, ending).unwrap()
        },
    )
}

/// Draws the `number`th game: it has random rows, and its piles have 1 to `max_counters` counters each.
pub(super) fn random_game(number: u64, seats: usize, piles: usize, max_counters: u64) -> Game {
    let mut draw = SeededDraw::new(2019, number);
    let rows: Vec<Vec<u64>> = (0..seats)
        .map(|_| {
            let mut row: Vec<u64> = (0..seats as u64).collect();
            draw.shuffle(&mut row);
            row
        })
        .collect();
    let piles: Vec<u64> = (0..piles).map(|_| 1 + draw.number_below(max_counters)).collect();
    Game::parse(&piles, &rows, 0, Ending::ToMoveWins).unwrap()
}

/// Returns the view of the first seat to move, to which its row in the game was dealt by this rule.
pub(super) fn dealt_view(game: &Game, rule: DealRule) -> MatchView {
    let seats = game.matrix.seats();
    let bots = BySeat::from_fn(seats, |seat| format!("bot-{seat}").parse().unwrap());
    let mut setup = MatchSetup::new(bots, game.piles.clone());
    (setup.first, setup.ending) = (game.first_seat(), game.ending);
    let commitments = BySeat::filled(seats, &DealHash::from_bytes([0; 32]));
    setup.deal = Some(Box::new(Deal { rule, commitments }));
    let view = MatchView::replay(MatchId::least(), setup, &game.matrix, &[]).unwrap();
    view.with_dealt_row(game.matrix[game.first_seat()].clone())
}
