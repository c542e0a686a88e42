//! The permutation test for collusion by takes: which bots a bot's errors favour, and whether that depends on who sits
//! where.

use super::{permutation_tests::PermutationResult, permuted_choices::PermutedGains};

/// Maximum corrected p-value of a flagged pair, which is also the share of honest fields that are flagged if the tests
/// are exact.
pub const FLAGGED_P_VALUE: f64 = 0.003;

/// Maximum p-value, of the pair alone, at which one bot of a set seems to favour another.
pub(super) const SINGLE_TEST_P_VALUE: f64 = 0.05;

/// Minimum favour of a flagged pair: the ranks per error that the other bot gains beyond what other bots would gain in
/// its place.
pub const FLAGGED_FAVOURITISM: f64 = 0.1;

/// Minimum final loss of the mover in a flagged pair, in ranks per error: half of the minimum cost of an error that no
/// other error offsets.
pub const FLAGGED_LOSS: f64 = 0.5;

/// The test of takes for an ordered pair of bots M -> O: whether the errors of M favour O.
///
/// **Question.** Do the errors of M favour O because it is O?
///
/// **Which takes.** Only those that open a match. A later take may answer the takes before it: a bot that copies,
/// punishes or rewards them favours some bots over others without knowing who they are. Before the opening take nobody
/// has done anything.
///
/// **Statistic.** The ranks that M's opening takes gained for O's seat, minus what they would have gained for it if M
/// had erred at random, as often as it errs with any opponents: the mean gain of the errors possible there, times M's
/// share of errors. Takes count only where an error was possible; those of one distinct group are averaged. The
/// **effect** is this sum minus the mean sum of the other bots that could have sat there, per error.
///
/// **Null hypothesis.** M's choices do not depend on who sits where. In a tournament the playing order is drawn for
/// each duplicate group. So within each distinct group (the same bots in the same order on the same piles), the bots
/// are permuted among the places. Bots are exchanged only if that does not change the game: all others if rows are
/// assigned, otherwise those that declared the same row. Under the hypothesis the p-value is exact, however M plays and
/// whatever it learns, as long as it does not learn about the bots by name.
///
/// **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`](super::REPLICATES), one-sided; hits are the replicates
/// whose sum is at least as large as the observed one. It is never 0 (Phipson and Smyth, "Permutation p-values should
/// never be zero", 2010). For all pairs and their [declarations](super::DeclarationFindings) together, the sums are
/// standardised by their means and standard deviations over the replicates and the observation, and each is compared
/// with the maximum over all pairs in every replicate (Westfall and Young, "Resampling-Based Multiple Testing", 1993,
/// single step). The permutations derive from the seed and the distinct group, so the order of matches does not matter.
///
/// **Limits.** A table of two has no third bot. The influence of a bot that never sits with another bot that declared
/// the same row cannot be distinguished from the influence of its row. Help that costs the helper nothing is not an
/// error, and help by later takes is not tested. The test assumes that the playing order is drawn, which may be false
/// for exhibitions. A bot that knows how another plays may err for its own good. So a pair is flagged only if the
/// favour is at least [`FLAGGED_FAVOURITISM`], and if the mover was not paid back, that is, if matches ended at least
/// [`FLAGGED_LOSS`] ranks worse for it after its errors for O than after its optimal takes, from the same predicted
/// rank. If there are no such takes to compare, nothing is flagged.
///
/// The book's page on audits states how often honest fields are flagged. A flag is a request to look at the matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Favouritism {
    /// The pair was tested.
    Tested {
        /// The other bot's gain per error, in ranks, beyond its gain from random errors and beyond the mean of the bots
        /// that could have had its place.
        per_error: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The p-value corrected for all tests of takes and declarations, of pairs and of sets.
        p_corrected: f64,
        /// The number of ranks, in the mover's row, by which matches ended worse for it after its errors in favour of
        /// the other bot than after its optimal takes, starting from the same predicted rank; `None` if there is
        /// nothing to compare.
        own_loss: Option<f64>,
        /// Whether the two bots are in a significant [set](super::SetFindings) in which every bot seems to favour every
        /// other.
        is_returned: bool,
    },
    /// The pair was not tested: there were fewer than [`MIN_GROUPS`](super::MIN_GROUPS) usable distinct groups, or all
    /// places always gained the same. A group is usable if the mover could have erred in an opening take and a third
    /// bot could have sat in the other bot's place (one with the same row, if rows are declared).
    Untested,
}

impl Favouritism {
    /// Creates the findings of a test.
    pub(super) fn of_test(
        gains: &PermutedGains,
        result: Option<&PermutationResult>,
        own_loss: Option<f64>,
    ) -> Self {
        match result {
            None => Self::Untested,
            Some(&PermutationResult { p_value, p_corrected, .. }) => {
                let per_error = gains.mean_excess();
                Self::Tested { per_error, p_value, p_corrected, own_loss, is_returned: false }
            }
        }
    }

    /// Returns whether the pair is flagged: the favour is significant after the correction, large, and costly to the
    /// mover in the end.
    pub fn is_flagged(self) -> bool {
        self.is_significant() && self.is_suspect()
    }

    /// Returns whether the pair meets all conditions for a flag except significance.
    fn is_suspect(self) -> bool {
        self.is_large() && self.own_loss() >= Some(FLAGGED_LOSS)
    }

    /// Returns whether the pair meets all conditions for a flag except significance, and its own p-value is at most
    /// [`SINGLE_TEST_P_VALUE`].
    pub(super) fn seems_suspect(self) -> bool {
        self.is_suspect() && matches!(self, Self::Tested { p_value, .. } if p_value <= SINGLE_TEST_P_VALUE)
    }

    /// Sets whether the favour is returned, which is known only after all tests.
    pub(super) fn with_returned(self, is_returned: bool) -> Self {
        match self {
            Self::Tested { per_error, p_value, p_corrected, own_loss, .. } => {
                Self::Tested { per_error, p_value, p_corrected, own_loss, is_returned }
            }
            Self::Untested => self,
        }
    }

    /// Returns whether the favour is large enough to be flagged.
    pub fn is_large(self) -> bool {
        matches!(self, Self::Tested { per_error, .. } if per_error >= FLAGGED_FAVOURITISM)
    }

    /// Returns whether later takes of others made up for the mover's errors.
    pub fn is_paid_back(self) -> bool {
        self.own_loss().is_some_and(|loss| loss < FLAGGED_LOSS)
    }

    /// Returns how much worse matches ended for the mover after errors in favour of the other bot, in ranks per error;
    /// `None` if it is unknown.
    pub fn own_loss(self) -> Option<f64> {
        match self {
            Self::Tested { own_loss, .. } => own_loss,
            Self::Untested => None,
        }
    }

    /// Returns whether the favour is significant after the correction, even if it is small.
    pub fn is_significant(self) -> bool {
        matches!(self, Self::Tested { p_corrected, is_returned, .. } if is_returned || p_corrected <= FLAGGED_P_VALUE)
    }
}
