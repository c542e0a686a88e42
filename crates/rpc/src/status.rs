//! Maps errors to gRPC statuses.

use lastnim_arena::{ArenaError, CloseReason, OracleClosure, StreamClosed};
use lastnim_proto::{RequestField, Violations, parse_request};
use lastnim_store::StoreError;
use std::collections::HashMap;
use std::fmt::Display;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The domain of the reasons in `google.rpc.ErrorInfo`.
const ERROR_DOMAIN: &str = "lastnim.v1";
/// The suggested delay before a retry in cases where the time that the caller must wait is unknown.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The reason of the refusal when there is no place for a guest's match.
pub(super) const NO_GUEST_PLACE: &str = "NO_GUEST_PLACE";
/// The message that callers get when the store cannot be used, whatever the cause is.
const UNAVAILABLE_MESSAGE: &str = "the store cannot be used now: try again later";
const DELAYED_MESSAGE: &str =
    "the store cannot be used now; the request may still be carried out: check later whether it was";
const DAMAGED_MESSAGE: &str = "the stored data is damaged: see the server's log";
const FAILED_MESSAGE: &str = "the store failed: see the server's log";

/// Creates a status with a stable, machine-readable reason.
pub(super) fn refusal_status(code: Code, reason: &str, message: &str) -> Status {
    Status::with_error_details(
        code,
        message,
        ErrorDetails::with_error_info(reason, ERROR_DOMAIN, HashMap::new()),
    )
}

/// Creates the status that tells a caller that the oracle is closed to it. A caller without a token gets
/// `Unauthenticated`, since it may succeed with a token.
fn oracle_closed_status(closure: &OracleClosure, message: &str) -> Status {
    let code = if closure.bot.is_some() { Code::PermissionDenied } else { Code::Unauthenticated };
    let metadata = HashMap::from([("tournament_id".to_owned(), closure.tournament.to_string())]);
    let details = ErrorDetails::with_error_info("ORACLE_CLOSED", ERROR_DOMAIN, metadata);
    Status::with_error_details(code, message, details)
}

/// Creates a status that suggests a retry after a second, for cases in which the time that the caller must wait is
/// unknown.
pub fn retry_status(code: Code, reason: &str, message: &str) -> Status {
    retry_after_status(RETRY_AFTER, code, reason, message)
}

/// Creates a status that suggests a retry after a delay.
pub(super) fn retry_after_status(after: Duration, code: Code, reason: &str, message: &str) -> Status {
    retry_after_status_with(after, code, reason, message, HashMap::new())
}

/// Creates a status that suggests a retry after a delay, with metadata for programs.
pub(super) fn retry_after_status_with(
    after: Duration,
    code: Code,
    reason: &str,
    message: &str,
    metadata: HashMap<String, String>,
) -> Status {
    let mut details = ErrorDetails::with_error_info(reason, ERROR_DOMAIN, metadata);
    details.set_retry_info(Some(after));
    Status::with_error_details(code, message, details)
}

/// Creates the status that lists all faults in the fields of a request.
pub(super) fn violations_status(violations: &Violations) -> Status {
    let mut details = ErrorDetails::with_error_info("BAD_REQUEST", ERROR_DOMAIN, HashMap::new());
    for violation in violations.as_slice() {
        details.add_bad_request_violation(&violation.field, &violation.description);
    }
    Status::with_error_details(Code::InvalidArgument, violations.to_string(), details)
}

/// Parses a whole request, or returns all its faults as a status.
pub(super) fn read_request<T>(parse: impl FnOnce(RequestField<'_>) -> Option<T>) -> Result<T, Status> {
    parse_request(parse).map_err(|violations| violations_status(&violations))
}

/// Returns a parsed field, or its fault as a status.
pub(super) fn parse_field<T, E: Display>(field: &'static str, parsed: Result<T, E>) -> Result<T, Status> {
    read_request(|request| request.member(field).ok_or_report(parsed))
}

/// Converts an error from the arena.
pub(super) fn arena_status(error: ArenaError) -> Status {
    let message = error.to_string();
    let (code, reason) = match error {
        ArenaError::NoSuchBot(_) => (Code::NotFound, "NO_SUCH_BOT"),
        ArenaError::NoSuchMatch(_) => (Code::NotFound, "NO_SUCH_MATCH"),
        ArenaError::NoSuchTournament(_) => (Code::NotFound, "NO_SUCH_TOURNAMENT"),
        ArenaError::NameTaken(_) => (Code::AlreadyExists, "NAME_TAKEN"),
        ArenaError::TokenTaken => (Code::AlreadyExists, "TOKEN_TAKEN"),
        ArenaError::RequestIdUsed { .. } => (Code::AlreadyExists, "REQUEST_ID_USED"),
        ArenaError::GuestName(_) => (Code::InvalidArgument, "GUEST_NAME"),
        ArenaError::HouseBot(_) => (Code::FailedPrecondition, "HOUSE_BOT"),
        ArenaError::OracleClosed(closure) => return oracle_closed_status(&closure, &message),
        ArenaError::NotPracticeMatch { .. } => (Code::PermissionDenied, "NOT_PRACTICE"),
        ArenaError::PracticeRateExceeded { wait, .. } => {
            return retry_after_status(wait, Code::ResourceExhausted, "TOO_MUCH_PRACTICE", &message);
        }
        ArenaError::RepeatRateExceeded { wait, .. } => {
            return retry_after_status(wait, Code::ResourceExhausted, "TOO_MANY_REPEATS", &message);
        }
        ArenaError::BotInUse { .. } => (Code::FailedPrecondition, "BOT_IN_USE"),
        ArenaError::WrongState { .. } => (Code::FailedPrecondition, "WRONG_STATE"),
        ArenaError::EntriesClosed { .. } => (Code::FailedPrecondition, "ENTRIES_CLOSED"),
        ArenaError::NotAllowed { .. } => (Code::FailedPrecondition, "NOT_ALLOWED"),
        ArenaError::WrongEntryCode(_) => (Code::PermissionDenied, "WRONG_ENTRY_CODE"),
        ArenaError::EntryCodeUsedUp(_) => (Code::FailedPrecondition, "ENTRY_CODE_USED_UP"),
        ArenaError::Intervention { .. } => (Code::FailedPrecondition, "INTERVENTION"),
        ArenaError::Field { .. } => (Code::FailedPrecondition, "FIELD"),
        ArenaError::Setup(_) | ArenaError::EntriesInPast { .. } => (Code::InvalidArgument, "BAD_SETUP"),
        ArenaError::Full { .. } => return retry_status(Code::ResourceExhausted, "FULL", &message),
        ArenaError::TooManyGuestMatches { .. } => {
            return retry_status(Code::ResourceExhausted, NO_GUEST_PLACE, &message);
        }
        ArenaError::CrossTable { .. } => (Code::ResourceExhausted, "CROSS_TABLE"),
        ArenaError::TournamentQuarantined { .. } => (Code::DataLoss, "TOURNAMENT_QUARANTINED"),
        ArenaError::TooEarly { .. } => (Code::FailedPrecondition, "TOO_EARLY"),
        ArenaError::PrivateTalk { .. } => (Code::FailedPrecondition, "PRIVATE_TALK"),
        ArenaError::NotOwnSeat { .. } => (Code::PermissionDenied, "NOT_OWN_SEAT"),
        ArenaError::NoSuchQuestion { .. } => (Code::InvalidArgument, "NO_SUCH_QUESTION"),
        ArenaError::NoSuchTranscript { .. } => (Code::NotFound, "NO_SUCH_TRANSCRIPT"),
        ArenaError::TranscriptSize { .. } => (Code::ResourceExhausted, "TRANSCRIPT_SIZE"),
        ArenaError::NotStandby => (Code::FailedPrecondition, "NOT_STANDBY"),
        ArenaError::NoStandby => (Code::FailedPrecondition, "NO_STANDBY"),
        ArenaError::MatchNotStored => (Code::Internal, "MATCH_NOT_STORED"),
        ArenaError::Stopping => return retry_status(Code::Unavailable, "STOPPING", &message),
        // Database messages may contain addresses, roles and files, so callers do not get them.
        ArenaError::Store(StoreError::Unavailable(_) | StoreError::Gone(_) | StoreError::LostCommits(_)) => {
            tracing::warn!(%message, "the store cannot be used");
            return retry_status(Code::Unavailable, "STORE_UNAVAILABLE", UNAVAILABLE_MESSAGE);
        }
        ArenaError::Delayed(_) => {
            tracing::warn!(%message, "the store cannot be used");
            return retry_status(Code::Unavailable, "STORE_UNAVAILABLE", DELAYED_MESSAGE);
        }
        ArenaError::Store(StoreError::Forgotten(_)) => (Code::FailedPrecondition, "MATCHES_FORGOTTEN"),
        ArenaError::Store(StoreError::Pruned(_)) => (Code::NotFound, "RECORD_PRUNED"),
        ArenaError::Store(StoreError::Quarantined { .. }) => (Code::DataLoss, "MATCH_QUARANTINED"),
        ArenaError::Store(StoreError::Damaged { .. } | StoreError::Corrupt(_)) => {
            tracing::error!(%message, "the store is damaged");
            return refusal_status(Code::DataLoss, "STORE_DAMAGED", DAMAGED_MESSAGE);
        }
        ArenaError::Store(_) | ArenaError::Recovery(..) => {
            tracing::error!(%message, "the store failed");
            return refusal_status(Code::Internal, "STORE", FAILED_MESSAGE);
        }
    };
    refusal_status(code, reason, &message)
}

/// Returns the status of a stream that the server closed early. If an example of the cause is known, it is part of the
/// message and of the metadata in `ErrorInfo`.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
pub(super) fn closed_stream_status(closed: StreamClosed) -> Status {
    let (code, reason, message) = match closed.closing {
        CloseReason::Done => return Status::ok("done"),
        CloseReason::SlowReader => (
            Code::ResourceExhausted,
            "SLOW_READER",
            "too many messages waited unread: keep reading the stream while the bot thinks",
        ),
        CloseReason::Replaced => (
            Code::Aborted,
            "REPLACED",
            "a newer session of this bot has replaced this one: a bot can have only one",
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
        CloseReason::TooManyIdleMessages => (
            Code::ResourceExhausted,
            "TOO_MANY_UNPRODUCTIVE_MESSAGES",
            "too many refused, repeated or unexpected messages: answer each turn once",
        ),
        CloseReason::Malformed => {
            (Code::InvalidArgument, "MALFORMED", "a message is too large, or is not a PlayRequest")
        }
        CloseReason::ShuttingDown => {
            (Code::Unavailable, "STOPPING", "the server is stopping: connect again later")
        }
        CloseReason::Broken => (
            Code::Internal,
            "BROKEN",
            "an internal error closed this stream: check whether the match or tournament continues",
        ),
    };
    let example = closed.example.iter().map(|example| ("example".to_owned(), example.clone()));
    let metadata: HashMap<_, _> = example.collect();
    let mut details = ErrorDetails::with_error_info(reason, ERROR_DOMAIN, metadata);
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
    fn database_messages_are_not_sent_to_callers() {
        let secret = || "password authentication failed for user \"keeper\" at 10.0.0.7".to_owned();
        let unavailable = || StoreError::Unavailable(secret());
        let cases = [
            (ArenaError::Store(unavailable()), Code::Unavailable, "STORE_UNAVAILABLE"),
            (ArenaError::Delayed(unavailable()), Code::Unavailable, "STORE_UNAVAILABLE"),
            (
                ArenaError::Store(StoreError::Damaged { what: secret(), why: secret() }),
                Code::DataLoss,
                "STORE_DAMAGED",
            ),
            (ArenaError::Store(StoreError::Refused(secret())), Code::Internal, "STORE"),
            (ArenaError::Store(StoreError::Taken(secret())), Code::Internal, "STORE"),
            (ArenaError::Recovery(secret(), secret()), Code::Internal, "STORE"),
        ];
        for (error, code, reason) in cases {
            let status = arena_status(error);
            let found_reason = status.get_details_error_info().unwrap().reason;
            assert_eq!((status.code(), found_reason.as_str()), (code, reason));
            assert!(status.message().contains("the store"), "{status:?}");
            assert!(!format!("{status:?}").contains("keeper"), "{status:?}");
        }
    }
}
