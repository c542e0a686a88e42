//! All matches that ratings follow from.

use super::{
    RatedMatch, Ratings, Resampling,
    luce::{Statistics, Tables},
};
use crate::{
    game::BotName,
    oracle::{Budget, Halt},
    tournament::MatchResult,
};
use std::collections::{BTreeSet, HashMap};

/// All matches that ratings follow from, in no order: the same matches give the same ratings, bit for bit.
///
/// It keeps 16 bytes a match, and each table once.
#[derive(Debug, Clone, Default)]
pub struct RatedMatches {
    bots: Vec<BotName>,
    numbers: HashMap<BotName, u32>,
    tables: Vec<Box<[u32]>>,
    table_numbers: HashMap<Box<[u32]>, u32>,
    matches: Vec<Entry>,
}

/// One match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    group: u64,
    table: u32,
    /// The places at the table that share the win, as bits.
    winners: u32,
}

/// The matches in an order that does not depend on the one in which they were added.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    /// In the order of their names.
    pub(super) bots: Vec<BotName>,
    pub(super) tables: Tables,
    /// By group and table.
    matches: Vec<Entry>,
    /// Where the matches of each group begin, and where those of the last end.
    groups: Vec<usize>,
}

impl RatedMatches {
    /// Starts without any match.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one match; each must be added once. What counts, and for whom, is [`RatedMatch`]'s to say.
    pub fn add(&mut self, result: &MatchResult) {
        let Some(said) = RatedMatch::of(result) else { return };
        let table: Vec<u32> = said.table().iter().map(|bot| self.number(bot)).collect();
        let winners = said.table().iter().enumerate().filter(|(_, bot)| said.winners().contains(bot));
        let winners = winners.fold(0, |bits, (place, _)| bits | 1 << place);
        let table = self.table_number(table.into());
        self.matches.push(Entry { group: result.group, table, winners });
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
    pub fn rate(&self, resampling: &Resampling, budget: &mut Budget) -> Result<Ratings, Halt> {
        Ratings::of(&self.gathered(), resampling, budget)
    }

    fn number(&mut self, bot: &BotName) -> u32 {
        if let Some(&number) = self.numbers.get(bot) {
            return number;
        }
        let number = self.bots.len() as u32;
        self.bots.push(bot.clone());
        self.numbers.insert(bot.clone(), number);
        number
    }

    fn table_number(&mut self, table: Box<[u32]>) -> u32 {
        if let Some(&number) = self.table_numbers.get(&table) {
            return number;
        }
        let number = self.tables.len() as u32;
        self.tables.push(table.clone());
        self.table_numbers.insert(table, number);
        number
    }

    /// Puts bots, tables and matches in order.
    pub(super) fn gathered(&self) -> Gathered {
        let mut order: Vec<u32> = (0..self.bots.len() as u32).collect();
        order.sort_unstable_by_key(|&bot| &self.bots[bot as usize]);
        let mut by_name = vec![0; order.len()];
        for (number, &bot) in (0..).zip(&order) {
            by_name[bot as usize] = number;
        }
        // The places at a table are in the order of the names, and stay so.
        let tables: Vec<Box<[u32]>> = self
            .tables
            .iter()
            .map(|table| table.iter().map(|&bot| by_name[bot as usize]).collect())
            .collect();
        let mut table_order: Vec<u32> = (0..tables.len() as u32).collect();
        table_order.sort_unstable_by_key(|&table| &tables[table as usize]);
        let mut table_numbers = vec![0; tables.len()];
        for (number, &table) in (0..).zip(&table_order) {
            table_numbers[table as usize] = number;
        }
        let renumbered = |entry: &Entry| Entry { table: table_numbers[entry.table as usize], ..*entry };
        let mut matches: Vec<Entry> = self.matches.iter().map(renumbered).collect();
        matches.sort_unstable();
        let mut groups = vec![0];
        for group in matches.chunk_by(|one, other| one.group == other.group) {
            groups.push(groups[groups.len() - 1] + group.len());
        }
        let in_order = table_order.iter().map(|&table| &*tables[table as usize]);
        Gathered {
            bots: order.iter().map(|&bot| self.bots[bot as usize].clone()).collect(),
            tables: Tables::new(order.len(), in_order),
            matches,
            groups,
        }
    }
}

impl Gathered {
    /// Returns what counting all matches costs, in steps.
    pub(super) fn steps(&self) -> u64 {
        self.matches.len() as u64
    }

    /// Counts every match so often as `weight` says of its group, which is given by its number, from 0.
    pub(super) fn statistics(&self, mut weight: impl FnMut(usize) -> f64) -> Statistics {
        let mut statistics = Statistics::none(&self.tables);
        for (group, bounds) in self.groups.windows(2).enumerate() {
            let weight = weight(group);
            for entry in &self.matches[bounds[0]..bounds[1]] {
                statistics.matches[entry.table as usize] += weight;
                let share = weight / f64::from(entry.winners.count_ones());
                let table = self.tables.get(entry.table as usize);
                for (place, &bot) in table.iter().enumerate() {
                    if entry.winners >> place & 1 == 1 {
                        statistics.wins[bot as usize] += share;
                    }
                }
            }
        }
        statistics
    }

    /// Returns by bot how many matches it sat in that count, and of how many groups they are.
    pub(super) fn appearances(&self) -> Vec<Appearances> {
        let mut appearances = vec![Appearances::default(); self.bots.len()];
        for bounds in self.groups.windows(2) {
            let mut bots = BTreeSet::new();
            for entry in &self.matches[bounds[0]..bounds[1]] {
                for &bot in self.tables.get(entry.table as usize) {
                    appearances[bot as usize].matches += 1;
                    bots.insert(bot);
                }
            }
            for bot in bots {
                appearances[bot as usize].groups += 1;
            }
        }
        appearances
    }
}

/// In how much one bot took part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Appearances {
    pub(super) matches: u32,
    pub(super) groups: u32,
}
