//! The current activity of a tournament: connected and awaited bots, open matches, and the remaining time.

use super::{
    Cell, Column, Section, Table,
    words::{count_with_noun, format_duration},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;

/// The maximum number of bots named in a line.
const MAX_NAMED: usize = 5;

/// Reports the current activity.
pub fn activity_section(activity: &pb::TournamentActivity) -> Section {
    let facts = [
        ("connected", Some(connected_line(activity))),
        (
            "open",
            (activity.open_matches > 0).then(|| count_with_noun(activity.open_matches, "match", "matches")),
        ),
        ("waiting for", awaited_line(activity)),
        ("time left", activity.time_left.as_ref().map(time_left_line)),
    ];
    let facts = facts.into_iter().filter_map(|(label, fact)| Some((label, fact?)));
    let section = Section::with_heading("Current activity").facts(facts);
    if activity.matches.is_empty() { section } else { section.table(open_match_table(&activity.matches)) }
}

/// Describes the activity in a few lines, for a terminal that is updated repeatedly.
pub fn activity_lines(activity: &pb::TournamentActivity) -> Vec<String> {
    let open = count_with_noun(activity.open_matches, "open match", "open matches");
    let open = (activity.open_matches > 0).then_some(open);
    let first = [Some(format!("connected: {}", connected_line(activity))), open];
    let waiting = awaited_line(activity).map(|line| format!("waiting for {line}"));
    let left = activity.time_left.as_ref().map(|left| format!("time left: {}", time_left_line(left)));
    let first = first.into_iter().flatten().collect::<Vec<_>>().join("; ");
    [Some(first), waiting, left].into_iter().flatten().collect()
}

fn connected_line(activity: &pb::TournamentActivity) -> String {
    let (connected, absent) = (activity.connected_bots, activity.absent_bots);
    let connected_text =
        format!("{connected} of {}", count_with_noun(connected.saturating_add(absent), "bot", "bots"));
    if absent == 0 {
        return connected_text;
    }
    let names = activity.absent.iter().map(String::as_str);
    format!("{connected_text}; absent: {}", list_names(names, absent))
}

/// Describes the bots that matches wait for; `None` without such bots.
fn awaited_line(activity: &pb::TournamentActivity) -> Option<String> {
    let entries = activity.awaited.iter().map(|awaited| {
        let absent = if awaited.connected { "" } else { "absent, " };
        let matches = match awaited.matches {
            1 => String::new(),
            matches => format!("{matches} matches, "),
        };
        format!("{} ({absent}{matches}{})", awaited.bot, format_duration(awaited.waited_ms))
    });
    (activity.awaited_bots > 0).then(|| list_names(entries, activity.awaited_bots))
}

/// Lists the first names, and counts the rest.
fn list_names(words: impl Iterator<Item = impl Into<String>>, all: u32) -> String {
    let named: Vec<String> = words.take(MAX_NAMED).map(Into::into).collect();
    let more = (all as usize).saturating_sub(named.len());
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

fn time_left_line(left: &pb::TournamentTimeLeft) -> String {
    let matches = count_with_noun(left.matches, "match", "matches");
    let longest = format!("at most {} according to the clocks", format_duration(left.longest_ms));
    match left.estimate_ms {
        Some(estimate) => {
            let ended = count_with_noun(left.paced_matches, "match", "matches");
            let took = format_duration(left.paced_ms);
            format!(
                "about {} for {matches}, at the recent pace of {ended} in {took}; {longest}",
                format_duration(estimate)
            )
        }
        None => format!("{matches}; {longest}"),
    }
}

/// Tabulates open matches, a row for each.
fn open_match_table(matches: &[pb::OpenMatch]) -> Table {
    let awaited = |open: &pb::OpenMatch| {
        let bots = open.awaited_seats.iter().filter_map(|&seat| open.bots.get(seat as usize));
        Cell::list(&bots.collect::<Vec<_>>(), ", ")
    };
    let span = |millis: Option<u64>| millis.map(format_duration);
    let left_text = |open: &pb::OpenMatch| match (open.frozen, span(open.left_ms)) {
        (true, left) => Some(format!("{} (stopped)", left.unwrap_or_default()).trim_start().to_owned()),
        (false, left) => left,
    };
    let takes =
        |open: &pb::OpenMatch| if open.declaring { "not begun".to_owned() } else { open.plies.to_string() };
    Table::of_items(matches)
        .column(Column::text("id"), |open| open.match_id.clone())
        .column(Column::integer("match").with_names_for("id"), |open| shown_number(open.number))
        .column(Column::text("bots"), |open| Cell::list(&open.bots, ", "))
        .column(Column::text("takes").right_aligned(), takes)
        .column(Column::text("waits for"), awaited)
        .column(Column::text("waited").right_aligned(), move |open| span(open.waited_ms))
        .column(Column::text("clock left").right_aligned(), left_text)
        .into_table()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awaited_bot(bot: &str, connected: bool, matches: u32) -> pb::AwaitedBot {
        pb::AwaitedBot { bot: bot.to_owned(), connected, matches, waited_ms: 2_500 }
    }

    #[test]
    fn activity_is_described_in_a_few_lines() {
        let mut activity = pb::TournamentActivity { connected_bots: 3, ..Default::default() };
        assert_eq!(activity_lines(&activity), ["connected: 3 of 3 bots"]);
        activity.absent_bots = 7;
        activity.absent = (0..6).map(|bot| format!("b{bot}")).collect();
        activity.open_matches = 1;
        activity.awaited_bots = 2;
        activity.awaited = vec![awaited_bot("ann", true, 1), awaited_bot("b1", false, 4)];
        let left = pb::TournamentTimeLeft { matches: 9, longest_ms: 3_600_000, ..Default::default() };
        activity.time_left = Some(left);
        assert_eq!(
            activity_lines(&activity),
            [
                "connected: 3 of 10 bots; absent: b0, b1, b2, b3, b4 and 2 more; 1 open match",
                "waiting for ann (2.5 s), b1 (absent, 4 matches, 2.5 s)",
                "time left: 9 matches; at most 1 h 0 min according to the clocks",
            ]
        );
        let left = pb::TournamentTimeLeft {
            matches: 1,
            estimate_ms: Some(700),
            paced_matches: 8,
            paced_ms: 5_600,
            longest_ms: 61_000,
        };
        assert_eq!(
            time_left_line(&left),
            "about 0.7 s for 1 match, at the recent pace of 8 matches in 5.6 s; at most 1 min 1 s according to the clocks"
        );
    }
}
