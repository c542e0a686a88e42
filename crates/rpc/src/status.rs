//! One table from what went wrong to the status that a caller gets.

use lastnim_arena::{ArenaError, CloseReason, OracleClosure, StreamClosed};
use lastnim_proto::{RequestField, Violations, parse_request};
use lastnim_store::StoreError;
use std::collections::HashMap;
use std::fmt::Display;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The domain of the reasons in `google.rpc.ErrorInfo`.
const DOMAIN: &str = "lastnim.v1";
/// When a caller that met a limit, or a server that stops, may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// What a caller hears of a store, whatever is wrong with it.
const UNAVAILABLE: &str = "the store cannot be used now: try again later";
const DELAYED: &str = "the store cannot be used now; what was asked for may still be carried out, once it can be: look again later";
const DAMAGED: &str = "what the store keeps of this is damaged: the log of the server says how";
const FAILED: &str = "the store failed: the log of the server says how";

/// Makes a status with a stable reason for programs.
pub(super) fn refusal_status(code: Code, reason: &str, message: &str) -> Status {
    Status::with_error_details(code, message, ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new()))
}

/// Says no to a caller from whom a tournament keeps the oracle; one without a token may have one that is let in.
fn oracle_closed_status(closure: &OracleClosure, message: &str) -> Status {
    let code = if closure.bot.is_some() { Code::PermissionDenied } else { Code::Unauthenticated };
    let metadata = HashMap::from([("tournament_id".to_owned(), closure.tournament.to_string())]);
    let details = ErrorDetails::with_error_info("ORACLE_CLOSED", DOMAIN, metadata);
    Status::with_error_details(code, message, details)
}

/// Makes a status that invites to try again.
pub(super) fn retry_status(code: Code, reason: &str, message: &str) -> Status {
    retry_after_status(RETRY_AFTER, code, reason, message)
}

/// Makes a status that invites to try again after some time.
pub(super) fn retry_after_status(after: Duration, code: Code, reason: &str, message: &str) -> Status {
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::new());
    details.set_retry_info(Some(after));
    Status::with_error_details(code, message, details)
}

/// Says no to a request for everything that is wrong in its fields.
pub(super) fn violations_status(violations: &Violations) -> Status {
    let mut details = ErrorDetails::with_error_info("BAD_REQUEST", DOMAIN, HashMap::new());
    for violation in violations.as_slice() {
        details.add_bad_request_violation(&violation.field, &violation.description);
    }
    Status::with_error_details(Code::InvalidArgument, violations.to_string(), details)
}

/// Reads a request to its end, or says no to it.
pub(super) fn read_request<T>(parse: impl FnOnce(RequestField<'_>) -> Option<T>) -> Result<T, Status> {
    parse_request(parse).map_err(|violations| violations_status(&violations))
}

/// Reads one field of a request, or says no to the request.
pub(super) fn parse_field<T, E: Display>(field: &'static str, parsed: Result<T, E>) -> Result<T, Status> {
    read_request(|request| request.member(field).ok_or_report(parsed))
}

/// Says no for the arena.
pub(super) fn arena_status(error: ArenaError) -> Status {
    let message = error.to_string();
    let (code, reason) = match error {
        ArenaError::NoSuchBot(_) => (Code::NotFound, "NO_SUCH_BOT"),
        ArenaError::NoSuchMatch(_) => (Code::NotFound, "NO_SUCH_MATCH"),
        ArenaError::NoSuchTournament(_) => (Code::NotFound, "NO_SUCH_TOURNAMENT"),
        ArenaError::NameTaken(_) => (Code::AlreadyExists, "NAME_TAKEN"),
        ArenaError::GuestName(_) => (Code::InvalidArgument, "GUEST_NAME"),
        ArenaError::HouseBot(_) => (Code::FailedPrecondition, "HOUSE_BOT"),
        ArenaError::OracleClosed(closure) => return oracle_closed_status(&closure, &message),
        ArenaError::NotPractice { .. } => (Code::PermissionDenied, "NOT_PRACTICE"),
        ArenaError::TooMuchPractice { wait, .. } => {
            return retry_after_status(wait, Code::ResourceExhausted, "TOO_MUCH_PRACTICE", &message);
        }
        ArenaError::BotInUse { .. } => (Code::FailedPrecondition, "BOT_IN_USE"),
        ArenaError::WrongState { .. } => (Code::FailedPrecondition, "WRONG_STATE"),
        ArenaError::Intervention { .. } => (Code::FailedPrecondition, "INTERVENTION"),
        ArenaError::Field { .. } => (Code::FailedPrecondition, "FIELD"),
        ArenaError::Setup(_) => (Code::InvalidArgument, "BAD_SETUP"),
        ArenaError::Full { .. } => return retry_status(Code::ResourceExhausted, "FULL", &message),
        ArenaError::CrossTable { .. } => (Code::ResourceExhausted, "CROSS_TABLE"),
        ArenaError::TournamentQuarantined { .. } => (Code::DataLoss, "TOURNAMENT_QUARANTINED"),
        ArenaError::TooEarly { .. } => (Code::FailedPrecondition, "TOO_EARLY"),
        ArenaError::NotOwnSeat { .. } => (Code::PermissionDenied, "NOT_OWN_SEAT"),
        ArenaError::NoSuchQuestion { .. } => (Code::InvalidArgument, "NO_SUCH_QUESTION"),
        ArenaError::NoSuchTranscript { .. } => (Code::NotFound, "NO_SUCH_TRANSCRIPT"),
        ArenaError::TranscriptSize { .. } => (Code::ResourceExhausted, "TRANSCRIPT_SIZE"),
        ArenaError::Stopping => return retry_status(Code::Unavailable, "STOPPING", &message),
        // What a database says names addresses, roles and files, which are no business of the caller.
        ArenaError::Store(StoreError::Unavailable(_) | StoreError::Gone(_)) => {
            tracing::warn!(%message, "the store cannot be used");
            return retry_status(Code::Unavailable, "STORE_UNAVAILABLE", UNAVAILABLE);
        }
        ArenaError::Delayed(_) => {
            tracing::warn!(%message, "the store cannot be used");
            return retry_status(Code::Unavailable, "STORE_UNAVAILABLE", DELAYED);
        }
        ArenaError::Store(StoreError::Forgotten(_)) => (Code::FailedPrecondition, "MATCHES_FORGOTTEN"),
        ArenaError::Store(StoreError::Pruned(_)) => (Code::NotFound, "RECORD_PRUNED"),
        ArenaError::Store(StoreError::Quarantined { .. }) => (Code::DataLoss, "MATCH_QUARANTINED"),
        ArenaError::Store(StoreError::Damaged { .. } | StoreError::Corrupt(_)) => {
            tracing::error!(%message, "the store is damaged");
            return refusal_status(Code::DataLoss, "STORE_DAMAGED", DAMAGED);
        }
        ArenaError::Store(_) | ArenaError::Recovery(..) => {
            tracing::error!(%message, "the store failed");
            return refusal_status(Code::Internal, "STORE", FAILED);
        }
    };
    refusal_status(code, reason, &message)
}

/// Ends a stream that was closed from this side before all was said. An example of what led to it stands in the message and
/// in the metadata of the reason.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
pub(super) fn closed_stream_status(closed: StreamClosed) -> Status {
    let (code, reason, message) = match closed.closing {
        CloseReason::Done => return Status::ok("done"),
        CloseReason::SlowReader => (
            Code::ResourceExhausted,
            "SLOW_READER",
            "too many messages waited unread: read the stream all the time, and think elsewhere",
        ),
        CloseReason::Replaced => (
            Code::Aborted,
            "REPLACED",
            "a newer session of this bot has taken its place: a bot has one session",
        ),
        CloseReason::TokenRotated => {
            (Code::Unauthenticated, "TOKEN_ROTATED", "the token was replaced: use the new one")
        }
        CloseReason::BotRemoved => {
            (Code::Unauthenticated, "BOT_REMOVED", "an administrator has removed this bot")
        }
        CloseReason::TooManyUnread => (
            Code::ResourceExhausted,
            "TOO_MANY_UNREAD",
            "too many messages for one seat at once: answer each turn once and wait for the next",
        ),
        CloseReason::TooManyUnproductive => (
            Code::ResourceExhausted,
            "TOO_MANY_UNPRODUCTIVE_MESSAGES",
            "too many messages that were refused, repeated or not asked for",
        ),
        CloseReason::Malformed => {
            (Code::InvalidArgument, "MALFORMED", "a message that is no PlayRequest, or too large")
        }
        CloseReason::ShuttingDown => {
            (Code::Unavailable, "STOPPING", "the server is stopping: connect again later")
        }
        CloseReason::Broken => (
            Code::Internal,
            "BROKEN",
            "something broke down in the server, and this stream with it: look again whether it goes on",
        ),
    };
    let example = closed.example.iter().map(|example| ("example".to_owned(), example.clone()));
    let metadata: HashMap<_, _> = example.collect();
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, metadata);
    if matches!(code, Code::ResourceExhausted | Code::Unavailable | Code::Internal) {
        details.set_retry_info(Some(RETRY_AFTER));
    }
    let message = match &closed.example {
        Some(example) => format!("{message} ({example})"),
        None => message.to_owned(),
    };
    Status::with_error_details(code, message, details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_database_says_stays_here() {
        let words = || "password authentication failed for user \"keeper\" at 10.0.0.7".to_owned();
        let unavailable = || StoreError::Unavailable(words());
        let cases = [
            (ArenaError::Store(unavailable()), Code::Unavailable, "STORE_UNAVAILABLE"),
            (ArenaError::Delayed(unavailable()), Code::Unavailable, "STORE_UNAVAILABLE"),
            (
                ArenaError::Store(StoreError::Damaged { what: words(), why: words() }),
                Code::DataLoss,
                "STORE_DAMAGED",
            ),
            (ArenaError::Store(StoreError::Refused(words())), Code::Internal, "STORE"),
            (ArenaError::Store(StoreError::Taken(words())), Code::Internal, "STORE"),
            (ArenaError::Recovery(words(), words()), Code::Internal, "STORE"),
        ];
        for (error, code, reason) in cases {
            let status = arena_status(error);
            let told = status.get_details_error_info().unwrap().reason;
            assert_eq!((status.code(), told.as_str()), (code, reason));
            assert!(status.message().contains("the store"), "{status:?}");
            assert!(!format!("{status:?}").contains("keeper"), "{status:?}");
        }
    }
}
