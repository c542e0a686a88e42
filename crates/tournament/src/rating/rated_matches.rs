//! All matches that ratings follow from.

use super::{
    RatedMatch, Ratings, Resampling,
    groups::{GroupCounts, SortedMatches},
    tables::SeatedTables,
};
use crate::{
    MatchResult,
    checkpoint::{CheckpointError, Decoder, Encoder, ensure_holds},
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use std::collections::HashMap;

/// All matches that ratings follow from, in no order: the same matches give the same ratings, bit for bit.
///
/// It keeps 16 bytes a match, and each table once.
#[derive(Debug, Clone, Default)]
pub struct RatedMatches {
    bots: Vec<BotName>,
    numbers: HashMap<BotName, u32>,
    /// Each table by its number.
    tables: HashMap<Box<[u32]>, u32>,
    matches: Vec<MatchEntry>,
}

/// One match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MatchEntry {
    group: u64,
    table: u32,
    /// The place at the table that won.
    winner: u32,
}

impl RatedMatches {
    /// Starts without any match.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one match; each must be added once. What counts, and for whom, is [`RatedMatch`]'s to say.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(said) = RatedMatch::of_result(result) else { return };
        let table: Vec<u32> = said.table().iter().map(|bot| self.number_of_bot(bot)).collect();
        let Some(winner) = said.table().iter().position(|&bot| bot == said.winner()) else { return };
        let table = self.table_number(table.into());
        self.matches.push(MatchEntry { group: result.group, table, winner: winner as u32 });
    }

    /// Forgets the matches of groups before one, as if they had never been added.
    pub fn forget_before(&mut self, group: u64) {
        let before = std::mem::take(self);
        let tables_before: HashMap<u32, &[u32]> =
            before.tables.iter().map(|(table, &number)| (number, &**table)).collect();
        let mut tables = HashMap::new();
        for entry in before.matches.iter().filter(|entry| entry.group >= group) {
            let table = *tables.entry(entry.table).or_insert_with(|| {
                let bots = tables_before[&entry.table].iter();
                let bots: Vec<u32> =
                    bots.map(|&bot| self.number_of_bot(&before.bots[bot as usize])).collect();
                self.table_number(bots.into())
            });
            self.matches.push(MatchEntry { table, ..*entry });
        }
    }

    pub(crate) fn save(&self, to: &mut Encoder) {
        to.count(self.bots.len());
        for bot in &self.bots {
            to.name(bot);
        }
        let mut tables: Vec<&[u32]> = vec![&[]; self.tables.len()];
        for (table, &number) in &self.tables {
            tables[number as usize] = table;
        }
        to.count(tables.len());
        for table in tables {
            to.count(table.len());
            for &bot in table {
                to.number(bot);
            }
        }
        let mut matches = self.matches.clone();
        matches.sort_unstable();
        to.count(matches.len());
        let mut last = 0;
        for MatchEntry { group, table, winner } in matches {
            to.number(group - last);
            to.number(table);
            to.number(winner);
            last = group;
        }
    }

    pub(crate) fn restore(from: &mut Decoder<'_>) -> Result<Self, CheckpointError> {
        let mut restored = Self::new();
        let bots = from.count()?;
        for number in 0..bots {
            ensure_holds(restored.number_of_bot(&from.name()?) as usize == number, "a bot is rated twice")?;
        }
        let count = from.count()?;
        let mut seats = Vec::with_capacity(count);
        for number in 0..count {
            let table = (0..from.count()?).map(|_| Ok(from.place(bots)? as u32));
            let table: Box<[u32]> = table.collect::<Result<_, CheckpointError>>()?;
            seats.push(table.len());
            ensure_holds(restored.table_number(table) as usize == number, "a table is there twice")?;
        }
        let mut group = 0_u64;
        for _ in 0..from.count()? {
            let later: u64 = from.number()?;
            group = group.checked_add(later).ok_or(CheckpointError::Malformed("a group is too high"))?;
            let table = from.place(count)?;
            let winner = from.place(seats[table])? as u32;
            restored.matches.push(MatchEntry { group, table: table as u32, winner });
        }
        Ok(restored)
    }

    /// Returns how many matches count.
    pub fn len(&self) -> usize {
        self.matches.len()
    }

    /// Returns whether no match counts.
    pub fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }

    /// Works out the ratings of all bots for which a match counts. A step of the budget is one look at a seat of a table, about 10 ns.
    ///
    /// # Errors
    /// If the budget does not allow it.
    pub fn compute_ratings(
        &self,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<Ratings, HaltReason> {
        Ratings::compute(&self.sorted_matches(), resampling, budget)
    }

    fn number_of_bot(&mut self, bot: &BotName) -> u32 {
        if let Some(&number) = self.numbers.get(bot) {
            return number;
        }
        let number = self.bots.len() as u32;
        self.bots.push(bot.clone());
        self.numbers.insert(bot.clone(), number);
        number
    }

    fn table_number(&mut self, table: Box<[u32]>) -> u32 {
        let next = self.tables.len() as u32;
        *self.tables.entry(table).or_insert(next)
    }

    /// Puts bots, tables and groups in an order that does not depend on the one in which the matches were added.
    fn sorted_matches(&self) -> SortedMatches {
        let bots = dense_ranks(&self.bots);
        let mut tables: Vec<Box<[u32]>> = vec![Box::default(); self.tables.len()];
        for (table, &number) in &self.tables {
            tables[number as usize] = table.iter().map(|&bot| bots[bot as usize]).collect();
        }
        let table_ranks = dense_ranks(&tables);
        let renumbered =
            |entry: &MatchEntry| MatchEntry { table: table_ranks[entry.table as usize], ..*entry };
        let mut matches: Vec<MatchEntry> = self.matches.iter().map(renumbered).collect();
        matches.sort_unstable();
        let mut in_order = tables;
        in_order.sort_unstable();
        let tables = SeatedTables::new(self.bots.len(), in_order.iter().map(|table| &**table));
        let mut groups = GroupCounts::default();
        for group in matches.chunk_by(|one, other| one.group == other.group) {
            groups.push(&tables, group.iter().map(|entry| (entry.table, entry.winner)));
        }
        let mut bots = self.bots.clone();
        bots.sort_unstable();
        SortedMatches { bots, tables, groups }
    }
}

/// Returns by item how many are less than it; all differ.
fn dense_ranks<T: Ord>(items: &[T]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_unstable_by_key(|&item| &items[item]);
    let mut ranks = vec![0; items.len()];
    for (rank, item) in (0..).zip(order) {
        ranks[item] = rank;
    }
    ranks
}
