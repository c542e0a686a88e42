//! Who reads a report.

use super::words::{join_items, order_text};
use lastnim_core::game::Position;
use lastnim_proto::pb;
use std::ops::Add;

/// The audience of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportReader {
    /// A command line, whose flags limit the search, and which counts seats and ranks from 0, as its flags and records
    /// do.
    CommandLine,
    /// A page, which explains the columns of its tables, and counts seats and ranks from 1.
    Page,
}

impl ReportReader {
    /// Returns the number that the reader sees for a seat or a rank, given its number counted from 0.
    pub fn number<T: Add<Output = T> + From<bool>>(self, index: T) -> T {
        index + T::from(self == Self::Page)
    }

    /// Writes the seat to move and the counters of each pile: `(0, [3,4])`, or on a page `Seat 1 moves on 3 4`.
    pub(super) fn position_text(self, position: &Position) -> String {
        match self {
            Self::CommandLine => position.to_string(),
            Self::Page => {
                let seat = self.number(position.to_move().index());
                format!("Seat {seat} moves on {}", join_items(position.piles(), " "))
            }
        }
    }

    /// Writes the rows of all seats: `0 2 1; 0 1 2; 0 2 1`, or on a page, with the numbers of the seats,
    /// `1>3>2; 2>3>1; 3>2>1`.
    pub(super) fn matrix_text(self, rows: &[pb::Row]) -> String {
        let order = |(own, row): (usize, &pb::Row)| match self {
            Self::CommandLine => join_items(&row.offsets, " "),
            Self::Page => order_text(row, own, rows.len()),
        };
        join_items(rows.iter().enumerate().map(order), "; ")
    }

    /// Names a flag that limits a search, for readers who can set it.
    pub(super) fn flag_hint(self, flag: &str) -> String {
        if self == Self::CommandLine { format!(" ({flag})") } else { String::new() }
    }
}
