//! Duplicate groups and their contributions to the likelihood.

use super::{luce::LuceStatistics, tables::SeatedTables};
use lastnim_core::game::BotName;
use std::iter;

/// All data from which ratings are computed, in a canonical order.
#[derive(Debug, Clone)]
pub(super) struct SortedMatches {
    /// The bots in the order of names; tables refer to them by their index.
    pub(super) bots: Vec<BotName>,
    pub(super) tables: SeatedTables,
    pub(super) groups: GroupCounts,
}

/// Duplicate groups and their contributions to the likelihood.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupCounts {
    /// By group: the end of its entries in `tables`, and in `wins`.
    ends: Vec<(usize, usize)>,
    /// By group: the tables at which its matches were played, each with the number of these matches.
    tables: Vec<(u32, u32)>,
    /// By group: the bots that won matches in it, each with the number of its wins.
    wins: Vec<(u32, u32)>,
}

/// The contribution of one group: the number of its matches by table, and the number of wins in it by bot.
struct GroupContribution<'a> {
    tables: &'a [(u32, u32)],
    wins: &'a [(u32, u32)],
}

/// The numbers of matches and groups that one bot played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct BotAppearances {
    pub(super) matches: u32,
    pub(super) groups: u32,
}

impl GroupCounts {
    /// Adds a group, given by the table of each match and the index of the winner at that table.
    pub(super) fn push(&mut self, tables: &SeatedTables, matches: impl Iterator<Item = (u32, u32)>) {
        let (first_table, first_win) = self.ends.last().copied().unwrap_or_default();
        for (table, winner) in matches {
            increment_count(&mut self.tables, first_table, table);
            increment_count(&mut self.wins, first_win, tables.get(table as usize)[winner as usize]);
        }
        self.ends.push((self.tables.len(), self.wins.len()));
    }

    /// Returns the cost of one call of `statistics`, in budget steps.
    pub(super) fn steps(&self) -> u64 {
        (self.tables.len() + self.wins.len()) as u64
    }

    /// Sums the wins and matches of all groups, each multiplied by the group's weight, and adds the virtual results of
    /// the prior. `weight` is called once for each group, in the order in which the groups were added.
    pub(super) fn statistics(
        &self,
        tables: &SeatedTables,
        mut weight: impl FnMut() -> f64,
    ) -> LuceStatistics {
        let mut statistics = LuceStatistics::prior_only(tables);
        for group in self.iter() {
            let weight = weight();
            for &(table, matches) in group.tables {
                statistics.matches[table as usize] += weight * f64::from(matches);
            }
            for &(bot, wins) in group.wins {
                statistics.wins[bot as usize] += weight * f64::from(wins);
            }
        }
        statistics
    }

    /// Returns, for each bot, the number of its matches and the number of groups to which they belong.
    pub(super) fn appearances(&self, tables: &SeatedTables) -> Vec<BotAppearances> {
        let mut appearances = vec![BotAppearances::default(); tables.bot_count()];
        for group in self.iter() {
            let mut bots = Vec::new();
            for &(table, matches) in group.tables {
                for &bot in tables.get(table as usize) {
                    appearances[bot as usize].matches += matches;
                    bots.push(bot);
                }
            }
            bots.sort_unstable();
            bots.dedup();
            for bot in bots {
                appearances[bot as usize].groups += 1;
            }
        }
        appearances
    }

    fn iter(&self) -> impl Iterator<Item = GroupContribution<'_>> {
        let starts = iter::once((0, 0)).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| GroupContribution {
            tables: &self.tables[start.0..end.0],
            wins: &self.wins[start.1..end.1],
        })
    }
}

/// Adds 1 to the count of `number` in `counts[first..]`; if it has none, appends a count of 1.
fn increment_count(counts: &mut Vec<(u32, u32)>, first: usize, number: u32) {
    match counts[first..].iter_mut().find(|(counted, _)| *counted == number) {
        Some((_, count)) => *count += 1,
        None => counts.push((number, 1)),
    }
}
