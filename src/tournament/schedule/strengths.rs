//! What a ladder knows of its bots while it runs.

use crate::game::{BotName, Seat};
use crate::tournament::{MatchResult, SeatLoss};
use std::collections::HashMap;

/// How strong a bot seems, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strength {
    /// The logarithm of the bot's share in Luce's choice: of the bots at a table, each wins with chance
    /// `e^mean / sum e^mean`.
    pub(super) mean: f64,
    /// What may well be added to it or taken from it: its standard deviation.
    pub(super) deviation: f64,
}

/// Estimates of strengths that follow match by match: an extended Kalman filter for Luce's choice in which bots are
/// held to be independent of each other.
///
/// A match adds the Fisher information `p (1 - p)` to a bot's precision, and moves its mean by what it won more than
/// expected, divided by the new precision. It costs O(n) a match, and the order of matches changes it a little: the
/// standings' ratings do not come from here. Source: Fahrmeir, "Posterior mode estimation by extended Kalman filtering
/// for multivariate dynamic generalized linear models" (1992), with the covariances left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Strengths {
    bots: HashMap<BotName, Belief>,
}

#[derive(Debug, Clone, Copy)]
struct Belief {
    mean: f64,
    precision: f64,
}

/// Before its first match a bot is as strong as any: its strength lies within 1.5 of 0 in two of three cases, and of
/// two bots one wins 4.5 times as often as the other there.
const NEW: Belief = Belief { mean: 0.0, precision: 1.0 / (1.5 * 1.5) };

impl Strengths {
    /// Returns what is known of a bot.
    pub(super) fn of(&self, bot: &BotName) -> Strength {
        let Belief { mean, precision } = self.belief(bot);
        Strength { mean, deviation: precision.sqrt().recip() }
    }

    /// Takes a match. A seat whose bot never came is left out, and so is a match that the steward won: it says of nobody
    /// that it was the strongest.
    pub(super) fn add(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let came = |seat: &Seat| outcome.seats[*seat].lost != Some(SeatLoss::NoShow);
        if outcome.seats[outcome.winner].lost.is_some() {
            return;
        }
        let seats: Vec<Seat> = outcome.seats.seats().iter().filter(came).collect();
        let before: Vec<Belief> = seats.iter().map(|&seat| self.belief(&result.bots[seat])).collect();
        let most = before.iter().map(|belief| belief.mean).fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = before.iter().map(|belief| (belief.mean - most).exp()).collect();
        let all: f64 = shares.iter().sum();
        for ((&seat, belief), share) in seats.iter().zip(before).zip(shares) {
            let chance = share / all;
            let won = if seat == outcome.winner { 1.0 } else { 0.0 };
            let precision = belief.precision + chance * (1.0 - chance);
            let mean = belief.mean + (won - chance) / precision;
            self.bots.insert(result.bots[seat].clone(), Belief { mean, precision });
        }
    }

    fn belief(&self, bot: &BotName) -> Belief {
        self.bots.get(bot).copied().unwrap_or(NEW)
    }
}
