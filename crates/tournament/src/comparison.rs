//! Comparison of two bots.

use super::{Appraisal, CrossTable, HeadToHead, SpreadBelief, StrengthLead, adjust_p_values};
use lastnim_core::game::BotName;

/// A comparison of two bots of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct BotComparison {
    /// The first bot.
    pub bot: BotName,
    /// The other bot, whose name sorts after that of the first.
    pub other: BotName,
    /// The matches of the two bots against each other, from the first bot's view.
    pub meeting: HeadToHead,
    /// The probability, from 0 to 1, that the first bot is stronger according to their ratings; `None` if the bots are
    /// not rated, or no chain of matches connects them. It is shrunk as described at [`SpreadBelief`].
    pub probability_better: Option<f64>,
    /// The p-value of the lead, from 0 to 1, adjusted by Holm's method for the number of pairs compared: if all bots
    /// were equally strong, at most one tournament in twenty would have any pair with a value of 0.05 or less. `None`
    /// if `probability_better` is `None`.
    pub adjusted_chance: Option<f64>,
}

impl BotComparison {
    /// Compares every pair of bots that played, even pairs that never met, in the order of their names.
    pub fn compare_all(table: &CrossTable, appraisal: &Appraisal) -> Vec<Self> {
        let bots = table.bots();
        let pairs_from = |place: usize| bots[place + 1..].iter().map(move |&other| (place, other));
        let pairs = (0..bots.len()).flat_map(pairs_from).map(|(place, other)| (bots[place], other));
        let pairs: Vec<(&BotName, &BotName, Option<StrengthLead>)> =
            pairs.map(|(bot, other)| (bot, other, appraisal.lead_between(bot, other))).collect();
        let leads: Vec<StrengthLead> = pairs.iter().filter_map(|(.., lead)| *lead).collect();
        let mut judged = lead_probabilities(&bots, &leads, appraisal).into_iter();
        pairs
            .into_iter()
            .map(|(bot, other, lead)| {
                let judged = lead.and_then(|_| judged.next());
                Self {
                    bot: bot.clone(),
                    other: other.clone(),
                    meeting: table.head_to_head(bot, other),
                    probability_better: judged.map(|(better, _)| better),
                    adjusted_chance: judged.map(|(_, chance)| chance),
                }
            })
            .collect()
    }
}

/// Returns, for each lead, the probability that it is real and its adjusted p-value.
fn lead_probabilities(bots: &[&BotName], leads: &[StrengthLead], appraisal: &Appraisal) -> Vec<(f64, f64)> {
    let Some(ratings) = appraisal.ratings() else { return Vec::new() };
    let spread = SpreadBelief::of_strengths(&ratings.strengths(bots), ratings.max_spread());
    let adjusted = adjust_p_values(&leads.iter().map(|lead| lead.chance_if_equal()).collect::<Vec<_>>());
    leads.iter().zip(adjusted).map(|(&lead, chance)| (spread.probability_better(lead), chance)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AllianceSource, MatchResult, RatingEvidence, rating::testing::match_of_group, testing};

    #[test]
    fn bots_that_never_met_are_compared_by_their_ratings() {
        let bots = testing::field(4);
        // Bot 1 beats bot 0, bot 2 beats bot 1; bot 3 is only in a cancelled match.
        let mut results: Vec<_> = (0..20)
            .map(|number| {
                let pair = usize::from(number % 2 == 1);
                match_of_group(number, &bots[pair..pair + 2], usize::from(number % 10 > 1))
            })
            .collect();
        results.push(MatchResult { outcome: None, ..match_of_group(20, &bots[2..], 0) });
        let mut table = CrossTable::new();
        let mut evidence = RatingEvidence::new(&testing::settings(2, 1, AllianceSource::Declared));
        for result in &results {
            table.add_result(result);
            evidence.add_result(result);
        }
        let compared = BotComparison::compare_all(&table, &evidence.final_appraisal(&|| true).unwrap());
        let met: Vec<_> =
            compared.iter().map(|pair| (&pair.bot, &pair.other, pair.meeting.matches)).collect();
        assert_eq!(met, [(&bots[0], &bots[1], 10), (&bots[0], &bots[2], 0), (&bots[1], &bots[2], 10)]);
        let better: Vec<_> = compared.iter().map(|pair| pair.probability_better.unwrap()).collect();
        assert!(better.iter().all(|&better| (0.0..0.3).contains(&better)), "{better:?}");
        assert!(better[1] < better[0] && better[1] < better[2], "{better:?}");
    }
}
