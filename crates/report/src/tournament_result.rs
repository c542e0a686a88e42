//! The result of a tournament, as text to paste into a message.

use super::{
    Alignment, Table,
    standings::standings_table,
    tournament::progress_text,
    tournament_finding::tournament_finding,
    tournament_settings::setting_fact,
    verdict::format_verdict_lines,
    words::{count_with_noun, format_time},
};
use lastnim_proto::pb;

/// The maximum number of lines of standings.
const MAX_LINES: usize = 30;
/// The maximum number of characters in a line.
const MAX_COLUMNS: usize = 72;
/// The number of columns for the label of a fact. The fact begins after them.
const LABEL_COLUMNS: usize = 11;

/// Writes a tournament's title, finding, standings and verdict as plain text in lines of at most 72 characters.
/// `link` is the address of its page, or empty.
pub fn result_text(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
    link: &str,
) -> String {
    let settings = tournament.settings.clone().unwrap_or_default();
    let finding = tournament_finding(tournament, standings, verdict, &[]);
    let facts = [
        ("title", settings.title.clone()),
        ("result", finding.text()),
        ("format", setting_fact(&settings, "format")),
        ("state", progress_text(tournament)),
        ("created", format!("{} UTC", format_time(tournament.created_at_us))),
        ("id", tournament.id.clone()),
        ("page", link.to_owned()),
    ];
    let shown = &standings[..standings.len().min(MAX_LINES)];
    let more = standings.len() - shown.len();
    let facts = facts.iter().filter(|(_, fact)| !fact.is_empty());
    let mut lines: Vec<_> = facts.flat_map(|(label, fact)| wrap_text(label, LABEL_COLUMNS, fact)).collect();
    if !shown.is_empty() {
        let left_out = ["matches", "accuracy", "regret_per_match", "luck_per_match", "forfeits"];
        let mut table = standings_table(shown).without_columns(&left_out);
        // The label with the measure is too long for the line.
        table.columns.iter_mut().filter(|column| column.key == "rating").for_each(|column| {
            column.label.clone_from(&column.key);
        });
        lines.extend(table_lines(&table));
    }
    if more > 0 {
        lines.push(format!(" and {}", count_with_noun(more, "bot", "bots")));
    }
    lines.extend(format_verdict_lines(verdict).iter().flat_map(|line| wrap_text("", 0, line)));
    lines.join("\n") + "\n"
}

/// Splits a text into lines after a label. Each line begins with `indent` characters; a word that is too long is split.
fn wrap_text(label: &str, indent: usize, text: &str) -> Vec<String> {
    let room = MAX_COLUMNS - indent;
    let mut lines = vec![Vec::new()];
    for word in text.split_whitespace() {
        let word: Vec<char> = word.chars().collect();
        for part in word.chunks(room) {
            let line = lines.last_mut().expect("there is always a line");
            let gap = usize::from(!line.is_empty());
            if line.len() + gap + part.len() > room {
                lines.push(part.to_vec());
            } else {
                line.extend([' '].iter().take(gap).chain(part));
            }
        }
    }
    let labels = [label].into_iter().chain(std::iter::repeat(""));
    let lines = lines.into_iter().map(String::from_iter);
    lines.zip(labels).map(|(line, label): (String, _)| format!("{label:<indent$}{line}")).collect()
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

    fn standing_line(place: u32, bot: &str, wins: u32) -> pb::Standing {
        pb::Standing { place, bot: bot.into(), wins, matches: 4, points: wins.into(), ..Default::default() }
    }

    #[test]
    fn the_result_is_plain_text() {
        let settings = pb::TournamentSettings { title: "Cup".into(), ..Default::default() };
        let tournament = pb::Tournament { id: "7".into(), settings: Some(settings), ..Default::default() };
        let standings: Vec<_> = (1..=40).map(|place| standing_line(place, "ann", 0)).collect();
        let text = result_text(&tournament, &standings, None, "http://127.0.0.1:7600/tournaments/7");
        assert!(text.starts_with("title      Cup\nresult     "), "{text}");
        assert!(
            text.contains("\ncreated    1970-01-01 00:00:00 UTC\nid         7\npage       http://127."),
            "{text}"
        );
        assert_eq!(text.matches(" ann ").count(), MAX_LINES, "{text}");
        assert!(text.contains(" and 10 bots\n"), "{text}");
    }

    #[test]
    fn no_line_is_too_long() {
        let title = format!("{} {}", "é".repeat(150), "word ".repeat(30));
        let settings = pb::TournamentSettings { title, ..Default::default() };
        let tournament = pb::Tournament {
            id: "01890a5d-ac96-774b-bcce-b302099a8057".into(),
            settings: Some(settings),
            ..Default::default()
        };
        let rating = pb::BotRating { points: 1_500.0, low: 1_400.0, high: 1_600.0, ..Default::default() };
        let standing = pb::Standing {
            points: 12_345.5,
            rating: Some(rating),
            ..standing_line(10, &"b".repeat(32), 12_345)
        };
        let text = result_text(&tournament, &[standing], None, "");
        assert!(text.lines().all(|line| line.chars().count() <= MAX_COLUMNS), "{text}");
        assert!(text.contains(&"b".repeat(32)) && text.contains("1500 ±100"), "{text}");
        assert!(!text.contains("page"), "{text}");
        assert_eq!(text.matches('é').count(), 150, "{text}");
    }
}
