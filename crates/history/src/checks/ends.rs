//! Checks the match ends and the audits that were sent to bots.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
    replayed_match::ReplayedMatch,
};
use lastnim_proto::{
    json::message_to_json,
    pb::{self, play_response::Event},
};
use serde_json::Value;

pub(super) fn check_ends(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    let audit = replayed.record.audit().ok().map(|audit| pb::Audit::from(&audit));
    for message in log.sessions.iter().flat_map(|session| &session.messages) {
        let Some(Event::MatchEnded(ended)) = message.received() else { continue };
        check_end(ended, replayed, message, findings);
        if let Some(reported) = &ended.audit {
            check_audit(reported, audit.as_ref(), message, findings);
        }
    }
}

/// Describes the end of a match.
pub(super) fn end_text(reason: pb::EndReason, winner: Option<u32>) -> String {
    let reason = reason.as_str_name().trim_start_matches("END_REASON_").to_ascii_lowercase();
    let winner = winner.map_or_else(|| "nobody won".to_owned(), |seat| format!("seat {seat} won"));
    format!("{winner} ({reason})")
}

fn check_end(
    ended: &pb::MatchEnded,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let recorded =
        replayed.end().map(|(reason, winner)| (pb::EndReason::from(reason), winner.map(u32::from)));
    if recorded != Some((ended.reason(), ended.winner)) {
        let recorded = recorded
            .map_or_else(|| "the match is not over".to_owned(), |(reason, winner)| end_text(reason, winner));
        let detail = format!("{}, but the record says {recorded}", end_text(ended.reason(), ended.winner));
        findings.add(FindingKind::End, message, None, detail);
    }
}

/// Compares an audit that was sent to a bot with the oracle's. The bot's audit may omit the plies of a long match.
fn check_audit(
    reported: &pb::Audit,
    recorded: Option<&pb::Audit>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let Some(recorded) = recorded else {
        let detail = "the match cannot be audited, but the server sent an audit".to_owned();
        return findings.add(FindingKind::Audit, message, None, detail);
    };
    let mut recorded = recorded.clone();
    if reported.plies.is_empty() && recorded.plies.len() > MAX_SENT_PLIES {
        recorded.plies.clear();
    }
    if *reported == recorded {
        return;
    }
    let differing = first_difference(&message_to_json(reported), &message_to_json(&recorded), String::new());
    if let Some((path, reported, expected)) = differing {
        let detail = format!("{path} is {reported} in the audit, but {expected} according to the oracle");
        findings.add(FindingKind::Audit, message, None, detail);
    }
}

/// The audits sent to bots omit the plies of matches with more plies than this.
const MAX_SENT_PLIES: usize = 4_096;

/// Finds the first value that differs, and returns its path and both values as text. A value that is missing from
/// `reported` does not count as different.
fn first_difference(reported: &Value, expected: &Value, path: String) -> Option<(String, String, String)> {
    let member_path = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (reported, expected) {
        (Value::Object(reported), Value::Object(expected)) => reported.iter().find_map(|(key, value)| {
            let is_unsaid = value.is_null() || value == "unspecified" || (key == "counters" && value == 0);
            let expected = expected.get(key).unwrap_or(&Value::Null);
            if is_unsaid && key != "first_error" {
                None
            } else {
                first_difference(value, expected, member_path(key))
            }
        }),
        (Value::Array(reported), Value::Array(expected)) if reported.len() == expected.len() => {
            let pairs = reported.iter().zip(expected).enumerate();
            pairs.into_iter().find_map(|(index, (reported, expected))| {
                first_difference(reported, expected, format!("{path}[{index}]"))
            })
        }
        _ if reported == expected => None,
        _ => Some((path, shorten_value(reported), shorten_value(expected))),
    }
}

fn shorten_value(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { format!("{}..", text.chars().take(60).collect::<String>()) }
}
