//! The example of a bot that models its opponents.

#[expect(dead_code, reason = "only the bot of the program is used")]
#[expect(clippy::cast_precision_loss, reason = "typical code of a bot's author")]
#[path = "../../examples/rust-bot/src/opponent_model.rs"]
mod example;

use example::OpponentModel;
use lastnim_client::{Bot as _, MatchView};
use lastnim_core::{
    game::{Ending, Game, MatchId, Row},
    oracle::{Solution, solve_winners},
};

type Rows = [[u64; 3]; 3];

const ALL_ROWS: [[u64; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn game_with(rows: &Rows, piles: &[u64]) -> Game {
    Game::parse(piles, &rows.map(|row| row.to_vec()), 0, Ending::ToMoveWins).unwrap()
}

/// Returns whether seat 0 wins with a row against the others' rows.
fn wins_with(row: &Row, rows: &Rows, piles: &[u64]) -> bool {
    let own = [0, 1, 2].map(|place| u64::from(row.offsets()[place]));
    let game = game_with(&[own, rows[1], rows[2]], piles);
    solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()].index() == 0
}

#[test]
fn the_opponent_model_expects_earlier_declarations() {
    let (mut at_first, mut having_seen, mut possible) = (0, 0, 0);
    for (second, third) in ALL_ROWS.into_iter().flat_map(|row| ALL_ROWS.map(|other| (row, other))) {
        let rows = [ALL_ROWS[0], second, third];
        for piles in [vec![2, 2, 2], vec![3, 3], vec![2, 3, 2, 3]] {
            // Here the declaration sometimes matters.
            let mut bot = OpponentModel::default();
            let view = MatchView::practice(&game_with(&rows, &piles), &[]).unwrap();
            at_first += u32::from(wins_with(&bot.declare(&view), &rows, &piles));
            for number in 0..20 {
                bot.play(&view.clone().with_id(MatchId::new(number, &[0; 10])));
            }
            having_seen += u32::from(wins_with(&bot.declare(&view), &rows, &piles));
            let seats = view.bots.seats();
            let any = ALL_ROWS.map(|row| wins_with(&Row::parse(&row, seats).unwrap(), &rows, &piles));
            possible += u32::from(any.contains(&true));
        }
    }
    assert!(having_seen > at_first && having_seen == possible, "{at_first}, {having_seen} of {possible}");
}

#[test]
fn the_opponent_model_prefers_its_own_win_to_its_row() {
    // Seat 1, for which seat 0 has declared, wants seat 0 to win. Taking all 3 lets seat 1 win, and taking 1 lets seat 0 win.
    let game = game_with(&[[1, 0, 2], [2, 0, 1], [0, 1, 2]], &[3]);
    let view = MatchView::practice(&game, &[]).unwrap();
    assert_eq!(Solution::new(&game).optimal_takes(view.position()).smallest(), Some(3));
    assert_eq!(OpponentModel::default().play(&view), 1);
}

#[test]
fn the_opponent_model_plays_with_any_number_of_seats_and_any_piles() {
    for seats in [2_usize, 5, 32] {
        let rows: Vec<Vec<u64>> = vec![(0..seats as u64).collect(); seats];
        let game = Game::parse(&[i64::MAX as u64, 7], &rows, 0, Ending::LastMoverWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        let mut bot = OpponentModel::default();
        assert_eq!(bot.declare(&view).seats().get(), seats);
        assert!((1..=7).contains(&bot.play(&view)));
    }
}
