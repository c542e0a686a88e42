//! The interface of schedules.

use super::{FieldChange, FormatVerdict};
use crate::{CheckpointError, MatchResult, Pairing, ReportedResults};
use lastnim_core::game::BotName;
use std::fmt;

/// Hands out the matches of a tournament one by one, and takes their results.
///
/// The same settings, field and results give the same matches with the same numbers, for any concurrency and any order
/// of results. So a schedule can be rebuilt after a crash: create it from the settings and the field, report all
/// results in any order, and call [`skip_open_match`](Self::skip_open_match) for matches in progress. It then continues
/// as if nothing had happened.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Hands out the next match that can begin now. If the results of all matches handed out so far have been reported,
    /// it never returns [`ScheduleStep::AwaitResults`].
    fn next(&mut self) -> ScheduleStep;

    /// Reports the result of a match, which may be cancelled. Results may be reported in any order, also for matches
    /// that were handed out before a crash. Repeated results are ignored, and so are results whose bots differ from
    /// those of the match with the same number.
    fn report_result(&mut self, result: &MatchResult);

    /// Leaves out a match that was handed out before a crash and is still in progress.
    fn skip_open_match(&mut self, number: u64);

    /// Returns the match with this number if its bots are already determined. Open-ended formats forget the matches of
    /// finished rounds.
    fn pairing_of_number(&self, number: u64) -> Option<Pairing>;

    /// Returns the number of matches that the whole tournament has.
    fn total_matches(&self) -> TotalMatches;

    /// Returns a bound: matches with a lower number are certain to count if they have a result. In a schedule that may
    /// end while matches are in progress, a match with a higher number counts only once the bound has risen above its
    /// number, and it never counts if the schedule ends before that. Most schedules do not end like that and return
    /// [`u64::MAX`].
    fn settled_below(&self) -> u64 {
        u64::MAX
    }

    /// Returns the first round that a field change made now would affect; `None` if the field is fixed.
    fn open_round(&self) -> Option<u64> {
        None
    }

    /// Returns whether a bot sits at a table of the current round, which it finishes even if it has left; always
    /// `false` if the field is fixed.
    fn is_seated(&self, _bot: &BotName) -> bool {
        false
    }

    /// Changes the field. A rebuilt schedule gets all changes, oldest first, before any result. A change is ignored if
    /// its round has begun or if the field is fixed.
    fn change_field(&mut self, _change: &FieldChange) {}

    /// Returns the number of the first match whose result no later round depends on. Its result, and that of any later
    /// match, can be revoked by rebuilding the schedule without it.
    fn first_replayable(&self) -> u64 {
        0
    }

    /// Returns the number of matches in all rounds drawn so far; `None` if the format has no rounds.
    fn drawn_matches(&self) -> Option<u64> {
        None
    }

    /// Returns whether the next matches, or the verdict, depend on the results.
    fn depends_on_results(&self) -> bool {
        true
    }

    /// Returns the format's verdict.
    fn format_verdict(&self) -> FormatVerdict {
        FormatVerdict::Standings
    }

    /// Encodes the effects of all reported results, but not the matches in progress. `None` if a restored schedule
    /// needs the results again.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Restores a state [saved](Self::save) by a schedule with the same plan, the same field changes up to then, and
    /// exactly these reported results. After an error the schedule is unusable.
    ///
    /// # Errors
    /// If the state is invalid.
    fn restore(&mut self, _state: &[u8], _reported: &ReportedResults) -> Result<(), CheckpointError> {
        Err(CheckpointError::Unsupported)
    }
}

/// A step of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "each match is handed out only once"]
pub enum ScheduleStep {
    /// This match can begin.
    Match(Pairing),
    /// No match can begin before a result is reported.
    AwaitResults,
    /// No match can begin before a bot enters: there are too few.
    AwaitBots,
    /// There are no more matches. Matches in progress that are not [`settled_below`](Schedule::settled_below) do not
    /// count.
    Over,
}

/// The number of matches in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TotalMatches {
    /// The exact number.
    Exactly(u64),
    /// The maximum number.
    AtMost(u64),
    /// Unknown: the tournament continues until it is stopped.
    Open,
}

impl TotalMatches {
    /// Returns the maximum, if there is one.
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
