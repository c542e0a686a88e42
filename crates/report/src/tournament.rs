//! A tournament, and lists of them.

use super::{
    Cell, Column, Fact, Report, Section, Table,
    tournament_activity::activity_section,
    tournament_events::event_line,
    tournament_format::{format_line, format_name, positions_line},
    verdict::format_verdict_lines,
    words::{count_words, enum_phrase, enum_word, format_time, matrix_words},
};
use lastnim_proto::pb;

fn state_words(tournament: &pb::Tournament) -> String {
    enum_phrase(tournament.state().as_str_name(), "TOURNAMENT_STATE_")
}

/// Says where a tournament stands, and how far it is.
pub fn progress_words(tournament: &pb::Tournament) -> String {
    let quarantined = format!(", quarantined: {}", tournament.damage);
    let waiting = match tournament.pause() {
        _ if !tournament.damage.is_empty() => quarantined.as_str(),
        pb::OpenMatches::Freeze => ", paused: open matches wait",
        pb::OpenMatches::Finish => ", paused",
        pb::OpenMatches::Unspecified if tournament.awaits_bots => ", waiting for bots to join",
        pb::OpenMatches::Unspecified => "",
    };
    match (tournament.state(), tournament.matches_total) {
        (pb::TournamentState::Open, _) | (pb::TournamentState::Cancelled, 0) => state_words(tournament),
        (_, 0) => {
            let played = count_words(tournament.matches_played, "match", "matches");
            format!("{}, {played} played{waiting}", state_words(tournament))
        }
        (_, total) => {
            format!(
                "{}, {} of {total} matches played{waiting}",
                state_words(tournament),
                tournament.matches_played
            )
        }
    }
}

/// Says in one line where a tournament stands.
pub fn progress_line(tournament: &pb::Tournament) -> String {
    format!("tournament {}: {}", tournament.id, progress_words(tournament))
}

/// Puts the titles of tournaments and their states before all else, so that what a narrow page shows without scrolling says what each is; other tables stay
/// as they are.
pub fn titles_first(table: Table) -> Table {
    if table.columns.iter().all(|column| column.key != "title") {
        return table;
    }
    table
        .with_column_first("state")
        .with_column_first("title")
        .with_column_last("created_utc")
        .with_column_last("id")
}

/// Says in one line how much time seats have.
pub fn clock_line(clock: &pb::Clock) -> String {
    format!(
        "{} ms and {} ms a take; {} ms to declare; lag given back: {} ms a take, {} ms in all",
        clock.initial_ms, clock.increment_ms, clock.declaration_ms, clock.lag_quota_ms, clock.lag_total_ms
    )
}

/// Says in one line which matches keep their records.
fn retention_line(retention: Option<&pb::Retention>) -> String {
    let Some(&pb::Retention { matches, days }) = retention else { return "all are kept".to_owned() };
    let newest = (matches > 0).then(|| format!("of the newest {}", count_words(matches, "match", "matches")));
    let young = (days > 0).then(|| format!("of the last {}", count_words(days, "day", "days")));
    let kept: Vec<_> = newest.into_iter().chain(young).collect();
    format!("those {} are kept", kept.join(" and "))
}

/// Reports all that is known of a tournament, what its format says besides the standings, what the organiser did, and what goes on.
pub fn tournament_report(tournament: &pb::Tournament, shown: &pb::GetTournamentResponse) -> Report {
    let settings = tournament.settings.clone().unwrap_or_default();
    let clock = settings.clock.unwrap_or_default();
    let mut alliance = enum_word(settings.alliance().as_str_name(), "ALLIANCE_MODE_");
    if let Some(matrix) = &settings.alliance_matrix {
        alliance = format!("{alliance}: {}", matrix_words(&matrix.rows));
    }
    let field = match tournament.field.as_slice() {
        [] => "nobody yet".to_owned(),
        field => field.join(", "),
    };
    let start_at = match settings.start_at {
        0 => "when told to".to_owned(),
        bots => format!("by itself with {bots} bots"),
    };
    let mut at_once = count_words(settings.concurrency, "match", "matches");
    if settings.bot_concurrency > 0 {
        at_once = format!("{at_once}, {} of a bot", settings.bot_concurrency);
    }
    let facts = [
        ("id", tournament.id.clone().into()),
        ("title", settings.title.clone().into()),
        ("created", Fact::At(tournament.created_at_us)),
        ("state", progress_words(tournament).into()),
        ("field", field.into()),
        ("starts", start_at.into()),
        ("seats", settings.seats.to_string().into()),
        ("format", format_line(&settings).into()),
        ("positions", positions_line(&settings).into()),
        ("ending", enum_word(settings.ending().as_str_name(), "ENDING_").into()),
        ("rows", alliance.into()),
        ("scoring", enum_word(settings.scoring().as_str_name(), "SCORING_").into()),
        ("records", retention_line(settings.retention.as_ref()).into()),
        ("oracle", enum_word(settings.oracle().as_str_name(), "ORACLE_ACCESS_").into()),
        ("seed", settings.seed.to_string().into()),
        ("methods", format!("version {}", settings.methods).into()),
        ("clock", clock_line(&clock).into()),
        ("strikes", settings.strikes.to_string().into()),
        ("max plies", settings.max_plies.to_string().into()),
        ("at once", at_once.into()),
    ];
    let dated =
        |event: &pb::TournamentEvent| format!("{} UTC: {}", format_time(event.at_us), event_line(event));
    let section = Section::new().facts(facts).paragraphs(format_verdict_lines(shown.verdict.as_ref()));
    let section = section.paragraphs(shown.events.iter().map(dated));
    [section].into_iter().chain(shown.activity.as_ref().map(activity_section)).collect()
}

/// Makes a table of tournaments, a row for each.
pub fn tournament_table(tournaments: &[pb::Tournament]) -> Table {
    let settings = |tournament: &pb::Tournament| tournament.settings.clone().unwrap_or_default();
    let total = |total: u64| if total == 0 { Cell::NONE } else { total.into() };
    Table::of_items(tournaments)
        .column(Column::text("id"), |tournament| tournament.id.clone())
        .column(Column::text("created (UTC)"), |tournament| Cell::Time(tournament.created_at_us))
        .column(Column::text("state"), state_words)
        .column(Column::text("format"), move |tournament| format_name(&settings(tournament)))
        .column(Column::integer("seats"), move |tournament| settings(tournament).seats)
        .column(Column::integer("bots"), |tournament| tournament.field.len())
        .column(Column::integer("played"), |tournament| tournament.matches_played)
        .column(Column::integer("of"), move |tournament| total(tournament.matches_total))
        .column(Column::text("title").naming("id"), move |tournament| settings(tournament).title)
        .into_table()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_one_line() {
        let told = |matches, days| retention_line(Some(&pb::Retention { matches, days }));
        assert_eq!(told(1_000, 1), "those of the newest 1000 matches and of the last 1 day are kept");
        assert_eq!(told(0, 30), "those of the last 30 days are kept");
        assert_eq!(retention_line(None), "all are kept");
    }

    #[test]
    fn what_is_played_is_told_where_the_end_is_not_known() {
        let told = |state: pb::TournamentState, matches_played, matches_total| {
            let state = state.into();
            progress_words(&pb::Tournament { state, matches_played, matches_total, ..Default::default() })
        };
        assert_eq!(told(pb::TournamentState::Open, 0, 0), "open");
        assert_eq!(told(pb::TournamentState::Running, 7, 0), "running, 7 matches played");
        assert_eq!(told(pb::TournamentState::Finished, 6, 6), "finished, 6 of 6 matches played");
        assert_eq!(told(pb::TournamentState::Cancelled, 0, 0), "cancelled");
    }
}
