//! What a bot achieved between its first and its last session.

use super::{EndReport, MatchEnd};
use lastnim_core::referee::EndReason;
use std::fmt;

/// The bot's matches in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Matches whose winner was seen.
    pub matches: u64,
    /// Matches won by the own seat, not lost before.
    pub wins: u64,
    /// Matches in which the own seat was lost.
    pub forfeits: u64,
    /// Matches that were cancelled.
    pub cancelled: u64,
    /// Matches that ended while the session was lost.
    pub unseen: u64,
    /// Matches whose winner was seen and whose audit was not: a tournament may keep it from its bots.
    pub unaudited: u64,
    /// Ranks lost by own takes, in all matches that were audited.
    pub regret: u64,
    /// Own takes.
    pub takes: u64,
    /// Own takes that were optimal.
    pub optimal_takes: u64,
}

impl Summary {
    /// Returns the share of own takes that were optimal, from 0 to 1; none before the first take.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    pub fn accuracy(&self) -> Option<f64> {
        (self.takes > 0).then(|| self.optimal_takes as f64 / self.takes as f64)
    }

    /// Returns the ranks lost by own takes, a match that was audited; none before the first one.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    pub fn regret_per_match(&self) -> Option<f64> {
        let audited = self.matches - self.unaudited;
        (audited > 0).then(|| self.regret as f64 / audited as f64)
    }

    pub(super) fn add_match(&mut self, end: &MatchEnd) {
        match end.reason {
            EndReport::Told(EndReason::Cancelled) => self.cancelled += 1,
            EndReport::Unseen => self.unseen += 1,
            EndReport::Told(_) | EndReport::Unknown(_) => {
                self.matches += 1;
                self.unaudited += u64::from(end.winner.is_some() && end.figures.is_none());
            }
        }
        self.wins += u64::from(end.won() && !end.forfeited);
        self.forfeits += u64::from(end.forfeited);
        if let Some(figures) = &end.figures {
            self.regret += u64::from(figures.regret);
            self.takes += u64::from(figures.takes);
            self.optimal_takes += u64::from(figures.optimal_takes);
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64, one: &'static str, many: &'static str| if count == 1 { one } else { many };
        write!(f, "{} {}, ", self.matches, plural(self.matches, "match", "matches"))?;
        write!(f, "{} {}, ", self.wins, plural(self.wins, "win", "wins"))?;
        write!(f, "{} {}", self.forfeits, plural(self.forfeits, "forfeit", "forfeits"))?;
        if self.unaudited == 0 || self.unaudited < self.matches {
            write!(f, ", regret {}", self.regret)?;
        }
        if let Some(accuracy) = self.accuracy() {
            write!(f, ", accuracy {:.0}%", 100.0 * accuracy)?;
        }
        let others = [
            (self.cancelled, "cancelled"),
            (self.unseen, "ended unseen"),
            (self.unaudited, "without an audit"),
        ];
        for (count, what) in others {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}
