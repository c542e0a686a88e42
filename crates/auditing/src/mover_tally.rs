//! A bot's habits, independent of who sits where, and which bots it declares before which others.

use super::estimate::to_float;
use std::collections::{BTreeSet, HashMap};

/// Minimum number of matches with all three bots to decide which of two bots the third ranks first.
const MIN_MATCHES_OF_THREE: u64 = 9;
/// The threshold, in standard deviations, above which a bot distinguishes others.
const CLEAR_ORDER: f64 = 3.0;
/// A bot singles out another if it ranks that bot before itself at least this many times as often as it does others.
const MIN_SINGLED_OUT_RATIO: f64 = 4.0;

/// A bot's habits, independent of who sits where, and which bots it declares before which others.
#[derive(Debug, Clone)]
pub(super) struct MoverTally {
    /// How often it ranks others before itself.
    pub(super) ceded: Ceded,
    /// Its error and win rates.
    pub(super) strength: Strength,
    /// By two others, the smaller number first: of all audited bots, and of the first [`MAX_FIELD`](super::MAX_FIELD)
    /// bots.
    orders: HashMap<(usize, usize), OrderTally>,
}

/// The error and win rates of a bot.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Strength {
    pub(super) plies: u64,
    pub(super) errors: u64,
    pub(super) matches: u64,
    pub(super) wins: u64,
}

/// How often a bot declared one of two others before the other.
#[derive(Debug, Clone, Copy, Default)]
struct OrderTally {
    matches: u64,
    before: u64,
    /// The total number of seats in these matches.
    seats: u64,
}

impl MoverTally {
    pub(super) fn new() -> Self {
        Self { ceded: Ceded::default(), strength: Strength::default(), orders: HashMap::new() }
    }

    /// Adds a match with this many seats, and whether the bot declared `one` before `other` in it.
    pub(super) fn add_order(&mut self, one: usize, other: usize, is_before: bool, seats: usize) {
        let order = self.orders.entry((one.min(other), one.max(other))).or_default();
        order.matches += 1;
        order.before += u64::from(is_before == (one < other));
        order.seats += seats as u64;
    }

    /// Returns whether no third bot is ranked before this one in more than two thirds of the matches of all three.
    /// Mates do not count as third bots.
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

    /// Returns whether it distinguishes bots other than its mates: it declares some before others, independent of who
    /// sits where.
    ///
    /// If a bot declares for places, the order of two others is random: the balance of a pair has the variance of its
    /// groups, each of as many matches as seats.
    pub(super) fn orders_others_than(&self, mates: &BTreeSet<usize>) -> bool {
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

    /// Returns whether it ranks a bot before itself at this rate, far more often than it does others.
    pub(super) fn singles_out(&self, ceded: Ceded) -> bool {
        let all = self.ceded;
        let rest = Ceded { matches: all.matches - ceded.matches, ceded: all.ceded - ceded.ceded };
        rest.matches == 0 || ceded.share() >= MIN_SINGLED_OUT_RATIO * rest.share()
    }
}

/// How often a bot ranked others before itself, among the matches with each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ceded {
    pub(super) matches: u64,
    pub(super) ceded: u64,
}

impl Ceded {
    /// Adds a match, and whether the bot ranked the other before itself in it.
    pub(super) fn add_match(&mut self, is_ceded: bool) {
        self.matches += 1;
        self.ceded += u64::from(is_ceded);
    }

    pub(super) fn share(self) -> f64 {
        to_float(self.ceded.cast_signed()) / to_float(self.matches.max(1).cast_signed())
    }
}

impl Strength {
    /// Returns whether it errs more often than all of these others.
    pub(super) fn errs_more_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others
            .into_iter()
            .all(|other| share_or_zero(self.errors, self.plies) > share_or_zero(other.errors, other.plies))
    }

    /// Returns whether it wins less often than all of these others.
    pub(super) fn wins_less_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others
            .into_iter()
            .all(|other| share_or_zero(self.wins, self.matches) < share_or_zero(other.wins, other.matches))
    }
}

fn share_or_zero(part: u64, whole: u64) -> f64 {
    to_float(part.cast_signed()) / to_float(whole.max(1).cast_signed())
}
