//! The report on language models.

use super::{
    claims::{forecast_sections, want_sections},
    cost::cost_section,
    rules::rule_sections,
    strength::strength_section,
    talk::talk_section,
};
use crate::{
    Report, Section,
    words::{count_with_noun, join_items},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;

/// Reports on models; `sources` describes the records, in sentences.
pub fn model_report(found: &pb::ModelReport, sources: Vec<String>) -> Report {
    let head = Section::new()
        .paragraph(summary_text(found))
        .paragraphs(found.transcripts.iter().flat_map(reading_sentences))
        .paragraphs(sources);
    if found.models.is_empty() {
        return head.into();
    }
    let models = &found.models;
    [head]
        .into_iter()
        .chain(rule_sections(models))
        .chain(talk_section(models))
        .chain([strength_section(models), cost_section(models)])
        .chain(forecast_sections(models))
        .chain(want_sections(models))
        .collect()
}

fn summary_text(found: &pb::ModelReport) -> String {
    let models = found.models.iter().map(|model| {
        let named =
            if model.models.is_empty() { String::new() } else { format!(" ({})", model.models.join(", ")) };
        let settings = match model.configurations {
            0 | 1 => String::new(),
            configurations => format!(", with {configurations} different settings or prompts"),
        };
        format!("{}{named} in {}{settings}", model.bot, count_with_noun(model.matches, "match", "matches"))
    });
    match found.models.len() {
        0 => "No model played in these matches.".to_owned(),
        1 => format!("1 model: {}.", join_items(models, "; ")),
        count => format!("{count} models: {}.", join_items(models, "; ")),
    }
}

/// Says how many questions were counted, and which parts of the transcripts were left out and why.
fn reading_sentences(read: &pb::TranscriptReading) -> Vec<String> {
    let questions = |count| count_with_noun(count, "question", "questions");
    let unproved = read.unproved_examples.iter().map(|question| {
        let place =
            question.ply.map_or_else(|| "row".to_owned(), |ply| format!("take {}", shown_number(ply)));
        format!("match {} seat {} {place}: {}", question.match_id, question.seat, question.why)
    });
    let lines = [
        (
            read.unread_lines,
            format!(
                "{} that cannot be read ({})",
                count_with_noun(read.unread_lines, "line", "lines"),
                join_items(&read.unread_places, ", ")
            ),
        ),
        (
            read.of_other_matches,
            format!(
                "{} from matches without a valid record, such as {}",
                questions(read.of_other_matches),
                join_items(&read.other_matches, ", ")
            ),
        ),
        (
            read.unproved,
            format!(
                "{} that the records do not prove ({})",
                questions(read.unproved),
                join_items(unproved, "; ")
            ),
        ),
        (read.unfinished, format!("{} without a decision", questions(read.unfinished))),
        (read.given_twice, format!("{} that were already counted", questions(read.given_twice))),
    ];
    let left_out: Vec<_> =
        lines.into_iter().filter(|&(count, _)| count > 0).map(|(_, words)| words).collect();
    let counted = format!(
        "Counted: {} of {}.",
        questions(read.questions),
        count_with_noun(read.files, "transcript", "transcripts")
    );
    let left_out =
        (!left_out.is_empty()).then(|| format!("Not included in the figures: {}.", left_out.join("; ")));
    [counted].into_iter().chain(left_out).collect()
}
