//! Who wins at whose tables and who is better than whom.

use super::{Cell, CellParts, Column, NumberFormat, NumberUnit, Section, Table};
use crate::wire::pb;
use std::collections::{BTreeMap, BTreeSet};

/// Shows, in the row of a bot and the column of another, how many of the matches in which both sat the bot of the row won, and
/// how likely it is the stronger.
pub(super) fn cross_table_sections(compared: &[pb::Comparison]) -> Vec<Section> {
    let won = |wins: u32, matches: u32| Cell::Fraction { part: wins, whole: matches };
    let won =
        bot_by_bot_table("won/met", &Column::integer("").with_parts(CellParts::Fraction), compared, |pair| {
            [won(pair.wins, pair.matches), won(pair.other_wins, pair.matches)]
        });
    let share = Column { format: NumberFormat::new(NumberUnit::Share, 0), ..Column::integer("") };
    let better = bot_by_bot_table("better", &share, compared, |pair| {
        [pair.probability_better.into(), pair.probability_better.map(|better| 1.0 - better).into()]
    });
    let is_rated = compared.iter().any(|pair| pair.probability_better.is_some());
    let tables = [(won, !compared.is_empty()), (better, is_rated)];
    tables
        .into_iter()
        .filter(|(_, says_something)| *says_something)
        .map(|(table, _)| Section::new().table(table))
        .collect()
}

/// Makes a table with a row and a column for each bot, from what is said of two, seen from the one and from the other.
fn bot_by_bot_table(
    title: &str,
    column: &Column,
    compared: &[pb::Comparison],
    said: impl Fn(&pb::Comparison) -> [Cell; 2],
) -> Table {
    let mut cells: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    let mut bots = BTreeSet::new();
    for pair in compared {
        let (bot, other) = (pair.bot.as_str(), pair.other.as_str());
        bots.extend([bot, other]);
        cells.extend([(bot, other), (other, bot)].into_iter().zip(said(pair)));
    }
    let columns =
        bots.iter().map(|&bot| Column { key: bot.to_owned(), label: bot.to_owned(), ..column.clone() });
    let mut table = Table::new([Column::text(title).with_key("bot")].into_iter().chain(columns));
    for &bot in &bots {
        let cell = |&other: &&str| cells.get(&(bot, other)).cloned().unwrap_or(Cell::NONE);
        table.push_row([bot.into()].into_iter().chain(bots.iter().map(cell)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Report, render::csv_text};

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
        let report: Report = cross_table_sections(&compared).into_iter().collect();
        let expected = "bot,a,a_of,b,b_of,c,c_of\na,,,3,6,0,0\nb,1,6,,,0,2\nc,0,0,2,2,,\n\n\
                        bot,a,b,c\na,,0.875,1\nb,0.125,,\nc,0,,\n";
        assert_eq!(csv_text(&report), expected);
        assert_eq!(cross_table_sections(&compared[2..]).len(), 1);
        assert_eq!(cross_table_sections(&[]), []);
    }
}
