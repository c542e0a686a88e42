//! Pictures of the oracle's results: trees and graphs of play, as SVG and for Graphviz.
//!
//! This crate turns results of the [`oracle`](lastnim_core::oracle) into text, and reads and writes no files. Only the
//! command line uses it.

mod dot;
mod label;
mod layout;
mod svg;

pub use dot::draw_dot;
pub use layout::LayoutError;
pub use svg::draw_svg;
