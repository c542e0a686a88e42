//! How a bot plays and declares in general: how often it ranks others before itself, how well it plays, and which bots
//! it ranks before which others.

use super::estimate::to_float;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of matches of three bots for judging which of two of them the third ranks higher.
const MIN_MATCHES_OF_THREE: u64 = 9;
/// The threshold, in standard deviations, above which a bot counts as distinguishing between other bots.
const CLEAR_ORDER: f64 = 3.0;
/// A bot singles out another if it ranks that bot before itself at least this many times as often as it ranks its other
/// opponents before itself.
const MIN_SINGLED_OUT_RATIO: f64 = 4.0;

/// How a bot plays and declares in general, and which bots it ranks before which others.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct MoverTally {
    /// How often the bot ranks others before itself.
    pub(super) ceded: CededCounts,
    /// The error and win rates of the bot.
    pub(super) strength: StrengthCounts,
    /// By the numbers of two other bots, the smaller first. Only pairs with an audited bot, or with both among the
    /// first [`MAX_FIELD_BOTS`](super::MAX_FIELD_BOTS) bots by name, are kept.
    orders: BTreeMap<(usize, usize), OrderTally>,
}

/// The counts that give the error and win rates of a bot.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct StrengthCounts {
    pub(super) plies: u64,
    pub(super) errors: u64,
    pub(super) matches: u64,
    pub(super) wins: u64,
}

/// How often a bot ranked the first of two other bots before the second.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct OrderTally {
    matches: u64,
    before: u64,
    /// The total number of seats in the matches of the three bots.
    seats: u64,
}

impl MoverTally {
    /// Adds a match with this many seats; `is_before` states whether the bot ranked `one` before `other` in it.
    pub(super) fn add_order(&mut self, one: usize, other: usize, is_before: bool, seats: usize) {
        let order = self.orders.entry((one.min(other), one.max(other))).or_default();
        order.matches += 1;
        order.before += u64::from(is_before == (one < other));
        order.seats += seats as u64;
    }

    /// Adds other matches of the same bot; the bots must have the same numbers. Returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: &Self) -> Option<()> {
        add_fields!(self.ceded, other.ceded; matches, ceded);
        add_fields!(self.strength, other.strength; plies, errors, matches, wins);
        for (&pair, more) in &other.orders {
            let order = self.orders.entry(pair).or_default();
            add_fields!(order, more; matches, before, seats);
        }
        Some(())
    }

    /// Gives the bots new numbers: `new[number]` for each `number`.
    pub(super) fn renumber_bots(&mut self, new: &[usize]) {
        let orders = std::mem::take(&mut self.orders).into_iter();
        self.orders = orders
            .map(|((one, other), order)| match (new[one], new[other]) {
                (one, other) if one < other => ((one, other), order),
                (one, other) => ((other, one), OrderTally { before: order.matches - order.before, ..order }),
            })
            .collect();
    }

    /// Keeps only the orders of the pairs of bots that `is_kept` accepts.
    pub(super) fn retain_orders(&mut self, is_kept: impl Fn(usize, usize) -> bool) {
        self.orders.retain(|&(one, other), _| is_kept(one, other));
    }

    /// Returns whether the counts can belong to matches with this many bots.
    pub(super) fn is_possible(&self, bots: usize) -> bool {
        let is_order = |(&(one, other), order): (&(usize, usize), &OrderTally)| {
            one < other && other < bots && order.before <= order.matches
        };
        self.ceded.ceded <= self.ceded.matches && self.orders.iter().all(is_order)
    }

    /// Returns whether the mover ranks no third bot before `bot` in more than two thirds of the matches of all three.
    /// The bots in `mates`, its likely partners, do not count as third bots.
    pub(super) fn is_favourite(&self, bot: usize, mates: &BTreeSet<usize>) -> bool {
        self.orders.iter().all(|(&(one, other), order)| {
            let before = if one == bot { order.before } else { order.matches - order.before };
            let third = if one == bot { other } else { one };
            (one != bot && other != bot)
                || mates.contains(&third)
                || order.matches < MIN_MATCHES_OF_THREE
                || 3 * before >= order.matches
        })
    }

    /// Returns whether the bot distinguishes between bots other than those in `mates`, its likely partners: it ranks
    /// some of them before others, wherever they sit.
    ///
    /// The balance of two other bots is the number of matches in which the bot ranks the first before the second, minus
    /// the number in which it ranks the second before the first. If it ranks places and not bots, the order of two
    /// others is random. Then the balance has the variance of a sum over independent groups, each with as many matches
    /// as seats.
    pub(super) fn distinguishes_other_bots(&self, mates: &BTreeSet<usize>) -> bool {
        let (mut excess, mut variance) = (0.0, 0.0);
        let is_apart = |bot: &usize| !mates.contains(bot);
        for (_, order) in self.orders.iter().filter(|((one, other), _)| is_apart(one) && is_apart(other)) {
            let balance = to_float(2 * order.before.cast_signed() - order.matches.cast_signed());
            let expected = to_float(order.seats.cast_signed());
            let groups = to_float(order.matches.cast_signed()).powi(2) / expected;
            excess += balance * balance - expected;
            variance += 2.0 * expected * expected * (1.0 - 1.0 / groups).max(0.0);
        }
        excess > CLEAR_ORDER * variance.sqrt() && variance > 0.0
    }

    /// Returns whether the bot ranks one opponent before itself far more often than it does its other opponents, or has
    /// no others; `ceded` counts its matches with that opponent.
    pub(super) fn singles_out(&self, ceded: CededCounts) -> bool {
        let all = self.ceded;
        let rest = CededCounts { matches: all.matches - ceded.matches, ceded: all.ceded - ceded.ceded };
        rest.matches == 0 || ceded.share() >= MIN_SINGLED_OUT_RATIO * rest.share()
    }
}

/// How often a bot ranked others before itself. A match counts once for each of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CededCounts {
    pub(super) matches: u64,
    pub(super) ceded: u64,
}

impl CededCounts {
    /// Adds a match; `is_ceded` states whether the bot ranked the other bot before itself in it.
    pub(super) fn add_match(&mut self, is_ceded: bool) {
        self.matches += 1;
        self.ceded += u64::from(is_ceded);
    }

    /// Returns whether another count can be a part of this one.
    pub(super) fn includes(self, part: Self) -> bool {
        part.matches <= self.matches && part.ceded <= self.ceded
    }

    pub(super) fn share(self) -> f64 {
        to_float(self.ceded.cast_signed()) / to_float(self.matches.max(1).cast_signed())
    }
}

impl StrengthCounts {
    /// Returns whether the bot errs more often than each of the others.
    pub(super) fn errs_more_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others
            .into_iter()
            .all(|other| share_or_zero(self.errors, self.plies) > share_or_zero(other.errors, other.plies))
    }

    /// Returns whether the bot wins less often than each of the others.
    pub(super) fn wins_less_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others
            .into_iter()
            .all(|other| share_or_zero(self.wins, self.matches) < share_or_zero(other.wins, other.matches))
    }
}

fn share_or_zero(part: u64, whole: u64) -> f64 {
    to_float(part.cast_signed()) / to_float(whole.max(1).cast_signed())
}
