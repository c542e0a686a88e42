//! The standings of a tournament, as a table.

use super::{
    cross_table,
    table::{self, align_left, table},
    verdict,
};
use crate::{
    cli::{Failure, form::Form},
    wire::pb,
};
use comfy_table::Table;
use std::io::{self, Write};

const COLUMNS: [&str; 9] =
    ["place", "bot", "points", "matches", "wins", "accuracy", "regret/match", "luck/match", "forfeits"];

/// Makes the table of the standings without ratings, a bot a row.
pub fn standings_table(standings: &[pb::Standing]) -> Table {
    filled(&COLUMNS, rows(standings))
}

/// Makes the table of the standings with ratings behind, a bot a row.
fn rated_table(standings: &[pb::Standing]) -> Table {
    let mut rows = rows(standings);
    for (row, standing) in rows.iter_mut().zip(standings) {
        row.push(standing.rating.as_ref().map_or_else(|| "-".to_owned(), rating));
    }
    filled(&[&COLUMNS[..], &["rating"]].concat(), rows)
}

fn filled(columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let mut table = table(columns);
    align_left(&mut table, &[1]);
    table.add_rows(rows);
    table
}

fn rows(standings: &[pb::Standing]) -> Vec<Vec<String>> {
    let whole = standings.iter().all(|standing| standing.points.fract() == 0.0);
    let decimals = if whole { 0 } else { 2 };
    let row = |standing: &pb::Standing| {
        vec![
            standing.place.to_string(),
            standing.bot.clone(),
            format!("{:.decimals$}", standing.points),
            standing.matches.to_string(),
            standing.wins.to_string(),
            figure(standing.accuracy, |share| format!("{:.1}%", 100.0 * share)),
            figure(standing.regret_per_match, |ranks| format!("{ranks:.2}")),
            figure(standing.luck_per_match, |ranks| format!("{ranks:+.2}")),
            standing.forfeits.to_string(),
        ]
    };
    standings.iter().map(row).collect()
}

/// Writes a rating with half the width of its interval, which lies evenly around it.
fn rating(rating: &pb::BotRating) -> String {
    format!("{:.0} ±{:.0}", rating.points, (rating.high - rating.low) / 2.0)
}

/// Says what the table leaves out of the ratings, if there is something.
fn islands_note(standings: &[pb::Standing]) -> Option<&'static str> {
    let mut islands = standings.iter().filter_map(|standing| Some(standing.rating.as_ref()?.island));
    islands.any(|island| island > 0).then_some(
        "some ratings cannot be compared: no chain of matches joins their bots (--json says which: rating.island)",
    )
}

/// Says what bots are ordered by, where it is not the sum of their points.
fn order_note(standings: &[pb::Standing]) -> Option<&'static str> {
    let falls = |figure: &dyn Fn(&pb::Standing) -> f64| {
        standings.windows(2).all(|pair| figure(&pair[0]) >= figure(&pair[1]) - 1e-9)
    };
    let a_match = |standing: &pb::Standing| standing.points / f64::from(standing.matches.max(1));
    if falls(&|standing| standing.points) {
        None
    } else if falls(&a_match) {
        Some("ordered by points a match: this format gives some bots more matches than others")
    } else {
        Some("ordered by rating: in this format bots meet their like")
    }
}

/// Prints the standings, and below them what the format says besides.
pub fn print_standings(
    output: &mut impl Write,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
) -> io::Result<()> {
    table::print(output, &rated_table(standings))?;
    for note in order_note(standings).into_iter().chain(islands_note(standings)) {
        writeln!(output, "{note}")?;
    }
    verdict::print(output, verdict)
}

/// Prints what `lastnim tournament standings` and `lastnim standings` print: standings, what the format says besides, and the
/// cross-table if it was asked for.
pub fn print_report(report: &pb::GetStandingsResponse, form: Form) -> Result<(), Failure> {
    form.print_message(report, |out| {
        print_standings(out, &report.standings, report.verdict.as_ref())?;
        match report.cross_table.as_slice() {
            [] => Ok(()),
            compared => cross_table::print(out, compared),
        }
    })
}

fn figure(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(standings: &[pb::Standing]) -> String {
        let mut text = Vec::new();
        print_standings(&mut text, standings, None).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_bot_is_a_row() {
        let first = pb::Standing {
            place: 1,
            bot: "oracle".into(),
            points: 12.0,
            matches: 20,
            wins: 12,
            satisfaction: Some(0.75),
            accuracy: Some(1.0),
            regret_per_match: Some(0.0),
            luck_per_match: Some(0.5),
            rating: Some(pb::BotRating { points: 1601.2, low: 1571.0, high: 1631.4, island: 0 }),
            ..pb::Standing::default()
        };
        let last = pb::Standing { place: 2, bot: "late".into(), ..pb::Standing::default() };
        let text = printed(&[first.clone(), last]);
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0].len(), 10);
        assert_eq!(
            words[1],
            ["1", "oracle", "12", "20", "12", "100.0%", "0.00", "+0.50", "0", "1601", "±30"]
        );
        assert_eq!(words[2], ["2", "late", "0", "0", "0", "-", "-", "-", "0", "-"]);
        assert_eq!(islands_note(std::slice::from_ref(&first)), None);

        let half = pb::Standing { points: 2.5, ..first };
        assert!(printed(&[half]).contains(" 2.50 "));
    }
}
