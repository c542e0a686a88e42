//! Reads and audits the documents that `lastnim audit match` is given.

use crate::game_json::{self, JsonError, PlayedGameJson};
use lastnim_core::{
    oracle::{Audit, AuditError, PlayedTake},
    referee::RecordError,
};
use lastnim_proto::{
    record::{RecordParseError, parse_record},
    record_file::{RecordFileError, read_record},
    record_text::VERSION_LINE,
};
use serde::{Deserialize, de::IgnoredAny};
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
    NoRecord(#[from] RecordParseError),
    /// The record cannot be audited.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The keys that only a record has, which distinguish it from a game.
#[derive(Deserialize)]
struct FormKeys {
    events: Option<IgnoredAny>,
    record: Option<IgnoredAny>,
}

/// Audits a document. It is either a record (as text, as JSON, or wrapped in `{"record":{..}}`) or a game in JSON
/// with its takes.
///
/// # Errors
/// The error names the value that is missing, or the first one that is bad.
pub fn audit_document(document: &str) -> Result<Audit, AuditInputError> {
    if document.starts_with(VERSION_LINE) {
        return audit_record(document);
    }
    match game_json::read_some_keys::<_, PlayedGameJson>(document)? {
        FormKeys { events: None, record: None } => audit_game(document),
        FormKeys { .. } => audit_record(document),
    }
}

fn audit_game(document: &str) -> Result<Audit, AuditInputError> {
    let (game, takes) = game_json::read_known_json::<PlayedGameJson>(document)?.parse_played()?;
    let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
    Ok(Audit::of_finished(&game, &takes)?)
}

fn audit_record(document: &str) -> Result<Audit, AuditInputError> {
    Ok(parse_record(&read_record(document)?)?.audit()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

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

    fn refused(change: impl FnOnce(&mut Value)) -> String {
        let mut record = record();
        change(&mut record);
        audit_document(&record.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn records_with_snake_case_or_camel_case_names_are_audited() {
        let as_written = audit_document(&record().to_string()).unwrap();
        assert_eq!((as_written.winner.index(), as_written.plies.len()), (0, 2));
        let wrapped = audit_document(&json!({ "record": record() }).to_string()).unwrap();
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
        assert_eq!(audit_document(&camel).unwrap().plies, as_written.plies);
    }

    #[test]
    fn record_errors_name_the_event() {
        let refusals = [
            (
                refused(|record| record["events"][4]["took"]["take"] = json!("many")),
                "events[4].took.take: \"many\"",
            ),
            (refused(|record| record["events"][5]["took"]["seat"] = json!(2)), "events[5].seat: seat 2"),
            (refused(|record| record["events"][5]["took"]["take"] = json!(3)), "event 5: "),
            (refused(|record| record["events"] = json!([])), "the record has no events"),
            (refused(|record| record["match_id"] = json!("x")), "match_id: match id \"x\""),
            (refused(|record| record["events"][6] = Value::Null), "events[6]: null is not an object"),
            (refused(|record| drop(record["events"].as_array_mut().unwrap().pop())), "the match is not over"),
        ];
        for (message, expected) in refusals {
            assert!(message.starts_with(expected), "{message:?} does not start with {expected:?}");
        }
    }
}
