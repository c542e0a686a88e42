//! The changes that a store writes.

use super::{StoredEntryCode, StoredRequest, StoredTranscript, TokenHash};
use lastnim_core::game::{BotName, BotProfile, BotVersion, MatchId, Seat, SeatVersions, TournamentId};
use lastnim_core::referee::{DealSecret, EventHash, PublishedSecret, Seal, Terms, TimedEvent, Timestamp};
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
    /// What the people who registered it say about it.
    pub profile: BotProfile,
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
    /// Its bots, in the order in which they joined.
    pub field: Arc<Vec<BotName>>,
    /// Its state.
    pub state: TournamentState,
    /// Its result, once its last match is over.
    pub over: Option<TournamentResult>,
    /// The secret from which its rows are dealt; `None` if no rows are dealt.
    pub deal_secret: Option<DealSecret>,
    /// Its entry code, if it has one.
    pub entry_code: Option<StoredEntryCode>,
}

impl StoredTournament {
    /// Returns the public part of the secret: its hash, and the secret itself once the last match is over.
    pub fn published_secret(&self) -> Option<PublishedSecret> {
        self.deal_secret.as_ref().map(|secret| secret.publish(self.over.is_some()))
    }
}

/// How the field of bots in a tournament developed over time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldHistory {
    /// The bots at the start, in the order in which they joined; before the start, the bots that have joined so far.
    pub start: Vec<BotName>,
    /// The changes to the field while the tournament ran, in order.
    pub changes: Vec<FieldChange>,
}

/// The result of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct TournamentResult {
    /// When its last match ended.
    pub at: Timestamp,
    /// The number of matches played, including cancelled ones.
    pub played: u64,
    /// The total number of matches planned; 0 if the tournament never started.
    pub total: u64,
    /// The result that its format reports in addition to the standings.
    pub verdict: Arc<FormatVerdict>,
}

/// One change to store.
#[derive(Debug, Clone)]
pub enum Change {
    /// A bot was registered, or its token was replaced.
    Bot(StoredBot),
    /// A bot that never played was removed, together with its requests. It is in no unfinished tournament and in no
    /// standings, so that a later bot with this name does not inherit anything.
    BotRemoved {
        /// Its name.
        name: BotName,
    },
    /// A tournament was created.
    TournamentCreated(StoredTournament),
    /// A request that its caller may repeat was carried out. What it created is in the same transaction.
    RequestDone(StoredRequest),
    /// A bot joined a tournament.
    TournamentJoined {
        /// The tournament.
        id: TournamentId,
        /// The number of bots that joined before this one.
        place: usize,
        /// The bot.
        bot: BotName,
    },
    /// A bot left a tournament that has not started.
    TournamentLeft {
        /// The tournament.
        id: TournamentId,
        /// The remaining bots, in the order in which they joined.
        field: Arc<Vec<BotName>>,
    },
    /// The entry code of a tournament was created, used or revoked.
    EntryCode {
        /// The tournament.
        id: TournamentId,
        /// The code from now on, if there is one.
        code: Option<StoredEntryCode>,
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
    /// A transcript of one question of a finished match was published. It replaces any earlier transcript of that
    /// question.
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
    /// The last match of a tournament ended.
    TournamentOver {
        /// The tournament.
        id: TournamentId,
        /// Its final state.
        state: TournamentState,
        /// Its result.
        over: TournamentResult,
        /// The final standings, by place.
        standings: Arc<Vec<Standing>>,
    },
    /// A checkpoint of a running tournament was made, so that the results up to it need not be counted again. It
    /// replaces the tournament's previous checkpoint.
    Checkpoint {
        /// The tournament.
        id: TournamentId,
        /// The new checkpoint.
        checkpoint: Arc<Checkpoint>,
    },
    /// All bots of a finished tournament were compared. The comparison is stored so that the results need not be
    /// counted again, and it replaces the tournament's last checkpoint.
    BotComparisons {
        /// The tournament.
        id: TournamentId,
        /// The comparison.
        checkpoint: Arc<Checkpoint>,
    },
    /// A session reported its bot's version. Only the most recent versions of each bot are kept.
    VersionSeen {
        /// The bot.
        bot: BotName,
        /// The version.
        version: BotVersion,
        /// When the session began.
        at: Timestamp,
    },
    /// The bot versions at the seats of a match changed. This change comes after the events that create the match.
    SeatVersions {
        /// The match.
        id: MatchId,
        /// By seat: all versions reported so far.
        versions: Vec<SeatVersions>,
    },
    /// A bot has acknowledged the ends of all its matches up to and including `through`. A stored id is never replaced
    /// by an earlier one.
    EndsAcknowledged {
        /// The bot.
        bot: BotName,
        /// The acknowledged match with the greatest id.
        through: MatchId,
    },
    /// A bot has acknowledged the end of a tournament.
    TournamentEndAcknowledged {
        /// The bot.
        bot: BotName,
        /// The tournament.
        id: TournamentId,
    },
    /// Events of a match were recorded. The first event of a match creates it.
    MatchEvents {
        /// The match.
        id: MatchId,
        /// The index of the first of these events in the match's record.
        first: usize,
        /// The events.
        events: Vec<TimedEvent>,
    },
    /// A match ended. This change comes after the event that ends the match.
    MatchOver(Box<FinishedMatch>),
    /// The records of finished matches were removed. The setups, results, figures, last hashes and signatures of these
    /// matches remain.
    RecordsPruned {
        /// The matches.
        ids: Vec<MatchId>,
        /// When they were removed.
        at: Timestamp,
    },
    /// A server has read its clock. Only the latest time that a server has read is kept.
    ClockSeen {
        /// The time.
        at: Timestamp,
        /// How far this time is ahead of the latest stored time; `None` if the difference is plausible.
        jump: Option<Duration>,
    },
    /// An operator confirmed that the clock is right. Unsigned times later than `at` are set to `at`, and all clock
    /// jumps are forgotten. The times in records and interventions are signed, so they stay unchanged.
    ClockRepaired {
        /// The time.
        at: Timestamp,
    },
    /// An unfinished match was quarantined because its record is damaged or because it cannot be finished. The record
    /// stays unchanged, and the match does not count.
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
    /// Returns whether this change alters what is shown of a match or tournament that is already finished.
    pub fn changes_finished(&self) -> bool {
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

/// The data that are stored for a finished match in addition to its record.
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
