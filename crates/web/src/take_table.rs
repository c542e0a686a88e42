//! The table of takes around a position.

use super::address::{OracleView, PageAddress, link_of_cell};
use super::replay::Replay;
use lastnim_core::game::MatchId;
use lastnim_core::oracle::TakeRange;
use lastnim_proto::pb;
use lastnim_report::render::Html;
use lastnim_report::{
    BlockTone, Column, Section, Table, TableRow, explanation::take_range_words, ledger::ledger_section,
    match_events::SeatNames,
};
use std::ops::Range;

/// The number of takes shown before and after the position.
const PLIES_AROUND: u32 = 30;

/// The table of takes around a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakeTable<'a> {
    pub id: MatchId,
    /// The events of the match.
    pub replay: &'a Replay,
    /// The audit, if it is to be shown.
    pub audit: Option<&'a pb::Audit>,
    pub ply: u32,
    /// Whether links show the oracle.
    pub view: OracleView,
}

impl TakeTable<'_> {
    /// Writes the table with its heading; empty before the first take.
    pub(super) fn html(&self) -> String {
        if self.shown_plies().is_empty() {
            return String::new();
        }
        let section = Section::with_heading("Takes").table(self.table());
        Html::with_links(&|key, text| self.link(key, text)).section_html(&section)
    }

    /// Says which takes the table shows; empty if it shows all.
    pub(super) fn note(&self) -> String {
        let (shown, plies) = (self.shown_plies(), self.replay.plies());
        if shown.len() as u32 == plies {
            return String::new();
        }
        format!("Plies {} to {}, out of {plies}.", shown.start, shown.end - 1)
    }

    /// Writes the ranks that errors cost and gave each seat, if the oracle is shown.
    pub(super) fn ledger_html(&self) -> String {
        let players = SeatNames::of_setup(&self.replay.setup);
        let section = self.audit.filter(|_| !self.shown_plies().is_empty());
        let section = section.and_then(|audit| ledger_section(audit, &players));
        section.map(|section| Html::with_links(&link_of_cell).section_html(&section)).unwrap_or_default()
    }

    /// Writes each row, with the number of its event.
    pub(super) fn numbered_rows(&self) -> Vec<(u64, String)> {
        let (table, link) = (self.table(), |key: &str, text: &str| self.link(key, text));
        let rows = self.shown_plies().zip(&table.rows);
        let row = |(ply, row): (u32, &TableRow)| {
            let event = self.replay.take_at(ply)?.event;
            Some((event, Html::with_links(&link).row_html(&table, row)))
        };
        rows.filter_map(row).collect()
    }

    /// Returns the plies in the table.
    fn shown_plies(&self) -> Range<u32> {
        let from = self.ply.saturating_sub(PLIES_AROUND + 1);
        from..self.replay.plies().min(self.ply + PLIES_AROUND)
    }

    fn link(&self, key: &str, text: &str) -> Option<String> {
        let after = text.parse::<u32>().ok().filter(|_| key == "ply")? + 1;
        Some(PageAddress::Match { id: self.id, ply: Some(after), oracle: self.view }.to_string())
    }

    fn seat_words(&self, seat: u32) -> String {
        let bot = self.replay.setup.bots.get(seat as usize).map(String::as_str).unwrap_or_default();
        format!("seat {seat} ({bot})")
    }

    fn table(&self) -> Table {
        let mut columns = vec![
            Column::text("ply").right_aligned(),
            Column::text("seat"),
            Column::integer("take"),
            Column::integer("of"),
            Column::integer("ms").with_meaning("the time charged to the seat's clock"),
        ];
        if self.audit.is_some() {
            columns.extend([
                Column::text("optimal").with_meaning("the optimal takes"),
                Column::text("winner").with_meaning("who wins under optimal play after the take"),
                Column::integer("regret").with_meaning("the ranks that the take cost its seat"),
            ]);
        }
        let mut table = Table::new(columns);
        for ply in self.shown_plies() {
            let Some(take) = self.replay.take_at(ply) else { continue };
            let seat = self.seat_words(take.took.seat);
            let seat = if take.took.steward { format!("{seat}, by the steward") } else { seat };
            let mut cells = vec![
                ply.to_string().into(),
                seat.into(),
                take.took.take.into(),
                take.counters.into(),
                (take.took.charged_us / 1_000).into(),
            ];
            let found = self.audit.and_then(|audit| audit.plies.get(ply as usize));
            if let Some(found) = found {
                cells.extend([
                    take_ranges(&found.optimal_takes).into(),
                    self.seat_words(found.predicted_after).into(),
                    found.regret.into(),
                ]);
            }
            let row = table.push_row(cells);
            if found.is_some_and(|found| found.regret > 0) {
                row.tone = BlockTone::Alert;
            }
        }
        table
    }
}

/// Formats ranges of takes.
pub(super) fn take_ranges(ranges: &[pb::TakeRange]) -> String {
    let range = |&pb::TakeRange { lo, hi }: &pb::TakeRange| take_range_words(TakeRange { lo, hi });
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}
