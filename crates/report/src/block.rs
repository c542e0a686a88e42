//! What a section consists of.

use super::{Chart, Fact, Plot, Round, Table, Tree};

/// Whether something asks for attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockTone {
    /// It does not.
    #[default]
    Plain,
    /// It does: an error, a suspicion.
    Alert,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Sentences.
    Paragraph {
        /// The words.
        text: String,
        /// Whether they ask for attention.
        tone: BlockTone,
    },
    /// Items, one below the other; an item may have several lines.
    List(Vec<String>),
    /// Items with their numbers, from the first number on.
    Numbered {
        /// The number of the first item.
        first: usize,
        /// The items, each of one line or several.
        items: Vec<String>,
    },
    /// Labels, each with what it stands for.
    Facts(Vec<(String, Fact)>),
    /// A table.
    Table(Table),
    /// A plot. What it shows stands in a table as well, so that a rendering may leave it out.
    Plot(Plot),
    /// A chart. A rendering may leave it out.
    Chart(Chart),
    /// Rounds, from the first on.
    Rounds(Vec<Round>),
    /// Something with branches.
    Tree(Tree),
    /// A line to be typed as it stands.
    Command(String),
}
