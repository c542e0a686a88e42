//! Published transcripts of language models.

use super::{RequestField, pb};
use lastnim_core::game::MatchId;
use serde::Deserialize;

/// The events whose transcript lines belong to a question.
const QUESTION_EVENTS: [&str; 5] = ["call", "outage", "recovery", "said", "decision"];

/// The question that a transcript line belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct QuestionLine {
    event: String,
    match_id: String,
    /// The seat of the model.
    pub seat: u64,
    /// The ply of the requested take; `None` for a row and the talk before it.
    pub ply: Option<u64>,
}

impl QuestionLine {
    /// Parses a line. The error says why it is not a line about a question.
    pub fn parse(line: &str) -> Result<Self, String> {
        let read: Self =
            serde_json::from_str(line).map_err(|error| format!("not a transcript line: {error}"))?;
        if QUESTION_EVENTS.contains(&read.event.as_str()) {
            Ok(read)
        } else {
            Err(format!("the event {:?}: expected one of {}", read.event, QUESTION_EVENTS.join(", ")))
        }
    }

    /// Returns the id of the match if it is valid.
    pub fn match_id(&self) -> Option<MatchId> {
        self.match_id.parse().ok()
    }
}

/// Checks the transcript lines in a request to publish one question of a match.
pub fn check_published_lines(
    request: &pb::PublishTranscriptRequest,
    match_id: MatchId,
    field: RequestField<'_>,
) -> Option<()> {
    let Some(text) = request.lines.strip_suffix('\n') else {
        field.report("expected one or more lines, each ending with a line feed");
        return None;
    };
    let check = |line: &str| {
        let question = QuestionLine::parse(line)?;
        let is_of_question =
            question.seat == u64::from(request.seat) && question.ply == request.ply.map(u64::from);
        if question.match_id() == Some(match_id) && is_of_question {
            Ok(())
        } else {
            Err("its match_id, seat or ply differs from the request's".to_owned())
        }
    };
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Err(why) = check(line) {
            field.report(format_args!("line {number}: {why}"));
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_request;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";

    fn refusal(ply: Option<u32>, lines: &str) -> Option<String> {
        let request = pb::PublishTranscriptRequest { match_id: ID.into(), seat: 1, ply, lines: lines.into() };
        let checked = parse_request(|field| {
            check_published_lines(&request, ID.parse().unwrap(), field.member("lines"))
        });
        checked.err().map(|violations| violations.to_string())
    }

    #[test]
    fn lines_must_belong_to_the_named_question() {
        let line = |event: &str, seat: u32, ply: &str| {
            format!(
                "{{\"event\":\"{event}\",\"match_id\":\"{ID}\",\"seat\":{seat},\"ply\":{ply},\"more\":[]}}\n"
            )
        };
        assert_eq!(refusal(Some(4), &(line("call", 1, "4") + &line("decision", 1, "4"))), None);
        assert_eq!(refusal(None, &(line("said", 1, "null") + &line("decision", 1, "null"))), None);
        for (lines, why) in [
            (String::new(), "lines: expected one or more lines, each ending with a line feed"),
            (line("call", 1, "4").trim_end().to_owned(), "lines: expected one or more lines"),
            (line("call", 1, "4") + "\n", "lines: line 2: not a transcript line: EOF"),
            (line("call", 0, "4"), "lines: line 1: its match_id, seat or ply differs from the request's"),
            (line("call", 1, "null"), "lines: line 1: its match_id, seat or ply differs from the request's"),
            (
                line("run", 1, "4"),
                "lines: line 1: the event \"run\": expected one of call, outage, recovery, said, decision",
            ),
            (
                line("call", 1, "4").replace(ID, "x"),
                "lines: line 1: its match_id, seat or ply differs from the request's",
            ),
        ] {
            let found = refusal(Some(4), &lines).unwrap_or_default();
            assert!(found.contains(why), "{found:?} instead of {why:?}");
        }
    }
}
