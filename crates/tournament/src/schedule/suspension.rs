//! Bots that no longer get matches.

use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A bot that lost its seat in so many matches in a row that it gets no more, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspension {
    /// The bot.
    pub bot: BotName,
    /// The round from which on it gets no match.
    pub from_round: u64,
    /// Matches in a row in which its seat was lost.
    pub lost: u64,
    /// Those of them to which it never came.
    pub no_shows: u64,
    /// The number of the last of them.
    pub last: u64,
}

/// Why a bot was suspended, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SuspensionReason {
    /// It never came to any of the matches.
    NeverCame,
    /// It came to some of them at least, and lost its seat: it crashed, ran out of time, or broke the rules.
    LostSeats,
}

impl Suspension {
    /// Returns why, for programs.
    pub fn reason(&self) -> SuspensionReason {
        if self.no_shows == self.lost { SuspensionReason::NeverCame } else { SuspensionReason::LostSeats }
    }
}

impl fmt::Display for Suspension {
    /// Writes a sentence for the bot's author.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bot, lost, no_shows, last, .. } = self;
        write!(
            f,
            "{bot} is suspended: it lost its seat in {lost} matches in a row, the last of them number {last}; "
        )?;
        match no_shows {
            0 => write!(f, "it came to all of them"),
            _ if no_shows == lost => write!(f, "it came to none of them"),
            _ => write!(f, "to {no_shows} of them it never came"),
        }
    }
}
