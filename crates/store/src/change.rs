//! The changes that a store writes.

use super::{StoredTranscript, TokenHash};
use lastnim_core::game::{BotName, BotVersion, MatchId, Seat, SeatVersions, TournamentId};
use lastnim_core::referee::{EventHash, Seal, Terms, TimedEvent, Timestamp};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{
    Checkpoint, FieldChange, FormatVerdict, MatchOutcome, Reason, Settings, Standing, TournamentState,
};
use std::sync::Arc;
use std::time::Duration;

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

/// A tournament and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTournament {
    /// Its id.
    pub id: TournamentId,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its settings.
    pub settings: Arc<Settings>,
    /// The terms of its matches.
    pub terms: Terms,
    /// Its bots, in the order of joining.
    pub field: Arc<Vec<BotName>>,
    /// Its state.
    pub state: TournamentState,
    /// Its result, once its last match is over.
    pub over: Option<FinishedTournament>,
}

/// The bots of a tournament over time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldHistory {
    /// The bots at the start, in the order of joining; before the start, the bots that have joined so far.
    pub start: Vec<BotName>,
    /// Changes while it ran, in order.
    pub changes: Vec<FieldChange>,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedTournament {
    /// When its last match was over.
    pub at: Timestamp,
    /// Matches played, including cancelled ones.
    pub played: u64,
    /// Matches planned in total; 0 if it never started.
    pub total: u64,
    /// The result that its format adds to the standings.
    pub verdict: Arc<FormatVerdict>,
}

/// One change to store.
#[derive(Debug, Clone)]
pub enum Change {
    /// A bot was registered, or its token replaced.
    Bot(StoredBot),
    /// A bot that never played was removed. It is in no unfinished tournament and in no standings, so that a later bot
    /// with this name does not inherit anything.
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
        /// The number of bots that joined before.
        place: usize,
        /// The bot.
        bot: BotName,
    },
    /// A bot left a tournament that has not started.
    TournamentLeft {
        /// The tournament.
        id: TournamentId,
        /// The remaining bots, in the order of joining.
        field: Arc<Vec<BotName>>,
    },
    /// A bot entered or left a running tournament.
    FieldChanged {
        /// The tournament.
        id: TournamentId,
        /// The number of earlier changes to the field.
        seq: usize,
        /// The change.
        change: FieldChange,
    },
    /// An organiser intervened in a running tournament.
    TournamentEvent {
        /// The tournament.
        id: TournamentId,
        /// The number of earlier events.
        seq: usize,
        /// The event.
        event: TimedTournamentEvent,
    },
    /// Transcript lines for one question of a finished match were published; they replace earlier ones.
    TranscriptPublished(Arc<StoredTranscript>),
    /// The published transcripts of a seat were removed.
    TranscriptRemoved {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
    },
    /// A finished or quarantined match was voided: it no longer counts in its tournament, and another match may take
    /// its number.
    MatchVoided {
        /// The match.
        id: MatchId,
        /// The reason.
        reason: Reason,
    },
    /// A tournament was started or cancelled.
    TournamentState {
        /// The tournament.
        id: TournamentId,
        /// The new state.
        state: TournamentState,
    },
    /// The last match of a tournament is over.
    TournamentOver {
        /// The tournament.
        id: TournamentId,
        /// Its final state.
        state: TournamentState,
        /// Its result.
        over: FinishedTournament,
        /// The final standings, by place.
        standings: Arc<Vec<Standing>>,
    },
    /// The state of a tournament so far, so that its results need not be counted again. It replaces the earlier
    /// checkpoint until the tournament is over.
    Checkpoint {
        /// The tournament.
        id: TournamentId,
        /// The new checkpoint.
        checkpoint: Arc<Checkpoint>,
    },
    /// The comparison of all bots of a finished tournament, so that its results need not be counted again. It replaces
    /// the checkpoint.
    BotComparisons {
        /// The tournament.
        id: TournamentId,
        /// The comparison.
        checkpoint: Arc<Checkpoint>,
    },
    /// A session reported its bot's version. Only the most recent versions are kept.
    VersionSeen {
        /// The bot.
        bot: BotName,
        /// The version.
        version: BotVersion,
        /// When the session began.
        at: Timestamp,
    },
    /// The versions at the seats of a match changed. It follows the events that create the match.
    SeatVersions {
        /// The match.
        id: MatchId,
        /// By seat: all versions so far.
        versions: Vec<SeatVersions>,
    },
    /// A bot has acknowledged the ends of all its matches up to one. The stored match never becomes an earlier one.
    EndsAcknowledged {
        /// The bot.
        bot: BotName,
        /// The last of these matches, by id.
        through: MatchId,
    },
    /// A bot has acknowledged the end of a tournament.
    TournamentEndAcknowledged {
        /// The bot.
        bot: BotName,
        /// The tournament.
        id: TournamentId,
    },
    /// Events of a match; its first event creates it.
    MatchEvents {
        /// The match.
        id: MatchId,
        /// The index in the record of the first of these events.
        first: usize,
        /// The events.
        events: Vec<TimedEvent>,
    },
    /// A match is over. This change follows the event with the end of the match.
    MatchOver(Box<FinishedMatch>),
    /// The records of finished matches are removed. Their setups, results, figures, last hashes and signatures remain.
    RecordsPruned {
        /// The matches.
        ids: Vec<MatchId>,
        /// When they were removed.
        at: Timestamp,
    },
    /// A server has observed a time. The latest time is kept.
    ClockSeen {
        /// The time.
        at: Timestamp,
        /// How far it is ahead of the latest time, if that is implausibly far.
        jump: Option<Duration>,
    },
    /// An operator confirmed the clock. Later unsigned times are set to this one, and jumps are forgotten. The times of
    /// records and interventions are signed, so they stay.
    ClockRepaired {
        /// The time.
        at: Timestamp,
    },
    /// The record of an unfinished match is damaged, or the match cannot be finished. The record stays unchanged, and
    /// the match does not count.
    MatchQuarantined {
        /// The match.
        id: MatchId,
        /// When the fault was found.
        at: Timestamp,
        /// The fault.
        why: String,
    },
}

impl Change {
    /// Returns whether it changes a finished match or tournament.
    pub fn alters_finished(&self) -> bool {
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

/// Data of a finished match in addition to its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedMatch {
    /// The match.
    pub id: MatchId,
    /// The hash of the last event of its record, which covers the whole record.
    pub head: EventHash,
    /// The signature of its record.
    pub seal: Seal,
    /// The audit's figures for each seat; `None` if the match was cancelled.
    pub outcome: Option<MatchOutcome>,
}
