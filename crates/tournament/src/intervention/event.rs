//! Actions of organisers.

use super::Reason;
use lastnim_core::game::{BotName, MatchId};

/// An organiser's action on a running tournament. It is stored before it takes effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentEvent {
    /// No further match begins.
    Paused {
        /// The treatment of open matches.
        open: OpenMatches,
    },
    /// New matches can begin, and frozen clocks start running again.
    Resumed,
    /// A bot is disqualified: the steward plays its seats from here on.
    Disqualified {
        /// The bot.
        bot: BotName,
        /// The treatment of its results.
        results: DisqualifiedResults,
        /// Why.
        reason: Reason,
    },
    /// Matches do not count, and are played again.
    Voided {
        /// The matches, by their numbers.
        matches: Vec<VoidedMatch>,
        /// Why.
        reason: Reason,
    },
    /// A ladder draws no further round.
    Closed {
        /// The number after the last match of its last round.
        before: u64,
    },
}

/// What happens to open matches when a tournament is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpenMatches {
    /// Open matches are played to the end.
    #[default]
    Finish,
    /// Open matches are frozen: clocks are stopped, and takes are delayed.
    Freeze,
}

/// What happens to the results of a disqualified bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DisqualifiedResults {
    /// The results stand. The steward plays the bot's seat in later matches, which also count.
    Stand,
    /// No match with the bot counts for any bot, past or future.
    Annul,
}

/// A voided match. Its replacement has the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VoidedMatch {
    /// The number of the pairing in its tournament.
    pub number: u64,
    /// The match.
    pub id: MatchId,
}
