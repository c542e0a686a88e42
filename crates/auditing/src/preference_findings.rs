//! Revealed preferences of a bot, compared with its declarations.

use super::{ExplainedRows, RowSource, estimate::share_of};
use lastnim_core::game::{Row, SeatCount};

/// The preferences that a bot's takes reveal, over its matches with one number of seats and one source of rows.
///
/// A take is a choice among the winners that the possible takes lead to, if everyone, including the bot itself, then
/// plays optimally for the declared or assigned rows. So these findings assume that the other bots believe the bot's
/// declared row.
///
/// If rows are **declared**, winners are identified by their offsets from the bot's seat. If rows are **assigned**, an
/// offset means something else in every match, so winners are identified by their places in the assigned row: 0 is its
/// favourite winner. The standard row then represents every assigned row.
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceFindings {
    /// The number of seats.
    pub seats: SeatCount,
    /// The source of the rows, which determines the meaning of offsets.
    pub source: RowSource,
    /// The rows of the bot, the most frequent first. If rows are assigned, a single row represents all of them.
    pub rows: Vec<HeldRowFigures>,
    /// Number of matches with further rows, beyond the limit of [`MAX_DECLARED_ROWS`](super::MAX_DECLARED_ROWS).
    pub other_rows: u64,
    /// Number of takes at which the bot chose between two or more winners.
    pub choices: u64,
    /// By offset a, then by offset b: how often both winners were available and the bot chose a.
    pub chosen_over: Vec<Vec<u64>>,
    /// The row that agrees with the most choices between two winners; `None` with more than
    /// [`MAX_FITTED_SEATS`](super::MAX_FITTED_SEATS) seats or without choices.
    pub best_fit: Option<FittedRow>,
    /// The rows, if any, that make all takes optimal if the other bots believe the declared row.
    pub rationalisable_rows: RationalisableCount,
    /// The rows that make all takes optimal if they are common knowledge; `None` if rows are assigned or there
    /// are more than [`MAX_EXPLAINED_SEATS`](super::MAX_EXPLAINED_SEATS) seats.
    pub explained: Option<ExplainedRows>,
}

/// A row that a bot declared or was assigned, with figures of its takes.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRowFigures {
    /// The row.
    pub row: Row,
    /// Number of matches with this row.
    pub matches: u64,
    /// Number of the bot's own takes in the matches with this row.
    pub plies: u64,
    /// Number of the bot's own takes in the matches with this row that were optimal for it.
    pub optimal_plies: u64,
    /// Among all pairs of winners that the bot chose between, in all matches with this number of seats: the share in
    /// which it chose the one that this row prefers; `None` without choices.
    pub agreement: Option<f64>,
    /// Number of takes, in all matches with this number of seats, that were optimal for the best-fitting row but not
    /// for this one.
    pub plies_for_fit_alone: u64,
    /// Number of takes, in all matches with this number of seats, that were optimal for this row but not for the
    /// best-fitting one.
    pub plies_for_row_alone: u64,
}

/// The best-fitting row.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedRow {
    /// The row; on ties, the first in lexicographic order.
    pub row: Row,
    /// The share of the choices between two winners that this row agrees with, from 0 to 1.
    pub agreement: f64,
    /// Number of the bot's own takes in all matches with this number of seats.
    pub plies: u64,
    /// Number of the bot's own takes that were optimal for this row, if the other bots believe the declared one.
    pub optimal_plies: u64,
}

/// The rows that make all of a bot's takes optimal, if the other bots believe the declared row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RationalisableCount {
    /// Some rows make all takes optimal.
    Counted {
        /// The number of rows that make all takes optimal; saturates at 2^64 - 1.
        rows: u64,
        /// The first row, in lexicographic order, that makes all takes optimal.
        example: Row,
    },
    /// No row makes all takes optimal: the bot chose each offset of a cycle at least once over the next one, and the
    /// last over the first.
    Contradicted {
        /// The offsets of a shortest such cycle, each before the offset over which it was chosen.
        cycle: Vec<usize>,
    },
    /// Some row makes all takes optimal, but there are more than [`MAX_FITTED_SEATS`](super::MAX_FITTED_SEATS) seats,
    /// so these rows are not counted.
    Uncounted {
        /// The first row, in lexicographic order, that makes all takes optimal.
        example: Row,
    },
}

impl PreferenceFindings {
    /// Among the takes at which the winners at offsets `a` and `b` were both available and one was chosen, returns the
    /// share that chose `a`; `None` without such takes.
    ///
    /// # Panics
    /// If an offset is not below the number of seats.
    pub fn chosen_share(&self, a: usize, b: usize) -> Option<f64> {
        let taken = self.chosen_over[a][b];
        share_of(taken, taken + self.chosen_over[b][a])
    }
}

impl HeldRowFigures {
    /// Returns the share of the bot's takes with this row that were optimal for it; `None` without takes.
    pub fn accuracy(&self) -> Option<f64> {
        share_of(self.optimal_plies, self.plies)
    }
}

impl FittedRow {
    /// Returns the share of the bot's takes that were optimal for this row.
    pub fn optimal_share(&self) -> f64 {
        share_of(self.optimal_plies, self.plies).unwrap_or(1.0)
    }
}
