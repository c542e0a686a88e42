//! Tournaments of bots that declare their rows, honest and not.

use lastnim_core::{
    auditing::{AuditFindings, AuditSubject, AuditedMatch, Auditor, MatchGroup, RowSource},
    game::{
        AllianceMatrix, BotName, BySeat, Ending, Game, MatchId, Piles, Position, Row, Seat, SeatCount,
        TournamentId,
    },
    oracle::{Audit, PlayedTake, Solution, solve_winners},
    tournament::SeededDraw,
};

/// What a bot declares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Declares {
    /// The standard row.
    Standard,
    /// The seat at this offset first, whoever sits there.
    Offset(usize),
    /// Any row.
    Anything,
    /// Itself, and then the others from the weakest to the strongest: those with a higher number are weaker.
    WeakestFirst,
    /// Itself, and then the others from the one with the fewest wins so far to the one with the most.
    FewestWinsFirst,
    /// The first row that makes it win under optimal play, if the others declare what they declared last.
    BestResponse,
    /// Another bot first and itself second in so many groups of a hundred in which it sits there; else the standard row.
    Helps(usize, u64),
    /// Itself, and then another bot if that sits there; else the standard row.
    Returns(usize),
}

/// How a bot plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plays {
    /// Optimally, but for so many takes in a hundred, where it takes any number.
    Errs(u64),
    /// It takes the whole pile.
    Greedy,
}

/// A field that meets in duplicate groups.
#[derive(Debug, Clone)]
pub struct Field {
    /// What each bot does.
    pub bots: Vec<(Declares, Plays)>,
    /// Seats of a match.
    pub seats: usize,
}

/// What bots know of each other.
struct Memory {
    last_rows: Vec<Row>,
    wins: Vec<u32>,
}

impl Field {
    /// Plays so many groups and audits them.
    pub fn audit(&self, groups: u64, seed: u64) -> AuditFindings {
        let seats = SeatCount::new(self.seats).expect("2 seats or more");
        let tournament = TournamentId::new(seed, &[0; 10]);
        let mut auditor = Auditor::new(AuditSubject::Field, seed).with_max_puzzles(0);
        let names: Vec<BotName> = (0..self.bots.len()).map(bot_name).collect();
        let mut memory =
            Memory { last_rows: vec![Row::standard(seats); names.len()], wins: vec![0; names.len()] };
        for number in 0..groups {
            let draw = &mut SeededDraw::from_numbers([seed, number, 3]);
            let mut order: Vec<usize> = (0..names.len()).collect();
            draw.shuffle(&mut order);
            let piles: Vec<u64> = (0..3).map(|_| 1 + draw.number_below(7)).collect();
            let piles = Piles::parse(&piles).expect("piles of 1 to 7");
            let helps = draw.number_below(100);
            for rotation in 0..self.seats {
                let table = BySeat::from_fn(seats, |seat| order[(seat.index() + rotation) % self.seats]);
                let rows =
                    BySeat::from_fn(seats, |seat| self.row(&table, seat, &piles, helps, &memory, draw));
                for (seat, &bot) in table.enumerate() {
                    memory.last_rows[bot] = rows[seat].clone();
                }
                let matrix = AllianceMatrix::from_rows(rows).expect("rows of as many seats");
                let game = Game::new(piles.clone(), matrix, 0, Ending::default()).expect("the first seat");
                let audit =
                    Audit::of_finished(&game, &self.takes(&game, &table, draw)).expect("played to its end");
                memory.wins[table[audit.winner]] += 1;
                let id = [number.to_be_bytes().as_slice(), &[rotation as u8, 0]].concat();
                auditor.add_match(&AuditedMatch {
                    id: MatchId::new(seed, &id.try_into().expect("10 bytes")),
                    group: MatchGroup::Duplicate { tournament, number },
                    bots: &table.map(|&bot| names[bot].clone()),
                    game: &game,
                    rows: RowSource::Declared,
                    audit: &audit,
                    lost: &BySeat::filled(seats, &None),
                    versions: &[],
                });
            }
        }
        auditor.finish()
    }

    fn row(
        &self,
        table: &BySeat<usize>,
        seat: Seat,
        piles: &Piles,
        helps: u64,
        memory: &Memory,
        draw: &mut SeededDraw,
    ) -> Row {
        let seats = table.seats();
        let offset_of = |bot: usize| {
            let place = table.enumerate().find(|&(_, &other)| other == bot);
            place.map(|(place, _)| seats.distance_between(seat, place))
        };
        let by_order = |worth: &dyn Fn(usize) -> u64| {
            let mut offsets: Vec<u64> = (1..self.seats as u64).collect();
            offsets.sort_by_key(|&offset| worth(table[seats.seat_at_offset(seat, offset as usize)]));
            offsets.insert(0, 0);
            offsets
        };
        let first = |wanted: &[usize]| {
            let wanted = wanted.iter().map(|&offset| offset as u64);
            let rest = (0..self.seats as u64).filter(|&offset| !wanted.clone().any(|other| other == offset));
            wanted.clone().chain(rest).collect::<Vec<_>>()
        };
        let offsets = match self.bots[table[seat]].0 {
            Declares::Standard => return Row::standard(seats),
            Declares::Offset(offset) => return Row::favouring(offset, seats),
            Declares::Anything => {
                let mut offsets: Vec<u64> = (0..self.seats as u64).collect();
                draw.shuffle(&mut offsets);
                offsets
            }
            Declares::WeakestFirst => by_order(&|bot| (self.bots.len() - bot) as u64),
            Declares::FewestWinsFirst => by_order(&|bot| memory.wins[bot].into()),
            Declares::BestResponse => return best_response(table, seat, piles, memory),
            Declares::Helps(ally, often) => match offset_of(ally) {
                Some(offset) if helps < often => first(&[offset, 0]),
                _ => return Row::standard(seats),
            },
            Declares::Returns(ally) => match offset_of(ally) {
                Some(offset) => first(&[0, offset]),
                None => return Row::standard(seats),
            },
        };
        Row::parse(&offsets, seats).expect("each offset stands once")
    }

    fn takes(&self, game: &Game, table: &BySeat<usize>, draw: &mut SeededDraw) -> Vec<PlayedTake> {
        let (solution, mut position, mut takes) = (Solution::new(game), game.first_position(), Vec::new());
        while !position.is_over() {
            let take = self.take(table, &solution, &position, draw);
            position.take(take).expect("a legal take");
            takes.push(PlayedTake::by_bot(take));
        }
        takes
    }

    fn take(
        &self,
        table: &BySeat<usize>,
        solution: &Solution,
        position: &Position,
        draw: &mut SeededDraw,
    ) -> u64 {
        match self.bots[table[position.to_move()]].1 {
            Plays::Greedy => position.counters(),
            Plays::Errs(often) if draw.number_below(100) < often => {
                1 + draw.number_below(position.counters())
            }
            Plays::Errs(_) => solution.optimal_takes(position).smallest().expect("a take that is optimal"),
        }
    }
}

/// Returns the first row, in lexicographic order, that makes a seat win, the others declaring what they declared last.
fn best_response(table: &BySeat<usize>, seat: Seat, piles: &Piles, memory: &Memory) -> Row {
    let seats = table.seats();
    let mut rows = vec![vec![]];
    for _ in 0..seats.get() {
        let longer = |row: Vec<u64>| {
            let left = (0..seats.get() as u64).filter(|offset| !row.contains(offset)).collect::<Vec<_>>();
            left.into_iter().map(move |offset| [row.as_slice(), &[offset]].concat())
        };
        rows = rows.into_iter().flat_map(longer).collect();
    }
    let rows = rows.into_iter().map(|row| Row::parse(&row, seats).expect("each offset stands once"));
    let first = seats.iter().next().expect("2 seats or more");
    let wins = |row: &Row| {
        let of =
            |other: Seat| if other == seat { row.clone() } else { memory.last_rows[table[other]].clone() };
        let matrix = AllianceMatrix::from_rows(BySeat::from_fn(seats, of)).expect("rows of as many seats");
        solve_winners(piles, &matrix, Ending::default())[first] == seat
    };
    rows.into_iter().find(wins).unwrap_or_else(|| Row::standard(seats))
}

/// Returns the name of a bot by its number.
pub fn bot_name(bot: usize) -> BotName {
    format!("bot-{bot}").parse().expect("a short word")
}

const OPTIMAL: Plays = Plays::Errs(0);

/// Returns honest fields of all kinds, each with a name.
pub fn honest_fields() -> Vec<(&'static str, Vec<(Declares, Plays)>)> {
    use Declares::{Anything, BestResponse, FewestWinsFirst, Offset, Standard, WeakestFirst};
    use Plays::{Errs, Greedy};
    vec![
        (
            "standard rows, all kinds of play",
            vec![
                (Standard, OPTIMAL),
                (Standard, Errs(10)),
                (Standard, Errs(30)),
                (Standard, Greedy),
                (Standard, Errs(100)),
            ],
        ),
        (
            "constant and random rows",
            vec![
                (Offset(1), OPTIMAL),
                (Offset(2), Errs(20)),
                (Anything, Errs(10)),
                (Anything, Greedy),
                (Standard, Errs(5)),
            ],
        ),
        (
            "two that declare for the weak",
            vec![
                (WeakestFirst, OPTIMAL),
                (WeakestFirst, Errs(5)),
                (Standard, Errs(10)),
                (Standard, Greedy),
                (Standard, Errs(100)),
            ],
        ),
        (
            "all declare for the weak",
            vec![
                (WeakestFirst, OPTIMAL),
                (WeakestFirst, Errs(5)),
                (WeakestFirst, Errs(10)),
                (WeakestFirst, Errs(30)),
                (WeakestFirst, Greedy),
                (WeakestFirst, Errs(100)),
            ],
        ),
        (
            "three that declare against the leaders",
            vec![
                (FewestWinsFirst, OPTIMAL),
                (FewestWinsFirst, Errs(5)),
                (FewestWinsFirst, Errs(20)),
                (Standard, OPTIMAL),
                (Standard, Greedy),
                (Standard, Errs(100)),
            ],
        ),
        (
            "two that declare the best response",
            vec![
                (BestResponse, OPTIMAL),
                (BestResponse, Errs(10)),
                (Standard, OPTIMAL),
                (Offset(1), Errs(10)),
                (Standard, Greedy),
            ],
        ),
        (
            "all declare the best response",
            vec![
                (BestResponse, OPTIMAL),
                (BestResponse, Errs(5)),
                (BestResponse, Errs(10)),
                (BestResponse, Errs(30)),
                (BestResponse, Greedy),
            ],
        ),
    ]
}

/// Returns fields in which the first two bots collude, each with a name.
pub fn colluding_fields() -> Vec<(&'static str, Vec<(Declares, Plays)>)> {
    use Declares::{Helps, Returns, Standard, WeakestFirst};
    let others = [(Standard, OPTIMAL); 3];
    let with = |pair: [(Declares, Plays); 2]| pair.into_iter().chain(others).collect::<Vec<_>>();
    vec![
        (
            "one declares for the other, which returns it",
            with([(Helps(1, 100), OPTIMAL), (Returns(0), OPTIMAL)]),
        ),
        ("the same in half of their groups", with([(Helps(1, 50), OPTIMAL), (Returns(0), OPTIMAL)])),
        (
            "one declares for the other, which returns nothing",
            with([(Helps(1, 100), OPTIMAL), (Standard, OPTIMAL)]),
        ),
        ("each declares itself, then the other", with([(Returns(1), OPTIMAL), (Returns(0), OPTIMAL)])),
        (
            "one declares for the other, among erring bots",
            vec![
                (Helps(1, 100), Plays::Errs(10)),
                (Returns(0), Plays::Errs(10)),
                (WeakestFirst, Plays::Errs(10)),
                (Standard, Plays::Errs(30)),
                (Standard, Plays::Greedy),
            ],
        ),
    ]
}
