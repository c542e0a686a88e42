//! The matches that ratings are computed from.

use super::{
    RatedMatch, Ratings, Resampling,
    groups::{GroupCounts, SortedMatches},
    tables::SeatedTables,
};
use crate::{
    MatchResult,
    checkpoint::{CheckpointError, ensure_valid},
    interner::Interner,
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::Arc};

/// The matches that ratings are computed from. The same matches in any order give the same ratings, bit for bit.
///
/// It stores 16 bytes per match, and each distinct table once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RatedMatches {
    bots: Interner<BotName>,
    tables: Interner<Arc<[u32]>>,
    matches: Vec<MatchEntry>,
}

/// One match that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct MatchEntry {
    group: u64,
    table: u32,
    /// The index of the winner at the table.
    winner: u32,
}

impl RatedMatches {
    /// Creates a set without matches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the result of one match. Each match must be added exactly once. [`RatedMatch`] decides whether it counts,
    /// and for which bots.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(rated) = RatedMatch::of_result(result) else { return };
        let table: Vec<u32> = rated.table().iter().map(|bot| self.bots.intern(bot)).collect();
        let Some(winner) = rated.table().iter().position(|&bot| bot == rated.winner()) else { return };
        let table = self.tables.intern(&table.into());
        self.matches.push(MatchEntry { group: result.group, table, winner: winner as u32 });
    }

    /// Removes the matches of all groups with lower numbers than this one.
    pub fn forget_groups_before(&mut self, group: u64) {
        let before = std::mem::take(self);
        let mut tables = HashMap::new();
        for entry in before.matches.iter().filter(|entry| entry.group >= group) {
            let table = *tables.entry(entry.table).or_insert_with(|| {
                let bots = before.tables.items()[entry.table as usize].iter();
                let bots: Vec<u32> =
                    bots.map(|&bot| self.bots.intern(&before.bots.items()[bot as usize])).collect();
                self.tables.intern(&bots.into())
            });
            self.matches.push(MatchEntry { table, ..*entry });
        }
    }

    /// Checks that values decoded from a checkpoint are consistent.
    pub(super) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        let (bots, tables) = (self.bots.items().len(), self.tables.items());
        let is_known = tables.iter().all(|table| table.iter().all(|&bot| (bot as usize) < bots));
        ensure_valid(is_known, "a table has a bot that is not rated")?;
        let has_place = |entry: &MatchEntry| {
            tables.get(entry.table as usize).is_some_and(|table| (entry.winner as usize) < table.len())
        };
        ensure_valid(self.matches.iter().all(has_place), "the winner is not at the table")
    }

    /// Returns the number of matches that count.
    pub fn len(&self) -> usize {
        self.matches.len()
    }

    /// Returns whether no match counts.
    pub fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }

    /// Computes the ratings of all bots for which a match counts. One step of the budget pays for processing one seat
    /// of a table, which takes about 10 ns.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn compute_ratings(
        &self,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<Ratings, HaltReason> {
        Ratings::compute(&self.sorted_matches(), resampling, budget)
    }

    /// Sorts bots, tables and groups, so that their order does not depend on the order in which matches were added.
    fn sorted_matches(&self) -> SortedMatches {
        let bots = dense_ranks(self.bots.items());
        let renamed = |table: &Arc<[u32]>| table.iter().map(|&bot| bots[bot as usize]).collect();
        let tables: Vec<Box<[u32]>> = self.tables.items().iter().map(renamed).collect();
        let table_ranks = dense_ranks(&tables);
        let renumbered =
            |entry: &MatchEntry| MatchEntry { table: table_ranks[entry.table as usize], ..*entry };
        let mut matches: Vec<MatchEntry> = self.matches.iter().map(renumbered).collect();
        matches.sort_unstable();
        let mut sorted = tables;
        sorted.sort_unstable();
        let tables = SeatedTables::new(bots.len(), sorted.iter().map(|table| &**table));
        let mut groups = GroupCounts::default();
        for group in matches.chunk_by(|one, other| one.group == other.group) {
            groups.push(&tables, group.iter().map(|entry| (entry.table, entry.winner)));
        }
        let mut bots = self.bots.items().to_vec();
        bots.sort_unstable();
        SortedMatches { bots, tables, groups }
    }
}

/// Returns, for each item, the number of smaller items. All items must differ.
fn dense_ranks<T: Ord>(items: &[T]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_unstable_by_key(|&item| &items[item]);
    let mut ranks = vec![0; items.len()];
    for (rank, item) in (0..).zip(order) {
        ranks[item] = rank;
    }
    ranks
}
