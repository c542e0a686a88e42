//! The places that ratings leave open.

use super::{Standing, StrengthLead};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};

/// The places that a bot may hold by its strength, each from 1: the bots that are clearly stronger come before `best`,
/// and the bots that are clearly weaker come after `worst`. For each bot this is right with a probability of at least
/// 95%. If points or a tie-break put the bot on a place outside the range, the range is extended to that place.
///
/// A bot is clearly stronger than another if the difference is significant at 5%, divided by the number of comparisons
/// of a bot (Bonferroni's method). Source: Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks with Applications
/// to Mobility across Neighbourhoods and Academic Achievement across Countries" (2024).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceRange {
    /// The best place.
    pub best: u32,
    /// The worst place, at least `best`.
    pub worst: u32,
}

/// For each rated bot, the bots that are clearly stronger.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClearOrder {
    /// The rated bots, sorted by name.
    bots: Vec<BotName>,
    /// For each bot, the indices of the bots that are clearly stronger.
    stronger: Vec<Vec<u32>>,
}

impl ClearOrder {
    /// The maximum number of bots that are compared. Each pair costs as many steps as there are replicates.
    const MAX_BOTS: usize = 1000;
    /// The maximum probability that the range of a bot is wrong.
    const ERROR: f64 = 0.05;

    /// Compares all pairs of the rated bots, which are sorted by name; `steps` is the cost of one comparison. `None` if
    /// the bots are too many, or if some of them cannot be compared.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(super) fn new(
        bots: Vec<BotName>,
        lead_between: impl Fn(&BotName, &BotName) -> Option<StrengthLead>,
        steps: u64,
        budget: &mut Budget,
    ) -> Result<Option<Self>, HaltReason> {
        if !(2..=Self::MAX_BOTS).contains(&bots.len()) {
            return Ok(None);
        }
        let limit = Self::ERROR / f64::from((bots.len() - 1) as u32);
        let mut stronger = vec![Vec::new(); bots.len()];
        for (one, bot) in bots.iter().enumerate() {
            budget.spend(steps * (bots.len() - one) as u64)?;
            for (other, rival) in bots.iter().enumerate().skip(one + 1) {
                let Some(lead) = lead_between(bot, rival) else { return Ok(None) };
                if lead.chance_if_equal() <= limit {
                    let (better, worse) = if lead.lead > 0.0 { (one, other) } else { (other, one) };
                    stronger[worse].push(better as u32);
                }
            }
        }
        Ok(Some(Self { bots, stronger }))
    }

    /// Sets the place ranges of the lines. Only rated bots that are neither disqualified nor
    /// withdrawn are compared.
    pub(super) fn add_place_ranges(&self, lines: &mut [Standing]) {
        let compared = |line: &Standing| {
            let index = self.bots.binary_search(&line.bot).ok();
            index.filter(|_| line.competes() && line.rating.is_some())
        };
        let mut included = vec![false; self.bots.len()];
        for bot in lines.iter().filter_map(compared) {
            included[bot] = true;
        }
        let ranges = self.ranges_among(&included);
        for line in lines {
            line.place_range = compared(line).map(|bot| PlaceRange {
                best: ranges[bot].best.min(line.place),
                worst: ranges[bot].worst.max(line.place),
            });
        }
    }

    /// Returns, for each included bot, its places among the included bots. What it returns for other bots means nothing.
    pub(super) fn ranges_among(&self, included: &[bool]) -> Vec<PlaceRange> {
        let count = included.iter().filter(|&&included| included).count() as u32;
        let mut ranges = vec![PlaceRange { best: 1, worst: count }; included.len()];
        for bot in (0..included.len()).filter(|&bot| included[bot]) {
            for &stronger in self.stronger[bot].iter().filter(|&&stronger| included[stronger as usize]) {
                ranges[bot].best += 1;
                ranges[stronger as usize].worst -= 1;
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AllianceSource, ConfidenceInterval, RatingMeasure, StandingRating, Standings, TournamentState,
        testing,
    };

    /// Creates an order of four bots with these strengths, where a lead of more than 1 is clear.
    fn clear_order(strengths: [f64; 4]) -> ClearOrder {
        let bots = testing::field(4);
        let strength = |bot: &BotName| strengths[bots.iter().position(|known| known == bot).unwrap()];
        let lead = |one: &BotName, other: &BotName| {
            Some(StrengthLead { lead: strength(one) - strength(other), error: 0.4, freedom: 1000 })
        };
        ClearOrder::new(bots.clone(), lead, 1, &mut Budget::unbounded()).unwrap().unwrap()
    }

    fn rated_lines() -> Vec<Standing> {
        let settings = testing::settings(3, 1, AllianceSource::Declared);
        let mut lines = Standings::new(&settings, &testing::field(4)).lines(TournamentState::Finished);
        lines.sort_by(|one, other| one.bot.cmp(&other.bot));
        for (line, place) in lines.iter_mut().zip(1..) {
            let interval = ConfidenceInterval { low: -1.0, high: 1.0 };
            let measure = RatingMeasure::Satisfaction;
            line.rating = Some(StandingRating { measure, points: 0.0, interval, island: 0 });
            line.place = place;
        }
        lines
    }

    fn ranges(lines: &[Standing]) -> Vec<Option<(u32, u32)>> {
        lines.iter().map(|line| line.place_range.map(|range| (range.best, range.worst))).collect()
    }

    #[test]
    fn clear_leads_narrow_the_places() {
        let mut lines = rated_lines();
        clear_order([2.0, 1.4, 0.6, -3.0]).add_place_ranges(&mut lines);
        assert_eq!(ranges(&lines), [Some((1, 2)), Some((1, 3)), Some((2, 3)), Some((4, 4))]);
        clear_order([0.0; 4]).add_place_ranges(&mut lines);
        assert_eq!(ranges(&lines), [Some((1, 4)); 4]);
    }

    #[test]
    fn a_range_contains_the_place() {
        let mut lines = rated_lines();
        // Points put the strongest bot last.
        clear_order([-6.0, -4.0, -2.0, 9.0]).add_place_ranges(&mut lines);
        assert_eq!(ranges(&lines), [Some((1, 4)), Some((2, 3)), Some((2, 3)), Some((1, 4))]);
    }

    #[test]
    fn disqualified_and_unrated_bots_are_left_out() {
        let mut lines = rated_lines();
        lines[0].is_disqualified = true;
        lines[0].place = 4;
        lines[2].rating = None;
        (lines[1].place, lines[3].place) = (1, 2);
        clear_order([9.0, 2.0, 1.0, -3.0]).add_place_ranges(&mut lines);
        assert_eq!(ranges(&lines), [None, Some((1, 1)), None, Some((2, 2))]);
    }

    #[test]
    fn bots_without_a_common_scale_have_no_ranges() {
        let order = ClearOrder::new(testing::field(3), |_, _| None, 1, &mut Budget::unbounded());
        assert_eq!(order, Ok(None));
        let lead = |_: &BotName, _: &BotName| Some(StrengthLead { lead: 0.0, error: 1.0, freedom: 9 });
        assert_eq!(ClearOrder::new(testing::field(1), lead, 1, &mut Budget::unbounded()), Ok(None));
        let halted = ClearOrder::new(testing::field(3), lead, 400, &mut Budget::of_steps(1_000));
        assert_eq!(halted, Err(HaltReason::OutOfSteps { limit: 1_000 }));
    }
}
