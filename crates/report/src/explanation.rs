//! Why a seat wins a game under optimal play.

use super::{
    Column, NumberUnit, ReportReader, Section, Table,
    words::{count_with_noun, join_items},
};
use lastnim_core::oracle::{Explanation, RankChange, TakeRange};

/// The maximum number of plies in the line of best play.
pub const MAX_BEST_LINE_PLIES: usize = 40;

/// Explains why a seat wins: the outcome of each take, and the line of best play. Empty if the game is over.
pub fn explanation_sections(explanation: &Explanation, reader: ReportReader) -> Vec<Section> {
    let position = &explanation.position;
    if position.is_over() {
        return Vec::new();
    }
    let takes = Table::of_items(&explanation.options)
        .column(Column::text("take"), |option| take_range_text(option.takes))
        .column(Column::text("winner"), |option| format!("seat {}", reader.number(option.winner.index())))
        .column(
            Column::number("regret", NumberUnit::Ranks, 0)
                .with_meaning("places in its preference order that the seat to move loses by the take"),
            |option| option.regret,
        )
        .column(Column::text("better for"), |option| rank_changes_text(&option.better_for, reader))
        .column(Column::text("worse for"), |option| rank_changes_text(&option.worse_for, reader))
        .into_table();
    let plies = explanation.line.plies.iter();
    let plies = plies.map(|(position, take)| format!("{}  take {take}", reader.position_text(position)));
    let end = reader.position_text(&explanation.line.end);
    let winner = reader.number(explanation.winner.index());
    let and_so_on = if explanation.line.end.is_over() { "" } else { "and so on until " };
    vec![
        Section::with_heading(format!(
            "Outcomes of seat {}'s takes:",
            reader.number(position.to_move().index())
        ))
        .table(takes),
        Section::with_heading("The line of best play, with the smallest optimal take in each turn:")
            .list(plies.chain([format!("{end}  {and_so_on}seat {winner} wins")])),
    ]
}

/// Formats a range as `3` or `2 to 9`.
pub fn take_range_text(TakeRange { lo, hi }: TakeRange) -> String {
    if lo == hi { lo.to_string() } else { format!("{lo} to {hi}") }
}

/// Formats changes as `seat 1 by 2 ranks, seat 3 by 1 rank`; `None` without changes.
fn rank_changes_text(changes: &[RankChange], reader: ReportReader) -> Option<String> {
    let change = |change: &RankChange| {
        let seat = reader.number(change.seat.index());
        format!("seat {seat} by {}", count_with_noun(change.ranks, "rank", "ranks"))
    };
    (!changes.is_empty()).then(|| join_items(changes.iter().map(change), ", "))
}
