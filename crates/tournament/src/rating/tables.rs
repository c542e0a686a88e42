//! The tables at which bots met.

use std::ops::Range;

/// The distinct tables at which matches were played, numbered from 0. Each table is a set of two or more bots.
#[derive(Debug, Clone)]
pub(super) struct SeatedTables {
    bots: usize,
    members: Vec<u32>,
    /// The start of each table in `members`; the last entry is the end of the last table.
    bounds: Vec<usize>,
}

impl SeatedTables {
    /// Creates the collection of these tables. Their bots are given by indices below `bots`.
    pub(super) fn new<'a>(bots: usize, tables: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut gathered = Self { bots, members: Vec::new(), bounds: vec![0] };
        for table in tables {
            gathered.members.extend(table);
            gathered.bounds.push(gathered.members.len());
        }
        gathered
    }

    pub(super) fn bot_count(&self) -> usize {
        self.bots
    }

    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(super) fn get(&self, table: usize) -> &[u32] {
        &self.members[self.bounds[table]..self.bounds[table + 1]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|table| self.get(table))
    }

    /// Iterates over the tables, each with the range of its seats among all seats.
    pub(super) fn iter_with_seats(&self) -> impl Iterator<Item = (&[u32], Range<usize>)> {
        self.bounds.windows(2).map(|bounds| (&self.members[bounds[0]..bounds[1]], bounds[0]..bounds[1]))
    }

    /// Returns the total number of seats.
    pub(super) fn seats(&self) -> usize {
        self.members.len()
    }

    /// Returns the cost of one pass over all seats, in budget steps.
    pub(super) fn steps(&self) -> u64 {
        (self.members.len() + self.bots) as u64
    }
}
