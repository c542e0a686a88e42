//! What a bot does whoever sits where, and whom it declares before whom.

use super::{declaration_tally::UsualRanks, estimate::to_float, place_sums::MoverHabits};
use std::collections::HashMap;

/// The least matches of three bots from which it is read whom one of them puts before another.
const MIN_MATCHES_OF_THREE: u64 = 9;
/// The standard deviations from which on a bot is taken to tell others apart.
const CLEAR_ORDER: f64 = 3.0;
/// How often a bot may put others before itself, against how often it does so for one of them, to single that one out.
const LEAST_SINGLED_OUT: f64 = 4.0;

/// What a bot does whoever sits where, and whom it declares before whom.
#[derive(Debug, Clone)]
pub(super) struct MoverTally {
    /// Whom its errors favour.
    pub(super) habits: MoverHabits,
    /// What it declares.
    pub(super) usual: UsualRanks,
    /// How often it puts others before itself.
    pub(super) ceded: Ceded,
    /// How it plays and fares.
    pub(super) strength: Strength,
    /// By two others, the first with the lower number: of all that are audited, and of the first
    /// [`MAX_FIELD`](super::MAX_FIELD) bots.
    orders: HashMap<(usize, usize), OrderTally>,
}

/// How well a bot plays and fares.
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
    /// The seats of these matches, added up.
    seats: u64,
}

impl MoverTally {
    pub(super) fn new() -> Self {
        Self {
            habits: MoverHabits::zero(),
            usual: UsualRanks::zero(),
            ceded: Ceded::default(),
            strength: Strength::default(),
            orders: HashMap::new(),
        }
    }

    /// Adds a match at a table of so many seats in which it declared one bot before another, or not.
    pub(super) fn add_order(&mut self, one: usize, other: usize, is_before: bool, seats: usize) {
        let order = self.orders.entry((one.min(other), one.max(other))).or_default();
        order.matches += 1;
        order.before += u64::from(is_before == (one < other));
        order.seats += seats as u64;
    }

    /// Returns whether it puts no third bot before this one in more than two thirds of the matches of all three.
    pub(super) fn is_favourite(&self, bot: usize) -> bool {
        self.orders.iter().all(|(&(one, other), order)| {
            let before = if one == bot { order.before } else { order.matches - order.before };
            (one != bot && other != bot)
                || order.matches < MIN_MATCHES_OF_THREE
                || 3 * before >= order.matches
        })
    }

    /// Returns whether it tells others apart even where a bot is left out: it declares some before others, whoever sits where.
    ///
    /// Who declares for places has either of two others before the other as chance seats them: the balance of a pair has the
    /// variance of its groups, each counting for as many matches as it has seats.
    pub(super) fn orders_others_than(&self, bot: usize) -> bool {
        let (mut excess, mut variance) = (0.0, 0.0);
        for (_, order) in self.orders.iter().filter(|((one, other), _)| *one != bot && *other != bot) {
            let balance = to_float(2 * order.before.cast_signed() - order.matches.cast_signed());
            let expected = to_float(order.seats.cast_signed());
            let groups = to_float(order.matches.cast_signed()).powi(2) / expected;
            excess += balance * balance - expected;
            variance += 2.0 * expected * expected * (1.0 - 1.0 / groups).max(0.0);
        }
        excess > CLEAR_ORDER * variance.sqrt() && variance > 0.0
    }

    /// Returns whether it puts a bot before itself, as often as that, far more often than it does others.
    pub(super) fn singles_out(&self, ceded: Ceded) -> bool {
        let all = self.ceded;
        let rest = Ceded { matches: all.matches - ceded.matches, ceded: all.ceded - ceded.ceded };
        rest.matches == 0 || ceded.share() >= LEAST_SINGLED_OUT * rest.share()
    }
}

/// How often a bot put others before itself: of the matches with each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ceded {
    pub(super) matches: u64,
    pub(super) ceded: u64,
}

impl Ceded {
    /// Adds a match in which it did, or did not.
    pub(super) fn add_match(&mut self, is_ceded: bool) {
        self.matches += 1;
        self.ceded += u64::from(is_ceded);
    }

    pub(super) fn share(self) -> f64 {
        to_float(self.ceded.cast_signed()) / to_float(self.matches.max(1).cast_signed())
    }
}

impl Strength {
    /// Returns whether it errs more often than all of some others.
    pub(super) fn errs_more_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others.into_iter().all(|other| share(self.errors, self.plies) > share(other.errors, other.plies))
    }

    /// Returns whether it wins less often than all of some others.
    pub(super) fn wins_less_than(self, others: impl IntoIterator<Item = Self>) -> bool {
        others.into_iter().all(|other| share(self.wins, self.matches) < share(other.wins, other.matches))
    }
}

fn share(part: u64, whole: u64) -> f64 {
    to_float(part.cast_signed()) / to_float(whole.max(1).cast_signed())
}
