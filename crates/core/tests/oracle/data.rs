//! Tests the oracle against the paper's tables, and against random positions that an independent brute-force program
//! solved.

use super::{list_takes, seat_indices};
use lastnim_core::{
    game::{Ending, Game},
    oracle::{self, Audit, BatchSolver, PlayedTake, Solution, find_erratum, reference::memoised_winner},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct PaperTables {
    rows: Vec<PaperRow>,
}

#[derive(Deserialize)]
struct PaperRow {
    row: String,
    piles: Vec<u64>,
    alliance_matrix: Vec<Vec<u64>>,
    first: usize,
    printed_value: Option<usize>,
    printed_winner: usize,
    value: usize,
    winner: usize,
    erratum: Option<String>,
}

#[derive(Deserialize)]
struct OracleCases {
    cases: Vec<OracleCase>,
}

#[derive(Deserialize)]
struct OracleCase {
    piles: Vec<u64>,
    ending: String,
    alliance_matrix: Vec<Vec<u64>>,
    first: usize,
    value: usize,
    winner: usize,
    optimal_takes: Vec<u64>,
    winner_by_first: Vec<usize>,
    playout: Vec<Decision>,
}

#[derive(Deserialize)]
struct Decision {
    piles: Vec<u64>,
    mover: usize,
    predicted: usize,
    optimal_takes: Vec<u64>,
    take: u64,
    after: usize,
    regret: u32,
}

#[test]
fn the_papers_tables_are_reproduced_except_three_errata() {
    let tables: PaperTables = serde_json::from_str(include_str!("../data/paper_tables.json")).unwrap();
    assert_eq!(tables.rows.len(), 31);
    let mut errata = Vec::new();
    for row in &tables.rows {
        let game = Game::parse(&row.piles, &row.alliance_matrix, row.first, Ending::ToMoveWins).unwrap();
        let winner = oracle::solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()];
        let value = game.matrix.seats().distance_between(game.first_seat(), winner);
        assert_eq!((winner.index(), value), (row.winner, row.value), "row {}", row.row);
        assert_eq!(Solution::new(&game).winner(&game.first_position()), winner, "row {}", row.row);
        assert_eq!(memoised_winner(&game), winner, "row {}", row.row);

        let as_printed =
            winner.index() == row.printed_winner && row.printed_value.is_none_or(|printed| printed == value);
        assert_eq!(as_printed, row.erratum.is_none(), "row {}", row.row);
        assert_eq!(
            find_erratum(&game).map(|found| (found.erratum.row, found.equivalent_for)),
            row.erratum.is_some().then_some((&*row.row, None))
        );
        if row.erratum.is_some() {
            errata.push(row.row.as_str());
        }
    }
    assert_eq!(errata, ["1.1", "3.1", "6.5"]);
}

#[test]
fn an_erratum_is_found_for_equivalent_piles() {
    let standard_rows = |seats: usize| vec![(0..seats as u64).collect::<Vec<_>>(); seats];
    let example = [vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
    let erratum_of = |piles: &[u64], rows: &[Vec<u64>], first, ending| {
        let found = find_erratum(&Game::parse(piles, rows, first, ending).unwrap())?;
        Some((found.erratum.row, found.equivalent_for, found.to_string()))
    };
    let named_winner = |piles: &[u64], rows: &[Vec<u64>], first| {
        erratum_of(piles, rows, first, Ending::ToMoveWins)
            .map(|(row, equivalent_for, _)| (row, equivalent_for))
    };
    assert_eq!(named_winner(&[2, 2, 1], &example, 0), Some(("figure 1", None)));
    assert_eq!(named_winner(&[1, 2, 2], &example, 0), None, "the piles as the figure shows them");
    assert_eq!(named_winner(&[2, 2, 1], &example, 1), None);
    assert_eq!(named_winner(&[1, 2, 3], &standard_rows(3), 1), Some(("3.1", None)));
    assert_eq!(named_winner(&[1, 2, 1 << 60], &standard_rows(3), 1), Some(("3.1", Some(3))));
    assert_eq!(named_winner(&[1, 3, 3], &standard_rows(3), 1), None);
    assert_eq!(named_winner(&[9, 3], &standard_rows(4), 2), Some(("1.1", Some(4))));
    assert_eq!(named_winner(&[9, 4], &standard_rows(4), 2), None);
    assert_eq!(erratum_of(&[9, 3], &standard_rows(4), 2, Ending::LastMoverWins), None);
    let (.., words) = erratum_of(&[9, 3], &standard_rows(4), 2, Ending::ToMoveWins).unwrap();
    let why =
        "(in the equivalent position with piles 4,3: a pile of x counters is equivalent to one of min(x, 4))";
    assert!(words.ends_with(why), "{words}");
}

#[test]
fn the_oracle_agrees_with_independent_brute_force() {
    let cases: OracleCases = serde_json::from_str(include_str!("../data/oracle_cases.json")).unwrap();
    assert_eq!(cases.cases.len(), 800);
    let mut plies = 0;
    for (number, case) in cases.cases.iter().enumerate() {
        let ending = case.ending.parse().unwrap();
        let game = Game::parse(&case.piles, &case.alliance_matrix, case.first, ending).unwrap();
        let solution = Solution::new(&game);
        let mut position = game.first_position();
        assert_eq!(
            seat_indices(&oracle::solve_winners(&game.piles, &game.matrix, ending)),
            case.winner_by_first,
            "{number}"
        );
        assert_eq!(seat_indices(&solution.winners(&position)), case.winner_by_first, "{number}");
        let mut batch = BatchSolver::new(&game.matrix, ending);
        assert_eq!(
            seat_indices(&batch.solve_position(&case.piles).to_by_seat()),
            case.winner_by_first,
            "{number}"
        );
        assert_eq!(solution.winner(&position).index(), case.winner, "{number}");
        assert_eq!((case.first + case.value) % game.matrix.seats().get(), case.winner, "{number}");
        assert_eq!(list_takes(&solution.optimal_takes(&position)), case.optimal_takes, "{number}");

        let takes: Vec<_> = case.playout.iter().map(|ply| PlayedTake::by_bot(ply.take)).collect();
        let audit = Audit::of_finished(&game, &takes).unwrap();
        assert_eq!(audit.predicted_winner.index(), case.winner, "{number}");
        assert_eq!(audit.plies.len(), case.playout.len());
        for (ply, expected) in audit.plies.iter().zip(&case.playout) {
            assert!(position.piles().eq(expected.piles.iter().copied()), "{number}: {position:?}");
            assert_eq!(ply.seat.index(), expected.mover, "{number}: {ply}");
            assert_eq!(ply.predicted_before.index(), expected.predicted, "{number}: {ply}");
            assert_eq!(ply.predicted_after.index(), expected.after, "{number}: {ply}");
            assert_eq!(ply.regret, expected.regret, "{number}: {ply}");
            assert_eq!(list_takes(&ply.optimal_takes), expected.optimal_takes, "{number}: {ply}");
            assert_eq!(ply.counters, position.counters());
            position.take(ply.take).unwrap();
            plies += 1;
        }
        assert!(position.is_over());
        assert_eq!(audit.winner, ending.winner(position.to_move(), position.seats()), "{number}");
    }
    assert_eq!(plies, 4_972);
}
