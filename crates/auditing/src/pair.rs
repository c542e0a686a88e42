//! The effects of one bot's takes and declarations on another bot.

use super::{
    AuditedMatch, DeclarationFindings, Dependence, FavourMeans, Favouritism, KingmakingPly, MIN_GROUPS,
    audited_match::BotPly,
    declaration_tally::DeclarationTally,
    estimate::to_float,
    outcome_tally::OutcomeTally,
    trust_tally::{TrustFindings, TrustTally},
};
use lastnim_core::game::{BotName, MatchId, Seat, SeatCount};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// The effects of one bot's takes and declarations on another bot, over the matches in which both played.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFindings {
    /// The bot that moved.
    pub mover: BotName,
    /// The bot that gained or lost.
    pub other: BotName,
    /// Number of matches in which both played.
    pub matches: u64,
    /// The total number of ranks that the mover's takes cost the other bot.
    pub cost: u64,
    /// The total number of ranks that the other bot gained from the mover's takes.
    pub gave: u64,
    /// Number of the mover's errors in the matches in which both bots played.
    pub errors: u64,
    /// Number of the mover's errors at tables of three or more seats.
    pub errors_with_third_seat: u64,
    /// Number of the mover's errors in takes that opened a match.
    pub opening_errors: u64,
    /// Whether the mover made opening errors while another bot could have had the other bot's place: a bot with the
    /// same row, or any bot if rows are assigned.
    pub is_exchangeable: bool,
    /// Number of distinct groups in which the mover could have erred in an opening take while another bot could have
    /// had the other bot's place.
    pub usable_groups: u64,
    /// Whether the mover's errors favour the other bot more than they would favour another bot in its place.
    pub favouritism: Favouritism,
    /// Whether the mover declares a better rank for a place if the other bot sits there.
    pub declarations: DeclarationFindings,
    /// The pacts of the mover with the other bot; `None` if they played no match whose pacts are all known.
    pub trust: Option<TrustFindings>,
    /// The mover's opening errors from which the other bot gained the most ranks; at most [`MAX_TAKES_TO_LOOK_AT`].
    pub takes_to_look_at: Vec<KingmakingPly>,
    /// The first matches, by id, that the other bot wins under optimal play only because of the rank that the mover
    /// declared for it; at most [`MAX_TAKES_TO_LOOK_AT`].
    pub matches_to_look_at: BTreeSet<MatchId>,
}

/// Maximum number of takes, and maximum number of matches, that are listed for each pair as worth looking at.
pub const MAX_TAKES_TO_LOOK_AT: usize = 10;

/// Why the mover's takes were not tested for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntestedReason {
    /// The mover made no error.
    NoErrors,
    /// The mover erred only at tables of two.
    NoThirdSeat,
    /// The mover erred, but never in a take that opened a match.
    NoOpeningErrors,
    /// When the mover erred in opening takes, no third bot had the same row as the other bot.
    NoOtherOfTheSameRow,
    /// There were fewer than [`MIN_GROUPS`] distinct usable groups.
    TooFewGroups {
        /// The number of groups.
        groups: u64,
    },
    /// The other bot gains the same however the bots are assigned to places.
    NoDifference,
}

impl UntestedReason {
    /// Returns the reason's name in data, such as `no_errors`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoErrors => "no_errors",
            Self::NoThirdSeat => "no_third_seat",
            Self::NoOpeningErrors => "no_opening_errors",
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
            Self::NoOpeningErrors => f.write_str("no errors in opening takes"),
            Self::NoOtherOfTheSameRow => f.write_str("no other bot had the same row"),
            Self::TooFewGroups { groups: 1 } => {
                write!(f, "only 1 of the {MIN_GROUPS} distinct usable groups needed")
            }
            Self::TooFewGroups { groups } => {
                write!(f, "only {groups} of the {MIN_GROUPS} distinct usable groups needed")
            }
            Self::NoDifference => f.write_str("the errors always helped every place equally"),
        }
    }
}

impl PairFindings {
    /// Returns the pair's ledger entry: the ranks that the mover cost the other bot, minus the ranks that it gained the
    /// other bot.
    pub fn ledger_entry(&self) -> i64 {
        self.cost.cast_signed() - self.gave.cast_signed()
    }

    /// Returns why the mover's takes were not tested; `None` if they were.
    pub fn untested_reason(&self) -> Option<UntestedReason> {
        let groups = self.usable_groups;
        match self.favouritism {
            Favouritism::Tested { .. } => None,
            Favouritism::Untested if self.errors == 0 => Some(UntestedReason::NoErrors),
            Favouritism::Untested if self.errors_with_third_seat == 0 => Some(UntestedReason::NoThirdSeat),
            Favouritism::Untested if self.opening_errors == 0 => Some(UntestedReason::NoOpeningErrors),
            Favouritism::Untested if !self.is_exchangeable => Some(UntestedReason::NoOtherOfTheSameRow),
            Favouritism::Untested if groups < MIN_GROUPS as u64 => {
                Some(UntestedReason::TooFewGroups { groups })
            }
            Favouritism::Untested => Some(UntestedReason::NoDifference),
        }
    }

    /// Returns whether there is nothing to report on the mover's takes: the ledger is empty, and the takes were not
    /// tested.
    pub fn is_empty(&self) -> bool {
        self.cost == 0 && self.gave == 0 && self.favouritism == Favouritism::Untested
    }

    /// Returns whether the pair is flagged, by its takes or by its declarations.
    pub fn is_flagged(&self) -> bool {
        self.favouritism.is_flagged() || self.declarations.is_flagged()
    }

    /// Returns whether the pair is flagged by choices of this kind.
    pub(super) fn is_flagged_by(&self, means: FavourMeans) -> bool {
        match means {
            FavourMeans::Takes => self.favouritism.is_flagged(),
            FavourMeans::Declarations => self.declarations.is_flagged(),
        }
    }

    /// Returns whether the mover seems to favour the other bot by choices of this kind, judged by this pair alone.
    pub(super) fn seems_to_favour(&self, means: FavourMeans) -> bool {
        match means {
            FavourMeans::Takes => self.favouritism.seems_suspect(),
            FavourMeans::Declarations => self.declarations.seems_large(),
        }
    }

    /// Returns the smaller corrected p-value of the tests by takes and by declarations; `None` if neither was done.
    pub fn smallest_p_corrected(&self) -> Option<f64> {
        let takes = match self.favouritism {
            Favouritism::Tested { p_corrected, .. } => Some(p_corrected),
            Favouritism::Untested => None,
        };
        let declarations = match self.declarations.dependence {
            Dependence::Tested { p_corrected, .. } => Some(p_corrected),
            Dependence::Untested(_) => None,
        };
        takes.into_iter().chain(declarations).min_by(f64::total_cmp)
    }

    /// Returns the ledger entry per match.
    pub fn ledger_per_match(&self) -> f64 {
        to_float(self.ledger_entry()) / to_float(self.matches.max(1).cast_signed())
    }
}

/// A running tally of a pair.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PairTally {
    pub(super) matches: u64,
    pub(super) cost: u64,
    pub(super) gave: u64,
    pub(super) errors: u64,
    pub(super) errors_with_third_seat: u64,
    pub(super) opening_errors: u64,
    pub(super) outcomes: OutcomeTally,
    /// Number of matches with declared rows, at tables of any size.
    pub(super) declared: u64,
    pub(super) declarations: DeclarationTally,
    /// `None` without matches whose pacts are all known.
    pub(super) trust: Option<TrustTally>,
    pub(super) takes_to_look_at: Vec<KingmakingPly>,
    pub(super) matches_to_look_at: BTreeSet<MatchId>,
}

impl PairTally {
    /// Adds other matches of the same pair; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; matches, cost, gave, errors, errors_with_third_seat, opening_errors, declared);
        self.outcomes.optimal.add_sums(&other.outcomes.optimal)?;
        self.outcomes.helping.add_sums(&other.outcomes.helping)?;
        self.declarations.merge(&other.declarations)?;
        if let Some(more) = other.trust {
            self.trust.get_or_insert_default().merge(more);
        }
        for take in other.takes_to_look_at {
            take.insert_into(&mut self.takes_to_look_at, MAX_TAKES_TO_LOOK_AT);
        }
        for id in other.matches_to_look_at {
            self.keep_given_match(id);
        }
        Some(())
    }

    /// Adds an error that the mover made at a table of `seats`; `cost` is what it cost the other bot, negative if the
    /// other bot gained.
    pub(super) fn add_error_cost(&mut self, cost: i32, seats: SeatCount) {
        self.errors += 1;
        self.errors_with_third_seat += u64::from(seats.get() > 2);
        let ranks = u64::from(cost.unsigned_abs());
        if cost > 0 {
            self.cost += ranks;
        } else {
            self.gave += ranks;
        }
    }

    /// Adds an error that the mover made in an opening take.
    pub(super) fn add_opening_error(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>, other: Seat) {
        self.opening_errors += 1;
        let gain = -ply.audit.cost(game.game, other);
        if gain > 0 {
            let take = KingmakingPly {
                match_id: game.id,
                ply: ply.audit.ply,
                take: ply.audit.take,
                regret: ply.audit.regret,
                gainer: game.bots[other].clone(),
                gain: gain.unsigned_abs(),
            };
            take.insert_into(&mut self.takes_to_look_at, MAX_TAKES_TO_LOOK_AT);
        }
    }

    /// Keeps a match that the other bot wins under optimal play only because of the rank that the mover declared for
    /// it.
    pub(super) fn keep_given_match(&mut self, id: MatchId) {
        self.matches_to_look_at.insert(id);
        if self.matches_to_look_at.len() > MAX_TAKES_TO_LOOK_AT {
            self.matches_to_look_at.pop_last();
        }
    }
}
