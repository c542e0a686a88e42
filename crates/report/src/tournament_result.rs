//! The result of a tournament, as text to copy.

use super::{
    Alignment, Table, standings::standings_table, tournament::progress_text,
    tournament_settings::setting_fact, verdict::format_verdict_lines, words::count_with_noun,
};
use lastnim_proto::pb;

/// The maximum number of lines of standings.
const MAX_LINES: usize = 30;

/// Writes a tournament's settings, state, standings with intervals and verdict as plain text in aligned columns.
pub fn result_text(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
) -> String {
    let settings = tournament.settings.clone().unwrap_or_default();
    let facts = [
        ("title", settings.title.clone()),
        ("id", tournament.id.clone()),
        ("format", setting_fact(&settings, "format")),
        ("state", progress_text(tournament)),
    ];
    let shown = &standings[..standings.len().min(MAX_LINES)];
    let more = standings.len() - shown.len();
    let mut lines: Vec<_> = facts.iter().map(|(label, fact)| format!("{label:<10} {fact}")).collect();
    if !shown.is_empty() {
        lines.extend(table_lines(&standings_table(shown)));
    }
    if more > 0 {
        lines.push(format!(" and {}", count_with_noun(more, "bot", "bots")));
    }
    lines.extend(format_verdict_lines(verdict));
    lines.join("\n") + "\n"
}

/// Writes a table in aligned columns.
fn table_lines(table: &Table) -> Vec<String> {
    let header = table.columns.iter().map(|column| column.label.clone()).collect();
    let rows = table.rows.iter().map(|row| {
        let cells = table.columns.iter().zip(&row.cells);
        cells.map(|(column, cell)| cell.display_text(row.format.unwrap_or(column.format))).collect()
    });
    let rows: Vec<Vec<String>> = [header].into_iter().chain(rows).collect();
    let width = |index: usize| rows.iter().map(|row| row[index].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..table.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&table.columns).zip(&widths).map(|((cell, column), width)| {
            match column.alignment {
                Alignment::Left => format!("  {cell:<width$}"),
                Alignment::Right => format!("  {cell:>width$}"),
            }
        });
        cells.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(place: u32, bot: &str, wins: u32) -> pb::Standing {
        pb::Standing { place, bot: bot.into(), wins, matches: 4, points: wins.into(), ..Default::default() }
    }

    #[test]
    fn the_result_is_plain_text() {
        let settings = pb::TournamentSettings { title: "Cup".into(), ..Default::default() };
        let tournament = pb::Tournament { id: "7".into(), settings: Some(settings), ..Default::default() };
        let standings: Vec<_> = (1..=40).map(|place| standing(place, "ann", 0)).collect();
        let text = result_text(&tournament, &standings, None);
        assert!(text.starts_with("title      Cup\nid         7\nformat     round robin\n"), "{text}");
        assert_eq!(text.matches(" ann ").count(), MAX_LINES, "{text}");
        assert!(text.contains(" and 10 bots\n"), "{text}");
    }
}
