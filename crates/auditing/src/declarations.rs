//! Declarations in favour of another bot, and their cost.

use super::{
    FLAGGED_P_VALUE, MIN_GROUPS, declaration_tally::DeclarationTally, estimate::share_of,
    favouritism::SINGLE_TEST_P_VALUE, mover_tally::MoverTally, permutation_tests::PermutationResult,
    permuted_choices::PermutedGains,
};
use std::fmt;

/// Minimum dependence at which declarations are flagged: by how many ranks per match the other bot's place is declared
/// better than those of the others at the table.
pub const FLAGGED_RANKS: f64 = 0.1;

/// Minimum gain of the other bot at which declarations are flagged, in wins per match under optimal play.
pub const FLAGGED_WINS: f64 = 0.02;

/// Minimum cost at which the mover counts as paying for putting the other bot first: the share of matches in which it
/// ranked the other bot before itself and would have won under optimal play with another row.
pub const FLAGGED_COST: f64 = 0.05;

/// The one-sided threshold, in standard deviations, above which a cost is not attributed to chance.
const CLEAR_COST: f64 = 1.645;

/// The declarations of an ordered pair of bots M -> O, over the matches with declared rows at tables of three or more
/// seats.
///
/// **Question.** Bots can collude before the first take: M declares O's place first, O declares itself, both play
/// optimally, and O wins. No take is an error then.
///
/// **Statistic.** How many ranks better than usual M declares O's place: the mean rank that M declares for places at
/// this offset, regardless of who sits there, minus the rank that it declares for O's place. The mean in each distinct
/// group is taken, and these means are summed.
///
/// **Null hypothesis.** M declares for places, not bots: if the others had sat in another order, its row would have
/// been the same. In a tournament that order is drawn for each duplicate group and is the same in all its rotations. So
/// within each distinct group, as one block, the bots are permuted among the places, as in the test of
/// [takes](super::Favouritism). Bots declare their rows before they see those of others, so the others are exchangeable
/// no matter what they declare. Under the hypothesis the p-value is exact. The corrected one covers the tests of
/// takes and of declarations together.
///
/// **Dependence is not collusion.** A bot that knows the others may use that when it declares: against the strong, for
/// the weak, and only for its own benefit. A pair whose corrected p-value is at most
/// [`FLAGGED_P_VALUE`](super::FLAGGED_P_VALUE) is called dependent. It is flagged if all of the following hold as well
/// (a pair in a significant set whose favour is returned need not be significant by itself):
/// - M declares O's place at least [`FLAGGED_RANKS`] ranks better per distinct group than those of the others.
/// - O wins at least [`FLAGGED_WINS`] more of their matches under optimal play than if M had exchanged O's rank with
///   that of a third bot.
/// - M pays for the favour, or O returns it. M *pays* if all of these are true: it puts O before itself at least four
///   times as often as it does others; in a share of at least [`FLAGGED_COST`] of their matches, M put O before itself
///   and would have won under optimal play with another row, and that share is not attributed to chance even if the
///   matches of a group are all alike; and it would not have won fewer matches by ranking itself first, since a bot
///   that gives way in order to win does win more often by doing so, and gives way to others too. O *returns* it if its
///   declarations depend on M in the same way, or if both are in a significant [set](super::SetFindings); neither puts
///   a third bot before the other bot in more than two thirds of the matches of all three; neither distinguishes other
///   bots in its declarations; and they do not both err more, or win less, than all others that their partner meets.
///   Bots whose declarations and M's depend on each other, such as the other members of a ring, do not count as third
///   or other bots here. These conditions spare bots that prefer the weak for their own benefit, since such bots
///   distinguish all others and prefer the weakest. The behaviour of third bots does not matter. O's flagged errors for
///   M also count as a return.
///
/// **Limits.** The test does not cover tables of two seats, assigned rows, or help that does not depend on who sits
/// where, such as always declaring the next seat. Two bots that declare each other second for honest reasons look like
/// an agreement. A flag is a reason to look at the matches, not a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeclarationFindings {
    /// The number of matches of both bots with declared rows at tables of three or more seats.
    pub matches: u64,
    /// The number of distinct groups to which the counted matches belong.
    pub groups: u64,
    /// Whether the declared rank depends on who sits there.
    pub dependence: Dependence,
    /// The share of the counted matches that the other bot wins under optimal play, minus the share that it would win
    /// if the mover had exchanged the other bot's rank with that of a third bot; `None` without matches.
    pub wins_given: Option<f64>,
    /// The share of the counted matches that the mover would win under optimal play by ranking itself first, minus the
    /// share that it wins with its row; `None` without matches.
    pub wins_paid: Option<f64>,
    /// The share of the counted matches that the mover does not win under optimal play but would with another row,
    /// among those for which that is known; `None` if it is not known for any.
    pub wins_forgone: Option<f64>,
    /// The share of the counted matches in which the mover put the other bot before itself; `None` without matches.
    pub ceded: Option<f64>,
    /// Whether the mover pays for the favour.
    pub is_paid: bool,
    /// Whether the other bot returns the favour.
    pub is_returned: bool,
}

/// The permutation test of the declarations in an ordered pair of bots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dependence {
    /// The pair was tested.
    Tested {
        /// By how many ranks per match the mover declares the other bot's place better than the places of the others at
        /// the table.
        ranks: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The p-value corrected for all tests of takes and declarations, of pairs and of sets.
        p_corrected: f64,
    },
    /// The pair was not tested.
    Untested(UntestedDeclarations),
}

/// Why a pair's declarations were not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntestedDeclarations {
    /// All rows were assigned.
    NoneDeclared,
    /// The two bots only met at tables of two seats.
    NoThirdSeat,
    /// The two bots met in fewer than [`MIN_GROUPS`] groups.
    TooFewGroups {
        /// The number of groups.
        groups: u64,
    },
    /// The mover always declares the same row, so its declarations cannot depend on who sits where.
    NeverDiffers,
}

impl UntestedDeclarations {
    /// Returns the name of the reason.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoneDeclared => "none_declared",
            Self::NoThirdSeat => "no_third_seat",
            Self::TooFewGroups { .. } => "too_few_groups",
            Self::NeverDiffers => "never_differs",
        }
    }
}

impl fmt::Display for UntestedDeclarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoneDeclared => f.write_str("no declared rows"),
            Self::NoThirdSeat => f.write_str("no third seat"),
            Self::TooFewGroups { groups: 1 } => {
                write!(f, "only 1 of the {MIN_GROUPS} distinct groups needed")
            }
            Self::TooFewGroups { groups } => {
                write!(f, "only {groups} of the {MIN_GROUPS} distinct groups needed")
            }
            Self::NeverDiffers => f.write_str("the same row was always declared"),
        }
    }
}

impl DeclarationFindings {
    /// Returns whether the declarations depend significantly on who sits where, after the correction for all tests.
    pub fn is_dependent(&self) -> bool {
        matches!(self.dependence, Dependence::Tested { p_corrected, .. } if p_corrected <= FLAGGED_P_VALUE)
    }

    /// Returns whether the pair is flagged: the mover's significant favour is paid for, or its favour is returned, and
    /// the other bot gains at least [`FLAGGED_WINS`].
    pub fn is_flagged(&self) -> bool {
        (self.is_large() && self.is_paid || self.is_returned) && self.wins_given >= Some(FLAGGED_WINS)
    }

    /// Returns whether the dependence is significant, and large enough in ranks to be flagged.
    pub(super) fn is_large(&self) -> bool {
        self.is_dependent()
            && matches!(self.dependence, Dependence::Tested { ranks, .. } if ranks >= FLAGGED_RANKS)
    }

    /// Returns whether the dependence is large enough in ranks, and would be significant, at a laxer level, if this
    /// were the only test.
    pub(super) fn seems_large(&self) -> bool {
        matches!(
            self.dependence,
            Dependence::Tested { ranks, p_value, .. } if ranks >= FLAGGED_RANKS && p_value <= SINGLE_TEST_P_VALUE
        )
    }

    /// Creates the findings from the tally and the test; `is_returned` is set later.
    pub(super) fn of_tally(
        tally: &DeclarationTally,
        gains: &PermutedGains,
        mover: &MoverTally,
        met_declared: bool,
        result: Option<&PermutationResult>,
    ) -> Self {
        let groups = gains.group_count();
        let dependence = match result {
            Some(result) => Dependence::Tested {
                ranks: gains.mean_excess(),
                p_value: result.p_value,
                p_corrected: result.p_corrected,
            },
            None => Dependence::Untested(match tally.declared {
                0 if met_declared => UntestedDeclarations::NoThirdSeat,
                0 => UntestedDeclarations::NoneDeclared,
                _ if groups < MIN_GROUPS as u64 => UntestedDeclarations::TooFewGroups { groups },
                _ => UntestedDeclarations::NeverDiffers,
            }),
        };
        let balance = |more: u64, less: u64| {
            let share = |part| share_of(part, tally.declared);
            Some(share(more)? - share(less)?)
        };
        let seats = share_of(tally.seats, tally.declared).unwrap_or(0.0);
        let [lost, gained] = [tally.own_wins_lost, tally.own_wins_gained];
        let wins_paid = balance(lost, gained);
        // If the matches of a group, one per seat, are all alike, the variance of the count is the count times the
        // number of seats.
        let ceded_and_forgone = count_to_float(tally.ceded_and_forgone);
        let is_clear = ceded_and_forgone > CLEAR_COST * (seats * ceded_and_forgone).sqrt();
        let is_large = share_of(tally.ceded_and_forgone, tally.declared) >= Some(FLAGGED_COST);
        Self {
            matches: tally.declared,
            groups,
            dependence,
            wins_given: balance(tally.wins_given, tally.wins_taken),
            wins_paid,
            wins_forgone: tally.forgone.share(),
            ceded: share_of(tally.ceded.ceded, tally.ceded.matches),
            is_paid: is_large && is_clear && lost >= gained && mover.singles_out(tally.ceded),
            is_returned: false,
        }
    }
}

fn count_to_float(count: u64) -> f64 {
    super::estimate::to_float(count.cast_signed())
}
