//! Helpers for the tests of ratings.

use super::{RatedMatches, Ratings, ReplicateCount, Resampling, resampling::draw_uniform};
use crate::{MatchOutcome, MatchResult, SeatResult, SeededDraw};
use lastnim_core::{
    game::{BotName, BySeat},
    oracle::Budget,
};

/// Returns the result of a match, won by the bot at seat `winner`.
pub(crate) fn match_of_group(group: u64, bots: &[BotName], winner: usize) -> MatchResult {
    let bots: BySeat<_> = bots.to_vec().try_into().unwrap();
    let winner = bots.seats().seat(winner).unwrap();
    let seats = BySeat::filled(bots.seats(), &SeatResult::default());
    MatchResult { number: group, group, bots, outcome: Some(MatchOutcome { winner, seats }) }
}

/// Gathers results into the matches from which ratings are computed.
pub(super) fn rated_matches<'a>(results: impl IntoIterator<Item = &'a MatchResult>) -> RatedMatches {
    let mut matches = RatedMatches::new();
    for result in results {
        matches.add_result(result);
    }
    matches
}

/// Computes ratings with the minimum number of replicates.
pub(super) fn rate_results<'a>(results: impl IntoIterator<Item = &'a MatchResult>) -> Ratings {
    let resampling = Resampling { seed: 1, replicates: ReplicateCount::new(ReplicateCount::MIN).unwrap() };
    rated_matches(results).compute_ratings(&resampling, &mut Budget::unbounded()).unwrap()
}

/// Draws the index of the winner by Luce's model, from the strengths of the bots at the table.
pub(super) fn draw_winner(draw: &mut SeededDraw, strengths: &[f64]) -> usize {
    let shares: Vec<f64> = strengths.iter().map(|strength| strength.exp()).collect();
    let mut left = draw_uniform(draw) * shares.iter().sum::<f64>();
    for (place, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return place;
        }
    }
    shares.len() - 1
}

/// Shifts strengths as ratings are shifted: so that the mean chance against a bot of strength 0 is one half.
pub(super) fn anchor_strengths(strengths: &[f64]) -> Vec<f64> {
    let (mut low, mut high) = (-100.0, 100.0);
    for _ in 0..100 {
        let level = f64::midpoint(low, high);
        let excess: f64 = strengths.iter().map(|strength| 1.0 / (1.0 + (level - strength).exp()) - 0.5).sum();
        if excess > 0.0 { low = level } else { high = level }
    }
    strengths.iter().map(|strength| strength - low).collect()
}
