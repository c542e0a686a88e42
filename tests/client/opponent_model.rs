//! The example of a bot that models its opponents.

#[expect(dead_code, reason = "a program, of which the bot alone is used here")]
#[expect(clippy::cast_precision_loss, reason = "as an author of a bot would write it")]
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

/// Returns whether seat 0 wins with a row against those that the others declare.
fn wins_with(row: &Row, rows: &Rows, piles: &[u64]) -> bool {
    let own = [0, 1, 2].map(|place| u64::from(row.offsets()[place]));
    let game = game_with(&[own, rows[1], rows[2]], piles);
    solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()].index() == 0
}

#[test]
fn it_expects_what_was_declared_before() {
    let (mut at_first, mut having_seen, mut possible) = (0, 0, 0);
    for (second, third) in ALL_ROWS.into_iter().flat_map(|row| ALL_ROWS.map(|other| (row, other))) {
        let rows = [ALL_ROWS[0], second, third];
        for piles in [vec![2, 2, 2], vec![3, 3], vec![2, 3, 2, 3]] {
            // Here it matters now and then what one declares.
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
fn it_plays_for_its_own_win_before_its_row() {
    // Seat 1 wants seat 0 to win, who has declared for seat 1: taking all 3 makes that one win, and taking 1 oneself.
    let game = game_with(&[[1, 0, 2], [2, 0, 1], [0, 1, 2]], &[3]);
    let view = MatchView::practice(&game, &[]).unwrap();
    assert_eq!(Solution::new(&game).optimal_takes(view.position()).smallest(), Some(3));
    assert_eq!(OpponentModel::default().play(&view), 1);
}

#[test]
fn it_plays_at_tables_of_any_size_and_with_piles_of_any_size() {
    for seats in [2_usize, 5, 32] {
        let rows: Vec<Vec<u64>> = vec![(0..seats as u64).collect(); seats];
        let game = Game::parse(&[i64::MAX as u64, 7], &rows, 0, Ending::LastMoverWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        let mut bot = OpponentModel::default();
        assert_eq!(bot.declare(&view).seats().get(), seats);
        assert!((1..=7).contains(&bot.play(&view)));
    }
}
