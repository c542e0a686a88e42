//! Reads and audits the documents that `lastnim audit match` is given.

use crate::game_json::{self, JsonError, PlayedGameJson};
use lastnim_analysis::deals::TalkAudit;
use lastnim_core::{
    oracle::{Audit, AuditError, Budget, PlayedTake},
    referee::RecordError,
};
use lastnim_proto::{
    json::message_to_json,
    pb,
    record::{RecordParseError, parse_record},
    record_file::{RecordFileError, read_record},
    record_text::VERSION_LINE,
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use thiserror::Error;

/// A document that cannot be audited.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditInputError {
    /// The document is neither a game nor a record.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The game cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The document is not the JSON of a record.
    #[error(transparent)]
    File(#[from] RecordFileError),
    /// The document's events do not form a valid record.
    #[error(transparent)]
    InvalidRecord(#[from] RecordParseError),
    /// The record cannot be audited.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The audit of a document.
pub struct DocumentAudit {
    pub audit: Audit,
    /// The audit of the talk, if the document is the record of a match whose seats could talk.
    pub talk: Option<pb::TalkAudit>,
}

impl DocumentAudit {
    pub fn to_message(&self) -> pb::Audit {
        pb::Audit { talk: self.talk.clone(), ..pb::Audit::from(&self.audit) }
    }
}

/// The keys that only a record has, which distinguish it from a game.
#[derive(Deserialize)]
struct RecordKeys {
    events: Option<IgnoredAny>,
    record: Option<IgnoredAny>,
}

/// Audits a document. It is either a record (as text, as JSON, or wrapped in `{"record":{..}}`) or a game in JSON
/// with its takes.
///
/// # Errors
/// The error names the value that is missing, or the first one that is bad.
pub fn audit_document(document: &str) -> Result<DocumentAudit, AuditInputError> {
    if document.starts_with(VERSION_LINE) {
        return audit_record(document);
    }
    match game_json::read_some_keys::<_, PlayedGameJson>(document)? {
        RecordKeys { events: None, record: None } => audit_game(document),
        RecordKeys { .. } => audit_record(document),
    }
}

fn audit_game(document: &str) -> Result<DocumentAudit, AuditInputError> {
    let (game, takes) = game_json::read_known_json::<PlayedGameJson>(document)?.parse_played()?;
    let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
    Ok(DocumentAudit { audit: Audit::of_finished(&game, &takes)?, talk: None })
}

fn audit_record(document: &str) -> Result<DocumentAudit, AuditInputError> {
    let record = parse_record(&read_record(document)?)?;
    let talk = TalkAudit::of_record(&record, &mut Budget::of_steps(TalkAudit::STEP_LIMIT));
    Ok(DocumentAudit { audit: record.audit()?, talk: talk.as_ref().map(Into::into) })
}

/// Audits a record, and returns the JSON that `lastnim audit match --json` prints; `None` if the match has no winner.
///
/// # Errors
/// The error says what is wrong with the record.
pub fn audit_record_as_json(record: &str) -> Result<Option<Value>, String> {
    match audit_record(record) {
        Ok(audit) => Ok(Some(message_to_json(&audit.to_message()))),
        Err(AuditInputError::Record(RecordError::NotEnded { .. } | RecordError::Cancelled { .. })) => {
            Ok(None)
        }
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the record of two bots with the standard rows on one pile of 3: seat 0 takes 1, then seat 1 takes 2.
    fn record() -> Value {
        let clock = json!({"initial_ms": 1000, "declaration_ms": 1000});
        let created = json!({"bots": ["a", "b"], "piles": ["3"], "clock": clock, "strikes": 3, "max_plies": 9,
            "ending": "ENDING_TO_MOVE_WINS"});
        let rows = json!({"rows": [{"offsets": [0, 1]}, {"offsets": [0, 1]}]});
        json!({
            "match_id": "01890a5d-ac96-774b-bcce-b302099a8057",
            "events": [
                {"at_us": "1", "created": created},
                {"at_us": "2", "declared": {"row": {"offsets": [0, 1]}}},
                {"at_us": "3", "declared": {"seat": 1, "row": {"offsets": [0, 1]}}},
                {"at_us": "3", "revealed": {"alliance_matrix": rows}},
                {"at_us": "4", "took": {"take": "1"}},
                {"at_us": 5, "took": {"ply": 1, "seat": 1, "take": 2}},
                {"at_us": "5", "ended": {"reason": "END_REASON_FINISHED", "winner": 0}},
            ],
        })
    }

    fn refusal(change: impl FnOnce(&mut Value)) -> String {
        let mut record = record();
        change(&mut record);
        audit_document(&record.to_string()).err().unwrap().to_string()
    }

    #[test]
    fn records_with_snake_case_or_camel_case_names_are_audited() {
        let audit = |document: &str| audit_document(document).unwrap().audit;
        let as_written = audit(&record().to_string());
        assert_eq!((as_written.winner.index(), as_written.plies.len()), (0, 2));
        let wrapped = audit(&json!({ "record": record() }).to_string());
        let camel = record().to_string();
        let camel = [("match_id", "matchId"), ("at_us", "atUs"), ("alliance_matrix", "allianceMatrix")]
            .into_iter()
            .chain([
                ("initial_ms", "initialMs"),
                ("declaration_ms", "declarationMs"),
                ("max_plies", "maxPlies"),
            ])
            .fold(camel, |text, (snake, camel)| text.replace(snake, camel));
        assert_eq!(wrapped.plies, as_written.plies);
        assert_eq!(audit(&camel).plies, as_written.plies);
    }

    #[test]
    fn record_errors_name_the_event() {
        let refusals = [
            (
                refusal(|record| record["events"][4]["took"]["take"] = json!("many")),
                "events[4].took.take: \"many\"",
            ),
            (refusal(|record| record["events"][5]["took"]["seat"] = json!(2)), "events[5].seat: seat 2"),
            (refusal(|record| record["events"][5]["took"]["take"] = json!(3)), "event 5: "),
            (refusal(|record| record["events"] = json!([])), "the record has no events"),
            (refusal(|record| record["match_id"] = json!("x")), "match_id: match id \"x\""),
            (refusal(|record| record["events"][6] = Value::Null), "events[6]: null is not an object"),
            (refusal(|record| drop(record["events"].as_array_mut().unwrap().pop())), "the match is not over"),
        ];
        for (message, expected) in refusals {
            assert!(message.starts_with(expected), "{message:?} does not start with {expected:?}");
        }
    }
}
