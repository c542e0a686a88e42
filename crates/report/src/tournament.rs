//! Tournaments, and lists of them.

use super::{
    Cell, Column, FactValue, Report, ReportReader, Section, Table,
    tournament_activity::activity_section,
    tournament_events::event_line,
    tournament_settings::setting_facts,
    verdict::format_verdict_lines,
    words::{count_with_noun, enum_phrase, format_time},
};
use lastnim_proto::pb;

fn state_text(tournament: &pb::Tournament) -> String {
    enum_phrase(tournament.state().as_str_name(), "TOURNAMENT_STATE_")
}

/// Says when an open tournament starts and when entries close, as far as its settings have times for this.
fn times_text(settings: &pb::TournamentSettings) -> String {
    let time_text =
        |event: &str, micros| (micros > 0).then(|| format!(", {event} at {} UTC", format_time(micros)));
    let start = time_text("starts", settings.start_at_us);
    let or_with = (start.is_some() && settings.start_when > 0)
        .then(|| format!(" or with {}", count_with_noun(settings.start_when, "bot", "bots")));
    [start, or_with, time_text("entries close", settings.entries_close_at_us)].into_iter().flatten().collect()
}

/// Describes the state and progress of a tournament.
pub fn progress_text(tournament: &pb::Tournament) -> String {
    let damaged = format!(", stopped because its data are damaged: {}", tournament.damage);
    let waiting = match tournament.pause() {
        _ if !tournament.damage.is_empty() => damaged.as_str(),
        pb::OpenMatches::Freeze => ", paused, open matches frozen",
        pb::OpenMatches::Finish => ", paused",
        pb::OpenMatches::Unspecified if tournament.awaits_bots => ", waiting for bots to join",
        pb::OpenMatches::Unspecified => "",
    };
    match (tournament.state(), tournament.matches_total) {
        (pb::TournamentState::Open, _) => {
            state_text(tournament) + &tournament.settings.as_ref().map(times_text).unwrap_or_default()
        }
        (pb::TournamentState::Cancelled, 0) => state_text(tournament),
        (_, 0) => {
            let played = count_with_noun(tournament.matches_played, "match", "matches");
            format!("{}, {played} played{waiting}", state_text(tournament))
        }
        (_, total) => {
            format!(
                "{}, {} of {total} matches played{waiting}",
                state_text(tournament),
                tournament.matches_played
            )
        }
    }
}

/// Describes the state and progress of a tournament in one line.
pub fn progress_line(tournament: &pb::Tournament) -> String {
    format!("tournament {}: {}", tournament.id, progress_text(tournament))
}

/// Moves the titles, states and results of tournaments to the front, where a narrow page shows them without scrolling,
/// and the times of their creation to the end. A table without titles does not change.
pub fn move_title_to_front(table: Table) -> Table {
    if table.columns.iter().all(|column| column.key != "title") {
        return table;
    }
    table
        .move_column_to_front("result")
        .move_column_to_front("state")
        .move_column_to_front("title")
        .move_column_to_end("created_utc")
}

/// Reports a tournament's state and settings, its verdict, the organiser's actions, and its current activity.
pub fn tournament_report(
    tournament: &pb::Tournament,
    shown: &pb::GetTournamentResponse,
    reader: ReportReader,
) -> Report {
    let settings = tournament.settings.clone().unwrap_or_default();
    let field = match tournament.field.as_slice() {
        [] => "no bots yet".to_owned(),
        field => field.join(", "),
    };
    let (title, others): (Vec<_>, Vec<_>) =
        setting_facts(&settings, reader).into_iter().partition(|(label, _)| label == "title");
    let state = [
        ("created".to_owned(), FactValue::At(tournament.created_at_us)),
        ("state".to_owned(), progress_text(tournament).into()),
        ("bots".to_owned(), field.into()),
    ];
    let entry_code = (shown.entry_code_uses > 0).then(|| {
        let bots = count_with_noun(shown.entry_code_uses, "more bot", "more bots");
        ("entry code".to_owned(), FactValue::from(format!("registers {bots}")))
    });
    let as_facts = |(label, words): (String, String)| (label, FactValue::from(words));
    // A page has the id in its address.
    let id = (reader == ReportReader::CommandLine)
        .then(|| ("id".to_owned(), FactValue::from(tournament.id.clone())));
    let facts = id
        .into_iter()
        .chain(title.into_iter().map(as_facts))
        .chain(state)
        .chain(entry_code)
        .chain(others.into_iter().map(as_facts));
    let dated =
        |event: &pb::TournamentEvent| format!("{} UTC: {}", format_time(event.at_us), event_line(event));
    let section = Section::new().facts(facts).paragraphs(format_verdict_lines(shown.verdict.as_ref()));
    let section = section.paragraphs(shown.events.iter().map(dated));
    [section].into_iter().chain(shown.activity.as_ref().map(activity_section)).collect()
}

/// Tabulates tournaments, a row for each.
pub fn tournament_table(tournaments: &[pb::Tournament]) -> Table {
    let settings = |tournament: &pb::Tournament| tournament.settings.clone().unwrap_or_default();
    let total = |total: u64| if total == 0 { Cell::NONE } else { total.into() };
    Table::of_items(tournaments)
        .column(Column::text("id"), |tournament| tournament.id.clone())
        .column(Column::text("created (UTC)"), |tournament| Cell::Time(tournament.created_at_us))
        .column(Column::text("state"), state_text)
        .column(Column::text("format"), |tournament| tournament.format_profile().title)
        .column(Column::integer("seats"), move |tournament| settings(tournament).seats)
        .column(Column::integer("bots"), |tournament| tournament.field.len())
        .column(Column::integer("played"), |tournament| tournament.matches_played)
        .column(Column::integer("of"), move |tournament| total(tournament.matches_total))
        .column(Column::text("title").with_names_for("id"), move |tournament| settings(tournament).title)
        .into_table()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_tournament_says_when_it_starts() {
        let describe = |state: pb::TournamentState, start_when, start_at_us, entries_close_at_us| {
            let settings =
                pb::TournamentSettings { start_when, start_at_us, entries_close_at_us, ..Default::default() };
            let (state, settings) = (state.into(), Some(settings));
            progress_text(&pb::Tournament { state, settings, ..Default::default() })
        };
        let (open, start) = (pb::TournamentState::Open, 1_800_000_000_000_000);
        assert_eq!(describe(open, 3, 0, 0), "open");
        assert_eq!(describe(open, 0, start, 0), "open, starts at 2027-01-15 08:00:00 UTC");
        let all = "open, starts at 2027-01-15 08:00:00 UTC or with 3 bots, entries close at 2027-01-15 07:59:00 UTC";
        assert_eq!(describe(open, 3, start, start - 60_000_000), all);
        assert_eq!(describe(pb::TournamentState::Running, 3, start, start), "running, 0 matches played");
    }

    #[test]
    fn progress_is_shown_with_or_without_a_known_total() {
        let describe = |state: pb::TournamentState, matches_played, matches_total| {
            let state = state.into();
            progress_text(&pb::Tournament { state, matches_played, matches_total, ..Default::default() })
        };
        assert_eq!(describe(pb::TournamentState::Open, 0, 0), "open");
        assert_eq!(describe(pb::TournamentState::Running, 7, 0), "running, 7 matches played");
        assert_eq!(describe(pb::TournamentState::Finished, 6, 6), "finished, 6 of 6 matches played");
        assert_eq!(describe(pb::TournamentState::Cancelled, 0, 0), "cancelled");
    }
}
