//! Balanced tables: all bots sit equally often, and the numbers of meetings of all pairs are as equal as possible.

use crate::SeededDraw;

/// The tables of a field, found by a randomised search from a seed.
///
/// First, each table takes the bots that have sat least often so far, and among these the ones that have met each other
/// least. So all bots sit equally often, give or take one, and the later steps preserve this. Then simulated annealing
/// swaps bots between tables to reduce the sum of the squared numbers of meetings, until all pairs meet equally often,
/// give or take one, or the limit on tries is reached. Finally, pairs that still meet too often are repaired one by
/// one. Perfect balance is not always possible: no five tables of three let every pair of six bots meet exactly once.
///
/// Source of the second step: Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing" (1983).
#[derive(Debug)]
pub(super) struct BalancedTables {
    field: usize,
    seats: usize,
    /// The bot in each seat, table after table.
    seated: Vec<u32>,
}

/// Maximum number of swaps that the annealing tries: in total, and per pair of seats.
const MAX_TRIES: (u64, u64) = (500_000, 50);
/// Maximum number of swaps that the repair tries: for each bot that meets another too often, and in total.
const MAX_REPAIRS: (usize, usize) = (200, 500_000);

/// The search for balanced tables.
struct TableSearch {
    tables: BalancedTables,
    /// How often each pair of bots has met, at index `one * field + other`.
    met: Vec<u16>,
    draw: SeededDraw,
}

impl BalancedTables {
    /// Searches for this many tables for a field of this size.
    pub(super) fn find(field: usize, seats: usize, tables: u64, seed: u64) -> Self {
        let mut search = TableSearch {
            tables: Self { field, seats, seated: Vec::with_capacity(tables as usize * seats) },
            met: vec![0; field * field],
            draw: SeededDraw::from_numbers([seed, field as u64, seats as u64, tables]),
        };
        search.fill_tables(tables);
        search.anneal();
        search.repair_repeated_meetings();
        search.tables
    }

    pub(super) fn table(&self, table: u64) -> impl Iterator<Item = usize> {
        self.seated[table as usize * self.seats..][..self.seats].iter().map(|&bot| bot as usize)
    }

    fn table_count(&self) -> usize {
        self.seated.len() / self.seats
    }

    /// Returns a lower bound for the sum of the squared numbers of meetings. It is reached if all pairs meet equally
    /// often, give or take one.
    fn min_squared_meetings(&self) -> u64 {
        let pairs = (self.field * (self.field - 1) / 2) as u64;
        let meetings = (self.table_count() * self.seats * (self.seats - 1) / 2) as u64;
        let (each, more) = (meetings / pairs, meetings % pairs);
        pairs * each * each + more * (2 * each + 1)
    }
}

impl TableSearch {
    /// Fills the tables one by one.
    fn fill_tables(&mut self, tables: u64) {
        let (field, seats) = (self.tables.field, self.tables.seats);
        let mut labels: Vec<u32> = (0..field as u32).collect();
        self.draw.shuffle(&mut labels);
        let mut plays = vec![0_u32; field];
        // How often each bot has met the bots that are already at the table.
        let mut met_table = vec![0_u32; field];
        let mut sits = vec![false; field];
        for _ in 0..tables {
            met_table.fill(0);
            sits.fill(false);
            let first = self.draw.number_below(field as u64) as usize;
            let mut table: Vec<u32> = Vec::with_capacity(seats);
            for _ in 0..seats {
                let free = labels[first..].iter().chain(&labels[..first]).filter(|&&bot| !sits[bot as usize]);
                let fittest = free.min_by_key(|&&bot| (plays[bot as usize], met_table[bot as usize]));
                let bot = *fittest.expect("a field has as many bots as a table has seats");
                plays[bot as usize] += 1;
                sits[bot as usize] = true;
                let row = &self.met[bot as usize * field..][..field];
                met_table.iter_mut().zip(row).for_each(|(sum, &met)| *sum += u32::from(met));
                table.push(bot);
            }
            for (place, &one) in table.iter().enumerate() {
                for &other in &table[..place] {
                    self.adjust_meetings(one, other, 1);
                }
            }
            self.tables.seated.extend(table);
        }
    }

    /// Swaps bots until all pairs meet equally often, give or take one, or the limit on tries is reached.
    fn anneal(&mut self) {
        let met = self.met.iter();
        let mut squares = met.map(|&met| u64::from(met) * u64::from(met)).sum::<u64>() / 2;
        let least = self.tables.min_squared_meetings();
        let (mut best, mut best_squares) = (self.tables.seated.clone(), squares);
        let (max_tries, tries_per_pair) = MAX_TRIES;
        let tries = (self.tables.seated.len() as u64).pow(2).saturating_mul(tries_per_pair).min(max_tries);
        for tried in 0..tries {
            if squares == least {
                return;
            }
            let places = [(); 2].map(|()| self.draw.number_below(self.tables.seated.len() as u64) as usize);
            let Some(more) = self.exchange_bots(places) else { continue };
            // This is the cooling: swaps that raise the sum by 2 are accepted with a probability of 1/2 at first and
            // 2^-8 at the end.
            let doublings = u64::try_from(more).unwrap_or(0) / 2 * (1 + 7 * tried / tries);
            if more > 0 && (doublings >= 64 || self.draw.next_bits() >> (64 - doublings) != 0) {
                self.exchange_bots(places);
                continue;
            }
            squares = squares.wrapping_add_signed(more);
            if squares < best_squares {
                best_squares = squares;
                best.clone_from(&self.tables.seated);
            }
        }
        self.tables.seated = best;
        self.recount_meetings();
    }

    fn recount_meetings(&mut self) {
        self.met.fill(0);
        for first in (0..self.tables.seated.len()).step_by(self.tables.seats) {
            for one in first..first + self.tables.seats {
                for other in first..one {
                    self.adjust_meetings(self.tables.seated[one], self.tables.seated[other], 1);
                }
            }
        }
    }

    /// For each bot that meets another bot at its table too often, tries to move it to a different table.
    fn repair_repeated_meetings(&mut self) {
        let (field, seats) = (self.tables.field, self.tables.seats);
        let (for_each, mut left) = MAX_REPAIRS;
        let max_meetings = (self.tables.table_count() * seats * (seats - 1)).div_ceil(field * (field - 1));
        for place in 0..self.tables.seated.len() {
            for _ in 0..for_each.min(left) {
                let bot = self.tables.seated[place] as usize;
                let others = self.tables.table((place / seats) as u64);
                if others
                    .filter(|&other| other != bot)
                    .all(|other| usize::from(self.met[bot * field + other]) <= max_meetings)
                {
                    break;
                }
                left -= 1;
                let places = [place, self.draw.number_below(self.tables.seated.len() as u64) as usize];
                if self.exchange_bots(places).is_some_and(|more| more > 0) {
                    self.exchange_bots(places);
                }
            }
        }
    }

    /// Swaps the bots of two seats, and returns by how much the sum of squares changes. Returns `None` without a swap
    /// if one of the bots already sits at the other's table.
    fn exchange_bots(&mut self, [here, there]: [usize; 2]) -> Option<i64> {
        let seats = self.tables.seats;
        let (one, other) = (self.tables.seated[here], self.tables.seated[there]);
        let [at_one, at_other] = [here, there].map(|place| place / seats * seats);
        let sits_at = |bot, first: usize| self.tables.seated[first..first + seats].contains(&bot);
        if at_one == at_other || sits_at(one, at_other) || sits_at(other, at_one) {
            return None;
        }
        let mut more = 0;
        for (first, place, leaving, coming) in [(at_one, here, one, other), (at_other, there, other, one)] {
            for staying in (first..first + seats).filter(|&seat| seat != place) {
                let bot = self.tables.seated[staying];
                more += self.adjust_meetings(leaving, bot, -1) + self.adjust_meetings(coming, bot, 1);
            }
        }
        self.tables.seated.swap(here, there);
        Some(more)
    }

    /// Changes how often a pair has met, and returns by how much the sum of squares changes.
    fn adjust_meetings(&mut self, one: u32, other: u32, by: i16) -> i64 {
        let field = self.tables.field;
        let (one, other) = (one as usize, other as usize);
        let met = self.met[one * field + other].wrapping_add_signed(by);
        self.met[one * field + other] = met;
        self.met[other * field + one] = met;
        i64::from(by) * (2 * i64::from(met) - i64::from(by))
    }
}
