//! A report and its sections.

use super::{Block, BlockTone, FactValue, Plot, Table, Tree};

/// A report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The title, if it needs one.
    pub title: Option<String>,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A part of a report, with an optional heading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// The heading.
    pub heading: Option<String>,
    /// The content.
    pub blocks: Vec<Block>,
}

impl Report {
    /// Creates an empty report with a title.
    pub fn with_title(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), sections: Vec::new() }
    }

    /// Adds a section.
    #[must_use = "returns the changed report"]
    pub fn with_section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Adds sections.
    #[must_use = "returns the changed report"]
    pub fn with_sections(mut self, sections: impl IntoIterator<Item = Section>) -> Self {
        self.sections.extend(sections);
        self
    }

    /// Returns the tables in order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }

    /// Returns the paragraphs in order.
    pub fn paragraphs(&self) -> impl Iterator<Item = &str> {
        self.blocks().filter_map(|block| match block {
            Block::Paragraph { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections.iter().flat_map(|section| &section.blocks)
    }
}

impl From<Section> for Report {
    fn from(section: Section) -> Self {
        Self::default().with_section(section)
    }
}

impl FromIterator<Section> for Report {
    fn from_iter<I: IntoIterator<Item = Section>>(sections: I) -> Self {
        Self { title: None, sections: sections.into_iter().collect() }
    }
}

impl Section {
    /// Creates an empty section without a heading.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty section with a heading.
    pub fn with_heading(heading: impl Into<String>) -> Self {
        Self { heading: Some(heading.into()), blocks: Vec::new() }
    }

    /// Adds a block.
    #[must_use = "returns the changed section"]
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// Adds a paragraph.
    #[must_use = "returns the changed section"]
    pub fn paragraph(self, text: impl Into<String>) -> Self {
        self.block(Block::Paragraph { text: text.into(), tone: BlockTone::Plain })
    }

    /// Adds a paragraph for each text.
    #[must_use = "returns the changed section"]
    pub fn paragraphs<T: Into<String>>(self, texts: impl IntoIterator<Item = T>) -> Self {
        texts.into_iter().fold(self, Self::paragraph)
    }

    /// Adds a paragraph that needs attention.
    #[must_use = "returns the changed section"]
    pub fn alert(self, text: impl Into<String>) -> Self {
        self.block(Block::Paragraph { text: text.into(), tone: BlockTone::Alert })
    }

    /// Adds a list, unless it is empty.
    #[must_use = "returns the changed section"]
    pub fn list<T: Into<String>>(self, items: impl IntoIterator<Item = T>) -> Self {
        let items: Vec<_> = items.into_iter().map(Into::into).collect();
        if items.is_empty() { self } else { self.block(Block::List(items)) }
    }

    /// Adds a list numbered from `first`.
    #[must_use = "returns the changed section"]
    pub fn numbered(self, first: usize, items: impl IntoIterator<Item = String>) -> Self {
        self.block(Block::Numbered { first, items: items.into_iter().collect() })
    }

    /// Adds facts.
    #[must_use = "returns the changed section"]
    pub fn facts<L: Into<String>, F: Into<FactValue>>(self, facts: impl IntoIterator<Item = (L, F)>) -> Self {
        self.block(Block::Facts(facts.into_iter().map(|(label, fact)| (label.into(), fact.into())).collect()))
    }

    /// Adds a table.
    #[must_use = "returns the changed section"]
    pub fn table(self, table: Table) -> Self {
        self.block(Block::Table(table))
    }

    /// Adds a plot.
    #[must_use = "returns the changed section"]
    pub fn plot(self, plot: Plot) -> Self {
        self.block(Block::Plot(plot))
    }

    /// Adds a tree.
    #[must_use = "returns the changed section"]
    pub fn tree(self, tree: Tree) -> Self {
        self.block(Block::Tree(tree))
    }

    /// Adds a command to copy.
    #[must_use = "returns the changed section"]
    pub fn command(self, line: impl Into<String>) -> Self {
        self.block(Block::Command(line.into()))
    }
}
