//! Reports as data: what a table, a list or a plot says is described here once, and each rendering shows it in its own way.
//!
//! A [`Report`] is made from messages of the wire, or from the core's own types where nothing is sent. What is made knows
//! nothing of terminals, pages or files: that is for [`render`].

pub mod audit;
pub mod benchmark_card;
mod block;
pub mod bot_audit;
pub mod bots;
mod cell;
mod chart;
mod cross_table;
pub mod explanation;
pub mod grundy_sequence;
pub mod match_events;
pub mod matches;
pub mod model_report;
mod plot;
pub mod render;
mod report;
mod rounds;
pub mod solution;
pub mod standings;
mod table;
pub mod tournament;
pub mod tournament_activity;
pub mod tournament_events;
pub mod tournament_format;
mod tree;
mod verdict;
pub mod versions;
pub mod winner_words;
pub mod words;

pub use block::{Block, BlockTone};
pub use cell::{Cell, NumberFormat, NumberUnit};
pub use chart::{Chart, ChartFrame, ChartLevel, ChartLine};
pub use plot::{MarkShape, Plot, PlotMark};
pub use report::{Report, Section};
pub use rounds::{Round, RoundEntry, RoundTable};
pub use table::{Alignment, CellParts, CellShade, Column, ItemTable, Table, TableRow};
pub use tree::Tree;
