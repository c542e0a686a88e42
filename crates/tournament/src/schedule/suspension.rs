//! Suspensions from ladders.

use lastnim_core::{game::BotName, shown_number::shown_number};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The suspension of a bot that forfeited too many matches in a row. The bot gets no matches until it enters again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspension {
    /// The bot.
    pub bot: BotName,
    /// The first round without the bot.
    pub from_round: u64,
    /// Number of consecutive matches in which the bot lost its seat.
    pub lost: u64,
    /// The number of no-shows among these consecutive matches.
    pub no_shows: u64,
    /// The match number of the last of these consecutive matches.
    pub last: u64,
}

/// The reason for a suspension, as a value that programs can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SuspensionReason {
    /// The bot was a no-show in all of the matches.
    NeverCame,
    /// The bot attended at least one of the matches and lost its seat: it crashed, ran out of time, or broke the rules.
    LostSeats,
}

impl Suspension {
    /// Returns the reason, as a value that programs can use.
    pub fn reason(&self) -> SuspensionReason {
        if self.no_shows == self.lost { SuspensionReason::NeverCame } else { SuspensionReason::LostSeats }
    }
}

impl fmt::Display for Suspension {
    /// Writes an explanation that is meant for the bot's author.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bot, lost, no_shows, .. } = self;
        let last = shown_number(self.last);
        if *lost == 1 {
            let was = if *no_shows == 0 { "present" } else { "absent" };
            return write!(f, "{bot} is suspended: it was {was} and lost its seat in match {last}");
        }
        write!(
            f,
            "{bot} is suspended: it lost its seat in {lost} matches in a row, the last of which was match {last}; "
        )?;
        match no_shows {
            0 => write!(f, "it was present in all of them"),
            _ if no_shows == lost => write!(f, "it was absent from all of them"),
            _ => write!(f, "it was absent from {no_shows} of them"),
        }
    }
}
