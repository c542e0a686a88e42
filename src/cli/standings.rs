//! The standings of a tournament, as a table and as JSON.

use super::{
    Failure,
    cross_table::{self, cross_table_json},
    form::Form,
    table::{self, table, words_in},
    verdict_report::{self, verdict_json},
};
use crate::wire::pb;
use comfy_table::Table;
use serde_json::{Value, json};
use std::io::{self, Write};

const COLUMNS: [&str; 9] =
    ["place", "bot", "points", "matches", "wins", "accuracy", "regret/match", "luck/match", "forfeits"];

/// Makes the table of the standings without ratings, a bot a row.
pub(super) fn standings_table(standings: &[pb::Standing]) -> Table {
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
    words_in(&mut table, &[1]);
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

/// Prints the standings, and below them what the format says besides.
pub(super) fn print_standings(
    output: &mut impl Write,
    standings: &[pb::Standing],
    verdict: Option<&pb::Verdict>,
) -> io::Result<()> {
    table::print(output, &rated_table(standings))?;
    islands_note(standings).map_or(Ok(()), |note| writeln!(output, "{note}"))?;
    verdict_report::print(output, verdict)
}

/// What `lastnim tournament standings` and `lastnim standings` print: standings, what the format says besides, and the
/// cross-table if it was asked for.
#[derive(Debug)]
pub(super) struct StandingsReport {
    pub(super) standings: Vec<pb::Standing>,
    pub(super) verdict: Option<pb::Verdict>,
    pub(super) cross_table: Option<Vec<pb::Comparison>>,
}

impl StandingsReport {
    /// Prints it, as a text or as JSON.
    pub(super) fn print(&self, form: Form) -> Result<(), Failure> {
        let Self { standings, verdict, cross_table } = self;
        let json = || {
            let mut json =
                json!({ "standings": standings_json(standings), "verdict": verdict_json(verdict.as_ref()) });
            if let Some(compared) = cross_table {
                json["cross_table"] = cross_table_json(compared);
            }
            json
        };
        form.print(json, |out| {
            print_standings(out, standings, verdict.as_ref())?;
            cross_table.as_ref().map_or(Ok(()), |compared| cross_table::print(out, compared))
        })
    }
}

fn figure(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), show)
}

/// Makes the standings' JSON, a list by place, with the names of the proto's fields; what is absent is null.
pub(super) fn standings_json(standings: &[pb::Standing]) -> Value {
    standings
        .iter()
        .map(|standing| {
            json!({
                "place": standing.place,
                "bot": standing.bot,
                "points": standing.points,
                "matches": standing.matches,
                "wins": standing.wins,
                "satisfaction": standing.satisfaction,
                "accuracy": standing.accuracy,
                "regret_per_match": standing.regret_per_match,
                "luck_per_match": standing.luck_per_match,
                "forfeits": standing.forfeits,
                "no_shows": standing.no_shows,
                "rating": standing.rating.as_ref().map(|rating| json!({
                    "points": rating.points,
                    "low": rating.low,
                    "high": rating.high,
                    "island": rating.island,
                })),
                "elo": standing.elo,
                "skill": standing.skill.as_ref().map(|skill| json!({
                    "regret_per_match": skill.regret_per_match,
                    "low": skill.low,
                    "high": skill.high,
                })),
            })
        })
        .collect()
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
        let text = printed(&[first.clone(), last.clone()]);
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0].len(), 10);
        assert_eq!(
            words[1],
            ["1", "oracle", "12", "20", "12", "100.0%", "0.00", "+0.50", "0", "1601", "±30"]
        );
        assert_eq!(words[2], ["2", "late", "0", "0", "0", "-", "-", "-", "0", "-"]);
        let json = standings_json(&[first.clone(), last]);
        assert_eq!((&json[0]["satisfaction"], &json[1]["accuracy"]), (&json!(0.75), &Value::Null));

        assert_eq!(json[0]["rating"], json!({"points": 1601.2, "low": 1571.0, "high": 1631.4, "island": 0}));
        assert_eq!((islands_note(std::slice::from_ref(&first)), &json[1]["rating"]), (None, &Value::Null));

        let half = pb::Standing { points: 2.5, ..first };
        assert!(printed(&[half]).contains(" 2.50 "));
    }
}
