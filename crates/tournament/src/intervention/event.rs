//! What an organiser did to a tournament.

use super::Reason;
use lastnim_core::game::{BotName, MatchId};

/// Something that an organiser did to a tournament that runs. It is stored before anything follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentEvent {
    /// No match begins from here on.
    Paused {
        /// What becomes of the matches that are open.
        open: OpenMatches,
    },
    /// Matches begin again, and clocks that were frozen run.
    Resumed,
    /// A bot is out: the steward plays its seats from here on.
    Disqualified {
        /// The bot.
        bot: BotName,
        /// What becomes of its results.
        results: DisqualifiedResults,
        /// Why.
        reason: Reason,
    },
    /// Matches count for nothing, and are played again.
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

/// What becomes of the open matches of a tournament that is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpenMatches {
    /// They are played to their end.
    #[default]
    Finish,
    /// They wait: their clocks stand still, and takes wait as well.
    Freeze,
}

/// What becomes of the results of a bot that is disqualified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DisqualifiedResults {
    /// They stand. The steward plays the bot's seat in the matches to come, which count as well.
    Stand,
    /// No match in which the bot sits counts for anybody, whenever it is played.
    Annul,
}

/// A match that was voided. The match that is played in its place has the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VoidedMatch {
    /// The number of the pairing in its tournament.
    pub number: u64,
    /// The match.
    pub id: MatchId,
}
