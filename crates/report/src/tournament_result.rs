//! The result of a tournament in a line, and as text to copy.

use super::{
    Alignment, Table, standings::standings_table, tournament::progress_words,
    tournament_settings::setting_fact, verdict::format_verdict_lines, words::count_words,
};
use lastnim_proto::pb;
use pb::verdict::Verdict as Said;

/// The maximum number of lines of standings.
const MAX_LINES: usize = 30;

/// Describes the progress of a tournament, and its leader or winner.
pub fn result_line(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
) -> String {
    let progress = format!("{}: {}", tournament.format_profile().word(), progress_words(tournament));
    if let Some(Said::Sprt(_)) = verdict.and_then(|verdict| verdict.verdict.as_ref()) {
        return [progress].into_iter().chain(format_verdict_lines(verdict)).collect::<Vec<_>>().join("; ");
    }
    if tournament.matches_played == 0 {
        return progress;
    }
    let leaders: Vec<_> = standings.iter().take_while(|line| line.place == 1).collect();
    let is_over = tournament.state() == pb::TournamentState::Finished;
    let is_knockout = matches!(verdict.and_then(|verdict| verdict.verdict.as_ref()), Some(Said::Knockout(_)));
    let leader = match leaders.as_slice() {
        [] => return progress,
        [champion] if is_knockout && is_over => format!("{} is the champion", champion.bot),
        leaders if is_knockout => format!("{} still in", count_words(leaders.len(), "bot", "bots")),
        [leader] => {
            let verb = if is_over { "won" } else { "leads" };
            let of = count_words(leader.matches, "match", "matches");
            format!("{} {verb}, with {} wins in {of}", leader.bot, leader.wins)
        }
        leaders => format!("{} bots share first place", leaders.len()),
    };
    format!("{progress}; {leader}")
}

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
        ("state", progress_words(tournament)),
    ];
    let shown = &standings[..standings.len().min(MAX_LINES)];
    let more = standings.len() - shown.len();
    let mut lines: Vec<_> = facts.iter().map(|(label, fact)| format!("{label:<10} {fact}")).collect();
    if !shown.is_empty() {
        lines.extend(table_lines(&standings_table(shown)));
    }
    if more > 0 {
        lines.push(format!(" and {}", count_words(more, "bot", "bots")));
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
    fn a_result_is_a_line() {
        let mut tournament = pb::Tournament {
            state: pb::TournamentState::Running.into(),
            matches_played: 4,
            matches_total: 6,
            ..Default::default()
        };
        let standings = [standing(1, "ann", 3), standing(2, "bob", 1)];
        let told = |tournament: &pb::Tournament, standings: &[pb::Standing]| {
            result_line(tournament, standings, None)
        };
        let progress = "round-robin: running, 4 of 6 matches played";
        assert_eq!(told(&tournament, &standings), format!("{progress}; ann leads, with 3 wins in 4 matches"));
        let equal = [standing(1, "ann", 2), standing(1, "bob", 2)];
        assert_eq!(told(&tournament, &equal), format!("{progress}; 2 bots share first place"));
        tournament.state = pb::TournamentState::Finished.into();
        let verdict = pb::Verdict { verdict: Some(Said::Knockout(pb::KnockoutVerdict::default())) };
        let line = result_line(&tournament, &[standing(1, "bob", 1), standing(2, "ann", 3)], Some(&verdict));
        assert!(line.ends_with("; bob is the champion"), "{line}");
        tournament.state = pb::TournamentState::Running.into();
        let line = result_line(&tournament, &equal, Some(&verdict));
        assert!(line.ends_with("; 2 bots still in"), "{line}");
        tournament.state = pb::TournamentState::Finished.into();
        assert!(told(&tournament, &standings).ends_with("; ann won, with 3 wins in 4 matches"));
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
