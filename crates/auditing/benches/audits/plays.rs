//! The ways in which simulated bots play.

use crate::declares::{DeclarationStrategy, Memory};
use lastnim_core::{
    game::{BySeat, Game, Position, Seat},
    oracle::Solution,
};
use lastnim_tournament::SeededDraw;
use std::collections::HashMap;

/// How a bot plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlayStrategy {
    /// Plays optimally, except for this percentage of takes, which are random.
    Errs(u64),
    /// Takes the whole pile.
    Greedy,
    /// Takes one counter.
    Timid,
    /// Knows how all others play, and maximises its chance of winning; plays optimally if that is as good.
    ExploitsToWin,
    /// Knows how all others play, and makes the take after which the expected rank of the winner in its row is best;
    /// plays optimally if that is as good.
    ExploitsForRank,
    /// Plays optimally; but while the bot with this index is at the table, this percentage of its takes are the best
    /// ones for that bot.
    Helps(usize, u64),
    /// Errs in this percentage of takes, in favour of the bot with this index if that bot is at the table.
    ErrsFor(usize, u64),
    /// Reacts to takes, to results or to time, without knowing which bot is which.
    Reacts(Reaction),
}

/// What a bot reacts to, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reaction {
    /// Copies the previous take.
    Mirrors,
    /// Takes one counter after a larger take, and otherwise the whole pile.
    Answers,
    /// Plays optimally after an optimal take, and randomly after an error.
    Imitates,
    /// Makes the worst take for the seat that last cost it ranks; plays optimally until a seat does.
    Punishes,
    /// Makes the best take for the seat that last gained it ranks; plays optimally until a seat does.
    Rewards,
    /// Plays randomly after a lost match, otherwise optimally.
    Tilts,
    /// Plays twenty matches optimally, then twenty greedily, and so on.
    AlternatesStyles,
    /// Plays a match greedily, timidly or randomly, whichever has won most often.
    Learns,
}

/// An earlier take of the match, which all bots have seen.
#[derive(Debug, Clone, Copy)]
pub struct SeenTake {
    /// The seat that made the take.
    pub seat: Seat,
    /// The counters taken.
    pub take: u64,
    /// The winner under optimal play before the take.
    pub before: Seat,
    /// The winner under optimal play after the take.
    pub after: Seat,
}

/// The turn of a bot, with everything on which its take may depend.
pub struct TakeContext<'a> {
    /// The behaviour of each bot.
    pub bots: &'a [(DeclarationStrategy, PlayStrategy)],
    /// The bots by seat.
    pub table: &'a BySeat<usize>,
    /// The game.
    pub game: &'a Game,
    /// The solution of the game.
    pub solution: &'a Solution,
    /// The position before the take.
    pub position: &'a Position,
    /// The takes of the match so far.
    pub seen: &'a [SeenTake],
    /// What the bots remember from earlier matches.
    pub memory: &'a Memory,
}

impl TakeContext<'_> {
    /// Returns the bot's take.
    pub fn take(&self, draw: &mut SeededDraw) -> u64 {
        let seat = self.position.to_move();
        let any_take = |draw: &mut SeededDraw| 1 + draw.number_below(self.position.counters());
        let if_at_table = |ally: usize| {
            let (ally, _) = self.table.enumerate().find(|&(_, &bot)| bot == ally)?;
            Some(self.best_for(ally))
        };
        match self.bots[self.table[seat]].1 {
            PlayStrategy::Greedy => self.position.counters(),
            PlayStrategy::Timid => 1,
            PlayStrategy::Errs(often) if draw.number_below(100) < often => any_take(draw),
            PlayStrategy::Helps(ally, often) if draw.number_below(100) < often => {
                if_at_table(ally).unwrap_or_else(|| self.optimal())
            }
            PlayStrategy::ErrsFor(ally, often) if draw.number_below(100) < often => {
                if_at_table(ally).unwrap_or_else(|| any_take(draw))
            }
            PlayStrategy::ExploitsToWin | PlayStrategy::ExploitsForRank => {
                WinChances::new(self.bots, self.table, seat, self.game, self.solution)
                    .best_take(self.position)
            }
            PlayStrategy::Errs(_) | PlayStrategy::Helps(..) | PlayStrategy::ErrsFor(..) => self.optimal(),
            PlayStrategy::Reacts(reaction) => self.reaction(reaction, draw),
        }
    }

    fn reaction(&self, reaction: Reaction, draw: &mut SeededDraw) -> u64 {
        let (seat, counters) = (self.position.to_move(), self.position.counters());
        let bot = self.table[seat];
        let any_take = |draw: &mut SeededDraw| 1 + draw.number_below(counters);
        let rank = |winner: Seat| self.game.matrix.rank(seat, winner);
        let last_of = |is_wanted: &dyn Fn(&SeenTake) -> bool| {
            self.seen.iter().rev().find(|seen| seen.seat != seat && is_wanted(seen)).map(|seen| seen.seat)
        };
        match (reaction, self.seen.last()) {
            (Reaction::Mirrors, last) => last.map_or(1, |last| last.take.min(counters)),
            (Reaction::Answers, Some(last)) if last.take > 1 => 1,
            (Reaction::Answers, _) => counters,
            (Reaction::Imitates, Some(last)) if last.before != last.after => any_take(draw),
            (Reaction::Punishes, _) => last_of(&|seen| rank(seen.after) > rank(seen.before))
                .map_or_else(|| self.optimal(), |other| self.worst_for(other)),
            (Reaction::Rewards, _) => last_of(&|seen| rank(seen.after) < rank(seen.before))
                .map_or_else(|| self.optimal(), |other| self.best_for(other)),
            (Reaction::Tilts, _) if self.memory.lost_last_match[bot] => any_take(draw),
            (Reaction::AlternatesStyles, _) if self.memory.played[bot] / 20 % 2 == 1 => counters,
            (Reaction::Imitates | Reaction::Tilts | Reaction::AlternatesStyles, _) => self.optimal(),
            (Reaction::Learns, _) => match self.memory.best_arm(bot) {
                0 => counters,
                1 => 1,
                _ => any_take(draw),
            },
        }
    }

    fn optimal(&self) -> u64 {
        self.solution.optimal_takes(self.position).smallest().expect("there is an optimal take")
    }

    fn best_for(&self, seat: Seat) -> u64 {
        let rank = |winner| self.game.matrix.rank(seat, winner);
        let best = self.solution.take_outcomes(self.position).min_by_key(|outcome| rank(outcome.winner));
        best.expect("there is a take").takes.lo
    }

    fn worst_for(&self, seat: Seat) -> u64 {
        let rank = |winner| self.game.matrix.rank(seat, winner);
        let worst = self.solution.take_outcomes(self.position).max_by_key(|outcome| rank(outcome.winner));
        worst.expect("there is a take").takes.lo
    }
}

/// Computes win probabilities from the point of view of one seat. That seat knows how the others play and makes its
/// best takes, but assumes that bots that exploit, help or react to others play optimally.
pub struct WinChances<'a> {
    bots: &'a [(DeclarationStrategy, PlayStrategy)],
    table: &'a BySeat<usize>,
    seat: Seat,
    game: &'a Game,
    solution: &'a Solution,
    known: HashMap<(usize, u64, usize), Vec<f64>>,
}

impl<'a> WinChances<'a> {
    /// Prepares the computation for one seat of a game.
    pub fn new(
        bots: &'a [(DeclarationStrategy, PlayStrategy)],
        table: &'a BySeat<usize>,
        seat: Seat,
        game: &'a Game,
        solution: &'a Solution,
    ) -> Self {
        Self { bots, table, seat, game, solution, known: HashMap::new() }
    }

    /// Returns the probability that each seat wins from a position.
    pub fn chances_from(&mut self, position: &Position) -> Vec<f64> {
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
        for (take, likely) in self.take_chances(position) {
            for (chance, after) in chances.iter_mut().zip(self.chances_from(&position_after(position, take)))
            {
                *chance += likely * after;
            }
        }
        self.known.insert(key, chances.clone());
        chances
    }

    /// Returns the best take for the seat; the smallest optimal take if no other is better.
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
    fn take_chances(&mut self, position: &Position) -> Vec<(u64, f64)> {
        let optimal = self.solution.optimal_takes(position).smallest().expect("there is an optimal take");
        let mover = position.to_move();
        if mover == self.seat {
            return vec![(self.best_take(position), 1.0)];
        }
        match self.bots[self.table[mover]].1 {
            PlayStrategy::Greedy => vec![(position.counters(), 1.0)],
            PlayStrategy::Timid => vec![(1, 1.0)],
            PlayStrategy::Errs(often) | PlayStrategy::ErrsFor(_, often) => {
                let errs = often as f64 / 100.0;
                let any = errs / position.counters() as f64;
                let all = (1..=position.counters()).map(|take| (take, any));
                all.chain([(optimal, 1.0 - errs)]).collect()
            }
            PlayStrategy::ExploitsToWin
            | PlayStrategy::ExploitsForRank
            | PlayStrategy::Helps(..)
            | PlayStrategy::Reacts(_) => {
                vec![(optimal, 1.0)]
            }
        }
    }

    fn worth_after(&mut self, position: &Position, take: u64) -> f64 {
        let chances = self.chances_from(&position_after(position, take));
        let worth = |winner: Seat| match self.bots[self.table[self.seat]].1 {
            PlayStrategy::ExploitsForRank => -(self.game.matrix.rank(self.seat, winner) as f64),
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
