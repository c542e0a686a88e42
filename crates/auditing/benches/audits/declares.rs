//! What bots declare.

use crate::plays::{Plays, WinChances};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Game, Piles, Row, Seat, SeatCount},
    oracle::{Solution, solve_winners},
};
use lastnim_tournament::SeededDraw;

/// What a bot declares. Bots with a higher number are weaker where that matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Declares {
    /// The standard row.
    Standard,
    /// The seat at this offset first, whoever sits there.
    Offset(usize),
    /// Any row.
    Anything,
    /// The seats by their numbers, its own among them: an error of its author.
    SeatOrder,
    /// Itself, and then the others from the weakest to the strongest.
    WeakestFirst,
    /// Itself, and then the others from the strongest to the weakest.
    StrongestFirst,
    /// Itself, then the weakest at the table, then the others as they sit.
    WeakestSecond,
    /// Itself, and then the others from the one with the fewest wins so far to the one with the most.
    FewestWinsFirst,
    /// Itself, and then the others from the one that it met last as a winner to the one that it met first so.
    LastWinnerLast,
    /// The first row that makes it win under optimal play, if the others declare what they declared last.
    BestResponse,
    /// The same of the rows in which it stands first.
    BestSecond,
    /// The row with which it wins most, if the others declare what they declared last and play as they do.
    BestAgainstPlay,
    /// Another bot first and itself second in so many groups of a hundred in which it sits there; else the standard row.
    Helps(usize, u64),
    /// Itself, and then another bot if that sits there; else the standard row.
    Returns(usize),
}

/// What bots know of each other.
pub struct Memory {
    /// By bot: what it declared last.
    pub last_rows: Vec<Row>,
    /// By bot: how often it won.
    pub wins: Vec<u32>,
    /// By bot: the match that it won last.
    pub last_win: Vec<u64>,
}

/// Where a row is declared.
pub struct Declaring<'a> {
    /// Who sits where.
    pub table: &'a BySeat<usize>,
    /// Who declares.
    pub seat: Seat,
    /// The piles of the match.
    pub piles: &'a Piles,
    /// The percentage from which on those that help do not.
    pub helps: u64,
    /// What is known of the others.
    pub memory: &'a Memory,
    /// What each bot does.
    pub bots: &'a [(Declares, Plays)],
}

impl Declaring<'_> {
    /// Returns the row that is declared.
    pub fn row(&self, draw: &mut SeededDraw) -> Row {
        let (table, seat, seats) = (self.table, self.seat, self.table.seats());
        let n = seats.get() as u64;
        let offset_of = |bot: usize| {
            let place = table.enumerate().find(|&(_, &other)| other == bot);
            place.map(|(place, _)| seats.distance_between(seat, place) as u64)
        };
        let by_order = |worth: &dyn Fn(usize) -> u64| {
            let mut offsets: Vec<u64> = (1..n).collect();
            offsets.sort_by_key(|&offset| worth(table[seats.seat_at_offset(seat, offset as usize)]));
            offsets.insert(0, 0);
            offsets
        };
        let first = |wanted: &[u64]| {
            let rest = (0..n).filter(|offset| !wanted.contains(offset));
            wanted.iter().copied().chain(rest).collect::<Vec<_>>()
        };
        let offsets = match self.bots[table[seat]].0 {
            Declares::Standard => return Row::standard(seats),
            Declares::Offset(offset) => return Row::favouring(offset, seats),
            Declares::Anything => {
                let mut offsets: Vec<u64> = (0..n).collect();
                draw.shuffle(&mut offsets);
                offsets
            }
            Declares::SeatOrder => {
                let first = seats.iter().next().expect("2 seats or more");
                let own = seats.distance_between(first, seat) as u64;
                (0..n).map(|place| (place + n - own) % n).collect()
            }
            Declares::WeakestFirst => by_order(&|bot| (self.bots.len() - bot) as u64),
            Declares::StrongestFirst => by_order(&|bot| bot as u64),
            Declares::WeakestSecond => {
                let others = table.iter().copied().filter(|&bot| bot != table[seat]);
                let weakest = others.max().and_then(offset_of).expect("somebody else sits there");
                first(&[0, weakest])
            }
            Declares::FewestWinsFirst => by_order(&|bot| self.memory.wins[bot].into()),
            Declares::LastWinnerLast => by_order(&|bot| self.memory.last_win[bot]),
            Declares::BestResponse => return self.best_response(all_rows(seats)),
            Declares::BestSecond => {
                return self.best_response(
                    all_rows(seats).into_iter().filter(|row| row.offsets()[0] == 0).collect(),
                );
            }
            Declares::BestAgainstPlay => return self.best_against_play(),
            Declares::Helps(ally, often) => match offset_of(ally) {
                Some(offset) if self.helps < often => first(&[offset, 0]),
                _ => return Row::standard(seats),
            },
            Declares::Returns(ally) => match offset_of(ally) {
                Some(offset) => first(&[0, offset]),
                None => return Row::standard(seats),
            },
        };
        Row::parse(&offsets, seats).expect("each offset stands once")
    }

    /// Returns the first of the rows that makes the seat win, the others declaring what they declared last.
    fn best_response(&self, rows: Vec<Row>) -> Row {
        let first = self.table.seats().iter().next().expect("2 seats or more");
        let wins = |row: &Row| {
            solve_winners(self.piles, &self.matrix_with(row), Ending::default())[first] == self.seat
        };
        rows.into_iter().find(wins).unwrap_or_else(|| Row::standard(self.table.seats()))
    }

    /// Returns the row with which the seat wins most, the others declaring what they declared last; the standard one if none
    /// is better.
    fn best_against_play(&self) -> Row {
        let seats = self.table.seats();
        let chance = |row: &Row| {
            let game = Game::new(self.piles.clone(), self.matrix_with(row), 0, Ending::default());
            let game = game.expect("the first seat");
            let solution = Solution::new(&game);
            let mut chances = WinChances::new(self.bots, self.table, self.seat, &game, &solution);
            chances.after(&game.first_position())[self.seat.index()]
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
        let of = |other: Seat| {
            if other == self.seat { row.clone() } else { self.memory.last_rows[self.table[other]].clone() }
        };
        AllianceMatrix::from_rows(BySeat::from_fn(self.table.seats(), of)).expect("rows of as many seats")
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
    rows.into_iter().map(|row| Row::parse(&row, seats).expect("each offset stands once")).collect()
}
