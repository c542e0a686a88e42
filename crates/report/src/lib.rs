//! Reports as data: tables, lists and plots are described once, and renderings show them in different formats.
//!
//! A [`Report`] is made from messages of the API, or from the core's types. It is independent of terminals, pages and
//! files, which only [`render`] knows.

pub mod audit;
pub mod benchmark_card;
mod block;
pub mod bot_audit;
pub mod bot_findings;
mod bot_help;
pub mod bot_record;
pub mod bots;
pub mod capital_history;
mod cell;
mod chart;
mod cross_table;
pub mod explanation;
mod fact;
pub mod forfeits;
pub mod grundy_sequence;
mod help_power;
pub mod match_events;
pub mod matches;
pub mod model_report;
pub mod opponent_scores;
pub mod play_tree;
pub mod played_rounds;
mod plot;
pub mod rating_history;
pub mod render;
mod report;
mod report_reader;
pub mod robustness;
mod rounds;
pub mod solution;
pub mod standings;
mod table;
pub mod talk_audit;
pub mod tournament;
pub mod tournament_activity;
pub mod tournament_events;
pub mod tournament_finding;
pub mod tournament_result;
pub mod tournament_settings;
pub mod tournament_toml;
mod tree;
pub mod variant;
pub mod verdict;
pub mod versions;
pub mod winner_words;
pub mod words;

pub use block::{Block, BlockTone};
pub use cell::{Cell, NumberFormat, NumberUnit};
pub use chart::{Chart, ChartFrame, ChartLevel, ChartLine};
pub use fact::FactValue;
pub use plot::{MarkShape, Plot, PlotMark};
pub use report::{Report, Section};
pub use report_reader::ReportReader;
pub use rounds::{Round, RoundEntry, RoundFate, RoundTable};
pub use table::{Alignment, CellParts, CellShade, Column, ItemTable, Table, TableRow};
pub use tree::Tree;
