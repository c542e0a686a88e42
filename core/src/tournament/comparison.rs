//! What the matches of a tournament say about two of its bots.

use super::{Appraisal, CrossTable, HeadToHead};
use crate::game::BotName;

/// What the matches of a tournament say about two bots.
#[derive(Debug, Clone, PartialEq)]
pub struct BotComparison {
    /// The one.
    pub bot: BotName,
    /// The other; its name comes later.
    pub other: BotName,
    /// What happened where both sat at one table, seen from the one.
    pub meeting: HeadToHead,
    /// How likely it is, 0 to 1, that the one is the stronger by their ratings; none if they are not rated, or no chain of
    /// matches joins them.
    pub probability_better: Option<f64>,
}

impl BotComparison {
    /// Compares all bots that sat in a match, each two once, by their names; also those that never met.
    pub fn compare_all(table: &CrossTable, appraisal: &Appraisal) -> Vec<Self> {
        let bots = table.bots();
        let pairs = bots.iter().enumerate().flat_map(|(place, &bot)| {
            bots[place + 1..].iter().map(move |&other| Self {
                bot: bot.clone(),
                other: other.clone(),
                meeting: table.head_to_head(bot, other),
                probability_better: appraisal.probability_better(bot, other),
            })
        });
        pairs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{AllianceSource, MatchResult, RatingEvidence, rating::testing::result, testing};

    #[test]
    fn bots_that_never_met_are_compared_by_their_ratings() {
        let bots = testing::field(4);
        // The second beats the first, the third the second; the fourth is at a cancelled match only.
        let mut results: Vec<_> = (0..20)
            .map(|number| {
                let pair = usize::from(number % 2 == 1);
                result(number, &bots[pair..pair + 2], usize::from(number % 10 > 1))
            })
            .collect();
        results.push(MatchResult { outcome: None, ..result(20, &bots[2..], 0) });
        let mut table = CrossTable::new();
        let mut evidence = RatingEvidence::new(&testing::settings(2, 1, AllianceSource::Declared));
        for result in &results {
            table.add_result(result);
            evidence.add_result(result);
        }
        let compared = BotComparison::compare_all(&table, &evidence.appraise_finally(&|| true).unwrap());
        let met: Vec<_> =
            compared.iter().map(|pair| (&pair.bot, &pair.other, pair.meeting.matches)).collect();
        assert_eq!(met, [(&bots[0], &bots[1], 10), (&bots[0], &bots[2], 0), (&bots[1], &bots[2], 10)]);
        let better: Vec<_> = compared.iter().map(|pair| pair.probability_better.unwrap()).collect();
        assert!(better.iter().all(|&better| (0.0..0.3).contains(&better)), "{better:?}");
        assert!(better[1] < better[0] && better[1] < better[2], "{better:?}");
    }
}
