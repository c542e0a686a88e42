//! The permutation test for collusion: whom the errors of a bot help, and whether that depends on who sits there.

use super::{
    estimate::to_float,
    favouritism_tally::FavouritismTally,
    permutation_tests::{PermutationResult, PermutedSums},
    place_sums::{MoverHabits, RANK},
    power::detectable_shift,
};

/// The corrected p-value up to which a pair is flagged: at 0.05 honest fields would be flagged in as many of a hundred, and in more
/// where a test is not exact.
pub const FLAGGED_P_VALUE: f64 = 0.01;

/// The corrected p-value up to which a pair is flagged by takes if so it is in both directions.
pub const FLAGGED_P_VALUE_IF_RETURNED: f64 = 0.05;

/// The least favour for which a pair is flagged, in ranks an error beyond what the others in the same place got.
pub const FLAGGED_FAVOURITISM: f64 = 0.1;

/// The least that errors must cost the mover in the end to be flagged, in ranks an error: half of what an error costs at least, had
/// nobody answered it by another.
pub const FLAGGED_LOSS: f64 = 0.5;

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
/// ordered pair M -> O, what remains of the favours to the seats of O is added up. The **effect** is that sum less what the
/// others that might have sat there got on average, by error: the mean over permutations would not do, for it counts the names as
/// they are among them, and would make m-1 of m parts of the effect with m such places.
///
/// **Null hypothesis.** Whom the errors of M favour does not depend on who sits there: had two bots of the table changed
/// places, the favours of the two places would have stayed as they were. In a tournament the places are drawn: who
/// moves after whom is drawn anew for each duplicate group, and is the same in all its rotations. So within each group, as
/// one block, the names of the others are permuted among their places; a replicate does that in all groups at once.
/// Names change places only where that leaves the game as it was: all the others where the rows are assigned, and else
/// those that declared the same row. What M thinks of a *row* is so never mistaken for what it thinks of a *bot*.
///
/// **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`](super::REPLICATES) and one-sided, hits being the replicates with a sum at least as
/// large: never 0 (Phipson and Smyth, "Permutation p-values should never be zero", 2010). For all pairs, and their
/// [declarations](super::DeclarationFindings), at once the sums are standardised by mean and standard deviation over the replicates and what
/// was observed, and each is compared with the largest of all pairs in every replicate (Westfall and Young,
/// "Resampling-Based Multiple Testing", 1993, single step): were the hypothesis true to the letter, any pair of an honest
/// field would come to 0.05 or less in at most 5% of fields, whatever the pairs have to do with each other; the finest value stays
/// 1 in 1,000 however many pairs there are. The permutations derive from seed, group and mover, so that the order of matches means nothing.
///
/// **What it cannot see.** A table of two has no third. A bot that never sits with another of the same declared row cannot
/// be told from its row. Help that costs the helper nothing is no error: rows declared to suit another, and everything
/// that is agreed on beyond the takes. And it relies on the places being drawn, which those of exhibitions need not be; and on
/// the places meaning the same to M whoever plays there, which is true of its first take and nearly so later: who plays well hands
/// M other positions than who plays badly. The two means take off most of that, not all. So
/// - it is flagged only if the favour is large as well, [`FLAGGED_FAVOURITISM`];
/// - where somebody who sat there declared now this row and now that, the same row is no sign that names might have been
///   exchanged: rows may depend on them. Such a pair is noted, and not flagged;
/// - who knows that another blunders may err for its own good. A pair is not flagged where the mover had its errors paid back: where
///   matches ended less than [`FLAGGED_LOSS`] ranks worse for it after its errors for O than after its optimal takes, from the same
///   predicted rank.
///
/// How often honest fields are flagged stands in `docs/audits.md`. A flag is a reason to look at the matches, no verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Favouritism {
    /// The pair was tested.
    Tested {
        /// What an error gave the other, in ranks, beyond what it gave on average the others that might have had its place.
        per_error: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The same, corrected for all tests of takes and of declarations.
        p_corrected: f64,
        /// How many ranks of the mover's row worse matches ended after errors that favoured the other than after optimal
        /// takes of the mover, from the same predicted rank; none if there is nothing to compare.
        own_loss: Option<f64>,
        /// Whether somebody at their tables declared now this row and now that.
        rows_vary: bool,
        /// Whether the other's errors favour the mover as well, both with a corrected p-value up to [`FLAGGED_P_VALUE_IF_RETURNED`].
        is_returned: bool,
    },
    /// It was in less than [`MIN_GROUPS`](super::MIN_GROUPS) groups that the mover's errors favoured one place and another
    /// bot, of the same row where rows are declared, might as well have sat there; or all places always got the same.
    TooFewGroups,
}

impl Favouritism {
    /// Makes the findings of a test.
    pub(super) fn of_test(
        favours: &PairFavours<'_>,
        result: Option<&PermutationResult>,
        own_loss: Option<f64>,
        rows_vary: bool,
    ) -> Self {
        match result {
            None => Self::TooFewGroups,
            Some(&PermutationResult { p_value, p_corrected, .. }) => {
                let per_error = favours.favour_per_error();
                Self::Tested { per_error, p_value, p_corrected, own_loss, rows_vary, is_returned: false }
            }
        }
    }

    /// Returns whether the pair is flagged: significant after the correction, and large; it cost the mover in the end, and rows
    /// do not vary.
    pub fn is_flagged(self) -> bool {
        self.is_significant() && self.is_suspect()
    }

    /// Returns whether the pair is flagged if it is significant.
    fn is_suspect(self) -> bool {
        self.is_large() && !self.is_paid_back() && !self.rows_vary()
    }

    /// Says whether the other's errors favour the mover as well; settled when both are known.
    pub(super) fn returned_by(self, other: Self) -> Self {
        let is_likely = |takes: Self| {
            takes.is_suspect()
                && matches!(takes, Self::Tested { p_corrected, .. } if p_corrected <= FLAGGED_P_VALUE_IF_RETURNED)
        };
        match self {
            Self::Tested { per_error, p_value, p_corrected, own_loss, rows_vary, .. } => {
                let is_returned = is_likely(self) && is_likely(other);
                Self::Tested { per_error, p_value, p_corrected, own_loss, rows_vary, is_returned }
            }
            Self::TooFewGroups => self,
        }
    }

    /// Returns whether errors favour the other by as much as is flagged.
    pub fn is_large(self) -> bool {
        matches!(self, Self::Tested { per_error, .. } if per_error >= FLAGGED_FAVOURITISM)
    }

    /// Returns whether the mover had its errors paid back by how others answered them.
    pub fn is_paid_back(self) -> bool {
        matches!(self, Self::Tested { own_loss: Some(loss), .. } if loss < FLAGGED_LOSS)
    }

    /// Returns whether somebody at their tables declared now this row and now that.
    pub fn rows_vary(self) -> bool {
        matches!(self, Self::Tested { rows_vary: true, .. })
    }

    /// Returns whether the favour is significant after the correction, be it large or small.
    pub fn is_significant(self) -> bool {
        matches!(self, Self::Tested { p_corrected, is_returned, .. } if is_returned || p_corrected <= FLAGGED_P_VALUE)
    }
}

/// What the takes of an ordered pair came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairFavours<'a> {
    /// The favours.
    pub(super) tally: &'a FavouritismTally,
    /// Whom the mover's errors favour, whoever sits there.
    pub(super) habits: &'a MoverHabits,
    /// The errors at which another bot might have had the other's place.
    pub(super) errors: u64,
}

impl PairFavours<'_> {
    /// Returns what was observed and each replicate; none of too few groups, or if all are the same.
    pub(super) fn permuted_sums(&self) -> Option<PermutedSums> {
        // Below a rank in a thousand, nothing is left but what rounding makes of it.
        PermutedSums::new(&self.tally.observed_and_permuted(self.habits)?, RANK / 1_000.0)
    }

    /// Returns the favour of an error, in ranks, that would have been flagged with a chance of 0.8.
    pub(super) fn detectable_favour(&self, result: &PermutationResult, critical: f64) -> f64 {
        let shift = detectable_shift(result.deviation, critical) * self.tally.largest_factor();
        (shift / RANK / to_float(self.errors.max(1).cast_signed())).max(FLAGGED_FAVOURITISM)
    }

    /// Returns what an error gave the other, in ranks, beyond what it gave the others in the mean.
    pub(super) fn favour_per_error(&self) -> f64 {
        self.tally.excess_favour(self.habits) / RANK / to_float(self.errors.max(1).cast_signed())
    }
}
