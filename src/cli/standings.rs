//! Standings as a table and as JSON.

use crate::wire::pb::Standing;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;

/// The column that holds names; the others hold numbers.
const NAMES: usize = 1;

/// Lays out standings, a line a bot.
pub(super) fn table(standings: &[Standing]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "place",
        "bot",
        "points",
        "matches",
        "wins",
        "accuracy",
        "regret/match",
        "luck/match",
        "forfeits",
    ]);
    for (index, column) in table.column_iter_mut().enumerate() {
        let alignment = if index == NAMES { CellAlignment::Left } else { CellAlignment::Right };
        column.set_cell_alignment(alignment);
    }
    for standing in standings {
        table.add_row([
            standing.place.to_string(),
            standing.bot.clone(),
            points(standing.points),
            standing.matches.to_string(),
            standing.wins.to_string(),
            figure(standing.accuracy.map(|share| 100.0 * share), |share| format!("{share:.1}%")),
            figure(standing.regret_per_match, |regret| format!("{regret:.3}")),
            figure(standing.luck_per_match, |luck| format!("{luck:+.3}")),
            standing.forfeits.to_string(),
        ]);
    }
    table
}

/// Writes standings as an array of objects, their fields named as on the wire; a figure that there is none of is null.
pub(super) fn json(standings: &[Standing]) -> Value {
    standings
        .iter()
        .map(|standing| {
            serde_json::json!({
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

/// Shows whole points without decimals.
fn points(points: f64) -> String {
    if points.fract() == 0.0 { format!("{points:.0}") } else { format!("{points:.2}") }
}

fn figure(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}
