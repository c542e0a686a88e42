//! What a language model wrote down while it was asked.

use super::address::{OracleView, PageAddress};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::render::Escaped;
use pb::transcript_service_server::TranscriptService as _;
use serde_json::Value;
use std::fmt::Write as _;
use tonic::Status;

/// The most bytes of a page's lines: of more the first ones are shown.
const MAX_BYTES: usize = 48 << 10;

/// A question of a match: the row of a seat, or a take of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuestionPlace {
    /// The seat that was asked.
    pub seat: u32,
    /// The ply of the take; none for the row.
    pub ply: Option<u32>,
}

impl QuestionPlace {
    /// Says which question it is.
    pub(super) fn words(self) -> String {
        match self.ply {
            Some(ply) => format!("seat {}, ply {ply}", self.seat),
            None => format!("seat {}, its row", self.seat),
        }
    }
}

/// Returns the lines of a question, with the way to the questions before and behind it.
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
    let transcript = site.transcripts.get_transcript(visitor.request(request)).await?.into_inner();
    Ok(PageContent::of_message(transcript.clone(), move |address| {
        let places: Vec<_> = listed.questions.iter().map(place_of_question).collect();
        let here = places.iter().position(|&other| other == place);
        let mut content = String::from("<nav class=\"steps\" aria-label=\"Questions\">\n");
        let before = here.and_then(|here| here.checked_sub(1)).and_then(|before| places.get(before));
        let behind = here.and_then(|here| places.get(here + 1));
        for (rel, label, place) in [("prev", "Before", before), ("next", "Behind", behind)] {
            if let Some(&place) = place {
                let there = PageAddress::Transcript { id, seat: place.seat, ply: place.ply }.to_string();
                // Writing to a text does not fail.
                let _ = writeln!(
                    content,
                    "<a rel=\"{rel}\" href=\"{}\">{label}: {}</a>",
                    Escaped(&there),
                    Escaped(&place.words())
                );
            }
        }
        content += "</nav>\n";
        content += &lines_html(&transcript.lines);
        let back = PageAddress::Match { id, ply, oracle: OracleView::Hidden };
        content += &link_paragraph(&back, "", "The match at this ply");
        Ok(Page::of_html(address, format!("Transcript: {}", place.words()), content))
    }))
}

/// Returns which question was published.
pub(super) fn place_of_question(question: &pb::PublishedQuestion) -> QuestionPlace {
    QuestionPlace { seat: question.seat, ply: question.ply }
}

/// Shows each line with its members below each other; texts in them as they were written.
fn lines_html(lines: &str) -> String {
    let mut html = String::new();
    for line in lines.lines() {
        let shown = match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(members)) => {
                let member = |(key, value): (&String, &Value)| format!("{key}: {}", value_words(value));
                members.iter().map(member).collect::<Vec<_>>().join("\n")
            }
            _ => line.to_owned(),
        };
        let (shown, is_whole) = escape_up_to(&shown, MAX_BYTES.saturating_sub(html.len()));
        let _ = writeln!(html, "<pre class=\"transcript\">{shown}</pre>");
        if !is_whole {
            html += "<p>The rest is not shown: this page as JSON has it.</p>\n";
            break;
        }
    }
    html
}

/// Writes the beginning of a text as HTML, in so many bytes at most, and says whether that is all of it.
fn escape_up_to(text: &str, max_bytes: usize) -> (String, bool) {
    let mut escaped = String::new();
    for character in text.chars() {
        let before = escaped.len();
        // Writing to a text does not fail.
        let _ = write!(escaped, "{}", Escaped(character.encode_utf8(&mut [0; 4])));
        if escaped.len() > max_bytes {
            escaped.truncate(before);
            return (escaped, false);
        }
    }
    (escaped, true)
}

fn value_words(value: &Value) -> String {
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
    fn nothing_in_a_transcript_is_markup() {
        let html = lines_html("{\"event\":\"call\",\"reply\":\"<b>1\\n2</b>\",\"tries\":[1]}\nno <i>JSON\n");
        assert!(
            html.contains("reply: &lt;b&gt;1\n2&lt;/b&gt;\n") && html.contains("no &lt;i&gt;JSON"),
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
