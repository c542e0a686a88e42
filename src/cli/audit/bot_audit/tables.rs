//! The tables of an audit of many matches.

use crate::{
    auditing::{Estimate, Favouritism, Figures, Findings, Interval, PairFindings, Slice},
    cli::text::table::{align_left, table},
};
use comfy_table::Table;

/// Returns a figure as it stands in a table.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// A share, in percent.
    Share,
    /// Ranks, or points.
    Ranks,
}

impl Unit {
    fn of(self, value: f64) -> String {
        match self {
            Self::Share => format!("{:.1}%", 100.0 * value),
            Self::Ranks => without_sign_of_zero(format!("{value:.3}")),
        }
    }

    /// Returns a figure by itself.
    pub fn value(self, estimate: Option<Estimate>) -> String {
        estimate.map_or_else(|| "-".to_owned(), |estimate| self.of(estimate.value))
    }

    /// Returns its interval.
    pub fn interval(self, estimate: Option<Estimate>) -> String {
        match estimate.map(|estimate| estimate.interval) {
            None => "-".to_owned(),
            Some(Interval::Between { low, high }) => format!("{} to {}", self.of(low), self.of(high)),
            Some(Interval::TooFewGroups { groups: 1 }) => "too few: 1 group".to_owned(),
            Some(Interval::TooFewGroups { groups }) => format!("too few: {groups} groups"),
        }
    }
}

/// Writes a number with its sign; nothing has none.
pub fn signed(value: f64) -> String {
    without_sign_of_zero(format!("{value:+.3}"))
}

fn without_sign_of_zero(number: String) -> String {
    match number.trim_start_matches(['-', '+']) {
        "0.000" => "0.000".to_owned(),
        _ => number,
    }
}

/// Makes the table of a bot's figures.
pub fn figures(figures: &Figures) -> Table {
    let mut table = table(&["figure", "value", "95% interval"]);
    let rows = [
        ("accuracy", Unit::Share, figures.accuracy),
        ("regret per ply", Unit::Ranks, figures.regret_per_ply),
        ("regret per match", Unit::Ranks, figures.regret_per_match),
        ("luck per match", Unit::Ranks, figures.luck_per_match),
        ("satisfaction", Unit::Ranks, figures.satisfaction),
        ("wins", Unit::Share, figures.win_share),
        ("forfeits", Unit::Share, figures.forfeit_share),
    ];
    for (name, unit, estimate) in rows {
        table.add_row([name.to_owned(), unit.value(estimate), unit.interval(estimate)]);
    }
    align_left(&mut table, &[0]);
    table
}

/// Makes the table of a bot's takes by circumstance, without those in which it made none.
pub fn slices<'a, C: Copy + 'a>(
    title: &str,
    slices: impl IntoIterator<Item = &'a Slice<C>>,
    name: impl Fn(C) -> &'static str,
) -> Table {
    let mut table = table(&[title, "plies", "accuracy", "95% interval", "regret per ply", "95% interval"]);
    for slice in slices.into_iter().filter(|slice| slice.plies > 0) {
        table.add_row([
            name(slice.circumstance).to_owned(),
            slice.plies.to_string(),
            Unit::Share.value(slice.accuracy),
            Unit::Share.interval(slice.accuracy),
            Unit::Ranks.value(slice.regret_per_ply),
            Unit::Ranks.interval(slice.regret_per_ply),
        ]);
    }
    align_left(&mut table, &[0]);
    table
}

/// Makes the table of a field: a line for each bot.
pub fn field(findings: &Findings) -> Table {
    let columns = [
        "bot",
        "matches",
        "plies",
        "accuracy",
        "95% interval",
        "regret per match",
        "95% interval",
        "luck per match",
        "satisfaction",
        "wins",
        "forfeits",
        "kingmaking",
    ];
    let mut table = table(&columns);
    for found in &findings.bots {
        let figures = &found.figures;
        table.add_row([
            found.bot.to_string(),
            figures.matches.to_string(),
            figures.plies.to_string(),
            Unit::Share.value(figures.accuracy),
            Unit::Share.interval(figures.accuracy),
            Unit::Ranks.value(figures.regret_per_match),
            Unit::Ranks.interval(figures.regret_per_match),
            Unit::Ranks.value(figures.luck_per_match),
            Unit::Ranks.value(figures.satisfaction),
            figures.wins.to_string(),
            figures.forfeits.to_string(),
            found.kingmaking.plies.to_string(),
        ]);
    }
    align_left(&mut table, &[0]);
    table
}

/// Makes the table of ordered pairs: the ledger and the test.
pub fn pairs(pairs: &[&PairFindings]) -> Table {
    let columns = [
        "mover -> other",
        "matches",
        "cost",
        "gave",
        "ledger",
        "a match",
        "favouritism an error",
        "p",
        "corrected p",
        "",
    ];
    let mut table = table(&columns);
    for pair in pairs {
        let (favouritism, p_value, corrected) = match pair.favouritism {
            Favouritism::Tested { per_error, p_value, p_corrected } => {
                (signed(per_error), format!("{p_value:.3}"), format!("{p_corrected:.3}"))
            }
            Favouritism::TooFewGroups => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let remark = match pair.untested() {
            Some(untested) => untested.to_string(),
            None if pair.favouritism.is_flagged() => "FLAGGED".to_owned(),
            None => String::new(),
        };
        table.add_row([
            format!("{} -> {}", pair.mover, pair.other),
            pair.matches.to_string(),
            pair.cost.to_string(),
            pair.gave.to_string(),
            if pair.ledger() == 0 { "0".to_owned() } else { format!("{:+}", pair.ledger()) },
            signed(pair.ledger_per_match()),
            favouritism,
            p_value,
            corrected,
            remark,
        ]);
    }
    align_left(&mut table, &[0, 9]);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!([0.0, -0.0004, 0.0004, -0.0006].map(signed), ["0.000", "0.000", "0.000", "-0.001"]);
        assert_eq!(Unit::Ranks.of(-0.0001), "0.000");
    }
}
