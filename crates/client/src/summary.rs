//! The results of a bot's run.

use super::{EndReport, MatchEnd};
use lastnim_core::referee::EndReason;
use std::fmt;

/// Statistics of the bot's matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Matches whose end the bot saw and that were not cancelled.
    pub matches: u64,
    /// Matches that the bot won without forfeiting its seat.
    pub wins: u64,
    /// Matches in which the bot's seat was forfeited.
    pub forfeits: u64,
    /// Matches that were cancelled.
    pub cancelled: u64,
    /// Matches that ended while the bot had no session.
    pub unseen: u64,
    /// Matches with a winner but no audit, which a tournament may hide from bots.
    pub unaudited: u64,
    /// The number of ranks that the bot's takes cost it in audited matches.
    pub regret: u64,
    /// The bot's takes in audited matches.
    pub takes: u64,
    /// The bot's optimal takes in audited matches.
    pub optimal_takes: u64,
}

impl Summary {
    /// Returns the share of the bot's takes that were optimal, from 0 to 1; `None` if no take was audited.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a share")]
    pub fn accuracy(&self) -> Option<f64> {
        (self.takes > 0).then(|| self.optimal_takes as f64 / self.takes as f64)
    }

    /// Returns the mean number of ranks lost per audited match; `None` if no match was audited.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a mean")]
    pub fn regret_per_match(&self) -> Option<f64> {
        let audited = self.matches - self.unaudited;
        (audited > 0).then(|| self.regret as f64 / audited as f64)
    }

    pub(super) fn add_match(&mut self, end: &MatchEnd) {
        match end.reason {
            EndReport::Known(EndReason::Cancelled) => self.cancelled += 1,
            EndReport::Unseen => self.unseen += 1,
            EndReport::Known(_) | EndReport::Unknown(_) => {
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
