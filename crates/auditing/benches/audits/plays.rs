//! Play of simulated bots.

use crate::declares::Declares;
use lastnim_core::{
    game::{BySeat, Game, Position, Seat},
    oracle::Solution,
};
use lastnim_tournament::SeededDraw;
use std::collections::HashMap;

/// How a bot plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plays {
    /// Plays optimally, except for this percentage of takes, which are random.
    Errs(u64),
    /// Takes the whole pile.
    Greedy,
    /// Takes one counter.
    Timid,
    /// Knows how all others play, and maximises its chance to win; plays optimally if that is as good.
    ExploitsToWin,
    /// Knows how all others play, and maximises the expected rank of its row; plays optimally if that is as good.
    ExploitsForRank,
    /// Plays optimally; but while a certain bot (its index) is at the table, this percentage of its takes are the
    /// best ones for that bot.
    Helps(usize, u64),
    /// Errs in this percentage of takes, in favour of a certain bot (its index) if that bot is at the table.
    ErrsFor(usize, u64),
}

/// Returns a bot's take.
pub fn take(
    bots: &[(Declares, Plays)],
    table: &BySeat<usize>,
    game: &Game,
    solution: &Solution,
    position: &Position,
    draw: &mut SeededDraw,
) -> u64 {
    let seat = position.to_move();
    let optimal = || solution.optimal_takes(position).smallest().expect("there is an optimal take");
    let any = |draw: &mut SeededDraw| 1 + draw.number_below(position.counters());
    let best_for = |ally: usize| {
        let (ally, _) = table.enumerate().find(|&(_, &bot)| bot == ally)?;
        let outcomes = solution.take_outcomes(position);
        Some(outcomes.min_by_key(|outcome| game.matrix.rank(ally, outcome.winner))?.takes.lo)
    };
    match bots[table[seat]].1 {
        Plays::Greedy => position.counters(),
        Plays::Timid => 1,
        Plays::Errs(often) if draw.number_below(100) < often => any(draw),
        Plays::Helps(ally, often) if draw.number_below(100) < often => best_for(ally).unwrap_or_else(optimal),
        Plays::ErrsFor(ally, often) if draw.number_below(100) < often => {
            best_for(ally).unwrap_or_else(|| any(draw))
        }
        Plays::ExploitsToWin | Plays::ExploitsForRank => {
            WinChances::new(bots, table, seat, game, solution).best_take(position)
        }
        Plays::Errs(_) | Plays::Helps(..) | Plays::ErrsFor(..) => optimal(),
    }
}

/// Win probabilities from the view of one seat. It knows how the others play and plays best itself, but assumes that
/// bots that exploit or help others play optimally.
pub struct WinChances<'a> {
    bots: &'a [(Declares, Plays)],
    table: &'a BySeat<usize>,
    seat: Seat,
    game: &'a Game,
    solution: &'a Solution,
    known: HashMap<(usize, u64, usize), Vec<f64>>,
}

impl<'a> WinChances<'a> {
    /// Creates the table of a game.
    pub fn new(
        bots: &'a [(Declares, Plays)],
        table: &'a BySeat<usize>,
        seat: Seat,
        game: &'a Game,
        solution: &'a Solution,
    ) -> Self {
        Self { bots, table, seat, game, solution, known: HashMap::new() }
    }

    /// Returns the win probability of each seat from a position on.
    pub fn after(&mut self, position: &Position) -> Vec<f64> {
        let seats = self.table.seats();
        if position.is_over() {
            let winner = self.solution.winner(position);
            return seats.iter().map(|seat| f64::from(u8::from(seat == winner))).collect();
        }
        let key = (position.pile_index(), position.counters(), position.to_move().index());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut chances = vec![0.0; seats.get()];
        for (take, likely) in self.takes(position) {
            for (chance, after) in chances.iter_mut().zip(self.after(&position_after(position, take))) {
                *chance += likely * after;
            }
        }
        self.known.insert(key, chances.clone());
        chances
    }

    /// Returns the best take for the seat; the smallest optimal one if that is as good.
    pub fn best_take(&mut self, position: &Position) -> u64 {
        let optimal = self.solution.optimal_takes(position).smallest().expect("there is an optimal take");
        let mut best = (optimal, self.worth_after(position, optimal) + 1e-9);
        for take in 1..=position.counters() {
            let worth = self.worth_after(position, take);
            if worth > best.1 {
                best = (take, worth);
            }
        }
        best.0
    }

    /// Returns the probability of each take.
    fn takes(&mut self, position: &Position) -> Vec<(u64, f64)> {
        let optimal = self.solution.optimal_takes(position).smallest().expect("there is an optimal take");
        let mover = position.to_move();
        if mover == self.seat {
            return vec![(self.best_take(position), 1.0)];
        }
        match self.bots[self.table[mover]].1 {
            Plays::Greedy => vec![(position.counters(), 1.0)],
            Plays::Timid => vec![(1, 1.0)],
            Plays::Errs(often) | Plays::ErrsFor(_, often) => {
                let errs = often as f64 / 100.0;
                let any = errs / position.counters() as f64;
                let all = (1..=position.counters()).map(|take| (take, any));
                all.chain([(optimal, 1.0 - errs)]).collect()
            }
            Plays::ExploitsToWin | Plays::ExploitsForRank | Plays::Helps(..) => vec![(optimal, 1.0)],
        }
    }

    fn worth_after(&mut self, position: &Position, take: u64) -> f64 {
        let chances = self.after(&position_after(position, take));
        let worth = |winner: Seat| match self.bots[self.table[self.seat]].1 {
            Plays::ExploitsForRank => -(self.game.matrix.rank(self.seat, winner) as f64),
            _ => f64::from(u8::from(winner == self.seat)),
        };
        let seats = self.table.seats();
        seats.iter().zip(chances).map(|(winner, chance)| chance * worth(winner)).sum()
    }
}

fn position_after(position: &Position, take: u64) -> Position {
    let mut position = position.clone();
    position.take(take).expect("a legal take");
    position
}
