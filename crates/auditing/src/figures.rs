//! The figures of a bot.

use super::{
    AuditedMatch, Estimate, GamePhase, LivePileCount,
    audited_match::BotPly,
    bootstrap::{BootstrapSums, BootstrapWeights},
    group::GroupKey,
};
use lastnim_core::game::Seat;
use serde::{Deserialize, Serialize};

/// The figures of a bot over its matches, with 95% intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct BotFigures {
    /// Number of matches.
    pub matches: u64,
    /// Takes that the bot made itself.
    pub plies: u64,
    /// The number of optimal takes.
    pub optimal_plies: u64,
    /// The total number of ranks that the bot's takes cost it.
    pub regret: u64,
    /// Matches that the bot won; wins by the steward at its seat do not count.
    pub wins: u64,
    /// Matches in which the bot lost its seat before the end.
    pub forfeits: u64,
    /// The share of the bot's takes that were optimal; `None` if it made no take.
    pub accuracy: Option<Estimate>,
    /// The mean number of ranks lost per take; `None` if the bot made no take.
    pub regret_per_ply: Option<Estimate>,
    /// The mean number of ranks lost per match; `None` without matches, like the following figures.
    pub regret_per_match: Option<Estimate>,
    /// The mean satisfaction, from 0 to 1; a match in which the bot lost its seat counts as 0.
    pub satisfaction: Option<Estimate>,
    /// The share of the matches that the bot won.
    pub win_share: Option<Estimate>,
    /// The mean number of ranks that the bot gained per match through the takes of others.
    pub luck_per_match: Option<Estimate>,
    /// The share of the matches in which the bot lost its seat.
    pub forfeit_share: Option<Estimate>,
    /// The figures of the bot's takes by phase, in the order of play.
    pub by_phase: [CircumstanceFigures<GamePhase>; 3],
    /// The figures of the bot's takes by number of nonempty piles, in ascending order.
    pub by_live_piles: [CircumstanceFigures<LivePileCount>; 6],
}

/// The figures of a bot's takes in one circumstance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CircumstanceFigures<C> {
    /// The circumstance.
    pub circumstance: C,
    /// Number of takes.
    pub plies: u64,
    /// The number of optimal takes.
    pub optimal_plies: u64,
    /// The share of the takes that were optimal; `None` without takes.
    pub accuracy: Option<Estimate>,
    /// The mean number of ranks lost per take; `None` without takes.
    pub regret_per_ply: Option<Estimate>,
}

const MATCHES: usize = 0;
const WINS: usize = 1;
const FORFEITS: usize = 2;
const SATISFACTION: usize = 3;
const LUCK: usize = 4;
/// The index of the sums over all takes. The sums for each phase follow, then those for each number of nonempty piles.
const PLIES: usize = 5;
/// The number of sums for each circumstance: takes, optimal takes and regret.
const SUMS_PER_CIRCUMSTANCE: usize = 3;
const SUM_COUNT: usize =
    PLIES + SUMS_PER_CIRCUMSTANCE * (1 + GamePhase::ALL.len() + LivePileCount::ALL.len());

/// The integer that represents a satisfaction of 1; the rounding error per match is below a millionth.
const SATISFACTION_UNIT: f64 = (1 << 20) as f64;

/// The sums of a bot over one match, or several of one group.
#[derive(Debug, Clone)]
pub(super) struct FigureSums([i64; SUM_COUNT]);

impl FigureSums {
    pub(super) fn zero() -> Self {
        Self([0; SUM_COUNT])
    }

    /// Adds the figures that do not depend on individual takes.
    pub(super) fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat) {
        let (audit, credit) = (&game.audit.seats[seat], game.credit(seat));
        let sums = &mut self.0;
        sums[MATCHES] += 1;
        sums[WINS] += i64::from(credit.won);
        sums[FORFEITS] += i64::from(!credit.kept);
        sums[SATISFACTION] += (credit.satisfaction() * SATISFACTION_UNIT).round() as i64;
        sums[LUCK] += i64::from(audit.luck);
    }

    /// Adds a take that the bot made itself.
    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let phase = 1 + GamePhase::of_position(game.game, ply.position) as usize;
        let live_piles = 1 + GamePhase::ALL.len() + LivePileCount::of_position(ply.position) as usize;
        for kind in [0, phase, live_piles] {
            let at = PLIES + SUMS_PER_CIRCUMSTANCE * kind;
            self.0[at] += 1;
            self.0[at + 1] += i64::from(ply.audit.is_optimal());
            self.0[at + 2] += i64::from(ply.audit.regret);
        }
    }
}

/// A running tally of a bot's figures.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FigureTally(BootstrapSums<SUM_COUNT>);

impl FigureTally {
    pub(super) fn new() -> Self {
        Self(BootstrapSums::new())
    }

    pub(super) fn add_group(&mut self, group: GroupKey, weights: &BootstrapWeights, sums: &FigureSums) {
        self.0.add_group(group, weights, &sums.0);
        // Luck can be negative, so the parts of a group could add up to 0. Its groups are not needed.
        self.0.forget_groups(LUCK);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    /// Returns whether matches can have these sums. Every sum that counts something is at least 0; only luck can be
    /// negative.
    pub(super) fn is_possible(&self) -> bool {
        self.0.are_below_limit() && (0..SUM_COUNT).all(|index| index == LUCK || self.0.sum(index) >= 0)
    }

    pub(super) fn figures(&self) -> BotFigures {
        let count = |index| u64::try_from(self.0.sum(index)).expect("a count is not negative");
        let per_match = |index, unit| self.0.ratio_estimator(index, MATCHES, unit);
        let share = |index, unit| per_match(index, unit).map(|sums| sums.estimate_share());
        BotFigures {
            matches: count(MATCHES),
            plies: count(PLIES),
            optimal_plies: count(PLIES + 1),
            regret: count(PLIES + 2),
            wins: count(WINS),
            forfeits: count(FORFEITS),
            accuracy: self.accuracy(PLIES),
            regret_per_ply: self.regret_per_ply(PLIES),
            regret_per_match: per_match(PLIES + 2, 1.0).map(|sums| sums.estimate_rank_rate()),
            satisfaction: share(SATISFACTION, SATISFACTION_UNIT),
            win_share: share(WINS, 1.0),
            luck_per_match: per_match(LUCK, 1.0).map(|sums| sums.estimate_signed_mean()),
            forfeit_share: share(FORFEITS, 1.0),
            by_phase: GamePhase::ALL.map(|phase| self.circumstance_figures(phase, 1 + phase as usize)),
            by_live_piles: LivePileCount::ALL
                .map(|piles| self.circumstance_figures(piles, 1 + GamePhase::ALL.len() + piles as usize)),
        }
    }

    fn circumstance_figures<C>(&self, circumstance: C, kind: usize) -> CircumstanceFigures<C> {
        let at = PLIES + SUMS_PER_CIRCUMSTANCE * kind;
        let count = |index| u64::try_from(self.0.sum(index)).expect("a count is not negative");
        CircumstanceFigures {
            circumstance,
            plies: count(at),
            optimal_plies: count(at + 1),
            accuracy: self.accuracy(at),
            regret_per_ply: self.regret_per_ply(at),
        }
    }

    /// Returns the share of optimal takes, from the sums that start at index `at`.
    fn accuracy(&self, at: usize) -> Option<Estimate> {
        self.0.ratio_estimator(at + 1, at, 1.0).map(|sums| sums.estimate_share())
    }

    fn regret_per_ply(&self, at: usize) -> Option<Estimate> {
        self.0.ratio_estimator(at + 2, at, 1.0).map(|sums| sums.estimate_rank_rate())
    }
}
