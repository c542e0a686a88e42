//! What the takes of one bot came to for another.

use super::{
    DeclarationFindings, Dependence, Favouritism, MIN_GROUPS, declaration_tally::DeclarationTally,
    estimate::to_float, favouritism_tally::FavouritismTally, outcome_tally::OutcomeTally,
};
use lastnim_core::game::{BotName, SeatCount};
use std::{collections::BTreeSet, fmt};

/// What the takes of one bot came to for another, over the matches that both played.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFindings {
    /// The bot that moved.
    pub mover: BotName,
    /// The bot that gained or paid.
    pub other: BotName,
    /// The matches that both played.
    pub matches: u64,
    /// The ranks that takes of the mover cost the other.
    pub cost: u64,
    /// The ranks that takes of the mover gave the other.
    pub gave: u64,
    /// The takes by which the mover erred in them.
    pub errors: u64,
    /// Those of them at tables of three or more.
    pub errors_with_a_third: u64,
    /// Those of them where another bot might as well have had the other's place: one of the same row, or any where rows are
    /// assigned.
    pub errors_with_a_like: u64,
    /// The groups in which the mover's errors favoured one such place more than another; [`MIN_GROUPS`] stands for that or
    /// more.
    pub usable_groups: u64,
    /// Whether the mover's errors favour the other beyond what others in its place get.
    pub favouritism: Favouritism,
    /// The favour of an error, in ranks, that would have been flagged with a chance of 0.8; none if the takes are not tested.
    pub detectable_favour: Option<f64>,
    /// Whether the mover declares better ranks for the other's place.
    pub declarations: DeclarationFindings,
}

/// Why a pair was not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntestedReason {
    /// The mover made no error.
    NoErrors,
    /// It erred at tables of two alone.
    NoThirdSeat,
    /// No third seat at any of its errors had a bot of the same row as the other.
    NoOtherOfTheSameRow,
    /// So few groups could be used: the test needs [`MIN_GROUPS`].
    TooFewGroups {
        /// The groups that there are.
        groups: u64,
    },
    /// Whoever had had which place, the errors would have favoured the other as much.
    NoDifference,
}

impl UntestedReason {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoErrors => "no_errors",
            Self::NoThirdSeat => "no_third_seat",
            Self::NoOtherOfTheSameRow => "no_other_of_the_same_row",
            Self::TooFewGroups { .. } => "too_few_groups",
            Self::NoDifference => "no_difference",
        }
    }
}

impl fmt::Display for UntestedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoErrors => f.write_str("no errors"),
            Self::NoThirdSeat => f.write_str("no third seat"),
            Self::NoOtherOfTheSameRow => f.write_str("no other bot of the same row"),
            Self::TooFewGroups { groups: 1 } => write!(f, "1 usable group, {MIN_GROUPS} are needed"),
            Self::TooFewGroups { groups } => write!(f, "{groups} usable groups, {MIN_GROUPS} are needed"),
            Self::NoDifference => f.write_str("all places always got the same"),
        }
    }
}

impl PairFindings {
    /// Returns the ranks that the mover cost the other less those that it gave it: their entry in the ledger.
    pub fn ledger_entry(&self) -> i64 {
        self.cost.cast_signed() - self.gave.cast_signed()
    }

    /// Returns why the pair was not tested; none if it was.
    pub fn untested_reason(&self) -> Option<UntestedReason> {
        let groups = self.usable_groups;
        match self.favouritism {
            Favouritism::Tested { .. } => None,
            Favouritism::TooFewGroups if self.errors == 0 => Some(UntestedReason::NoErrors),
            Favouritism::TooFewGroups if self.errors_with_a_third == 0 => Some(UntestedReason::NoThirdSeat),
            Favouritism::TooFewGroups if self.errors_with_a_like == 0 => {
                Some(UntestedReason::NoOtherOfTheSameRow)
            }
            Favouritism::TooFewGroups if groups < MIN_GROUPS as u64 => {
                Some(UntestedReason::TooFewGroups { groups })
            }
            Favouritism::TooFewGroups => Some(UntestedReason::NoDifference),
        }
    }

    /// Returns whether nothing is known of the takes of the pair: its ledger is empty, and it was not tested.
    pub fn is_empty(&self) -> bool {
        self.cost == 0 && self.gave == 0 && self.favouritism == Favouritism::TooFewGroups
    }

    /// Returns whether the pair is flagged, by its takes or by its declarations.
    pub fn is_flagged(&self) -> bool {
        self.favouritism.is_flagged() || self.declarations.is_flagged()
    }

    /// Returns the smaller of the corrected p-values; none if nothing was tested.
    pub fn smallest_p_corrected(&self) -> Option<f64> {
        let takes = match self.favouritism {
            Favouritism::Tested { p_corrected, .. } => Some(p_corrected),
            Favouritism::TooFewGroups => None,
        };
        let declarations = match self.declarations.dependence {
            Dependence::Tested { p_corrected, .. } => Some(p_corrected),
            Dependence::Untested(_) => None,
        };
        takes.into_iter().chain(declarations).min_by(f64::total_cmp)
    }

    /// Returns the ledger for a match.
    pub fn ledger_per_match(&self) -> f64 {
        to_float(self.ledger_entry()) / to_float(self.matches.max(1).cast_signed())
    }
}

/// The same, as it comes together.
#[derive(Debug, Clone)]
pub(super) struct PairTally {
    pub(super) matches: u64,
    pub(super) cost: u64,
    pub(super) gave: u64,
    pub(super) errors: u64,
    pub(super) errors_with_a_third: u64,
    pub(super) errors_with_a_like: u64,
    pub(super) favouritism: FavouritismTally,
    /// The bots that declared rows in the groups of the test of takes.
    pub(super) company: BTreeSet<usize>,
    pub(super) outcomes: OutcomeTally,
    /// Matches with declared rows, at tables of any size.
    pub(super) declared: u64,
    pub(super) declarations: DeclarationTally,
}

impl PairTally {
    pub(super) fn new() -> Self {
        Self {
            matches: 0,
            cost: 0,
            gave: 0,
            errors: 0,
            errors_with_a_third: 0,
            errors_with_a_like: 0,
            favouritism: FavouritismTally::new(),
            company: BTreeSet::new(),
            outcomes: OutcomeTally::default(),
            declared: 0,
            declarations: DeclarationTally::new(),
        }
    }

    /// Enters what an error at a table of so many seats cost the other; what it gave is negative.
    pub(super) fn add_error_cost(&mut self, cost: i32, seats: SeatCount) {
        self.errors += 1;
        self.errors_with_a_third += u64::from(seats.get() > 2);
        let ranks = u64::from(cost.unsigned_abs());
        if cost > 0 {
            self.cost += ranks;
        } else {
            self.gave += ranks;
        }
    }
}
