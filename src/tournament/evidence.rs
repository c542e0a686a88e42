//! What ratings and skills follow from, and what the standings say of them.

use super::{
    MatchResult, RatedMatches, Rating, Ratings, Replicates, Resampling, Settings, Skill, Skills, Standing,
    StandingRating,
};
use crate::{
    game::BotName,
    oracle::{Budget, Halt},
};
use std::collections::BTreeMap;

/// The most steps that one attempt at the last ratings of a tournament may take: about ten seconds.
const LAST_STEPS: u64 = 1_000_000_000;

/// The results of a tournament, as ratings and skills follow from them: a fold whose order does not matter.
///
/// Rating takes long, and is done now and then, never for each match. With the tournament's seed, the same results
/// give the same ratings, bit for bit.
#[derive(Debug, Clone)]
pub struct Evidence {
    seed: u64,
    matches: RatedMatches,
    skills: Skills,
}

/// How strong and how skilled the bots of a tournament are.
#[derive(Debug, Clone, PartialEq)]
pub struct Appraisal {
    ratings: Option<Ratings>,
    skills: BTreeMap<BotName, Skill>,
}

impl Evidence {
    /// Starts without any match.
    pub fn new(settings: &Settings) -> Self {
        Self { seed: settings.seed, matches: RatedMatches::new(), skills: Skills::new() }
    }

    /// Adds one match; each must be added once. A bot that never showed up is left out.
    pub fn add(&mut self, result: &MatchResult) {
        self.matches.add(result);
        self.skills.add(result);
    }

    /// Rates with so many replicates.
    ///
    /// # Errors
    /// If the budget does not allow it.
    pub fn appraise(&self, replicates: Replicates, budget: &mut Budget) -> Result<Appraisal, Halt> {
        let resampling = Resampling { seed: self.seed, replicates };
        let is_empty = self.matches.is_empty();
        let ratings = if is_empty { None } else { Some(self.matches.rate(&resampling, budget)?) };
        Ok(Appraisal { ratings, skills: self.skills() })
    }

    /// Rates as the last standings of a tournament do: with 400 replicates, or if that is too much work with 50, or not at
    /// all. What is too much is a number of steps, so that it does not depend on the machine.
    ///
    /// # Errors
    /// If it is no longer wanted.
    pub fn appraise_finally(&self, is_wanted: &dyn Fn() -> bool) -> Result<Appraisal, Halt> {
        let fewest = Replicates::new(Replicates::MIN).unwrap_or_default();
        for replicates in [Replicates::default(), fewest] {
            match self.appraise(replicates, &mut Budget::while_wanted(LAST_STEPS, is_wanted)) {
                Err(Halt::OutOfSteps { .. }) => {}
                done => return done,
            }
        }
        Ok(Appraisal { ratings: None, skills: self.skills() })
    }

    fn skills(&self) -> BTreeMap<BotName, Skill> {
        self.skills.all().into_iter().map(|(bot, skill)| (bot.clone(), skill)).collect()
    }
}

impl Appraisal {
    /// Returns the probability, 0 to 1, that one bot is stronger than another; none if one is not rated, or if no chain of
    /// matches joins them.
    pub fn probability_better(&self, one: &BotName, other: &BotName) -> Option<f64> {
        self.ratings.as_ref()?.probability_better(one, other)
    }

    /// Puts ratings and skills into the lines of the standings.
    pub fn complete(&self, lines: &mut [Standing]) {
        for line in lines {
            let rated = self.ratings.as_ref().and_then(|ratings| ratings.get(&line.bot));
            line.rating = rated.map(|rated| StandingRating {
                points: rated.rating.points(),
                interval: rated.interval.map(Rating::points),
                island: rated.island,
            });
            line.skill = self.skills.get(&line.bot).map(|skill| skill.regret_per_match);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Alliance, Draw, SeatLoss, Standings, rating::testing::result, testing};

    #[test]
    fn the_lines_are_completed_and_no_shows_are_not_rated() {
        let (settings, bots) = (testing::settings(3, 1, Alliance::Declared), testing::field(4));
        let (mut standings, mut evidence) = (Standings::new(&settings, &bots), Evidence::new(&settings));
        let mut results: Vec<_> = (0..12_u64)
            .map(|number| result(number, &bots[..3], Draw::new(7, number).below(3) as usize))
            .collect();
        for played in &mut results[..6] {
            let outcome = played.outcome.as_mut().unwrap();
            let absent = outcome.seats.seats().seat(2).unwrap();
            outcome.seats[absent].lost = Some(SeatLoss::NoShow);
        }
        for result in &results {
            standings.add(result);
            evidence.add(result);
        }
        let lines = |evidence: &Evidence| {
            let mut lines = standings.lines();
            evidence.appraise_finally(&|| true).unwrap().complete(&mut lines);
            lines
        };
        let in_order = lines(&evidence);
        for line in &in_order {
            assert_eq!(line.rating.is_some(), line.bot != bots[3], "{line:?}");
            assert_eq!(line.skill.is_some(), line.bot != bots[3], "{line:?}");
            let held = |rating: &StandingRating| {
                rating.interval.low + 1.0 < rating.points && rating.points < rating.interval.high - 1.0
            };
            assert!(line.rating.as_ref().is_none_or(held), "{line:?}");
        }
        let mut reversed = Evidence::new(&settings);
        results.iter().rev().for_each(|result| reversed.add(result));
        assert_eq!(lines(&reversed), in_order, "the order of results does not matter");
        assert!(matches!(evidence.appraise_finally(&|| false), Err(Halt::Stopped { .. })));
        let mut nothing = standings.lines();
        Evidence::new(&settings).appraise_finally(&|| true).unwrap().complete(&mut nothing);
        assert_eq!(nothing, standings.lines(), "without a match there is nothing to say");
    }
}
