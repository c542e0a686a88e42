//! Pictures of what the oracle finds: trees and graphs of play, as SVG and for Graphviz.
//!
//! Everything here turns a value of the [`oracle`](lastnim_core::oracle) into text, and neither reads nor writes a file. Both the
//! command line and web pages may show it.

mod dot;
mod label;
mod layout;
mod svg;

pub use dot::draw_dot;
pub use layout::LayoutError;
pub use svg::draw_svg;
