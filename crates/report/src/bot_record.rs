//! A bot's results by opponent and by seat.

use super::{Cell, CellParts, Column, NumberUnit, Section, Table, opponent_scores::wilson_interval};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use std::collections::BTreeMap;

const MAX_OPPONENTS: usize = 40;

/// A bot's results against one opponent, or in one seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tally {
    matches: u32,
    /// Matches that the bot won.
    won: u32,
    /// Matches that the opponent won; 0 in the tally of a seat.
    lost_to: u32,
}

/// Reports a bot's results in the matches that have a winner and were not voided: by opponent, the most frequent first,
/// and by seat. Empty without matches.
pub fn bot_record_sections(bot: &str, matches: &[pb::Match]) -> Vec<Section> {
    let mut by_opponent: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut by_seat: BTreeMap<(usize, usize), Tally> = BTreeMap::new();
    for game in matches.iter().filter(|game| game.void_reason.is_empty()) {
        let (Some(setup), Some(winner)) = (&game.setup, game.winner) else { continue };
        let Some(own) = setup.bots.iter().position(|each| each == bot) else { continue };
        let winner = winner as usize;
        let seat = by_seat.entry((setup.bots.len(), own)).or_default();
        seat.matches += 1;
        seat.won += u32::from(winner == own);
        for (seat, opponent) in setup.bots.iter().enumerate().filter(|&(seat, _)| seat != own) {
            let tally = by_opponent.entry(opponent).or_default();
            tally.matches += 1;
            tally.won += u32::from(winner == own);
            tally.lost_to += u32::from(winner == seat);
        }
    }
    if by_seat.is_empty() {
        return Vec::new();
    }
    let mut opponents: Vec<_> = by_opponent.into_iter().collect();
    opponents.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.matches));
    let opponents = Table::of_items(&opponents)
        .column(Column::text("opponent").with_key("bot"), |(opponent, _)| (*opponent).to_owned())
        .column(Column::integer("matches"), |(_, tally)| tally.matches)
        .column(Column::integer("won").with_meaning("matches that this bot won"), |(_, tally)| tally.won)
        .column(
            Column::integer("lost to it").with_meaning(
                "matches that the opponent won; other bots won the matches that neither of the two won",
            ),
            |(_, tally)| tally.lost_to,
        )
        .column(share_column(), |(_, tally)| share_cell(*tally))
        .column(interval_column(), |(_, tally)| interval_cell(*tally))
        .into_table();
    let seats: Vec<_> = by_seat.into_iter().collect();
    let seats = Table::of_items(&seats)
        .column(Column::integer("seats"), |((seats, _), _)| *seats)
        .column(Column::integer("seat"), |((_, seat), _)| shown_number(*seat))
        .column(Column::integer("matches"), |(_, tally)| tally.matches)
        .column(Column::integer("won"), |(_, tally)| tally.won)
        .column(share_column(), |(_, tally)| share_cell(*tally))
        .column(interval_column(), |(_, tally)| interval_cell(*tally))
        .into_table();
    let opponents = Table { max_shown: Some(MAX_OPPONENTS), ..opponents };
    vec![Section::with_heading("By opponent").table(opponents), Section::with_heading("By seat").table(seats)]
}

fn share_column() -> Column {
    Column::number("share", NumberUnit::Share, 0).with_meaning("share of the matches that this bot won")
}

fn interval_column() -> Column {
    Column::number("95% interval", NumberUnit::Share, 0)
        .with_key("share")
        .with_parts(CellParts::Interval)
        .with_meaning(
            "95% confidence interval of the share, assuming that matches are independent (Wilson's interval)",
        )
}

fn share_cell(tally: Tally) -> Cell {
    if tally.matches == 0 { Cell::NONE } else { (f64::from(tally.won) / f64::from(tally.matches)).into() }
}

fn interval_cell(tally: Tally) -> Cell {
    let interval = wilson_interval(tally.won, tally.matches);
    interval.map_or(Cell::NONE, |(low, high)| Cell::Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Report, render::csv_text};

    #[test]
    fn results_are_counted_by_opponent_and_by_seat() {
        let game = |bots: &[&str], winner| {
            let bots = bots.iter().map(ToString::to_string).collect();
            pb::Match {
                setup: Some(pb::MatchSetup { bots, ..Default::default() }),
                winner,
                ..Default::default()
            }
        };
        let voided = pb::Match { void_reason: "a mistake".into(), ..game(&["a", "b"], Some(0)) };
        let matches = [
            game(&["a", "b", "c"], Some(0)),
            game(&["b", "a", "c"], Some(2)),
            game(&["b", "a"], Some(0)),
            game(&["b", "a"], None),
            game(&["b", "c"], Some(0)),
            voided,
        ];
        let report: Report = bot_record_sections("a", &matches).into_iter().collect();
        let report = csv_text(&report)
            .lines()
            .map(|line| line.rsplitn(3, ',').last().unwrap().to_owned())
            .collect::<Vec<_>>();
        let expected = [
            "opponent,matches,won,lost_to_it,share",
            "b,3,1,1,0.3333333333333333",
            "c,2,1,1,0.5",
            "",
            "seats,seat,matches,won,share",
            "2,2,1,0,0",
            "3,1,1,1,1",
            "3,2,1,0,0",
        ];
        let expected = expected.map(|line| line.replace("opponent,", "bot,"));
        assert_eq!(report, expected);
        assert_eq!(bot_record_sections("z", &matches), []);
    }
}
