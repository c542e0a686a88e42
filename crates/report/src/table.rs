//! Tables with typed columns.

use super::{BlockTone, Cell, NumberFormat, NumberUnit};

/// To which side of its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Of how many values each cell of a column consists, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellParts {
    /// Of one.
    One,
    /// Of how many, and of how many these are: [`Cell::Fraction`].
    Fraction,
    /// Of two ends: [`Cell::Interval`].
    Interval,
    /// Of a number and two ends: [`Cell::Estimate`].
    Estimate,
}

/// What the colours of the cells of a column say. Numbers are shares from 0 to 1; the number itself stands in the cell as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellShade {
    /// The more, the stronger: from nothing to all.
    Rising,
    /// To which side of one half a share lies, and how far: one half has no colour.
    Leaning,
}

impl CellShade {
    /// The steps of a scale.
    pub const STEPS: u8 = 9;

    /// Returns the step of a share, from 1 to [`STEPS`](Self::STEPS): the middle one is that of one half.
    pub fn step_of_share(share: f64) -> u8 {
        let step = (share.clamp(0.0, 1.0) * f64::from(Self::STEPS)).floor();
        (1..Self::STEPS).take_while(|&above| step >= f64::from(above)).last().unwrap_or(0) + 1
    }
}

/// What the cells of a column are, and how they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name for programs, such as `regret_per_match`.
    pub key: String,
    /// The heading for people, such as `regret/match`.
    pub label: String,
    /// What it means, in a few words; none where the label says it.
    pub meaning: Option<&'static str>,
    /// How numbers are shown.
    pub format: NumberFormat,
    /// To which side its cells stand.
    pub alignment: Alignment,
    /// What each cell consists of.
    pub parts: CellParts,
    /// What the colours of its cells say, where they have some.
    pub shade: Option<CellShade>,
    /// The key of the column that names what its cells are about, where a page links them as it links that one.
    pub names: Option<&'static str>,
}

impl Column {
    /// Makes a column of words.
    pub fn text(label: impl Into<String>) -> Self {
        Self { alignment: Alignment::Left, ..Self::integer(label) }
    }

    /// Makes a column of whole numbers.
    pub fn integer(label: impl Into<String>) -> Self {
        let label = label.into();
        Self {
            key: key_of_label(&label),
            label,
            meaning: None,
            format: NumberFormat::default(),
            alignment: Alignment::Right,
            parts: CellParts::One,
            shade: None,
            names: None,
        }
    }

    /// Makes a column of numbers with so many decimals.
    pub fn number(label: impl Into<String>, unit: NumberUnit, precision: usize) -> Self {
        Self { format: NumberFormat::new(unit, precision), ..Self::integer(label) }
    }

    /// Says under which name programs find it.
    #[must_use = "it is the column with the name"]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// Says what it means.
    #[must_use = "it is the column with its meaning"]
    pub fn with_meaning(self, meaning: &'static str) -> Self {
        Self { meaning: Some(meaning), ..self }
    }

    /// Shows the sign of positive numbers too.
    #[must_use = "it is the column with signs"]
    pub fn with_sign(self) -> Self {
        Self { format: NumberFormat { is_signed: true, ..self.format }, ..self }
    }

    /// Says that its cells are names of what another column, of this key, identifies.
    #[must_use = "it is the column of names"]
    pub fn naming(self, key: &'static str) -> Self {
        Self { names: Some(key), ..self }
    }

    /// Moves words to the right.
    #[must_use = "it is the column to the right"]
    pub fn right_aligned(self) -> Self {
        Self { alignment: Alignment::Right, ..self }
    }

    /// Says what each cell consists of.
    #[must_use = "it is the column with its parts"]
    pub fn with_parts(self, parts: CellParts) -> Self {
        Self { parts, ..self }
    }

    /// Colours its cells by their shares.
    #[must_use = "it is the column with colours"]
    pub fn with_shade(self, shade: CellShade) -> Self {
        Self { shade: Some(shade), ..self }
    }
}

/// Makes the name of a column for programs from its heading: `regret/match` becomes `regret_per_match`.
fn key_of_label(label: &str) -> String {
    let spelled = label.replace('/', " per ").to_lowercase();
    let words = spelled.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableRow {
    /// A cell for each column.
    pub cells: Vec<Cell>,
    /// Whether it asks for attention.
    pub tone: BlockTone,
    /// How its numbers are shown, where that is not how the columns say.
    pub format: Option<NumberFormat>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What stands in which column.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// How many rows people are shown at the most, where there are so many; programs get all.
    pub max_shown: Option<usize>,
}

impl Table {
    /// Makes a table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// Begins a table with a row for each item.
    pub fn of_items<T>(items: &[T]) -> ItemTable<'_, T> {
        let rows = items.iter().map(|_| TableRow::default()).collect();
        ItemTable { items, table: Self { rows, ..Self::default() } }
    }

    /// Adds a row, and returns it.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut TableRow {
        let cells: Vec<_> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.rows.push(TableRow { cells, ..TableRow::default() });
        self.rows.last_mut().expect("a row was added")
    }

    /// Leaves out the columns of these names.
    #[must_use = "it is the table without the columns"]
    pub fn without_columns(mut self, keys: &[&str]) -> Self {
        let kept: Vec<bool> =
            self.columns.iter().map(|column| !keys.contains(&column.key.as_str())).collect();
        let mut keep = kept.iter();
        self.columns.retain(|_| *keep.next().unwrap_or(&true));
        for row in &mut self.rows {
            let mut keep = kept.iter();
            row.cells.retain(|_| *keep.next().unwrap_or(&true));
        }
        self
    }

    /// Moves the column of this name before all others.
    #[must_use = "it is the table in that order"]
    pub fn with_column_first(mut self, key: &str) -> Self {
        if let Some(place) = self.columns.iter().position(|column| column.key == key) {
            self.columns[..=place].rotate_right(1);
            for row in &mut self.rows {
                row.cells[..=place].rotate_right(1);
            }
        }
        self
    }

    /// Moves the column of this name behind all others.
    #[must_use = "it is the table in that order"]
    pub fn with_column_last(mut self, key: &str) -> Self {
        if let Some(place) = self.columns.iter().position(|column| column.key == key) {
            self.columns[place..].rotate_left(1);
            for row in &mut self.rows {
                row.cells[place..].rotate_left(1);
            }
        }
        self
    }

    /// Says what the columns mean, those that say it.
    pub fn meanings(&self) -> impl Iterator<Item = String> {
        self.columns
            .iter()
            .filter_map(|column| column.meaning.map(|meaning| format!("{}: {meaning}", column.label)))
    }
}

/// A table that is being made of items, column by column.
#[derive(Debug)]
pub struct ItemTable<'a, T> {
    items: &'a [T],
    table: Table,
}

impl<T> ItemTable<'_, T> {
    /// Adds a column, and what stands in it for each item.
    #[must_use = "it is the table with the column"]
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&T) -> C) -> Self {
        self.table.columns.push(column);
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.cells.push(cell(item).into());
        }
        self
    }

    /// Marks the rows of items that ask for attention.
    #[must_use = "it is the table with the marks"]
    pub fn alert_where(mut self, is_alert: impl Fn(&T) -> bool) -> Self {
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.tone = if is_alert(item) { BlockTone::Alert } else { BlockTone::Plain };
        }
        self
    }

    /// Returns the table with its columns.
    pub fn into_table(self) -> Table {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_follows_from_items() {
        let items = [("a", 3), ("b", -1)];
        let table = Table::of_items(&items)
            .column(Column::text("bot"), |&(bot, _)| bot)
            .column(Column::integer("luck/match").with_meaning("what others gave"), |&(_, luck)| luck)
            .alert_where(|&(_, luck)| luck < 0)
            .into_table();
        assert_eq!(table.rows[1].cells, [Cell::from("b"), Cell::from(-1)]);
        assert_eq!(table.rows[1].tone, BlockTone::Alert);
        assert_eq!(table.meanings().collect::<Vec<_>>(), ["luck/match: what others gave"]);

        let narrow = table.without_columns(&["luck_per_match"]);
        assert_eq!((narrow.columns.len(), &narrow.columns[0].key[..]), (1, "bot"));
        assert_eq!(narrow.rows[0].cells, [Cell::from("a")]);
    }

    #[test]
    fn a_share_has_one_of_nine_steps() {
        let steps =
            [-1.0, 0.0, 0.1, 0.12, 0.45, 0.5, 0.55, 0.56, 0.89, 1.0, 2.0].map(CellShade::step_of_share);
        assert_eq!(steps, [1, 1, 1, 2, 5, 5, 5, 6, 9, 9, 9]);
    }

    #[test]
    fn a_key_is_a_word() {
        let keys = ["regret/match", "created (UTC)", "95% interval", "bot"].map(key_of_label);
        assert_eq!(keys, ["regret_per_match", "created_utc", "95_interval", "bot"]);
    }
}
