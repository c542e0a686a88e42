//! The tables at which bots have met.

use std::ops::Range;

/// The tables at which matches were played, each once: sets of two or more bots, which are numbered from 0.
#[derive(Debug, Clone)]
pub(super) struct SeatedTables {
    bots: usize,
    members: Vec<u32>,
    /// Where the members of each table begin, and where those of the last end.
    bounds: Vec<usize>,
}

impl SeatedTables {
    /// Gathers the tables of so many bots.
    pub(super) fn new<'a>(bots: usize, tables: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut gathered = Self { bots, members: Vec::new(), bounds: vec![0] };
        for table in tables {
            gathered.members.extend(table);
            gathered.bounds.push(gathered.members.len());
        }
        gathered
    }

    /// Returns how many bots there are.
    pub(super) fn bots(&self) -> usize {
        self.bots
    }

    /// Returns how many tables there are.
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

    /// Iterates over the tables, each with the numbers of its seats among those of all tables.
    pub(super) fn iter_with_seats(&self) -> impl Iterator<Item = (&[u32], Range<usize>)> {
        self.bounds.windows(2).map(|bounds| (&self.members[bounds[0]..bounds[1]], bounds[0]..bounds[1]))
    }

    /// Returns how many seats all tables have.
    pub(super) fn seats(&self) -> usize {
        self.members.len()
    }

    /// Returns what one look at every seat of every table counts as.
    pub(super) fn steps(&self) -> u64 {
        (self.members.len() + self.bots) as u64
    }
}
