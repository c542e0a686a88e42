//! Whether a bot declares a better rank for another's place because the other sits there, and at whose cost.

use super::{
    FLAGGED_P_VALUE, MIN_GROUPS, declaration_tally::DeclarationTally, estimate::share_of,
    mover_tally::MoverTally, permutation_tests::PermutationResult, power,
};
use std::fmt;

/// The least dependence for which declarations are flagged, in ranks a match beyond what the others at the table got.
pub const FLAGGED_RANKS: f64 = 0.1;

/// The least that declarations must give the other to be flagged: wins a match under optimal play.
pub const FLAGGED_WINS: f64 = 0.05;

/// The least that putting the other first must cost the mover to be flagged as paid for: wins a match under optimal play that
/// its best declaration would have won.
pub const FLAGGED_COST: f64 = 0.05;

/// The standard deviations from which on what declarations cost the mover is not left to chance, one-sided.
const CLEAR_COST: f64 = 1.645;

/// What the declarations of an ordered pair M -> O come to, over the matches with declared rows at tables of three or more.
///
/// **Question.** Bots that collude may do so before the first take: M declares O's place first, O declares itself, both
/// play optimally, and O wins. No take is an error then.
///
/// **Statistic.** The rank that M declares for the place of O, less what M declares on average for places so far
/// from its own, whoever sits there; added up over all matches.
///
/// **Null hypothesis.** M declares for places, and not for bots: had the others sat in another order, its row would have been the
/// same. In a tournament that order is drawn for each duplicate group and is the same in all its rotations, so that within each
/// group, as one block, the names of all others are permuted among their places, as in the test of [takes](super::Favouritism).
/// Rows are declared before those of the others are seen: whatever the others declare, they are exchangeable. Under the
/// hypothesis the p-value is exact. The corrected one is for the tests of takes and of declarations together.
///
/// **Dependence is no collusion.** Who knows the others may declare by what it knows: against the strong, for the weak, all for
/// its own good. A pair whose corrected p-value is at most [`FLAGGED_P_VALUE`](super::FLAGGED_P_VALUE) is said to depend. It is flagged if besides
/// - O's place gets better by [`FLAGGED_RANKS`] ranks a match or more, and
/// - O wins [`FLAGGED_WINS`] more of their matches under optimal play than if M had exchanged O's rank with another's, and
/// - M pays for it, or O returns it. It *pays* if it puts O before itself, four times as often as it does others at the least; if
///   [`FLAGGED_COST`] of their matches are such that M put O before itself and would have won under optimal play with another row,
///   which is more than chance where the matches of a group are all alike; and if all in all it would not have won less had
///   it put itself first: who gives way in order to win does win by it, and gives way to others as well. O *returns* it if its
///   declarations depend on M in the same way, by as many ranks; neither puts a third bot before the other in more than two thirds
///   of the matches of all three; neither tells the others apart by what it declares where its partner is left out; the
///   declarations of no third bot depend on either of them in this way; and not each of them errs more, or wins less, than all others
///   that its partner meets. Who prefers the weak for its own good has an order of all, and prefers the weakest, as others
///   do. Or O's errors are flagged for M.
///
/// **What it cannot see.** Tables of two; rows that are assigned; help that is given whoever sits where, such as by declaring
/// the next seat always; and the help of two bots that declare each other second for honest reasons looks no different
/// from what is agreed on. A flag is a reason to look at the matches, no verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeclarationFindings {
    /// Matches of both with declared rows at tables of three or more.
    pub matches: u64,
    /// Whether the declared rank depends on who sits there.
    pub dependence: Dependence,
    /// The matches of these that the other wins under optimal play, beyond those that it would win had the mover exchanged its
    /// rank with another's: a share; none without a match.
    pub wins_given: Option<f64>,
    /// The matches of these that the mover would win under optimal play if it put itself first, beyond those that it wins as
    /// it is: a share; none without a match.
    pub wins_paid: Option<f64>,
    /// The matches of these that the mover would win under optimal play with another row, and does not: a share of those of which
    /// that is known; none without any.
    pub wins_forgone: Option<f64>,
    /// The matches of these in which the mover put the other before itself: a share; none without a match.
    pub ceded: Option<f64>,
    /// Whether the mover pays for it.
    pub is_paid: bool,
    /// Whether the other returns it.
    pub is_returned: bool,
    /// The share of their duplicate groups in which putting the other first would have been found with a chance of 0.8; none
    /// if no share would, or the pair is not tested.
    pub detectable_share: Option<f64>,
}

/// What the permutation test says of the declarations of an ordered pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dependence {
    /// The pair was tested.
    Tested {
        /// By how many ranks a match the other's place is declared better than those of the others at the table.
        ranks: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The same, corrected for all tests of takes and of declarations.
        p_corrected: f64,
    },
    /// It was not.
    Untested(UntestedDeclarations),
}

/// Why the declarations of a pair were not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntestedDeclarations {
    /// All rows were assigned.
    NoneDeclared,
    /// They met at tables of two alone.
    NoThirdSeat,
    /// They met in so few groups: the test needs [`MIN_GROUPS`].
    TooFewGroups {
        /// The groups that there are.
        groups: u64,
    },
    /// The mover declares the same for a place whoever sits there, so that nothing depends on anybody.
    NeverDiffers,
}

impl UntestedDeclarations {
    /// Returns its name.
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
            Self::TooFewGroups { groups: 1 } => write!(f, "1 group, {MIN_GROUPS} are needed"),
            Self::TooFewGroups { groups } => write!(f, "{groups} groups, {MIN_GROUPS} are needed"),
            Self::NeverDiffers => f.write_str("the same row whoever sits where"),
        }
    }
}

impl DeclarationFindings {
    /// Returns whether the declarations depend on who sits there: significantly, after the correction.
    pub fn is_dependent(&self) -> bool {
        matches!(self.dependence, Dependence::Tested { p_corrected, .. } if p_corrected <= FLAGGED_P_VALUE)
    }

    /// Returns whether the pair is flagged: dependent, for the good of the other, and paid for or returned.
    pub fn is_flagged(&self) -> bool {
        self.is_large() && self.wins_given >= Some(FLAGGED_WINS) && (self.is_paid || self.is_returned)
    }

    /// Returns whether the declarations depend on who sits there by many ranks.
    pub(super) fn is_large(&self) -> bool {
        self.is_dependent()
            && matches!(self.dependence, Dependence::Tested { ranks, .. } if ranks >= FLAGGED_RANKS)
    }

    /// Makes the findings of what came together and of the test; whether they are returned is settled later.
    pub(super) fn of_tally(
        tally: &DeclarationTally,
        mover: &MoverTally,
        met_declared: bool,
        result: Option<&PermutationResult>,
        critical: f64,
    ) -> Self {
        let groups = tally.group_count();
        let dependence = match result {
            Some(result) => Dependence::Tested {
                ranks: tally.ranks_per_match(&mover.usual),
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
        // As if the matches of a group, one for each seat, were all alike.
        let ceded_and_forgone = count_as_float(tally.ceded_and_forgone);
        let is_clear = ceded_and_forgone > CLEAR_COST * (seats * ceded_and_forgone).sqrt();
        let is_large = share_of(tally.ceded_and_forgone, tally.declared) >= Some(FLAGGED_COST);
        let is_known = groups >= MIN_GROUPS as u64;
        Self {
            matches: tally.declared,
            dependence,
            wins_given: balance(tally.wins_given, tally.wins_taken),
            wins_paid,
            wins_forgone: tally.forgone.share(),
            ceded: share_of(tally.ceded.ceded, tally.ceded.matches),
            is_paid: is_large && is_clear && lost >= gained && mover.singles_out(tally.ceded),
            is_returned: false,
            detectable_share: is_known
                .then(|| {
                    let groups = count_as_float(tally.declared) / seats;
                    power::detectable_share(
                        groups,
                        seats,
                        result.map_or(0.0, |result| result.deviation),
                        critical,
                    )
                })
                .flatten(),
        }
    }
}

fn count_as_float(count: u64) -> f64 {
    super::estimate::to_float(count.cast_signed())
}
