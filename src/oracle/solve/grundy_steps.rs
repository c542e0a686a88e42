//! Derives a Grundy value step by step.

use lastnim_analysis::general::{GeneralAnswer, GrundyDecomposition, GrundyPart};
use lastnim_report::{Column, Section, Table, words::join_items};

/// Shows why each part has its Grundy value, and adds the values to their nim-sum in binary. The value of a part is the
/// smallest number that is not the value of any of its options. Returns `None` if there is no value, or nothing to
/// explain about it.
pub fn grundy_steps_section(answer: &GeneralAnswer) -> Option<Section> {
    let grundy = answer.two_players.as_ref()?.grundy.as_ref().ok()?;
    // If a value was computed by a formula, the options are not listed.
    let is_explained = |part: &GrundyPart| part.value == 0 || !part.options.is_empty();
    if grundy.parts.is_empty() || !grundy.parts.iter().all(is_explained) {
        return None;
    }
    let section = Section::new()
        .paragraph("The Grundy value step by step, as the smallest number that no move leads to (mex):")
        .list(grundy.parts.iter().map(mex_text));
    let is_sum = grundy.parts.len() > 1;
    let section = if is_sum {
        section
            .paragraph("The nim-sum of these values, which adds binary digits without carrying:")
            .table(nim_sum_table(grundy))
    } else {
        section
    };
    let what = if is_sum { "nim-sum" } else { "value" };
    Some(section.paragraph(match grundy.value {
        0 => format!(
            "The {what} is 0: in two-player {} play the seat to move loses, because every move makes it nonzero.",
            GrundyDecomposition::ENDING
        ),
        _ => format!(
            "The {what} is not 0: in two-player {} play the seat to move wins with a move that makes it 0.",
            GrundyDecomposition::ENDING
        ),
    }))
}

/// Explains the value of a part.
fn mex_text(part: &GrundyPart) -> String {
    let GrundyPart { part: position, value, options } = part;
    if *value == 0 {
        return format!("{position} is worth 0: no move leads to 0");
    }
    let shown =
        join_items(options.iter().map(|option| format!("{} ({})", option.value, option.position)), ", ");
    let more = match value - options.len() as u64 {
        0 => String::new(),
        _ => format!(" and so on up to {}", value - 1),
    };
    format!("{position} is worth {value}: moves lead to {shown}{more}, and none to {value}")
}

fn nim_sum_table(grundy: &GrundyDecomposition) -> Table {
    let parts = grundy.parts.iter().map(|part| (part.part.as_str(), part.value));
    let rows: Vec<(&str, u64)> = parts.chain([("nim-sum", grundy.value)]).collect();
    let widest =
        rows.iter().map(|&(_, value)| u64::BITS - value.leading_zeros()).max().unwrap_or_default().max(1);
    Table::of_items(&rows)
        .column(Column::text("part"), |&(part, _)| part)
        .column(Column::integer("value"), |&(_, value)| value)
        .column(Column::text("binary").right_aligned(), |&(_, value)| {
            format!("{value:0width$b}", width = widest as usize)
        })
        .into_table()
}
