//! Counts how often bots have met, and swaps bots between tables to reduce repeated meetings.

use super::in_rounds::RoundTable;

/// How often every pair of bots has met.
#[derive(Debug, Clone)]
pub(super) struct MeetingCounts {
    bots: usize,
    /// The count for each pair of bots, at index `one * bots + other`.
    met: Vec<u16>,
}

/// A swap of the bots in two seats at different tables. Each seat is given by the indexes of its table and of the seat.
#[derive(Debug, Clone, Copy)]
struct SeatExchange {
    one: (usize, usize),
    other: (usize, usize),
}

impl MeetingCounts {
    /// Creates the counts for bots that have never met.
    pub(super) fn zero(bots: usize) -> Self {
        Self { bots, met: vec![0; bots * bots] }
    }

    /// Counts the meetings at all tables of these rounds.
    pub(super) fn of_rounds(bots: usize, rounds: &[&[RoundTable]]) -> Self {
        let mut meetings = Self::zero(bots);
        for table in rounds.iter().copied().flatten() {
            meetings.add_table(table);
        }
        meetings
    }

    /// Counts the meetings at one more table.
    pub(super) fn add_table(&mut self, table: &[usize]) {
        for &one in table {
            for &other in table.iter().filter(|&&other| other != one) {
                let met = &mut self.met[one * self.bots + other];
                *met = met.saturating_add(1);
            }
        }
    }

    /// Returns how often two bots have met.
    pub(super) fn meetings_of(&self, one: usize, other: usize) -> i64 {
        i64::from(self.met[one * self.bots + other])
    }

    /// Swaps bots between tables as long as a swap reduces the number of earlier meetings, summed over all pairs of
    /// bots that share a table. Among such swaps it prefers those between tables that are close together, so that bots
    /// still meet others with similar scores.
    ///
    /// With two seats, no meeting is repeated while every bot has met fewer than half of the seated bots. Proof: if a
    /// and b have met and sit together, then of the bots at the other tables at least half are new to a, and at least
    /// half are new to b, and more than half if the number of tables is odd. So at some other table, a bot new to a
    /// sits opposite a bot new to b, and a swap with that table helps.
    pub(super) fn reduce_repeats(&self, tables: &mut [RoundTable]) {
        let mut sums = TableMeetings::count(self, tables);
        let mut at = 0;
        while at < tables.len() {
            let Some(SeatExchange { one, other }) = self.best_exchange(tables, &sums, at) else {
                at += 1;
                continue;
            };
            let (here, there) = (tables[one.0][one.1], tables[other.0][other.1]);
            tables[one.0][one.1] = there;
            tables[other.0][other.1] = here;
            sums.note_exchange(self, (one.0, here), (other.0, there));
            // The other table of the swap may have become worse.
            at = one.0.min(other.0);
        }
    }

    /// Returns the best swap of a bot at this table that reduces earlier meetings: the one with the nearest table, and
    /// on ties the one that reduces them most.
    fn best_exchange(
        &self,
        tables: &[RoundTable],
        sums: &TableMeetings,
        table: usize,
    ) -> Option<SeatExchange> {
        let mut best: Option<(i64, usize, SeatExchange)> = None;
        for (seat, &here) in
            tables[table].iter().enumerate().filter(|&(_, &bot)| sums.meetings_of(bot, table) > 0)
        {
            for (other, bots) in tables.iter().enumerate().filter(|&(other, _)| other != table) {
                for (place, &there) in bots.iter().enumerate() {
                    let now = sums.meetings_of(here, table) + sums.meetings_of(there, other);
                    let then = sums.meetings_of(here, other) + sums.meetings_of(there, table)
                        - 2 * self.meetings_of(here, there);
                    let (gain, distance) = (now - then, table.abs_diff(other));
                    let is_better = best.is_none_or(|(most, nearest, _)| {
                        distance < nearest || (distance == nearest && gain > most)
                    });
                    if gain > 0 && is_better {
                        let exchange = SeatExchange { one: (table, seat), other: (other, place) };
                        best = Some((gain, distance, exchange));
                    }
                }
            }
        }
        best.map(|(_, _, exchange)| exchange)
    }
}

/// How often each bot has met the bots at each table, in total.
struct TableMeetings {
    tables: usize,
    /// The number for each bot and table, at index `bot * tables + table`.
    sums: Vec<i64>,
}

impl TableMeetings {
    fn count(meetings: &MeetingCounts, tables: &[RoundTable]) -> Self {
        let mut sums = Self { tables: tables.len(), sums: vec![0; meetings.bots * tables.len()] };
        for (index, table) in tables.iter().enumerate() {
            for &bot in table {
                sums.adjust(meetings, index, bot, 1);
            }
        }
        sums
    }

    fn meetings_of(&self, bot: usize, table: usize) -> i64 {
        self.sums[bot * self.tables + table]
    }

    /// Updates the sums after two bots have swapped tables.
    fn note_exchange(&mut self, meetings: &MeetingCounts, one: (usize, usize), other: (usize, usize)) {
        self.adjust(meetings, one.0, one.1, -1);
        self.adjust(meetings, other.0, other.1, -1);
        self.adjust(meetings, one.0, other.1, 1);
        self.adjust(meetings, other.0, one.1, 1);
    }

    fn adjust(&mut self, meetings: &MeetingCounts, table: usize, bot: usize, by: i64) {
        let met = meetings.met[bot * meetings.bots..][..meetings.bots].iter();
        for (sum, &met) in self.sums.iter_mut().skip(table).step_by(self.tables).zip(met) {
            *sum += by * i64::from(met);
        }
    }
}
