//! A bot that models its opponents: it counts the rows that each has declared, expects more of the same, and declares the
//! row that wins most often against them. It plays first for its own win, then for its row.
//!
//! `lastnim tournament run` starts it (`command = ["cargo", "run", "--release", "--bin", "opponent-model"]`); to start it by
//! hand, set `LASTNIM_TOKEN` (and optionally `LASTNIM_SERVER` and `LASTNIM_TOURNAMENT`).

use lastnim_client::{
    Bot, Error, MatchInfo, MatchView, Options,
    game::{AllianceMatrix, BotName, BySeat, MatchId, Row, SeatCount},
    oracle::{Solution, solve_winners},
    run,
};
use std::collections::{HashMap, HashSet};

/// Samples of the opponents' rows to try each row against.
const SAMPLES: usize = 64;
/// Maximum seats to try all rows; with more, only rows that favour one seat.
const MAX_SEATS_FOR_ALL_ROWS: usize = 4;
/// Weight, in matches, of the prior belief that an opponent prefers itself.
const PRIOR_WEIGHT: f64 = 0.5;

/// The rows that one opponent has declared in matches of one size, in order of appearance, with their counts.
struct DeclaredRows(Vec<(Row, f64)>);

impl DeclaredRows {
    fn new(seats: SeatCount) -> Self {
        Self(vec![(Row::standard(seats), PRIOR_WEIGHT)])
    }

    fn add(&mut self, row: &Row) {
        match self.0.iter_mut().find(|(known, _)| known == row) {
            Some((_, count)) => *count += 1.0,
            None => self.0.push((row.clone(), 1.0)),
        }
    }

    /// Returns the row at a quantile from 0 to 1 of the distribution of rows.
    fn at(&self, place: f64) -> &Row {
        let mut left = place * self.0.iter().map(|(_, count)| count).sum::<f64>();
        let (last, _) = self.0.last().expect("the prior is a row");
        let found = self.0.iter().find(|(_, count)| {
            left -= count;
            left < 0.0
        });
        found.map_or(last, |(row, _)| row)
    }
}

/// What the bot has learnt so far.
#[derive(Default)]
pub struct OpponentModel {
    rows: HashMap<(SeatCount, BotName), DeclaredRows>,
    /// Matches already counted.
    seen: HashSet<MatchId>,
}

impl Bot for OpponentModel {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        let tables: Vec<_> = (0..SAMPLES).map(|sample| self.expected_rows(game, sample)).collect();
        let wins = |row: &Row| {
            let won = tables.iter().filter(|expected| {
                let mut rows = (*expected).clone();
                rows[game.seat] = row.clone();
                let matrix = AllianceMatrix::from_rows(rows).expect("all rows are for this number of seats");
                solve_winners(&game.piles, &matrix, game.ending)[game.first] == game.seat
            });
            won.count()
        };
        let rows = candidate_rows(game.bots.seats());
        // `max_by_key` returns the last maximum; prefer the first.
        rows.into_iter().rev().max_by_key(wins).expect("there is always the standard row")
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        self.learn(game);
        let row = &game.matrix()[game.seat];
        let solution = Solution::new(game.game());
        let outcomes = solution.take_outcomes(game.position());
        // Only own wins count: promises to others come second.
        let best = outcomes.min_by_key(|outcome| {
            let rank = row.rank(game.seat, outcome.winner);
            (outcome.winner != game.seat, rank, outcome.takes.lo)
        });
        best.expect("there are counters left at every turn").takes.lo
    }
}

impl OpponentModel {
    /// Counts the rows of a match at its first turn.
    fn learn(&mut self, game: &MatchView) {
        if game.rows_are_assigned() || !self.seen.insert(game.id) {
            return;
        }
        for (seat, bot) in game.bots.enumerate().filter(|&(seat, _)| seat != game.seat) {
            let seats = game.bots.seats();
            let known = self.rows.entry((seats, bot.clone())).or_insert_with(|| DeclaredRows::new(seats));
            known.add(&game.matrix()[seat]);
        }
    }

    /// Returns the rows of one sample; over all samples each row appears as often as it is expected.
    fn expected_rows(&self, game: &MatchInfo, sample: usize) -> BySeat<Row> {
        let seats = game.bots.seats();
        BySeat::from_fn(seats, |seat| {
            // A different irrational step for each seat spreads the samples over all combinations.
            let step = (seat.index() * seat.index() + 2) as f64;
            let place = ((sample as f64 + 0.5) * step.sqrt()).fract();
            let known = self.rows.get(&(seats, game.bots[seat].clone()));
            known.map_or_else(|| Row::standard(seats), |rows| rows.at(place).clone())
        })
    }
}

/// Returns the rows to try, the standard one first.
fn candidate_rows(seats: SeatCount) -> Vec<Row> {
    if seats.get() > MAX_SEATS_FOR_ALL_ROWS {
        return (0..seats.get()).map(|ally| Row::favouring(ally, seats)).collect();
    }
    let all: Vec<u64> = (0..seats.get() as u64).collect();
    let rows = permutations(&all);
    rows.iter().map(|offsets| Row::parse(offsets, seats).expect("each offset appears once")).collect()
}

/// Returns all permutations of the offsets, the given order first.
fn permutations(offsets: &[u64]) -> Vec<Vec<u64>> {
    if offsets.is_empty() {
        return vec![Vec::new()];
    }
    let orders_starting_with = |&first: &u64| {
        let others: Vec<u64> = offsets.iter().copied().filter(|&other| other != first).collect();
        permutations(&others).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    offsets.iter().flat_map(orders_starting_with).collect()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    println!("{}", run(OpponentModel::default(), Options::from_env()?).await?);
    Ok(())
}
