//! Results and comparisons of all pairs of bots.

use super::{
    Cell, CellParts, CellShade, Column, NumberFormat, NumberUnit, Section, Table, words::shortened_list,
};
use lastnim_proto::pb;
use std::collections::{BTreeMap, BTreeSet};

/// The meaning of the table with the results of pairs.
const WON_OF_MET: &str = "matches that the bot in the row won, of all in which both bots played";
/// The meaning of the table that compares the strength of pairs.
const PROBABLY_BETTER: &str = "the probability that the bot in the row is the stronger one";
/// The maximum probability that the note names any bot wrongly as better.
const MAX_ERROR_PROBABILITY: f64 = 0.05;

/// Shows, for each pair of bots in the order of the standings, how many of their common matches the first one won, and
/// the probability that it is the stronger one. `measure` is what the ratings are based on.
pub(super) fn cross_table_sections(
    comparisons: &[pb::Comparison],
    standings: &[pb::Standing],
    measure: &str,
) -> Vec<Section> {
    let met: BTreeSet<_> =
        comparisons.iter().flat_map(|pair| [pair.bot.as_str(), pair.other.as_str()]).collect();
    let mut bots: Vec<_> = met.into_iter().collect();
    bots.sort_by_key(|bot| standings.iter().position(|line| line.bot == *bot).unwrap_or(usize::MAX));
    let won = |wins: u32, matches: u32| Cell::Fraction { part: wins, whole: matches };
    let column = Column::integer("").with_parts(CellParts::Fraction).with_shade(CellShade::Sequential);
    let won = bot_by_bot_table(("won of met", WON_OF_MET), &column, &bots, comparisons, |pair| {
        [won(pair.wins, pair.matches), won(pair.other_wins, pair.matches)]
    });
    let share = Column { format: NumberFormat::new(NumberUnit::Share, 0), ..Column::integer("") };
    let share = share.with_shade(CellShade::Diverging);
    let better = bot_by_bot_table(
        (&format!("better ({measure})"), PROBABLY_BETTER),
        &share,
        &bots,
        comparisons,
        |pair| [pair.probability_better.into(), pair.probability_better.map(|better| 1.0 - better).into()],
    );
    let is_rated = comparisons.iter().any(|pair| pair.probability_better.is_some());
    let won = (!comparisons.is_empty()).then(|| Section::new().table(won));
    let better = is_rated.then(|| Section::new().table(better).paragraphs(certain_leads_note(comparisons)));
    won.into_iter().chain(better).collect()
}

/// Names the pairs in which one bot is significantly better, corrected for all pairs.
fn certain_leads_note(comparisons: &[pb::Comparison]) -> Option<String> {
    let judged =
        comparisons.iter().filter_map(|pair| Some((pair, pair.adjusted_chance?, pair.probability_better?)));
    let judged: Vec<_> = judged.collect();
    let mut behind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (pair, ..) in judged.iter().filter(|(_, chance, _)| *chance <= MAX_ERROR_PROBABILITY) {
        let (better, worse) = match pair.probability_better {
            Some(better) if better < 0.5 => (&pair.other, &pair.bot),
            _ => (&pair.bot, &pair.other),
        };
        behind.entry(better).or_default().push(worse);
    }
    let pairs = match judged.len() {
        0 => return None,
        1 => String::new(),
        pairs => format!(" after correcting for all {pairs} pairs"),
    };
    let certain: Vec<_> = behind
        .iter()
        .map(|(better, worse)| format!("{better} is better than {}", worse.join(", ")))
        .collect();
    let certain = if certain.is_empty() { "none".to_owned() } else { shortened_list(&certain, "; ") };
    Some(format!("significantly better, with 95% confidence{pairs}: {certain}"))
}

/// Tabulates values for pairs of bots in both directions.
fn bot_by_bot_table(
    (title, meaning): (&str, &'static str),
    column: &Column,
    bots: &[&str],
    comparisons: &[pb::Comparison],
    said: impl Fn(&pb::Comparison) -> [Cell; 2],
) -> Table {
    let mut cells: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    for pair in comparisons {
        let (bot, other) = (pair.bot.as_str(), pair.other.as_str());
        cells.extend([(bot, other), (other, bot)].into_iter().zip(said(pair)));
    }
    let columns =
        bots.iter().map(|&bot| Column { key: bot.to_owned(), label: bot.to_owned(), ..column.clone() });
    let mut table =
        Table::new([Column::text(title).with_key("bot").with_meaning(meaning)].into_iter().chain(columns));
    for &bot in bots {
        let cell = |&other: &&str| cells.get(&(bot, other)).cloned().unwrap_or(Cell::NONE);
        table.push_row([bot.into()].into_iter().chain(bots.iter().map(cell)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Report, render::csv_text};

    #[test]
    fn pairs_are_shown_in_both_directions() {
        let pair = |bot: &str, other: &str, [matches, wins, other_wins]: [u32; 3], probability_better| {
            pb::Comparison {
                bot: bot.into(),
                other: other.into(),
                matches,
                wins,
                other_wins,
                probability_better,
                adjusted_chance: probability_better.map(|better| if better > 0.9 { 0.04 } else { 0.3 }),
            }
        };
        let comparisons = [
            pair("a", "b", [6, 3, 1], Some(0.875)),
            pair("a", "c", [0, 0, 0], Some(1.0)),
            pair("b", "c", [2, 0, 2], None),
        ];
        let report: Report = cross_table_sections(&comparisons, &[], "wins").into_iter().collect();
        let expected = "bot,a,a_of,b,b_of,c,c_of\na,,,3,6,0,0\nb,1,6,,,0,2\nc,0,0,2,2,,\n\n\
                        bot,a,b,c\na,,0.875,1\nb,0.125,,\nc,0,,\n";
        assert_eq!(csv_text(&report), expected);
        let said: Vec<_> = report.paragraphs().collect();
        assert_eq!(
            said,
            [
                "significantly better, with 95% confidence after correcting for all 2 pairs: a is better than c"
            ]
        );
        let standings = ["c", "a", "b"].map(|bot| pb::Standing { bot: bot.into(), ..Default::default() });
        let by_place: Report = cross_table_sections(&comparisons, &standings, "wins").into_iter().collect();
        let text = csv_text(&by_place);
        assert!(text.starts_with("bot,c,c_of,a,a_of,b,b_of\nc,,,0,0,2,2\n"), "{text}");
        assert_eq!(cross_table_sections(&comparisons[2..], &[], "wins").len(), 1);
        assert_eq!(cross_table_sections(&[], &[], "wins"), []);
        let said = certain_leads_note(&comparisons[..1]).unwrap();
        assert_eq!(said, "significantly better, with 95% confidence: none");
    }
}
