//! The logged answers of a language model.

use super::address::PageAddress;
use super::page::Page;
use super::page_content::PageContent;
use super::site::Site;
use super::trail::trail_below_match;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::MatchId;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use pb::transcript_service_server::TranscriptService as _;
use serde_json::Value;
use tonic::Status;

/// The maximum size of the lines on a page; later lines are cut.
const MAX_BYTES: usize = 48 << 10;

/// A question to a language model in a match: about the row of a seat, or about one of its takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QuestionPlace {
    pub seat: u32,
    /// The ply of the take; `None` for the row.
    pub ply: Option<u32>,
}

impl QuestionPlace {
    /// Returns the address of a question.
    pub(super) fn address(self, id: MatchId) -> PageAddress {
        PageAddress::Transcript { id, seat: self.seat, ply: self.ply }
    }

    /// Describes the question.
    pub(super) fn words(self) -> String {
        match self.ply {
            Some(ply) => format!("seat {}, take {}", shown_number(self.seat), shown_number(ply)),
            None => format!("seat {}, whom it wants to see win", shown_number(self.seat)),
        }
    }
}

/// The logged lines of a question, with links to the previous and next questions.
#[derive(Template)]
#[template(path = "transcript.html")]
struct TranscriptContent {
    steps: Vec<QuestionStep>,
    lines: String,
}

/// A link to the previous or the next question.
struct QuestionStep {
    rel: &'static str,
    label: &'static str,
    address: String,
    words: String,
}

#[derive(Template)]
#[template(path = "transcript_lines.html")]
struct TranscriptLines {
    lines: Vec<String>,
    /// Whether lines are cut.
    is_cut: bool,
}

/// Returns the page with the logged lines of a question, with links to the previous and next questions.
pub(super) async fn transcript_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    place: QuestionPlace,
) -> Result<PageContent, Status> {
    let match_id = id.to_string();
    let request = pb::ListTranscriptsRequest { match_id: match_id.clone() };
    let listed = site.transcripts.list_transcripts(visitor.request(request)).await?.into_inner();
    let QuestionPlace { seat, ply } = place;
    let request = pb::GetTranscriptRequest { match_id, seat, ply };
    let setup = site.get_match(visitor, id).await?.r#match.and_then(|game| game.setup).unwrap_or_default();
    let trail = trail_below_match(site, visitor, id, ply.map(|ply| ply + 1), &setup).await?;
    let transcript = site.transcripts.get_transcript(visitor.request(request)).await?.into_inner();
    let content = PageContent::of_message(transcript.clone(), move |address| {
        let places: Vec<_> = listed.questions.iter().map(question_place).collect();
        let here = places.iter().position(|&other| other == place);
        let before = here.and_then(|here| here.checked_sub(1)).and_then(|before| places.get(before));
        let behind = here.and_then(|here| places.get(here + 1));
        let steps = [("prev", "Previous", before), ("next", "Next", behind)];
        let steps = steps.into_iter().filter_map(|(rel, label, place)| {
            let place = place?;
            Some(QuestionStep { rel, label, address: place.address(id).to_string(), words: place.words() })
        });
        let content = write_template(&TranscriptContent {
            steps: steps.collect(),
            lines: lines_html(&transcript.lines),
        });
        let bot = setup.bots.get(seat as usize).map(String::as_str).unwrap_or_default();
        let summary =
            format!("What the model behind {bot} was asked, and what it answered ({})", place.words());
        Ok(Page::of_html(address, format!("Transcript: {}", place.words()), content).with_summary(summary))
    });
    Ok(content.with_trail(trail))
}

/// Returns the seat and the ply of a published question.
pub(super) fn question_place(question: &pb::PublishedQuestion) -> QuestionPlace {
    QuestionPlace { seat: question.seat, ply: question.ply }
}

/// Writes each line with its JSON members one below the other; strings keep their line breaks.
fn lines_html(lines: &str) -> String {
    let (mut shown, mut bytes, mut is_cut) = (Vec::new(), 0, false);
    for line in lines.lines() {
        let mut text = match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(members)) => {
                let member = |(key, value): (&String, &Value)| format!("{key}: {}", value_text(value));
                members.iter().map(member).collect::<Vec<_>>().join("\n")
            }
            _ => line.to_owned(),
        };
        let end = text.char_indices().find(|&(_, character)| {
            bytes += html_bytes(character);
            bytes > MAX_BYTES
        });
        let end = end.map(|(end, _)| end);
        text.truncate(end.unwrap_or(text.len()));
        shown.push(text);
        is_cut = end.is_some();
        if is_cut {
            break;
        }
    }
    write_template(&TranscriptLines { lines: shown, is_cut })
}

/// Returns the size of a character as HTML.
fn html_bytes(character: char) -> usize {
    match character {
        '"' | '&' | '\'' | '<' | '>' => "&#34;".len(),
        character => character.len_utf8(),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) => serde_json::to_string_pretty(value).unwrap_or_default(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_escaped() {
        let html = lines_html("{\"event\":\"call\",\"reply\":\"<b>1\\n2</b>\",\"tries\":[1]}\nno <i>JSON\n");
        assert!(
            html.contains("reply: &#60;b&#62;1\n2&#60;/b&#62;\n") && html.contains("no &#60;i&#62;JSON"),
            "{html}"
        );
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        let long = lines_html(&format!("{}\n", "x".repeat(100_000)));
        assert!(long.starts_with("<pre class=\"transcript\">xxx") && long.contains("not shown"));
        for hostile in ["\"", "<", "é"] {
            let long = lines_html(&format!("{}\n", hostile.repeat(100_000)));
            assert!((MAX_BYTES..MAX_BYTES + 200).contains(&long.len()), "{hostile}: {}", long.len());
        }
    }
}
