//! What language models wrote when they were asked for rows and takes.

use crate::site::Site;
use crate::transcript_page::{QuestionPlace, question_place};
use crate::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use pb::transcript_service_server::TranscriptService as _;
use std::collections::BTreeMap;
use std::ops::Range;
use tonic::{Code, Status};

/// The maximum length of a reply beside a row or a take, in characters. The page of the question has the whole reply.
const MAX_REPLY_CHARS: usize = 280;

/// What language models wrote, by question.
pub(super) type ModelReplies = BTreeMap<QuestionPlace, String>;

/// Reads the last reply of each published question about a row or one of these takes.
pub(super) async fn read_model_replies(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    questions: &[pb::PublishedQuestion],
    plies: Range<u32>,
) -> Result<ModelReplies, Status> {
    let mut replies = ModelReplies::new();
    for question in questions {
        let place = question_place(question);
        let QuestionPlace { seat, ply } = place;
        if ply.is_some_and(|ply| !plies.contains(&ply)) {
            continue;
        }
        let request = pb::GetTranscriptRequest { match_id: id.to_string(), seat, ply };
        let lines = match site.transcripts.get_transcript(visitor.request(request)).await {
            Ok(transcript) => transcript.into_inner().lines,
            // It has been removed since.
            Err(status) if status.code() == Code::NotFound => continue,
            Err(status) => return Err(status),
        };
        replies.extend(last_reply(&lines).map(|reply| (place, reply)));
    }
    Ok(replies)
}

/// Returns the last reply in the lines of a question, shortened and on one line.
fn last_reply(lines: &str) -> Option<String> {
    let reply = lines.lines().rev().find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line.get("reply")?.as_str()?.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    let reply = reply.filter(|reply| !reply.is_empty())?;
    Some(match reply.char_indices().nth(MAX_REPLY_CHARS) {
        Some((end, _)) => format!("{}…", reply[..end].trim_end()),
        None => reply,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reply_is_one_short_line() {
        let lines = "{\"event\":\"call\",\"reply\":\"first\"}\n{\"event\":\"call\",\"reply\":\"I take\\n  2.\"}\n{\"event\":\"decision\",\"take\":2}\nno JSON";
        assert_eq!(last_reply(lines).as_deref(), Some("I take 2."));
        let long = format!("{{\"reply\":\"{}\"}}", "é".repeat(1_000));
        assert_eq!(last_reply(&long).unwrap().chars().count(), MAX_REPLY_CHARS + 1);
        assert_eq!(last_reply("{\"reply\":\" \"}"), None);
        assert_eq!(last_reply("{\"reply\":7}\n[]\n"), None);
    }
}
