//! The satisfaction of bots at comparable positions.

use super::{
    Resampling,
    satisfaction_ratings::{ComparedGroup, SatisfactionRatings},
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
use std::collections::{BTreeMap, HashMap};

/// The satisfaction of bots by duplicate group and seat. The same matches in any order give the same ratings, bit for
/// bit.
///
/// It stores 8 bytes per seat of a match, and the number of each group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SatisfactionScores {
    bots: Interner<BotName>,
    groups: BTreeMap<u64, Vec<SeatScore>>,
}

/// A bot's satisfaction with one match. In all matches of a group, the same seat has the same position and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct SeatScore {
    seat: u8,
    /// The satisfaction in units of 1 / (n - 1).
    units: u8,
    /// The maximum of `units`: n - 1.
    max: u8,
    bot: u32,
}

impl SatisfactionScores {
    /// Creates scores without matches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the result of one match. Each match must be added exactly once. No-shows are left out: they lose the match,
    /// but their rating does not change.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let mut scores = Vec::with_capacity(result.bots.seats().get());
        for (seat, bot) in result.bots.enumerate() {
            let credit = outcome.credit(seat);
            if credit.attended {
                let bot = self.bots.intern(bot);
                let [seat, units, max] =
                    [seat.index() as u32, credit.satisfaction_units, credit.max_satisfaction_units]
                        .map(|number| number as u8);
                scores.push(SeatScore { seat, units, max, bot });
            }
        }
        if !scores.is_empty() {
            self.groups.entry(result.group).or_default().extend(scores);
        }
    }

    /// Removes the matches of all groups with lower numbers than this one.
    pub fn forget_groups_before(&mut self, group: u64) {
        let kept = self.groups.split_off(&group);
        let before = std::mem::replace(self, Self { groups: kept, ..Self::default() });
        let mut groups = std::mem::take(&mut self.groups);
        for score in groups.values_mut().flatten() {
            score.bot = self.bots.intern(&before.bots.items()[score.bot as usize]);
        }
        self.groups = groups;
    }

    /// Checks that values decoded from a checkpoint are consistent.
    pub(super) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        let bots = self.bots.items().len();
        let fits = |score: &SeatScore| (score.bot as usize) < bots && score.units <= score.max;
        ensure_valid(self.groups.values().flatten().all(fits), "a score is too high or has no bot")
    }

    /// Computes the ratings of all bots that can be compared with another bot. One step of the budget pays for
    /// processing one seat of a table, which takes about 10 ns.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn compute_ratings(
        &self,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<SatisfactionRatings, HaltReason> {
        let mut bots: Vec<&BotName> = self.bots.items().iter().collect();
        bots.sort_unstable();
        let places: HashMap<&BotName, u32> = bots.iter().copied().zip(0..).collect();
        let by_number: Vec<u32> = self.bots.items().iter().map(|bot| places[bot]).collect();
        let groups: Vec<ComparedGroup> = self
            .groups
            .values()
            .map(|scores| {
                ComparedGroup::compare(scores.iter().map(|score| {
                    let satisfaction = f64::from(score.units) / f64::from(score.max.max(1));
                    (score.seat, by_number[score.bot as usize], satisfaction)
                }))
            })
            .collect();
        let seats = self.groups.values().flatten().map(|score| usize::from(score.max) + 1).max().unwrap_or(2);
        SatisfactionRatings::compute(&bots, &groups, seats, resampling, budget)
    }

    /// Returns whether no match counts.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}
