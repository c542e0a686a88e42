//! The standings of a tournament, as a table and as JSON.

use super::table::{table, words_in};
use crate::wire::pb;
use comfy_table::Table;
use serde_json::{Value, json};

/// Makes the table of the standings, a bot a row.
pub(super) fn standings_table(standings: &[pb::Standing]) -> Table {
    let columns =
        ["place", "bot", "points", "matches", "wins", "accuracy", "regret/match", "luck/match", "forfeits"];
    let mut table = table(&columns);
    words_in(&mut table, &[1]);
    let whole = standings.iter().all(|standing| standing.points.fract() == 0.0);
    let decimals = if whole { 0 } else { 2 };
    for standing in standings {
        table.add_row([
            standing.place.to_string(),
            standing.bot.clone(),
            format!("{:.decimals$}", standing.points),
            standing.matches.to_string(),
            standing.wins.to_string(),
            figure(standing.accuracy, |share| format!("{:.1}%", 100.0 * share)),
            figure(standing.regret_per_match, |ranks| format!("{ranks:.2}")),
            figure(standing.luck_per_match, |ranks| format!("{ranks:+.2}")),
            standing.forfeits.to_string(),
        ]);
    }
    table
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
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table;

    fn printed(standings: &[pb::Standing]) -> String {
        let mut text = Vec::new();
        table::print(&mut text, &standings_table(standings)).unwrap();
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
            ..pb::Standing::default()
        };
        let last = pb::Standing { place: 2, bot: "late".into(), ..pb::Standing::default() };
        let text = printed(&[first.clone(), last.clone()]);
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0].len(), 9);
        assert_eq!(words[1], ["1", "oracle", "12", "20", "12", "100.0%", "0.00", "+0.50", "0"]);
        assert_eq!(words[2], ["2", "late", "0", "0", "0", "-", "-", "-", "0"]);
        let json = standings_json(&[first.clone(), last]);
        assert_eq!((&json[0]["satisfaction"], &json[1]["accuracy"]), (&json!(0.75), &Value::Null));

        let half = pb::Standing { points: 2.5, ..first };
        assert!(printed(&[half]).contains(" 2.50 "));
    }
}
