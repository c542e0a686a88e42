//! How well bots play according to the oracle.

use super::{ConfidenceInterval, ratio::RatioSums};
use crate::{MatchResult, SeatLoss};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How well a bot plays according to the oracle, regardless of who won: the number of ranks in its row that it loses by
/// its own takes.
///
/// It needs no comparison with opponents, and far fewer matches than an estimate from wins. It is meaningful only if
/// rows are assigned: a bot that declares its own row can choose one with which there is little to lose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkillEstimate {
    /// Number of matches that the bot attended.
    pub matches: u32,
    /// Number of duplicate groups to which these matches belong.
    pub groups: u32,
    /// Ranks lost per match; lower is better.
    pub regret_per_match: MeanEstimate,
    /// Ranks lost per take; `None` before the first take.
    pub regret_per_ply: Option<MeanEstimate>,
}

/// A mean with its 95% confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The sample mean.
    pub mean: f64,
    /// The 95% confidence interval; `None` with fewer than two groups.
    pub interval: Option<ConfidenceInterval<f64>>,
}

/// The oracle's figures for every bot and duplicate group. They are integers, so the order of the matches does not
/// matter.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RegretTally {
    bots: BTreeMap<BotName, BTreeMap<u64, BotGroupFigures>>,
}

/// One bot's totals in one duplicate group: matches, regret and takes.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct BotGroupFigures {
    matches: u32,
    regret: u32,
    plies: u32,
}

impl RegretTally {
    /// Creates a tally without matches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the result of one match. Each match must be added exactly once. No-shows and cancelled matches are left
    /// out.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        for (seat, bot) in result.bots.enumerate() {
            let played = &outcome.seats[seat];
            if played.lost == Some(SeatLoss::NoShow) {
                continue;
            }
            if !self.bots.contains_key(bot) {
                self.bots.insert(bot.clone(), BTreeMap::new());
            }
            let Some(groups) = self.bots.get_mut(bot) else { continue };
            let figures = groups.entry(result.group).or_default();
            figures.matches += 1;
            figures.regret += played.regret;
            figures.plies += played.plies;
        }
    }

    /// Removes the matches of all groups with lower numbers than this one.
    pub fn forget_groups_before(&mut self, group: u64) {
        for groups in self.bots.values_mut() {
            *groups = groups.split_off(&group);
        }
        self.bots.retain(|_, groups| !groups.is_empty());
    }

    /// Returns the estimate of a bot; `None` before its first match.
    pub fn get(&self, bot: &BotName) -> Option<SkillEstimate> {
        let groups = self.bots.get(bot)?;
        let mut per_match = RatioSums::default();
        let mut per_ply = RatioSums::default();
        for figures in groups.values() {
            per_match.add_group(figures.regret.into(), figures.matches.into());
            per_ply.add_group(figures.regret.into(), figures.plies.into());
        }
        let count = groups.len() as u32;
        Some(SkillEstimate {
            matches: groups.values().map(|figures| figures.matches).sum(),
            groups: count,
            regret_per_match: MeanEstimate::of_ranks(&per_match)?,
            regret_per_ply: MeanEstimate::of_ranks(&per_ply),
        })
    }

    /// Returns the estimates of all bots, in the order of names.
    pub fn skill_by_bot(&self) -> BTreeMap<&BotName, SkillEstimate> {
        self.bots.keys().filter_map(|bot| Some((bot, self.get(bot)?))).collect()
    }
}

impl MeanEstimate {
    /// Estimates a rate of ranks from sums over groups; `None` if the denominator is 0.
    fn of_ranks(sums: &RatioSums) -> Option<Self> {
        Some(Self { mean: sums.ratio()?, interval: sums.rank_rate_interval() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeededDraw, rating::testing, testing::field};

    /// Creates a match of a group in which `bot0` has this total regret in this many plies.
    fn played_result(group: u64, regret: u32, plies: u32, lost: Option<SeatLoss>) -> MatchResult {
        let mut result = testing::match_of_group(group, &field(2), 1);
        let seats = &mut result.outcome.as_mut().unwrap().seats;
        let first = seats.seats().iter().next().unwrap();
        (seats[first].regret, seats[first].plies, seats[first].lost) = (regret, plies, lost);
        result
    }

    fn skill(results: &[MatchResult]) -> Option<SkillEstimate> {
        let mut skills = RegretTally::new();
        for result in results {
            skills.add_result(result);
        }
        skills.get(&field(1)[0])
    }

    #[test]
    fn figures_are_per_match_and_per_ply() {
        use SeatLoss::{Forfeited, NoShow};
        assert_eq!(skill(&[]), None);
        let one = skill(&[played_result(0, 3, 4, None), played_result(0, 1, 0, None)]).unwrap();
        assert_eq!((one.matches, one.groups), (2, 1));
        assert_eq!(one.regret_per_match, MeanEstimate { mean: 2.0, interval: None });
        assert_eq!(one.regret_per_ply, Some(MeanEstimate { mean: 1.0, interval: None }));
        let lost = [played_result(0, 3, 4, Some(Forfeited)), played_result(1, 0, 0, Some(NoShow))];
        assert_eq!(skill(&lost).unwrap().matches, 1, "no-shows are left out");
        assert_eq!(skill(&lost[1..]), None);
        assert_eq!(skill(&[played_result(0, 0, 0, None)]).unwrap().regret_per_ply, None);
        let cancelled = MatchResult { outcome: None, ..played_result(0, 1, 1, None) };
        assert_eq!(skill(&[cancelled]), None);
    }

    #[test]
    fn the_interval_of_a_bot_without_errors_has_a_nonzero_upper_end() {
        let results: Vec<_> = (0..60).map(|number| played_result(number / 2, 0, 5, None)).collect();
        // The upper end is nine ranks in all matches, not three as in the rule of three, because errors may come in
        // pairs and cost more than one rank each.
        let ConfidenceInterval { low, high } = skill(&results).unwrap().regret_per_match.interval.unwrap();
        assert!(low == 0.0 && (high - 0.15).abs() < 1e-3, "{low} to {high}");
    }

    #[test]
    fn intervals_have_95_percent_coverage() {
        let runs = 2_000;
        let covered = (0..runs).filter(|&run| {
            let mut draw = SeededDraw::new(11, run);
            // The matches of a group are similar, because its position is easy or hard. The mean loss per match is 0.75
            // ranks.
            let mut results = Vec::new();
            for group in 0..60 {
                let hardness = draw.number_below(4);
                for _ in 0..3 {
                    let regret = u32::from(draw.number_below(4) < hardness) * 2;
                    results.push(played_result(group, regret, 4, None));
                }
            }
            skill(&results).unwrap().regret_per_match.interval.unwrap().contains(&0.75)
        });
        let covered = covered.count();
        assert!((1_860..=1_940).contains(&covered), "{covered} of {runs}");
    }
}
