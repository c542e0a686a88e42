//! The parts of a section.

use super::{Chart, FactValue, Plot, Round, Table, Tree};

/// Whether a text needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockTone {
    /// The text needs no attention.
    #[default]
    Plain,
    /// The text needs attention: it reports an error or a suspicion.
    Alert,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Sentences.
    Paragraph {
        /// The text.
        text: String,
        /// Whether the text needs attention.
        tone: BlockTone,
    },
    /// Items, one below the other; an item may have several lines.
    List(Vec<String>),
    /// Items numbered from `first`.
    Numbered {
        /// The number of the first item.
        first: usize,
        /// The items; each may have several lines.
        items: Vec<String>,
    },
    /// Labels with values.
    Facts(Vec<(String, FactValue)>),
    /// A table.
    Table(Table),
    /// A plot. A table has the same numbers, so a rendering may leave it out.
    Plot(Plot),
    /// A chart. A rendering may leave it out.
    Chart(Chart),
    /// Rounds, the earliest first.
    Rounds(Vec<Round>),
    /// A tree.
    Tree(Tree),
    /// A command to copy.
    Command(String),
}
