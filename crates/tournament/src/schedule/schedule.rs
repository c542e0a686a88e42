//! The order in which the matches of a tournament are begun.

use super::{FieldChange, FormatVerdict};
use crate::{CheckpointError, MatchResult, Pairing, ReportedResults};
use lastnim_core::game::BotName;
use std::fmt;

/// Says which matches a tournament asks for: a pull iterator that is told the results.
///
/// The same settings, field and results make the same matches with the same numbers, however many are played at once
/// and in whatever order they end. So a schedule is rebuilt, after a crash, from what was played: make it anew from
/// the settings and the field, tell it all results in any order, and [`skip_open_match`](Self::skip_open_match) the matches that are still
/// being played; it carries on as if nothing had happened.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Hands out the next match, if there is one that can begin now. As long as the results of what was handed out are
    /// reported, it comes to hand out another, or to be over.
    fn next(&mut self) -> ScheduleStep;

    /// Takes the result of a match, cancelled ones included. Results come in any order, also those of matches that were
    /// handed out before a crash. A result that was reported before changes nothing; one with other bots than the match of
    /// its number counts for nothing.
    fn report_result(&mut self, result: &MatchResult);

    /// Leaves out a match that was handed out before a crash and whose result is still to come.
    fn skip_open_match(&mut self, number: u64);

    /// Returns the match of a number, if it is determined yet. Where rounds never end, those of settled ones are forgotten.
    fn pairing_of_number(&self, number: u64) -> Option<Pairing>;

    /// Returns how many matches it will have been in the end, those that are played included.
    fn total_matches(&self) -> TotalMatches;

    /// Returns the number below which all matches that have a result are sure to count. Where a schedule may stop while
    /// matches are being played, those from that number on count only once it rises above them, and not at all if it is over
    /// before. Most never stop so: there it is [`u64::MAX`].
    fn settled_below(&self) -> u64 {
        u64::MAX
    }

    /// Returns the first round in which a bot that enters now can play, or one that leaves now no longer does; none where
    /// the field stays as it was at the start.
    fn open_round(&self) -> Option<u64> {
        None
    }

    /// Returns whether a bot sits at a table of the round that is being played: one that has left plays that one to its end.
    /// False where the field stays as it was at the start.
    fn is_seated(&self, _bot: &BotName) -> bool {
        false
    }

    /// Takes a change of the field. When a schedule is rebuilt, it is told all changes, in their order, before any result. A
    /// change for a round that has begun, or where the field stays as it was, changes nothing.
    fn change_field(&mut self, _change: &FieldChange) {}

    /// Returns the number from which on the result of a match can be taken back, by making the schedule anew without it: no
    /// later round was drawn from it.
    fn replayable_from(&self) -> u64 {
        0
    }

    /// Returns the number after the last match of the rounds that are drawn; none where there are no rounds.
    fn drawn_until(&self) -> Option<u64> {
        None
    }

    /// Returns whether which matches come next, or what the format says, depends on the results.
    fn follows_results(&self) -> bool {
        true
    }

    /// Returns what the format says besides the standings.
    fn format_verdict(&self) -> FormatVerdict {
        FormatVerdict::Standings
    }

    /// Writes what all results that were reported have made of it; nothing of matches that were handed out and have none. None
    /// where the results have to be reported again instead.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Takes the state that was [saved](Self::save) when these results, and no others, had been reported to a schedule that
    /// was planned alike, and the changes of the field that had been made by then. After an error it is of no more use.
    ///
    /// # Errors
    /// If that is nothing that was saved.
    fn restore(&mut self, _state: &[u8], _reported: &ReportedResults) -> Result<(), CheckpointError> {
        Err(CheckpointError::Unsupported)
    }
}

/// What a schedule asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a match that was handed out is not handed out again"]
pub enum ScheduleStep {
    /// This match is to begin.
    Match(Pairing),
    /// Nothing before a result is reported.
    AwaitResults,
    /// Nothing before a bot enters: too few are left.
    AwaitBots,
    /// Nothing more. Where matches are still being played whose numbers are not [`settled_below`](Schedule::settled_below), they do
    /// not count.
    Over,
}

/// How many matches a tournament has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TotalMatches {
    /// So many.
    Exactly(u64),
    /// So many, or fewer.
    AtMost(u64),
    /// Nobody knows: it goes on until it is stopped.
    Open,
}

impl TotalMatches {
    /// Returns the most matches there can be, if there is a bound.
    pub fn upper_bound(self) -> Option<u64> {
        match self {
            Self::Exactly(matches) | Self::AtMost(matches) => Some(matches),
            Self::Open => None,
        }
    }
}

impl fmt::Display for TotalMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(matches) => write!(f, "{matches}"),
            Self::AtMost(matches) => write!(f, "at most {matches}"),
            Self::Open => f.write_str("open-ended"),
        }
    }
}
