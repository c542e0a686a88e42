//! Who met whom, and tables at which few meet again.

use super::in_rounds::Table;

/// How often every two bots sat at one table.
#[derive(Debug, Clone)]
pub(super) struct Meetings {
    bots: usize,
    /// By bot and bot.
    met: Vec<u16>,
}

/// Two places at two tables.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    one: (usize, usize),
    other: (usize, usize),
}

impl Meetings {
    /// Begins with bots that never met.
    pub(super) fn none(bots: usize) -> Self {
        Self { bots, met: vec![0; bots * bots] }
    }

    /// Counts all tables of these rounds.
    pub(super) fn of_rounds(bots: usize, rounds: &[&[Table]]) -> Self {
        let mut meetings = Self::none(bots);
        for table in rounds.iter().copied().flatten() {
            meetings.add(table);
        }
        meetings
    }

    /// Counts a table.
    pub(super) fn add(&mut self, table: &[usize]) {
        for &one in table {
            for &other in table.iter().filter(|&&other| other != one) {
                let met = &mut self.met[one * self.bots + other];
                *met = met.saturating_add(1);
            }
        }
    }

    /// Returns how often two bots met.
    pub(super) fn of(&self, one: usize, other: usize) -> i64 {
        i64::from(self.met[one * self.bots + other])
    }

    /// Exchanges bots between tables until no exchange of two would lower the number of former meetings, over all pairs at
    /// a table. Of the exchanges that lower it, one between the nearest tables is made, so that the tables keep their order
    /// by score as far as can be.
    ///
    /// With two seats no meeting is repeated as long as every bot has met fewer than half of the bots that sit. For if a
    /// and b met and sit together, then of the bots at the other tables at least half are new to a, and at least half are
    /// new to b, and more than half where the number of tables is odd: so some table has one new to a opposite one
    /// new to b, and to exchange with it helps.
    pub(super) fn spread(&self, tables: &mut [Table]) {
        let mut sums = Sums::count(self, tables);
        let mut at = 0;
        while at < tables.len() {
            let Some(Exchange { one, other }) = self.best_exchange(tables, &sums, at) else {
                at += 1;
                continue;
            };
            let (here, there) = (tables[one.0][one.1], tables[other.0][other.1]);
            tables[one.0][one.1] = there;
            tables[other.0][other.1] = here;
            sums.exchange(self, (one.0, here), (other.0, there));
            // The table exchanged with may have got worse.
            at = one.0.min(other.0);
        }
    }

    /// Returns the exchange of a bot of this table with the nearest by which the number of former meetings is lowered.
    fn best_exchange(&self, tables: &[Table], sums: &Sums, table: usize) -> Option<Exchange> {
        let mut best: Option<(i64, usize, Exchange)> = None;
        for (seat, &here) in tables[table].iter().enumerate().filter(|&(_, &bot)| sums.of(bot, table) > 0) {
            for (other, bots) in tables.iter().enumerate().filter(|&(other, _)| other != table) {
                for (place, &there) in bots.iter().enumerate() {
                    let now = sums.of(here, table) + sums.of(there, other);
                    let then = sums.of(here, other) + sums.of(there, table) - 2 * self.of(here, there);
                    let (gain, distance) = (now - then, table.abs_diff(other));
                    let is_better = best.is_none_or(|(most, nearest, _)| {
                        distance < nearest || (distance == nearest && gain > most)
                    });
                    if gain > 0 && is_better {
                        let exchange = Exchange { one: (table, seat), other: (other, place) };
                        best = Some((gain, distance, exchange));
                    }
                }
            }
        }
        best.map(|(_, _, exchange)| exchange)
    }
}

/// How often each bot met the bots of each table.
struct Sums {
    tables: usize,
    /// By bot and table.
    sums: Vec<i64>,
}

impl Sums {
    fn count(meetings: &Meetings, tables: &[Table]) -> Self {
        let mut sums = Self { tables: tables.len(), sums: vec![0; meetings.bots * tables.len()] };
        for (index, table) in tables.iter().enumerate() {
            for &bot in table {
                sums.shift(meetings, index, bot, 1);
            }
        }
        sums
    }

    fn of(&self, bot: usize, table: usize) -> i64 {
        self.sums[bot * self.tables + table]
    }

    /// Counts that two bots have changed tables.
    fn exchange(&mut self, meetings: &Meetings, one: (usize, usize), other: (usize, usize)) {
        self.shift(meetings, one.0, one.1, -1);
        self.shift(meetings, other.0, other.1, -1);
        self.shift(meetings, one.0, other.1, 1);
        self.shift(meetings, other.0, one.1, 1);
    }

    fn shift(&mut self, meetings: &Meetings, table: usize, bot: usize, by: i64) {
        let met = meetings.met[bot * meetings.bots..][..meetings.bots].iter();
        for (sum, &met) in self.sums.iter_mut().skip(table).step_by(self.tables).zip(met) {
            *sum += by * i64::from(met);
        }
    }
}
