//! The permutation test for collusion: whom the errors of a bot help, and whether that depends on who sits there.

use super::{
    estimate::to_float,
    favouritism_tally::FavouritismTally,
    place_sums::{MoverHabits, RANK},
    replicates::REPLICATES,
};

/// The corrected p-value up to which a pair is flagged.
pub const FLAGGED_P_VALUE: f64 = 0.05;

/// The least favour for which a pair is flagged, in ranks an error beyond what the others in the same place got.
pub const FLAGGED_FAVOURITISM: f64 = 0.1;

/// What the test for collusion says of an ordered pair of bots: whether the errors of one favour the other.
///
/// **Question.** Two bots that collude help each other by takes that cost the helper. Sums of a ledger cannot show that: a
/// bot gains from errors because of the row it declared, of the seat it had, and of how often others err at all.
///
/// **Statistic.** At every take by which bot M erred, seat s gained `g_s(take)` ranks. Its *favour* is what is left when the
/// mean of `g_s` over all takes by which M could have erred there is taken off: a blunder that would have helped that
/// seat anyhow counts for nothing, and an optimal take never does. A second mean is taken off, that of all favours of M to
/// seats in the same kind of place, whoever sat there (whether the seat moves next, last or between; whether it, M or another
/// would have won; whether the last pile was in play): so a habit of M among its errors does not count either. For an
/// ordered pair M -> O, what remains of the favours to the seats of O is added up.
///
/// **Null hypothesis.** Whom the errors of M favour does not depend on who sits there: had two bots of the table changed
/// places, the favours of the two places would have stayed as they were. In a tournament the places are drawn: who
/// moves after whom is drawn anew for each duplicate group, and is the same in all its rotations. So within each group, as
/// one block, the names of the others are permuted among their places; a replicate does that in all groups at once.
/// Names change places only where that leaves the game as it was: all the others where the rows are assigned, and else
/// those that declared the same row. What M thinks of a *row* is so never mistaken for what it thinks of a *bot*.
///
/// **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`] and one-sided, hits being the replicates with a sum at least as
/// large: exact under the null hypothesis, and never 0 (Phipson and Smyth, "Permutation p-values should never be zero",
/// 2010). For all pairs at once the sums are standardised by mean and standard deviation over the replicates and what
/// was observed, and each is compared with the largest of all pairs in every replicate (Westfall and Young,
/// "Resampling-Based Multiple Testing", 1993, single step): the chance that any pair of an honest field comes to 0.05 or
/// less is then at most 5%, whatever the pairs have to do with each other, and the finest value stays 1 in 1,000 however
/// many pairs there are. The permutations derive from seed, group and mover, so that the order of matches means nothing.
///
/// **What it cannot see.** A table of two has no third. A bot that never sits with another of the same declared row cannot
/// be told from its row. Help that costs the helper nothing is no error: rows declared to suit another, and everything
/// that is agreed on beyond the takes. And it relies on the places being drawn, which those of exhibitions need not be; on
/// bots declaring the same row wherever they sit; and on the places meaning the same to M whoever plays there, which is
/// true of its first take and nearly so later: who plays well hands M other positions than who plays badly. The two
/// means take off most of that, not all. What is left is small, and many matches make it significant: of simulated
/// honest fields 6% had a pair of 0.05 or less in 300 groups, and 18% in 3,000. So a pair is flagged only if the favour is
/// large as well, [`FLAGGED_FAVOURITISM`], which 3% and none of them had. A flag is a reason to look at the matches, no verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Favouritism {
    /// The pair was tested.
    Tested {
        /// The favour of an error, in ranks, beyond what the others in the same place would have got.
        per_error: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The same, corrected for the number of pairs.
        p_corrected: f64,
    },
    /// It was in less than [`MIN_GROUPS`](super::MIN_GROUPS) groups that the mover's errors favoured one place and another
    /// bot, of the same row where rows are declared, might as well have sat there; or all places always got the same.
    TooFewGroups,
}

impl Favouritism {
    /// Returns whether the pair is flagged: significant after the correction, and large.
    pub fn is_flagged(self) -> bool {
        matches!(self, Self::Tested { per_error, p_corrected, .. }
            if p_corrected <= FLAGGED_P_VALUE && per_error >= FLAGGED_FAVOURITISM)
    }
}

/// Tests all pairs at once, each with the habits of its mover, and returns what comes out for each in the same order.
pub(super) fn test_pairs(pairs: &[(&FavouritismTally, &MoverHabits)]) -> Vec<Favouritism> {
    let standardised: Vec<_> = pairs
        .iter()
        .map(|(pair, habits)| {
            let sums = pair.observed_and_permuted(habits)?;
            let all = f64::from(sums.len() as u32);
            let mean = sums.iter().sum::<f64>() / all;
            let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / all).sqrt();
            // Below a rank in a thousand, nothing is left but what rounding makes of it.
            let vary = deviation > RANK / 1_000.0;
            let standard: Vec<f64> = sums.iter().map(|sum| (sum - mean) / deviation).collect();
            vary.then(|| (standard, (sums[0] - mean) / RANK / to_float(pair.observed_errors().max(1))))
        })
        .collect();
    let mut largest = vec![f64::NEG_INFINITY; REPLICATES];
    for (sums, _) in standardised.iter().flatten() {
        for (largest, &sum) in largest.iter_mut().zip(&sums[1..]) {
            *largest = largest.max(sum);
        }
    }
    let p_value = |replicates: &[f64], observed: f64| {
        // Sums that are equal but for rounding count as hits.
        let hits = replicates.iter().filter(|&&sum| sum >= observed - 1e-9).count();
        f64::from((1 + hits) as u32) / f64::from((1 + REPLICATES) as u32)
    };
    let tested = standardised.iter().map(|standardised| match standardised {
        None => Favouritism::TooFewGroups,
        Some((sums, per_error)) => Favouritism::Tested {
            per_error: *per_error,
            p_value: p_value(&sums[1..], sums[0]),
            p_corrected: p_value(&largest, sums[0]),
        },
    });
    tested.collect()
}
