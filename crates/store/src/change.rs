//! What can change and must last.

use super::{StoredTranscript, TokenHash};
use lastnim_core::game::{BotName, BotVersion, MatchId, Seat, SeatVersions, TournamentId};
use lastnim_core::referee::{EventHash, Seal, Terms, TimedEvent, Timestamp};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{
    Checkpoint, FieldChange, FormatVerdict, MatchOutcome, Reason, Settings, Standing, TournamentState,
};
use std::sync::Arc;

/// A registered bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBot {
    /// Its name.
    pub name: BotName,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// The hash of its token.
    pub token: TokenHash,
}

/// A tournament and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTournament {
    /// Its id.
    pub id: TournamentId,
    /// When it was created.
    pub created_at: Timestamp,
    /// What it is.
    pub settings: Arc<Settings>,
    /// The terms of its matches.
    pub terms: Terms,
    /// The bots that are in it, in the order of joining.
    pub field: Arc<Vec<BotName>>,
    /// Where it stands.
    pub state: TournamentState,
    /// What it came to, once its last match is over.
    pub over: Option<FinishedTournament>,
}

/// Who was in a tournament when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldHistory {
    /// The bots with which it started, or will as it stands, in the order of joining.
    pub start: Vec<BotName>,
    /// What changed while it ran, in its order.
    pub changes: Vec<FieldChange>,
}

/// What a tournament came to.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedTournament {
    /// When its last match was over.
    pub at: Timestamp,
    /// Matches played, cancelled ones included.
    pub played: u64,
    /// Matches that it would have had in all; 0 if it never started.
    pub total: u64,
    /// What its format says besides the standings.
    pub verdict: Arc<FormatVerdict>,
}

/// One thing that changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// A bot was registered, or its token replaced.
    Bot(StoredBot),
    /// A bot that never played was removed. It stands in no tournament that is not over, and leaves no line in any other, so
    /// that a later bot of its name has nothing from it.
    BotRemoved {
        /// Its name.
        name: BotName,
    },
    /// A tournament was created.
    TournamentCreated(StoredTournament),
    /// A bot joined a tournament.
    TournamentJoined {
        /// The tournament.
        id: TournamentId,
        /// How many had joined before.
        place: usize,
        /// The bot.
        bot: BotName,
    },
    /// A bot left a tournament that has not started.
    TournamentLeft {
        /// The tournament.
        id: TournamentId,
        /// Who is left, in the order of joining.
        field: Arc<Vec<BotName>>,
    },
    /// A bot entered or left a tournament that runs.
    FieldChanged {
        /// The tournament.
        id: TournamentId,
        /// How many changes of its field came before.
        seq: usize,
        /// The change.
        change: FieldChange,
    },
    /// An organiser did something to a tournament that runs.
    TournamentEvent {
        /// The tournament.
        id: TournamentId,
        /// How many events it had before.
        seq: usize,
        /// The event.
        event: TimedTournamentEvent,
    },
    /// The lines of a question of a match that is over were published, in the place of those that were before.
    TranscriptPublished(Arc<StoredTranscript>),
    /// What was published of a seat is removed.
    TranscriptRemoved {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
    },
    /// A match that is over, or quarantined, was voided: it is none of the results of its tournament, and another match may
    /// have its number.
    MatchVoided {
        /// The match.
        id: MatchId,
        /// Why.
        reason: Reason,
    },
    /// A tournament was started or cancelled.
    TournamentState {
        /// The tournament.
        id: TournamentId,
        /// Where it stands now.
        state: TournamentState,
    },
    /// The last match of a tournament is over.
    TournamentOver {
        /// The tournament.
        id: TournamentId,
        /// How it ended.
        state: TournamentState,
        /// What it came to.
        over: FinishedTournament,
        /// The last standings, by place.
        standings: Arc<Vec<Standing>>,
    },
    /// What a tournament has come to, so that not all of its results have to be counted again. It is kept in place of the one
    /// before, until the tournament is over.
    Checkpoint {
        /// The tournament.
        id: TournamentId,
        /// What is kept.
        checkpoint: Arc<Checkpoint>,
    },
    /// How the bots of a tournament that is over compare, so that not all of its results have to be counted again. It is kept
    /// where its checkpoints were.
    Compared {
        /// The tournament.
        id: TournamentId,
        /// What is kept.
        checkpoint: Arc<Checkpoint>,
    },
    /// A session of a bot has said its version. Of many versions those stay that were seen last.
    VersionSeen {
        /// The bot.
        bot: BotName,
        /// The version.
        version: BotVersion,
        /// When the session began.
        at: Timestamp,
    },
    /// Other versions than before have sat at the seats of a match. It stands behind the events that create the match.
    SeatVersions {
        /// The match.
        id: MatchId,
        /// By seat: all versions so far.
        versions: Vec<SeatVersions>,
    },
    /// A bot has heard of the ends of all its matches up to one. It never hears of fewer than before.
    EndsHeard {
        /// The bot.
        bot: BotName,
        /// The last of them, in the order of their ids.
        through: MatchId,
    },
    /// A bot has heard of the end of a tournament.
    TournamentEndHeard {
        /// The bot.
        bot: BotName,
        /// The tournament.
        id: TournamentId,
    },
    /// Events of a match; the first one of all creates it.
    MatchEvents {
        /// The match.
        id: MatchId,
        /// The index of the first of them in the record: how many came before.
        first: usize,
        /// The events.
        events: Vec<TimedEvent>,
    },
    /// A match is over. It stands behind the event that says so.
    MatchOver(Box<FinishedMatch>),
    /// The records of matches that are over are removed. What is kept are their setups and results, the figures of their
    /// seats, the last hashes and the signatures.
    RecordsPruned {
        /// The matches.
        ids: Vec<MatchId>,
        /// When.
        at: Timestamp,
    },
    /// The record of a match that is not over is damaged, or the match cannot be played to its end: the record stays as it is, and
    /// the match counts for nobody.
    MatchQuarantined {
        /// The match.
        id: MatchId,
        /// When that was found.
        at: Timestamp,
        /// The damage.
        why: String,
    },
}

impl Change {
    /// Returns whether it changes a match or a tournament that is over.
    pub fn alters_what_is_over(&self) -> bool {
        matches!(
            self,
            Self::BotRemoved { .. }
                | Self::MatchVoided { .. }
                | Self::RecordsPruned { .. }
                | Self::TranscriptPublished(_)
                | Self::TranscriptRemoved { .. }
        )
    }
}

/// What is kept of a match that is over, besides its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedMatch {
    /// The match.
    pub id: MatchId,
    /// The hash of the last event of its record, which stands for the whole.
    pub head: EventHash,
    /// The signature of its record.
    pub seal: Seal,
    /// What its audit says of each seat; none where it was cancelled.
    pub outcome: Option<MatchOutcome>,
}
