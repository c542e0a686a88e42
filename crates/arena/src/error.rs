//! Errors of the arena.

use crate::rate_limit::retry_seconds;
use crate::tournaments::closed_oracle::OracleClosure;
use lastnim_core::game::{BotName, MatchId, Seat, TournamentId};
use lastnim_core::referee::MatchSetupError;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::record_text::Utc;
use lastnim_store::{Creation, RequestId, StoreError};
use lastnim_tournament::{FieldError, TournamentState};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// The reason given when the field of a ladder can no longer change.
pub(crate) const FIELD_CLOSED: &str = "its last round has begun, so its field can no longer change";

/// Why the arena rejects a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArenaError {
    /// No bot has this name.
    #[error("no bot named {0}: register it first")]
    NoSuchBot(BotName),
    /// The name is taken.
    #[error("the name {0} is taken: choose another")]
    NameTaken(BotName),
    /// The token for a new bot already belongs to somebody.
    #[error("token: already in use: generate a new one")]
    TokenTaken,
    /// The id of a request was used for a different request.
    #[error(
        "request_id: {id} was used at {at} for a different request, which created {created}: use a new id, or repeat that request unchanged"
    )]
    RequestIdUsed {
        /// The id.
        id: RequestId,
        /// What the earlier request created.
        created: Creation,
        /// When.
        at: Utc,
    },
    /// The name is reserved for guests.
    #[error("bot name {0}: reserved for people who play in a browser; choose another name")]
    GuestName(BotName),
    /// The bot cannot be removed.
    #[error("{bot} cannot be removed: {why}")]
    BotInUse {
        /// The bot.
        bot: BotName,
        /// Why the bot cannot be removed.
        why: String,
    },
    /// The server hosts the bot.
    #[error("{0} is one of this server's house bots, which cannot be removed or given a new token")]
    HouseBot(BotName),
    /// A bot requested a match that is not a practice match.
    #[error("{bot} may only start matches against house bots; {opponents}")]
    NotPracticeMatch {
        /// The bot.
        bot: BotName,
        /// The available house bots.
        opponents: String,
    },
    /// A bot started too many practice matches.
    #[error(
        "{bot} has started {per_minute} practice match{es} in a minute: try again in {} s", retry_seconds(*.wait),
        es = if *.per_minute == 1 { "" } else { "es" }
    )]
    PracticeRateExceeded {
        /// The bot.
        bot: BotName,
        /// The limit per minute.
        per_minute: u32,
        /// The time until the bot may start its next practice match.
        wait: Duration,
    },
    /// A bot repeated its requests too often.
    #[error("{bot} has repeated {per_minute} requests in a minute: try again in {} s", retry_seconds(*.wait))]
    RepeatRateExceeded {
        /// The bot.
        bot: BotName,
        /// The limit per minute.
        per_minute: u32,
        /// The time until the bot may repeat its next request.
        wait: Duration,
    },
    /// A running tournament closes the oracle to the caller.
    #[error(transparent)]
    OracleClosed(OracleClosure),
    /// No match has this id.
    #[error("no match has the id {0}")]
    NoSuchMatch(MatchId),
    /// No tournament has this id.
    #[error("no tournament has the id {0}")]
    NoSuchTournament(TournamentId),
    /// The tournament is in the wrong state for the request.
    #[error("tournament {id} is {state}: {needed}")]
    WrongState {
        /// The tournament.
        id: TournamentId,
        /// The state of the tournament.
        state: TournamentState,
        /// The required state.
        needed: &'static str,
    },
    /// Entries to the tournament have closed.
    #[error("tournament {id}: entries closed at {closed_at}")]
    EntriesClosed {
        /// The tournament.
        id: TournamentId,
        /// When they closed.
        closed_at: Utc,
    },
    /// The settings of the tournament do not allow the bot.
    #[error("tournament {id}: its settings do not allow {bot} to enter")]
    NotAllowed {
        /// The tournament.
        id: TournamentId,
        /// The bot.
        bot: BotName,
    },
    /// The entry code is not the one of the tournament. The message does not say whether the tournament exists.
    #[error(
        "tournament {0}: this is not its entry code, or the code has been replaced or revoked, or the tournament is over: ask the organiser"
    )]
    WrongEntryCode(TournamentId),
    /// The entry code has no uses left.
    #[error("tournament {0}: its entry code has been used up: ask the organiser for a new one")]
    EntryCodeUsedUp(TournamentId),
    /// Entries to a new tournament would have closed already.
    #[error("entries_close_at: {closes_at} has passed: expected a time after {now}, the time of the server")]
    EntriesInPast {
        /// When they would close.
        closes_at: Utc,
        /// The time of the server.
        now: Utc,
    },
    /// The intervention is not possible in this tournament.
    #[error("tournament {id}: {why}")]
    Intervention {
        /// The tournament.
        id: TournamentId,
        /// The reason.
        why: String,
    },
    /// The tournament cannot be resumed, only cancelled.
    #[error("tournament {id} is quarantined and can only be cancelled: {why}")]
    TournamentQuarantined {
        /// The tournament.
        id: TournamentId,
        /// The reason.
        why: Arc<str>,
    },
    /// The field cannot be paired.
    #[error("tournament {id} cannot be played: {error}")]
    Field {
        /// The tournament.
        id: TournamentId,
        /// The reason.
        error: FieldError,
    },
    /// The match cannot be set up.
    #[error("{}", join_setup_errors(.0))]
    Setup(Vec<MatchSetupError>),
    /// One of the server's limits is reached.
    #[error("the limit on {what} is reached ({limit}): try again later")]
    Full {
        /// The things whose number is limited, such as `open matches`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A limit that applies to a guest's match is reached.
    #[error("the limit on {what} is reached ({limit})")]
    TooManyGuestMatches {
        /// The things whose number is limited, such as `open matches`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A cross-table would be too large.
    #[error(
        "a cross-table of {bots} bots and {matches} matches: the limits are {max_bots} bots and {max_matches} matches"
    )]
    CrossTable {
        /// The number of bots in the field.
        bots: usize,
        /// The number of finished matches.
        matches: u64,
        /// The limit on bots.
        max_bots: usize,
        /// The limit on matches.
        max_matches: u64,
    },
    /// A transcript cannot be published before the match and its tournament are over.
    #[error("a transcript of match {match_id} can be published once {awaited} is over")]
    TooEarly {
        /// The match.
        match_id: MatchId,
        /// The match or its tournament, whichever must be over first.
        awaited: &'static str,
    },
    /// The transcripts of a match cannot be published, because they can quote messages that stay private.
    #[error(
        "transcripts of match {match_id} cannot be published: they can quote private messages, which stay private because {reason}"
    )]
    PrivateTalk {
        /// The match.
        match_id: MatchId,
        /// Why its private messages are not published.
        reason: &'static str,
    },
    /// A bot tried to publish a transcript other than those of its own seats in tournament matches.
    #[error(
        "seat {seat} of match {match_id}: {bot} may publish only transcripts of its own seats in tournament matches"
    )]
    NotOwnSeat {
        /// The bot.
        bot: BotName,
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
    },
    /// No such question was asked in the match.
    #[error("match {match_id}: {what}")]
    NoSuchQuestion {
        /// The match.
        match_id: MatchId,
        /// Which question is missing, and which questions exist instead.
        what: String,
    },
    /// The transcript of a question was not published.
    #[error("seat {seat} of match {match_id}, {}: no transcript was published", question_label(*.ply))]
    NoSuchTranscript {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: usize,
        /// The ply of the question; `None` if the question asked for a row.
        ply: Option<u32>,
    },
    /// The transcripts of a seat would be too large.
    #[error(
        "seat {seat} of match {match_id}: its transcripts would have {bytes} bytes; the limit per seat is {limit}"
    )]
    TranscriptSize {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// The total size that the transcripts would have, in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// This server does not hand its database over.
    #[error(
        "this server was started without --standby, so it cannot hand its database over: start it and a second server with --standby"
    )]
    NotStandby,
    /// No standby server waits for the database.
    #[error(
        "no standby server waits for the database: start one with --standby and the same --store, then try again"
    )]
    NoStandby,
    /// The server is stopping.
    #[error("the server is stopping: connect again later")]
    Stopping,
    /// The store cannot be used, or is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store failed during a write. The write is carried out once the store can be used again.
    #[error("{0}; the request may still be carried out later")]
    Delayed(StoreError),
    /// The store refused the beginning of a match.
    #[error("the match could not be stored, so it did not begin")]
    MatchNotStored,
    /// A stored tournament or match cannot be resumed.
    #[error("{0} cannot be resumed: {1}")]
    Recovery(String, String),
}

impl ArenaError {
    /// Describes why a tournament was quarantined, for callers. Database messages may contain addresses and roles, so
    /// they are left out.
    pub(crate) fn tournament_damage(&self) -> String {
        match self {
            Self::Recovery(_, why) => why.clone(),
            Self::Field { error, .. } => error.to_string(),
            Self::Store(StoreError::Refused(_)) => {
                "the store rejected a change to this tournament".to_owned()
            }
            Self::Store(_) => "the stored data is damaged".to_owned(),
            other => other.to_string(),
        }
    }
}

fn question_label(ply: Option<u32>) -> String {
    ply.map_or_else(|| "row".to_owned(), |ply| format!("take {}", shown_number(ply)))
}

fn join_setup_errors(errors: &[MatchSetupError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
