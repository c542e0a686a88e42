//! Actions that organisers take on running tournaments.

use super::Reason;
use lastnim_core::game::{BotName, MatchId};

/// An organiser's action on a running tournament. It is stored before it takes effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentEvent {
    /// The tournament is paused: no further match begins.
    Paused {
        /// What happens to open matches.
        open: OpenMatches,
    },
    /// The tournament is resumed: new matches can begin, and frozen clocks start running again.
    Resumed,
    /// A bot is disqualified: the steward plays its seats from here on.
    Disqualified {
        /// The disqualified bot.
        bot: BotName,
        /// What happens to the bot's results.
        results: DisqualifiedResults,
        /// The reason for the disqualification.
        reason: Reason,
    },
    /// Matches are voided: they do not count, and are played again.
    Voided {
        /// The voided matches, in the order of their numbers.
        matches: Vec<VoidedMatch>,
        /// The reason for voiding the matches.
        reason: Reason,
    },
    /// A bot has withdrawn: it is not paired again, and the matches that it has played stand.
    Withdrawn {
        /// The bot that has withdrawn.
        bot: BotName,
        /// The first round without the bot, from 0; `None` in a format without rounds.
        from_round: Option<u64>,
    },
    /// A ladder is closed: it draws no further rounds.
    Closed {
        /// One more than the number of the last match in the ladder's last round.
        before: u64,
    },
}

/// What happens to open matches when a tournament is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpenMatches {
    /// Open matches are played to the end.
    #[default]
    Finish,
    /// Open matches are frozen: clocks are stopped, and takes are held back until the tournament goes on.
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
    /// The number of the match in its tournament.
    pub number: u64,
    /// The ID of the match.
    pub id: MatchId,
}
