//! Why the arena says no.

use crate::tournaments::closed_oracle::OracleClosure;
use lastnim_core::game::{BotName, MatchId, Seat, TournamentId};
use lastnim_core::referee::MatchSetupError;
use lastnim_store::StoreError;
use lastnim_tournament::{FieldError, TournamentState};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Why nobody enters or leaves a ladder whose last round has begun.
pub(crate) const FIELD_IS_SETTLED: &str = "its last round has begun, and its field changes no more";

/// Why the arena does not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArenaError {
    /// No bot has the name.
    #[error("no bot is called {0}: register it first")]
    NoSuchBot(BotName),
    /// A bot has the name already.
    #[error("a bot is called {0} already: choose another name")]
    NameTaken(BotName),
    /// The name is of the kind that guests have.
    #[error("bot name {0}: names like this are for people who play in a browser: choose another name")]
    GuestName(BotName),
    /// The bot cannot be removed.
    #[error("{bot} cannot be removed: {why}")]
    BotInUse {
        /// The bot.
        bot: BotName,
        /// What it is needed for.
        why: String,
    },
    /// The server hosts the bot.
    #[error("{0} is a house bot, which the server itself hosts")]
    HouseBot(BotName),
    /// A bot has asked for a match that is no practice.
    #[error("{bot} may start matches of itself against house bots only; {rivals}")]
    NotPractice {
        /// The bot.
        bot: BotName,
        /// Who may be practised against.
        rivals: String,
    },
    /// A bot has started too many practice matches.
    #[error(
        "{bot} has started {a_minute} practice match{es} in a minute: try again in {} s", .wait.as_secs() + 1,
        es = if *.a_minute == 1 { "" } else { "es" }
    )]
    TooMuchPractice {
        /// The bot.
        bot: BotName,
        /// How many it may start in a minute.
        a_minute: u32,
        /// After which time it may start one.
        wait: Duration,
    },
    /// A tournament that runs keeps the oracle from the caller.
    #[error(transparent)]
    OracleClosed(OracleClosure),
    /// No match has the id.
    #[error("no match has the id {0}")]
    NoSuchMatch(MatchId),
    /// No tournament has the id.
    #[error("no tournament has the id {0}")]
    NoSuchTournament(TournamentId),
    /// The tournament is in another state than the request needs.
    #[error("tournament {id} is {state}: {needed}")]
    WrongState {
        /// The tournament.
        id: TournamentId,
        /// Where it stands.
        state: TournamentState,
        /// What the request needs.
        needed: &'static str,
    },
    /// What an organiser asks for cannot be done to the tournament.
    #[error("tournament {id}: {why}")]
    Intervention {
        /// The tournament.
        id: TournamentId,
        /// Why.
        why: String,
    },
    /// The tournament cannot be carried on, only cancelled.
    #[error("tournament {id} is quarantined and can only be cancelled: {why}")]
    TournamentQuarantined {
        /// The tournament.
        id: TournamentId,
        /// Why.
        why: Arc<str>,
    },
    /// The field cannot be paired.
    #[error("tournament {id} cannot be played: {error}")]
    Field {
        /// The tournament.
        id: TournamentId,
        /// Why.
        error: FieldError,
    },
    /// The match cannot be set up.
    #[error("{}", join_setup_errors(.0))]
    Setup(Vec<MatchSetupError>),
    /// A limit of the server is reached.
    #[error("the server has {limit} {what}, as many as it may: try again later")]
    Full {
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// A cross-table would be too large.
    #[error(
        "a cross-table of {bots} bots and {matches} matches: there are those of up to {most_bots} bots and {most_matches} matches"
    )]
    CrossTable {
        /// The bots of the field.
        bots: usize,
        /// The matches that are over.
        matches: u64,
        /// The most bots.
        most_bots: usize,
        /// The most matches.
        most_matches: u64,
    },
    /// Transcripts are published when nothing depends on them any more.
    #[error("a transcript of match {match_id} can be published once {awaited} is over")]
    TooEarly {
        /// The match.
        match_id: MatchId,
        /// What is awaited.
        awaited: &'static str,
    },
    /// A bot publishes what is its own, and not of practice.
    #[error(
        "seat {seat} of match {match_id}: {bot} may publish transcripts of its own seats in matches of tournaments"
    )]
    NotOwnSeat {
        /// The bot.
        bot: BotName,
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
    },
    /// Nobody was asked that.
    #[error("match {match_id}: {what}")]
    NoSuchQuestion {
        /// The match.
        match_id: MatchId,
        /// What is not there, and what is.
        what: String,
    },
    /// Nothing was published of a question.
    #[error("seat {seat} of match {match_id}, {}: no transcript was published", question_words(*.ply))]
    NoSuchTranscript {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: usize,
        /// The ply; none for a row.
        ply: Option<u32>,
    },
    /// The transcripts of a seat would have too many bytes.
    #[error(
        "seat {seat} of match {match_id}: its transcripts would have {bytes} bytes, and this server keeps {most} of a seat"
    )]
    TranscriptSize {
        /// The match.
        match_id: MatchId,
        /// The seat.
        seat: Seat,
        /// The bytes of all of them.
        bytes: u64,
        /// How many there may be.
        most: u64,
    },
    /// The server is about to stop.
    #[error("the server is stopping: connect again later")]
    Stopping,
    /// The store cannot be used, or what it keeps is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store failed while something was being written: it is written once the store can be used again.
    #[error("{0}; what was asked for may still be carried out, once it can be")]
    Delayed(StoreError),
    /// What the store keeps of a tournament or match cannot be carried on.
    #[error("{0} cannot be carried on: {1}")]
    Recovery(String, String),
}

impl ArenaError {
    /// Says why a tournament cannot be carried on that led to this, to whoever is shown that it is quarantined. What a database says
    /// names addresses and roles, and is no business of theirs.
    pub(crate) fn tournament_damage(&self) -> String {
        match self {
            Self::Recovery(_, why) => why.clone(),
            Self::Field { error, .. } => error.to_string(),
            Self::Store(StoreError::Refused(_)) => {
                "the store refused what has to be written of it".to_owned()
            }
            Self::Store(_) => "what the store keeps of it is damaged".to_owned(),
            other => other.to_string(),
        }
    }
}

fn question_words(ply: Option<u32>) -> String {
    ply.map_or_else(|| "row".to_owned(), |ply| format!("ply {ply}"))
}

fn join_setup_errors(errors: &[MatchSetupError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
