//! The ways in which simulated bots declare their rows.

use crate::plays::{PlayStrategy, WinChances};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Game, Piles, Row, Seat, SeatCount},
    oracle::{Solution, solve_winners},
};
use lastnim_tournament::SeededDraw;

/// How a bot chooses its row. Where strength matters, bots with higher numbers are weaker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeclarationStrategy {
    /// The standard row.
    Standard,
    /// The seat at this offset first, then the others in playing order.
    Offset(usize),
    /// A random row.
    RandomRow,
    /// All seats in the order of their numbers, without putting its own first: a mistake that bot authors make.
    SeatOrder,
    /// Itself, then the others from weakest to strongest.
    WeakestFirst,
    /// Itself, then the others from strongest to weakest.
    StrongestFirst,
    /// Itself, then the weakest at the table, then the others in playing order.
    WeakestSecond,
    /// Itself, then the others by ascending number of wins so far.
    FewestWinsFirst,
    /// Itself, then the others by when they last won, the most recent winner last.
    LastWinnerLast,
    /// The first row with which it wins under optimal play, if the others repeat their last declarations.
    BestResponse,
    /// Like `BestResponse`, but only among the rows that rank itself first.
    BestSecond,
    /// The row with which it wins most often, if the others repeat their last declarations and play in their usual
    /// ways.
    BestAgainstPlay,
    /// The bot with this index first and itself second, in this percentage of the groups with that bot; otherwise the
    /// standard row.
    Helps(usize, u64),
    /// Itself, then the bot with this index if that bot is at the table; otherwise the standard row.
    Returns(usize),
    /// Itself, then those of the bots with these indexes that are at the table, then the others.
    AlliesFirst(&'static [usize]),
    /// Itself first and the bot with this index second, in this percentage of the groups with that bot; otherwise the
    /// standard row.
    SecondIn(usize, u64),
    /// A random row in this percentage of groups; otherwise the standard row.
    RandomRowIn(u64),
}

/// What bots remember from earlier matches.
pub struct Memory {
    /// By bot: its last declaration.
    pub last_rows: Vec<Row>,
    /// By bot: the number of its wins.
    pub wins: Vec<u32>,
    /// By bot: the number of the last match that it won.
    pub last_win_number: Vec<u64>,
    /// By bot: the number of its matches.
    pub played: Vec<u64>,
    /// By bot: whether it lost its last match.
    pub lost_last_match: Vec<bool>,
    /// By bot and way of playing: the number of matches and of wins.
    pub arms: Vec<[(u64, u64); 3]>,
}

impl Memory {
    /// Creates the memory of this many bots before their first match.
    pub fn new(bots: usize, seats: SeatCount) -> Self {
        Self {
            last_rows: vec![Row::standard(seats); bots],
            wins: vec![0; bots],
            last_win_number: vec![0; bots],
            played: vec![0; bots],
            lost_last_match: vec![false; bots],
            arms: vec![[(0, 0); 3]; bots],
        }
    }

    /// Returns the index of the way of playing with the greatest share of wins; each is tried three times first.
    pub fn best_arm(&self, bot: usize) -> usize {
        let arms = &self.arms[bot];
        let worth = |arm: &usize| {
            let (matches, wins) = arms[*arm];
            if matches < 3 { u64::MAX } else { wins * 1_000 / matches }
        };
        (0..arms.len()).max_by_key(worth).expect("there are three")
    }

    /// Adds the result of the match with this number.
    pub fn add_result(&mut self, table: &BySeat<usize>, winner: Seat, number: u64) {
        for (seat, &bot) in table.enumerate() {
            let arm = self.best_arm(bot);
            self.arms[bot][arm].0 += 1;
            self.arms[bot][arm].1 += u64::from(seat == winner);
            self.played[bot] += 1;
            self.lost_last_match[bot] = seat != winner;
        }
        self.wins[table[winner]] += 1;
        self.last_win_number[table[winner]] = number;
    }
}

/// The situation in which a bot declares its row.
pub struct DeclarationContext<'a> {
    /// The bots by seat.
    pub table: &'a BySeat<usize>,
    /// The seat that declares.
    pub seat: Seat,
    /// The piles of the match.
    pub piles: &'a Piles,
    /// A random number below 100. Bots help in this group if the percentage of groups in which they help is greater.
    pub help_draw: u64,
    /// What the bot remembers from earlier matches.
    pub memory: &'a Memory,
    /// The behaviour of each bot.
    pub bots: &'a [(DeclarationStrategy, PlayStrategy)],
}

impl DeclarationContext<'_> {
    /// Returns the declared row.
    pub fn row(&self, draw: &mut SeededDraw) -> Row {
        let (table, seat, seats) = (self.table, self.seat, self.table.seats());
        let n = seats.get() as u64;
        let offset_of = |bot: usize| {
            let place = table.enumerate().find(|&(_, &other)| other == bot);
            place.map(|(place, _)| seats.distance_between(seat, place) as u64)
        };
        let offsets_by = |worth: &dyn Fn(usize) -> u64| {
            let mut offsets: Vec<u64> = (1..n).collect();
            offsets.sort_by_key(|&offset| worth(table[seats.seat_at_offset(seat, offset as usize)]));
            offsets.insert(0, 0);
            offsets
        };
        let wanted_first = |wanted: &[u64]| {
            let rest = (0..n).filter(|offset| !wanted.contains(offset));
            wanted.iter().copied().chain(rest).collect::<Vec<_>>()
        };
        let offsets = match self.bots[table[seat]].0 {
            DeclarationStrategy::Offset(offset) => return Row::favouring(offset, seats),
            DeclarationStrategy::RandomRow => {
                let mut offsets: Vec<u64> = (0..n).collect();
                draw.shuffle(&mut offsets);
                offsets
            }
            DeclarationStrategy::SeatOrder => {
                let first = seats.iter().next().expect("there are at least 2 seats");
                let own = seats.distance_between(first, seat) as u64;
                (0..n).map(|place| (place + n - own) % n).collect()
            }
            DeclarationStrategy::WeakestFirst => offsets_by(&|bot| (self.bots.len() - bot) as u64),
            DeclarationStrategy::StrongestFirst => offsets_by(&|bot| bot as u64),
            DeclarationStrategy::WeakestSecond => {
                let others = table.iter().copied().filter(|&bot| bot != table[seat]);
                let weakest = others.max().and_then(offset_of).expect("another bot sits there");
                wanted_first(&[0, weakest])
            }
            DeclarationStrategy::FewestWinsFirst => offsets_by(&|bot| self.memory.wins[bot].into()),
            DeclarationStrategy::LastWinnerLast => offsets_by(&|bot| self.memory.last_win_number[bot]),
            DeclarationStrategy::BestResponse => return self.best_response(all_rows(seats)),
            DeclarationStrategy::BestSecond => {
                return self.best_response(
                    all_rows(seats).into_iter().filter(|row| row.offsets()[0] == 0).collect(),
                );
            }
            DeclarationStrategy::BestAgainstPlay => return self.best_against_play(),
            DeclarationStrategy::Helps(ally, often) => match offset_of(ally) {
                Some(offset) if self.help_draw < often => wanted_first(&[offset, 0]),
                _ => return Row::standard(seats),
            },
            DeclarationStrategy::Returns(ally) => match offset_of(ally) {
                Some(offset) => wanted_first(&[0, offset]),
                None => return Row::standard(seats),
            },
            DeclarationStrategy::SecondIn(ally, often) => match offset_of(ally) {
                Some(offset) if self.help_draw < often => wanted_first(&[0, offset]),
                _ => return Row::standard(seats),
            },
            DeclarationStrategy::AlliesFirst(mates) => {
                let mates = mates.iter().filter_map(|&mate| offset_of(mate)).filter(|&offset| offset > 0);
                wanted_first(&[0].into_iter().chain(mates).collect::<Vec<_>>())
            }
            DeclarationStrategy::RandomRowIn(often) if self.help_draw < often => {
                let mut offsets: Vec<u64> = (0..n).collect();
                draw.shuffle(&mut offsets);
                offsets
            }
            DeclarationStrategy::Standard | DeclarationStrategy::RandomRowIn(_) => {
                return Row::standard(seats);
            }
        };
        Row::parse(&offsets, seats).expect("each offset occurs once")
    }

    /// Returns the first of the given rows with which the seat wins if the others repeat their last declarations; the
    /// standard row if it wins with none of them.
    fn best_response(&self, rows: Vec<Row>) -> Row {
        let first = self.table.seats().iter().next().expect("there are at least 2 seats");
        let wins = |row: &Row| {
            solve_winners(self.piles, &self.matrix_with(row), Ending::default())[first] == self.seat
        };
        rows.into_iter().find(wins).unwrap_or_else(|| Row::standard(self.table.seats()))
    }

    /// Returns the row with which the seat wins most often if the others repeat their last declarations; the standard
    /// row if none is better.
    fn best_against_play(&self) -> Row {
        let seats = self.table.seats();
        let chance = |row: &Row| {
            let game = Game::new(self.piles.clone(), self.matrix_with(row), 0, Ending::default());
            let game = game.expect("the first seat");
            let solution = Solution::new(&game);
            let mut chances = WinChances::new(self.bots, self.table, self.seat, &game, &solution);
            chances.chances_from(&game.first_position())[self.seat.index()]
        };
        let mut best = (Row::standard(seats), 0.0);
        best.1 = chance(&best.0) + 1e-9;
        for row in all_rows(seats) {
            let chance = chance(&row);
            if chance > best.1 {
                best = (row, chance);
            }
        }
        best.0
    }

    fn matrix_with(&self, row: &Row) -> AllianceMatrix {
        let row_of = |other: Seat| {
            if other == self.seat { row.clone() } else { self.memory.last_rows[self.table[other]].clone() }
        };
        AllianceMatrix::from_rows(BySeat::from_fn(self.table.seats(), row_of))
            .expect("all rows have the same length")
    }
}

/// Returns all rows, in lexicographic order.
fn all_rows(seats: SeatCount) -> Vec<Row> {
    let mut rows = vec![vec![]];
    for _ in 0..seats.get() {
        let longer = |row: Vec<u64>| {
            let left = (0..seats.get() as u64).filter(|offset| !row.contains(offset)).collect::<Vec<_>>();
            left.into_iter().map(move |offset| [row.as_slice(), &[offset]].concat())
        };
        rows = rows.into_iter().flat_map(longer).collect();
    }
    rows.into_iter().map(|row| Row::parse(&row, seats).expect("each offset occurs once")).collect()
}
