//! Who wins at whose tables and who is better than whom, as tables.

use super::table::{self, align_left, table};
use crate::wire::pb;
use comfy_table::Table;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

/// Prints, in the row of a bot and the column of another, how many of the matches in which both sat the bot of the row won, and
/// how likely it is the stronger.
pub fn print(output: &mut impl Write, compared: &[pb::Comparison]) -> io::Result<()> {
    writeln!(output)?;
    table::print(output, &won(compared))?;
    if compared.iter().any(|pair| pair.probability_better.is_some()) {
        writeln!(output)?;
        table::print(output, &better(compared))?;
    }
    Ok(())
}

fn won(compared: &[pb::Comparison]) -> Table {
    let cell = |wins, matches| (matches > 0).then(|| format!("{wins}/{matches}"));
    square("won/met", compared, |pair| [cell(pair.wins, pair.matches), cell(pair.other_wins, pair.matches)])
}

fn better(compared: &[pb::Comparison]) -> Table {
    let cell = |probability: f64| format!("{:.0}%", 100.0 * probability);
    square("better", compared, |pair| {
        [pair.probability_better.map(cell), pair.probability_better.map(|better| cell(1.0 - better))]
    })
}

/// Makes a table with a row and a column for each bot, from what is said of two, seen from the one and from the other.
fn square(
    title: &str,
    compared: &[pb::Comparison],
    said: impl Fn(&pb::Comparison) -> [Option<String>; 2],
) -> Table {
    let mut cells: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut bots = BTreeSet::new();
    for pair in compared {
        let (bot, other) = (pair.bot.as_str(), pair.other.as_str());
        bots.extend([bot, other]);
        for (place, cell) in [(bot, other), (other, bot)].into_iter().zip(said(pair)) {
            cells.extend(cell.map(|cell| (place, cell)));
        }
    }
    let columns: Vec<&str> = [title].into_iter().chain(bots.iter().copied()).collect();
    let mut table = table(&columns);
    align_left(&mut table, &[0]);
    for &bot in &bots {
        let cell = |other: &&str| cells.get(&(bot, *other)).cloned().unwrap_or_else(|| "-".to_owned());
        table.add_row([bot.to_owned()].into_iter().chain(bots.iter().map(cell)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_seen_from_both() {
        let pair = |bot: &str, other: &str, [matches, wins, other_wins]: [u32; 3], probability_better| {
            pb::Comparison {
                bot: bot.into(),
                other: other.into(),
                matches,
                wins,
                other_wins,
                probability_better,
            }
        };
        let compared = [
            pair("a", "b", [6, 3, 1], Some(0.875)),
            pair("a", "c", [0, 0, 0], Some(1.0)),
            pair("b", "c", [2, 0, 2], None),
        ];
        let mut text = Vec::new();
        print(&mut text, &compared).unwrap();
        let text = String::from_utf8(text).unwrap();
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected = [
            &[][..],
            &["won/met", "a", "b", "c"],
            &["a", "-", "3/6", "-"],
            &["b", "1/6", "-", "0/2"],
            &["c", "-", "2/2", "-"],
            &[],
            &["better", "a", "b", "c"],
            &["a", "-", "88%", "100%"],
            &["b", "12%", "-", "-"],
            &["c", "0%", "-", "-"],
        ];
        assert_eq!(words, expected, "{text}");
    }
}
