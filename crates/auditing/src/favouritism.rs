//! The permutation test for collusion by takes: whom a bot's errors favour, and whether that depends on who sits there.

use super::{
    estimate::to_float,
    favouritism_tally::FavouritismTally,
    permutation_tests::{PermutationResult, PermutedSums},
    place_sums::{MoverHabits, RANK},
    power::detectable_shift,
};

/// Maximum corrected p-value of a flagged pair. At 0.05, 5% of honest fields would be flagged, and more where a test is
/// not exact.
pub const FLAGGED_P_VALUE: f64 = 0.01;

/// Maximum corrected p-value of a flagged pair if the favour is returned.
pub const FLAGGED_P_VALUE_IF_RETURNED: f64 = 0.05;

/// Minimum favour of a flagged pair, in ranks per error beyond others in the same place.
pub const FLAGGED_FAVOURITISM: f64 = 0.1;

/// Minimum final loss of the mover in a flagged pair, in ranks per error: half of the minimum cost of an error that no
/// other error offsets.
pub const FLAGGED_LOSS: f64 = 0.5;

/// The test for collusion by takes of an ordered pair of bots: whether the errors of one favour the other.
///
/// **Question.** Colluding bots help each other by takes that cost the helper. Sums of a ledger cannot show that: a bot
/// gains from errors because of its row, its seat, and the error rate of the others.
///
/// **Statistic.** At every take by which bot M erred, seat s gained `g_s(take)` ranks. Its *favour* is the gain minus
/// the mean of `g_s` over all takes by which M could have erred there: a blunder that would have helped that seat
/// anyway counts as 0, and so does an optimal take. A second mean is also subtracted, that of all favours of M to seats
/// in the same kind of place (whether the seat moves next, last or between; whether it, M or another would have won;
/// whether the last pile was in play): so M's habits do not count. For an ordered pair M -> O, these favours to the
/// seats of O are summed. The **effect** is that sum minus the mean of the others that could have sat there, per error.
/// The mean over permutations would be wrong here: it includes the actual order, and with m such places would count
/// only m-1 of m parts of the effect.
///
/// **Null hypothesis.** Whom M's errors favour does not depend on who sits there: if two bots of the table had
/// exchanged places, the favours of the places would be the same. In a tournament places are drawn: the playing order
/// is drawn for each duplicate group, and is the same in all its rotations. So within each group, as one block, the
/// names of the others are permuted among their places; a replicate does that in all groups at once. Names are
/// exchanged only if that does not change the game: all others if rows are assigned, otherwise those that declared the
/// same row. So M's attitude to a *row* is never mistaken for its attitude to a *bot*.
///
/// **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`](super::REPLICATES), one-sided; hits are the replicates
/// with a sum at least as large. It is never 0 (Phipson and Smyth, "Permutation p-values should never be zero", 2010).
/// For all pairs and their [declarations](super::DeclarationFindings) together, the sums are standardised by mean and
/// standard deviation over the replicates and the observation, and each is compared with the maximum over all pairs in
/// every replicate (Westfall and Young, "Resampling-Based Multiple Testing", 1993, single step). If the hypothesis were
/// exactly true, at most 5% of honest fields would have a pair at 0.05 or less, whatever the dependence between pairs;
/// the smallest value remains 1 in 1,000 for any number of pairs. The permutations derive from seed, group and mover,
/// so the order of matches does not matter.
///
/// **Limits.** A table of two has no third bot. A bot that never sits with another of the same declared row cannot be
/// distinguished from its row. Help that costs the helper nothing is not an error: rows that suit another, and
/// agreements other than takes. The test assumes that places are drawn, which may be false for exhibitions, and that
/// places mean the same to M no matter who plays there. That is true of its first take and nearly true later, since opponents
/// of different strength leave M different positions. The two means remove most of that, not all. So
/// - a pair is flagged only if the favour is also at least [`FLAGGED_FAVOURITISM`];
/// - if a bot at their tables declared different rows, an equal row does not prove that names could be exchanged, since
///   rows may depend on them. Such a pair is reported but not flagged;
/// - a bot that knows that another blunders may err for its own good. A pair is not flagged if the mover's errors were
///   paid back: if matches ended less than [`FLAGGED_LOSS`] ranks worse for it after its errors for O than after its
///   optimal takes, from the same predicted rank.
///
/// The book's page on audits states how often honest fields are flagged. A flag is a reason to look at the matches, not
/// a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Favouritism {
    /// The pair was tested.
    Tested {
        /// The other's gain per error, in ranks, beyond the mean of the others that could have had its place.
        per_error: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The p-value corrected for all tests of takes and declarations.
        p_corrected: f64,
        /// How many ranks of its row worse matches ended for the mover after errors in favour of the other than after
        /// its optimal takes, from the same predicted rank; `None` if there is nothing to compare.
        own_loss: Option<f64>,
        /// Whether a bot at their tables declared different rows.
        rows_vary: bool,
        /// Whether the other's errors also favour the mover, both with a corrected p-value up to
        /// [`FLAGGED_P_VALUE_IF_RETURNED`].
        is_returned: bool,
    },
    /// There were fewer than [`MIN_GROUPS`](super::MIN_GROUPS) groups in which the mover's errors favoured one place
    /// while another bot could have sat there (one with the same row, if rows are declared); or all places always
    /// gained the same.
    TooFewGroups,
}

impl Favouritism {
    /// Creates the findings of a test.
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

    /// Returns whether the pair is flagged: significant after the correction, large, costly to the mover in the end,
    /// and with constant rows.
    pub fn is_flagged(self) -> bool {
        self.is_significant() && self.is_suspect()
    }

    /// Returns whether the pair is flagged, provided it is significant.
    fn is_suspect(self) -> bool {
        self.is_large() && !self.is_paid_back() && !self.rows_vary()
    }

    /// Sets whether the other's errors also favour the mover, once both tests are known.
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

    /// Returns whether the favour is large enough to be flagged.
    pub fn is_large(self) -> bool {
        matches!(self, Self::Tested { per_error, .. } if per_error >= FLAGGED_FAVOURITISM)
    }

    /// Returns whether the answers of others paid the mover back for its errors.
    pub fn is_paid_back(self) -> bool {
        matches!(self, Self::Tested { own_loss: Some(loss), .. } if loss < FLAGGED_LOSS)
    }

    /// Returns whether a bot at their tables declared different rows.
    pub fn rows_vary(self) -> bool {
        matches!(self, Self::Tested { rows_vary: true, .. })
    }

    /// Returns whether the favour is significant after the correction, whatever its size.
    pub fn is_significant(self) -> bool {
        matches!(self, Self::Tested { p_corrected, is_returned, .. } if is_returned || p_corrected <= FLAGGED_P_VALUE)
    }
}

/// The data for testing the takes of an ordered pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairFavours<'a> {
    /// The favours of the pair.
    pub(super) tally: &'a FavouritismTally,
    /// The mover's habits: whom its errors favour regardless of who sits there.
    pub(super) habits: &'a MoverHabits,
    /// Errors at which another bot could have had the other's place.
    pub(super) errors: u64,
}

impl PairFavours<'_> {
    /// Returns the observed sum and each replicate; `None` with too few groups, or if all are the same.
    pub(super) fn permuted_sums(&self) -> Option<PermutedSums> {
        // Less than a thousandth of a rank is rounding error.
        PermutedSums::new(&self.tally.observed_and_permuted(self.habits)?, RANK / 1_000.0)
    }

    /// Returns the favour per error, in ranks, that would have been flagged with power 0.8.
    pub(super) fn detectable_favour(&self, result: &PermutationResult, critical: f64) -> f64 {
        let shift = detectable_shift(result.deviation, critical) * self.tally.largest_factor();
        (shift / RANK / to_float(self.errors.max(1).cast_signed())).max(FLAGGED_FAVOURITISM)
    }

    /// Returns the other's mean gain per error, in ranks, beyond that of the others.
    pub(super) fn favour_per_error(&self) -> f64 {
        self.tally.excess_favour(self.habits) / RANK / to_float(self.errors.max(1).cast_signed())
    }
}
