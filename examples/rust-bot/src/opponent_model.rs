//! A bot that models its opponents: it counts which rows each of them has declared so far, expects the same again, and declares
//! the row with which it wins most often against that. Then it plays for its own win first, and for its row after that.
//!
//! `lastnim tournament run` starts it (`command = ["cargo", "run", "--release", "--bin", "opponent-model"]`); by hand, set
//! `LASTNIM_TOKEN` (and `LASTNIM_SERVER`, `LASTNIM_TOURNAMENT`).

use lastnim_client::{
    Bot, Error, MatchInfo, MatchView, Options,
    game::{AllianceMatrix, BotName, BySeat, MatchId, Row, SeatCount},
    oracle::{Solution, solve_winners},
    run,
};
use std::collections::{HashMap, HashSet};

/// How many sets of the opponents' rows a row is tried against.
const SAMPLES: usize = 64;
/// The most seats with which every row is tried; with more, only those that favour one seat.
const MAX_SEATS_FOR_ALL_ROWS: usize = 4;
/// How many matches' worth of counts the guess stands for that an opponent prefers itself.
const PRIOR_WEIGHT: f64 = 0.5;

/// The rows that one opponent has declared at tables of one size, in the order in which they came up, and how often.
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

    /// Returns the row at a place from 0 to 1, each with a share as large as it is frequent.
    fn at(&self, place: f64) -> &Row {
        let mut left = place * self.0.iter().map(|(_, count)| count).sum::<f64>();
        let (last, _) = self.0.last().expect("one row stands there from the start");
        let found = self.0.iter().find(|(_, count)| {
            left -= count;
            left < 0.0
        });
        found.map_or(last, |(row, _)| row)
    }
}

/// What was learnt so far.
#[derive(Default)]
pub struct OpponentModel {
    rows: HashMap<(SeatCount, BotName), DeclaredRows>,
    /// Matches whose rows are counted, so that each counts once.
    seen: HashSet<MatchId>,
}

impl Bot for OpponentModel {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        let tables: Vec<_> = (0..SAMPLES).map(|sample| self.expected_rows(game, sample)).collect();
        let wins = |row: &Row| {
            let won = tables.iter().filter(|expected| {
                let mut rows = (*expected).clone();
                rows[game.seat] = row.clone();
                let matrix = AllianceMatrix::from_rows(rows).expect("all rows are for this table");
                solve_winners(&game.piles, &matrix, game.ending)[game.first] == game.seat
            });
            won.count()
        };
        let rows = candidate_rows(game.bots.seats());
        // Of rows that win as often the first is taken, as `max_by_key` takes the last.
        rows.into_iter().rev().max_by_key(wins).expect("there are rows for every table")
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        self.learn(game);
        let row = &game.matrix()[game.seat];
        let solution = Solution::new(game.game());
        let outcomes = solution.take_outcomes(game.position());
        // What others are promised comes after the own win: only wins count.
        let best = outcomes.min_by_key(|outcome| {
            let rank = row.rank(game.seat, outcome.winner);
            (outcome.winner != game.seat, rank, outcome.takes.lo)
        });
        best.expect("where it is one's turn, counters are left").takes.lo
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

    /// Returns rows that everybody may declare; over all samples, each as often as it is expected.
    fn expected_rows(&self, game: &MatchInfo, sample: usize) -> BySeat<Row> {
        let seats = game.bots.seats();
        BySeat::from_fn(seats, |seat| {
            // Steps of another irrational size for each seat spread the samples over all combinations.
            let step = (seat.index() * seat.index() + 2) as f64;
            let place = ((sample as f64 + 0.5) * step.sqrt()).fract();
            let known = self.rows.get(&(seats, game.bots[seat].clone()));
            known.map_or_else(|| Row::standard(seats), |rows| rows.at(place).clone())
        })
    }
}

/// Returns the rows that are worth a try, the standard one first.
fn candidate_rows(seats: SeatCount) -> Vec<Row> {
    if seats.get() > MAX_SEATS_FOR_ALL_ROWS {
        return (0..seats.get()).map(|ally| Row::favouring(ally, seats)).collect();
    }
    let all: Vec<u64> = (0..seats.get() as u64).collect();
    let rows = permutations(&all);
    rows.iter().map(|offsets| Row::parse(offsets, seats).expect("each offset occurs once")).collect()
}

/// Returns all orders of what is given, the given one first.
fn permutations(offsets: &[u64]) -> Vec<Vec<u64>> {
    if offsets.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &u64| {
        let others: Vec<u64> = offsets.iter().copied().filter(|&other| other != first).collect();
        permutations(&others).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    offsets.iter().flat_map(with_first).collect()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    println!("{}", run(OpponentModel::default(), Options::from_env()?).await?);
    Ok(())
}
