//! The standings of a tournament.

use super::{
    Cell, CellParts, Column, MarkShape, NumberFormat, NumberUnit, Plot, PlotMark, Report, Section, Table,
    cross_table::cross_table_sections,
    tournament::{progress_line, progress_text},
    tournament_events::event_lines,
    verdict::{format_verdict_lines, format_verdict_plot, tie_break_text},
    versions::versions_note,
    words::shortened_list,
};
use lastnim_proto::pb;
use std::collections::BTreeMap;

/// Reports standings, the verdict of the format, and the cross-table if there is one.
pub fn standings_report(standings: &pb::GetStandingsResponse) -> Report {
    let pb::GetStandingsResponse { standings: lines, verdict, events, .. } = standings;
    let is_running = standings.state() == pb::TournamentState::Running;
    let progress = is_running.then(|| {
        progress_text(&pb::Tournament {
            state: standings.state,
            matches_played: standings.matches_played,
            matches_total: standings.matches_total,
            ..Default::default()
        })
    });
    let section = Section::new().paragraphs(progress);
    let section = with_standings_and_verdict(section, (standings.order(), lines), verdict.as_ref(), events);
    let measure = StandingMeasure::of_standings(lines).word;
    [section].into_iter().chain(cross_table_sections(&standings.cross_table, lines, measure)).collect()
}

/// Adds notes on ratings that cannot be compared, on versions of bots, and on the verdict of the format.
pub fn standings_notes(
    section: Section,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
) -> Section {
    let section = section
        .paragraphs(islands_note(standings))
        .paragraphs(standings.iter().filter_map(|line| versions_note(&line.bot, &line.versions)))
        .paragraphs(format_verdict_lines(verdict));
    format_verdict_plot(verdict).into_iter().fold(section, Section::plot)
}

/// Reports a tournament's progress, standings and verdict.
pub fn progress_report(seen: &pb::WatchTournamentResponse) -> Report {
    let section = Section::new().paragraphs(seen.tournament.iter().map(progress_line));
    let ordered = (seen.order(), seen.standings.as_slice());
    with_standings_and_verdict(section, ordered, seen.verdict.as_ref(), &seen.events).into()
}

fn with_standings_and_verdict(
    section: Section,
    (order, standings): (pb::StandingsOrder, &[pb::Standing]),
    verdict: Option<&pb::Verdict>,
    events: &[pb::TournamentEvent],
) -> Section {
    let section = section.table(standings_table(standings)).paragraphs(order_note(order, standings));
    let section = standings_notes(section, standings, verdict).paragraphs(event_lines(events));
    let marks: Vec<_> = standings.iter().filter_map(rating_plot_mark).collect();
    if marks.len() < 2 {
        return section;
    }
    let shown = StandingMeasure::of_standings(standings);
    let caption = format!("Ratings by {}, with their 95% intervals", shown.word);
    section.plot(Plot { caption, shape: MarkShape::Intervals, format: shown.format, marks })
}

/// How ratings of one measure are shown.
#[derive(Debug, Clone, Copy)]
pub struct StandingMeasure {
    /// The name of the measure.
    pub word: &'static str,
    /// The format of its numbers.
    pub format: NumberFormat,
    /// What the numbers mean.
    pub meaning: &'static str,
}

impl StandingMeasure {
    /// Returns how to show the ratings of these standings, which all have the same measure.
    pub fn of_standings(standings: &[pb::Standing]) -> Self {
        match standings.iter().find_map(|standing| standing.rating.as_ref()).map(pb::BotRating::measure) {
            Some(pb::RatingMeasure::Satisfaction) => Self {
                word: "satisfaction",
                format: NumberFormat { is_signed: true, ..NumberFormat::new(NumberUnit::Points, 3) },
                meaning: "satisfaction per match (0 to 1), minus the mean of all bots with the same piles, seat and wants",
            },
            _ => Self {
                word: "wins",
                format: NumberFormat::new(NumberUnit::Points, 0),
                meaning: "based on wins: a bot with 400 points more than another at its table wins ten times as often",
            },
        }
    }
}

/// Tabulates standings, a row for each bot.
pub fn standings_table(standings: &[pb::Standing]) -> Table {
    let is_whole = standings.iter().all(|standing| standing.points.fract() == 0.0);
    let measure = StandingMeasure::of_standings(standings);
    let is_rated = standings.iter().any(|standing| standing.rating.is_some());
    let label = if is_rated { format!("rating ({})", measure.word) } else { "rating".to_owned() };
    let column =
        Column { format: measure.format, label, ..Column::integer("rating").with_parts(CellParts::Estimate) };
    let column = if is_rated { column.with_meaning(measure.meaning) } else { column };
    let rating = |rating: &pb::BotRating| {
        let &pb::BotRating { points: value, low, high, .. } = rating;
        Cell::Estimate { value, low, high }
    };
    let has_ranges = standings.iter().any(|standing| standing.place_range.is_some());
    let places =
        Column::text("places").with_meaning("places that its strength may deserve, with a confidence of 95%");
    let table = Table::of_items(standings)
        .column(Column::integer("place"), |standing| standing.place)
        .column_if(has_ranges, places, |standing| {
            standing.place_range.map(|range| place_range_text(&range, " to ")).unwrap_or_default()
        })
        .column(Column::text("bot"), |standing| standing.bot.clone())
        .column(Column::number("points", NumberUnit::Points, if is_whole { 0 } else { 2 }), |standing| {
            standing.points
        })
        .column(Column::integer("matches"), |standing| standing.matches)
        .column(Column::integer("wins"), |standing| standing.wins)
        .column(
            Column::number("accuracy", NumberUnit::Share, 1)
                .with_meaning("share of its own takes that were optimal for what it wants"),
            |standing| standing.accuracy,
        )
        .column(
            Column::number("own errors", NumberUnit::Ranks, 2).with_key("regret_per_match").with_meaning(
                "places in its preference order that it lost by its own errors, per match (its regret)",
            ),
            |standing| standing.regret_per_match,
        )
        .column(
            Column::number("luck", NumberUnit::Ranks, 2).with_key("luck_per_match").with_sign().with_meaning(
                "places in its preference order that it gained by the errors of others, per match",
            ),
            |standing| standing.luck_per_match,
        )
        .column(Column::integer("forfeits"), |standing| standing.forfeits)
        .column(column, move |standing| standing.rating.as_ref().map(rating));
    let has_dealt_rows = standings.iter().any(|standing| standing.relative_satisfaction.is_some());
    let relative = Column::number("vs honest", NumberUnit::Points, 3).with_sign().with_meaning(
        "satisfaction per match by what it was dealt, minus what optimal play would have given if all had declared what they were dealt",
    );
    let table = table.column_if(has_dealt_rows, relative, |standing| standing.relative_satisfaction);
    let has_ties = standings.iter().any(|standing| standing.tie_break() != pb::TieBreak::Unspecified);
    let tie_break = Column::text("tie-break").with_meaning("what decided between bots that were level");
    table
        .column_if(has_ties, tie_break, |standing| tie_break_text(standing.tie_break()).unwrap_or_default())
        .into_table()
}

/// Writes a range of places, such as `1 to 3` if ` to ` is between them, or `2` if it has only one place. Spreadsheets
/// read `1-3` as a date.
pub fn place_range_text(&pb::PlaceRange { best, worst }: &pb::PlaceRange, between: &str) -> String {
    if best == worst { best.to_string() } else { format!("{best}{between}{worst}") }
}

fn rating_plot_mark(standing: &pb::Standing) -> Option<PlotMark> {
    let rating = standing.rating.as_ref()?;
    Some(PlotMark {
        label: standing.bot.clone(),
        value: rating.points,
        interval: Some((rating.low, rating.high)),
    })
}

/// Says which ratings cannot be compared; `None` if all can.
fn islands_note(standings: &[pb::Standing]) -> Option<String> {
    let mut islands: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for standing in standings {
        if let Some(rating) = &standing.rating {
            islands.entry(rating.island).or_default().push(&standing.bot);
        }
    }
    let islands: Vec<_> = islands.values().map(|bots| bots.join(", ")).collect();
    (islands.len() > 1).then(|| {
        let islands = shortened_list(&islands, " | ");
        format!("some ratings cannot be compared, because no chain of matches connects their bots: {islands}")
    })
}

/// Says how bots are ordered, unless they are ordered by points, and how many matches they have played if that differs.
pub fn order_note(order: pb::StandingsOrder, standings: &[pb::Standing]) -> Option<String> {
    let order_text = match order {
        pb::StandingsOrder::Unspecified | pb::StandingsOrder::Points => return None,
        pb::StandingsOrder::Bracket => return Some("ordered by how far bots got in the knockout".to_owned()),
        pb::StandingsOrder::PointsPerMatch => "ordered by points per match",
        pb::StandingsOrder::Rating => "ordered by rating",
    };
    let matches = || standings.iter().map(|standing| standing.matches);
    let (least, most) = (matches().min().unwrap_or(0), matches().max().unwrap_or(0));
    if most == 0 {
        return None;
    }
    let played = (least != most)
        .then(|| format!(", because the bots have played different numbers of matches ({least} to {most})"));
    Some(format!("{order_text}{}", played.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_texts(standing: &pb::Standing) -> Vec<String> {
        let table = standings_table(std::slice::from_ref(standing));
        let cells = table.columns.iter().zip(&table.rows[0].cells);
        cells.map(|(column, cell)| cell.display_text(column.format)).collect()
    }

    fn rated_standing(bot: &str, island: u32) -> pb::Standing {
        pb::Standing {
            place: 1,
            bot: bot.into(),
            points: 12.0,
            matches: 20,
            wins: 12,
            satisfaction: Some(0.75),
            accuracy: Some(1.0),
            regret_per_match: Some(0.0),
            luck_per_match: Some(0.5),
            rating: Some(pb::BotRating { points: 1601.2, low: 1571.0, high: 1631.4, island, measure: 0 }),
            ..pb::Standing::default()
        }
    }

    #[test]
    fn each_bot_has_a_row() {
        let first = rated_standing("oracle", 0);
        let expected = ["1", "oracle", "12", "20", "12", "100.0%", "0.00", "+0.50", "0", "1601 ±30"];
        assert_eq!(cell_texts(&first), expected);
        let last = pb::Standing { place: 2, bot: "late".into(), ..pb::Standing::default() };
        assert_eq!(cell_texts(&last), ["2", "late", "0", "0", "0", "-", "-", "-", "0", "-"]);
        let half = pb::Standing { points: 2.5, ..first };
        assert_eq!(cell_texts(&half)[2], "2.50");
    }

    #[test]
    fn places_within_noise_are_shown() {
        let ranged = |best, worst| pb::Standing {
            place_range: Some(pb::PlaceRange { best, worst }),
            ..rated_standing("ann", 0)
        };
        let table = standings_table(&[ranged(1, 3), ranged(2, 2), rated_standing("guest", 0)]);
        assert_eq!(table.columns[1].label, "places");
        let cells: Vec<_> = table.rows.iter().map(|row| row.cells[1].clone()).collect();
        assert_eq!(cells, ["1 to 3", "2", ""].map(Cell::from));
    }

    #[test]
    fn tie_breaks_are_named() {
        let second = |tie_break: pb::TieBreak| {
            let bob = pb::Standing { place: 2, tie_break: tie_break.into(), ..rated_standing("bob", 0) };
            let table = standings_table(&[rated_standing("ann", 0), bob]);
            (table.columns.last().unwrap().label.clone(), table.rows[1].cells.last().unwrap().clone())
        };
        assert_eq!(second(pb::TieBreak::Lot), ("tie-break".to_owned(), Cell::from("by lot")));
        assert_eq!(second(pb::TieBreak::HeadToHead).1, Cell::from("head to head"));
        assert_eq!(second(pb::TieBreak::Unspecified).0, "rating (wins)");
    }

    #[test]
    fn the_note_states_the_order_of_the_standings() {
        let (order, late) = (pb::StandingsOrder::Rating, pb::Standing::default());
        assert_eq!(order_note(order, &[rated_standing("a", 0)]).unwrap(), "ordered by rating");
        assert_eq!(
            order_note(order, &[rated_standing("a", 0), late]).unwrap(),
            "ordered by rating, because the bots have played different numbers of matches (0 to 20)"
        );
        assert_eq!(order_note(pb::StandingsOrder::Points, &[]), None);
    }

    #[test]
    fn standings_of_a_running_tournament_show_the_matches_played() {
        let standings = pb::GetStandingsResponse {
            standings: vec![rated_standing("a", 0)],
            state: pb::TournamentState::Running.into(),
            matches_played: 12,
            matches_total: 40,
            ..Default::default()
        };
        let text = |standings: &pb::GetStandingsResponse| {
            crate::render::Terminal::without_styles().report_text(&standings_report(standings))
        };
        assert!(text(&standings).starts_with("running, 12 of 40 matches played\n"), "{}", text(&standings));
        let final_standings =
            pb::GetStandingsResponse { state: pb::TournamentState::Finished.into(), ..standings };
        assert!(!text(&final_standings).contains("played"), "{}", text(&final_standings));
    }

    #[test]
    fn ratings_name_their_measure() {
        let rated_line = |measure: pb::RatingMeasure, points| {
            let rating = pb::BotRating {
                points,
                low: points - 0.03,
                high: points + 0.03,
                island: 0,
                measure: measure.into(),
            };
            let standing = pb::Standing { rating: Some(rating), ..rated_standing("oracle", 0) };
            let label = standings_table(std::slice::from_ref(&standing)).columns.pop().unwrap().label;
            (label, cell_texts(&standing).pop().unwrap())
        };
        let (label, cell) = rated_line(pb::RatingMeasure::Satisfaction, 0.1234);
        assert_eq!((label.as_str(), cell.as_str()), ("rating (satisfaction)", "+0.123 ±0.030"));
        assert_eq!(rated_line(pb::RatingMeasure::Wins, 1500.0).0, "rating (wins)");
    }

    #[test]
    fn a_note_lists_the_bots_with_unconnected_ratings() {
        let standings = [rated_standing("a", 0), rated_standing("b", 1), rated_standing("c", 0)];
        assert_eq!(islands_note(&standings[..1]), None);
        let note = islands_note(&standings).unwrap();
        assert!(note.ends_with(": a, c | b"), "{note}");
    }
}
