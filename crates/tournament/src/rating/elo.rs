//! Plain Elo ratings from matches between two bots.

use super::{RatedMatch, Rating};
use crate::MatchResult;
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The maximum number of points by which a rating changes in one match.
const MAX_POINTS_PER_MATCH: f64 = 20.0;

/// Plain Elo: after each match between two bots, the winner takes up to 20 points from the loser. The less its win was
/// expected, the more points it takes.
///
/// Elo is included because it is well known. It depends on the order of the matches, which is taken to be the order of
/// their numbers; it does not state its uncertainty; and it never converges. Only matches that exactly two bots
/// attended count. Source: Elo, "The Rating of Chessplayers, Past and Present" (1978).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EloRatings {
    points: BTreeMap<BotName, f64>,
}

impl EloRatings {
    /// Computes ratings from results in any order; the matches are rated in the order of their numbers.
    pub fn from_results<'a>(results: impl IntoIterator<Item = &'a MatchResult>) -> Self {
        let mut results: Vec<_> = results.into_iter().collect();
        results.sort_by_key(|result| result.number);
        let mut elo = Self::default();
        for result in results {
            elo.add_result(result);
        }
        elo
    }

    /// Updates the ratings by the result of one match. Matches must be added in the order of their numbers.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(rated) = RatedMatch::of_result(result) else { return };
        let &[one, other] = rated.table() else { return };
        let (winner, loser) = if rated.winner() == one { (one, other) } else { (other, one) };
        let surprise = 1.0 - self.rating(winner).chance_against(self.rating(loser));
        let won = MAX_POINTS_PER_MATCH * surprise;
        for (bot, won) in [(winner, won), (loser, -won)] {
            *self.points.entry(bot.clone()).or_insert(Rating::ANCHOR) += won;
        }
    }

    /// Returns the rating of a bot; 1500 before its first match.
    pub fn rating(&self, bot: &BotName) -> Rating {
        self.get(bot).unwrap_or_default()
    }

    /// Returns the rating of a bot; `None` before its first match.
    pub fn get(&self, bot: &BotName) -> Option<Rating> {
        self.points.get(bot).map(|&points| Rating::of_points(points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rating::testing, testing::field};

    fn match_of_group(number: u64, bots: &[BotName], winner: usize) -> MatchResult {
        MatchResult { number, ..testing::match_of_group(0, bots, winner) }
    }

    #[test]
    fn the_winner_takes_points_from_the_loser() {
        let bots = field(3);
        let points = |results: &[MatchResult]| {
            let elo = EloRatings::from_results(results);
            [0, 1, 2].map(|bot: usize| format!("{:.2}", elo.rating(&bots[bot])))
        };
        let first = match_of_group(0, &bots[..2], 0);
        assert_eq!(points(&[]), ["1500.00", "1500.00", "1500.00"]);
        assert_eq!(points(std::slice::from_ref(&first)), ["1510.00", "1490.00", "1500.00"]);
        // The winner was expected to win with probability 1 / (1 + 10^(20/400)) = 0.4712.
        let upset = match_of_group(1, &bots[..2], 1);
        assert_eq!(points(&[first.clone(), upset.clone()]), ["1499.42", "1500.58", "1500.00"]);
        assert_eq!(
            points(&[upset, first.clone()]),
            ["1499.42", "1500.58", "1500.00"],
            "the matches are rated in the order of their numbers"
        );
        assert_eq!(
            points(&[first, match_of_group(1, &bots, 2)]),
            ["1510.00", "1490.00", "1500.00"],
            "only matches of two bots count"
        );
    }
}
