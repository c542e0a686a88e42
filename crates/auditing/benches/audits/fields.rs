//! Simulated tournaments with declared or assigned rows.

use crate::{
    declares::{DeclarationContext, DeclarationStrategy, Memory},
    plays::{PlayStrategy, SeenTake, TakeContext},
};
use lastnim_auditing::{AuditFindings, AuditSubject, AuditedMatch, Auditor, MatchGroup, RowSource};
use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Ending, Game, MatchId, Piles, Row, SeatCount, TournamentId},
    oracle::{Audit, PlayedTake, Solution},
};
use lastnim_tournament::SeededDraw;

/// A field of simulated bots that play duplicate groups.
#[derive(Debug, Clone)]
pub struct Field {
    /// The behaviour of each bot.
    pub bots: Vec<(DeclarationStrategy, PlayStrategy)>,
    /// The number of seats.
    pub seats: usize,
    /// The source of the rows.
    pub rows: RowSource,
    /// The number of different starting positions, of which each group draws one; `None` if each group has its own.
    pub positions: Option<u64>,
}

impl Field {
    /// Creates a field whose groups each have their own starting position.
    pub fn new(bots: Vec<(DeclarationStrategy, PlayStrategy)>, seats: usize, rows: RowSource) -> Self {
        Self { bots, seats, rows, positions: None }
    }

    /// Plays and audits this many groups.
    pub fn audit(&self, groups: u64, seed: u64) -> AuditFindings {
        self.play(groups, seed).without_power().finish()
    }

    /// Plays this many groups. Returns an auditor to which their matches have been added.
    pub fn play(&self, groups: u64, seed: u64) -> Auditor {
        let seats = SeatCount::new(self.seats).expect("there are at least 2 seats");
        let tournament = TournamentId::new(seed, &[0; 10]);
        let mut auditor = Auditor::new(AuditSubject::Field, seed).with_max_puzzles(0);
        let names: Vec<BotName> = (0..self.bots.len()).map(bot_name).collect();
        let mut memory = Memory::new(names.len(), seats);
        for number in 0..groups {
            let draw = &mut SeededDraw::from_numbers([seed, number, 3]);
            let mut order: Vec<usize> = (0..names.len()).collect();
            draw.shuffle(&mut order);
            let position = self.positions.map_or(number, |positions| draw.number_below(positions));
            let position_draw = &mut SeededDraw::from_numbers([seed, position, 4]);
            let piles: Vec<u64> = (0..3).map(|_| 1 + position_draw.number_below(7)).collect();
            let piles = Piles::parse(&piles).expect("piles have 1 to 7 counters");
            let help_draw = draw.number_below(100);
            let assigned = BySeat::from_fn(seats, |_| {
                let mut offsets: Vec<u64> = (0..self.seats as u64).collect();
                draw.shuffle(&mut offsets);
                Row::parse(&offsets, seats).expect("each offset occurs once")
            });
            for rotation in 0..self.seats {
                let table = &BySeat::from_fn(seats, |seat| order[(seat.index() + rotation) % self.seats]);
                let rows = match self.rows {
                    RowSource::Assigned => assigned.clone(),
                    RowSource::Declared => BySeat::from_fn(seats, |seat| {
                        let (piles, memory, bots) = (&piles, &memory, self.bots.as_slice());
                        DeclarationContext { table, seat, piles, help_draw, memory, bots }.row(draw)
                    }),
                };
                for (seat, &bot) in table.enumerate() {
                    memory.last_rows[bot] = rows[seat].clone();
                }
                let matrix = AllianceMatrix::from_rows(rows).expect("all rows have the same length");
                let game = Game::new(piles.clone(), matrix, 0, Ending::default()).expect("the first seat");
                let audit = Audit::of_finished(&game, &self.play_match(&game, table, &memory, draw))
                    .expect("the match was played to its end");
                memory.add_result(table, audit.winner, number * 100 + rotation as u64);
                let id = [number.to_be_bytes().as_slice(), &[rotation as u8, 0]].concat();
                auditor.add_match(&AuditedMatch {
                    id: MatchId::new(seed, &id.try_into().expect("10 bytes")),
                    group: MatchGroup::Duplicate { tournament, number },
                    bots: &table.map(|&bot| names[bot].clone()),
                    game: &game,
                    rows: self.rows,
                    audit: &audit,
                    lost: &BySeat::filled(seats, &None),
                    versions: &[],
                    time_left_percent: &[],
                    talk: None,
                });
            }
        }
        auditor
    }

    /// Plays a match, and returns its takes.
    fn play_match(
        &self,
        game: &Game,
        table: &BySeat<usize>,
        memory: &Memory,
        draw: &mut SeededDraw,
    ) -> Vec<PlayedTake> {
        let (solution, mut position, mut seen) = (Solution::new(game), game.first_position(), Vec::new());
        while !position.is_over() {
            let bots = self.bots.as_slice();
            let turn = TakeContext {
                bots,
                table,
                game,
                solution: &solution,
                position: &position,
                seen: &seen,
                memory,
            };
            let take = turn.take(draw);
            let (seat, before) = (position.to_move(), solution.winner(&position));
            position.take(take).expect("a legal take");
            seen.push(SeenTake { seat, take, before, after: solution.winner(&position) });
        }
        seen.into_iter().map(|seen| PlayedTake::by_bot(seen.take)).collect()
    }
}

/// Returns the name of the bot with this number.
pub fn bot_name(bot: usize) -> BotName {
    format!("bot-{bot}").parse().expect("a short word")
}
