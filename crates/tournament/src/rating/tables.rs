//! The tables at which bots met.

use std::ops::Range;

/// The distinct tables at which matches were played: sets of two or more bots, numbered from 0.
#[derive(Debug, Clone)]
pub(super) struct SeatedTables {
    bots: usize,
    members: Vec<u32>,
    /// Where the members of each table start; the last entry is the end.
    bounds: Vec<usize>,
}

impl SeatedTables {
    /// Creates an empty collection of tables for this many bots.
    pub(super) fn new<'a>(bots: usize, tables: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut gathered = Self { bots, members: Vec::new(), bounds: vec![0] };
        for table in tables {
            gathered.members.extend(table);
            gathered.bounds.push(gathered.members.len());
        }
        gathered
    }

    /// Returns the number of bots.
    pub(super) fn bots(&self) -> usize {
        self.bots
    }

    /// Returns the number of tables.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the members of a table.
    pub(super) fn get(&self, table: usize) -> &[u32] {
        &self.members[self.bounds[table]..self.bounds[table + 1]]
    }

    /// Iterates over the tables.
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

    /// Returns the steps for one pass over all seats.
    pub(super) fn steps(&self) -> u64 {
        (self.members.len() + self.bots) as u64
    }
}
