//! Tables with typed columns.

use super::{BlockTone, Cell, NumberFormat, NumberUnit};

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// To the left, for texts.
    Left,
    /// To the right, for numbers.
    Right,
}

/// The values of a cell in CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellParts {
    /// One value.
    One,
    /// A part and its whole: [`Cell::Fraction`].
    Fraction,
    /// Two ends: [`Cell::Interval`].
    Interval,
    /// A value and two ends: [`Cell::Estimate`].
    Estimate,
}

/// The meaning of a column's colours, for shares from 0 to 1. The cells have the number as text, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellShade {
    /// One colour that is stronger for larger shares.
    Sequential,
    /// One colour for shares below one half, and another for shares above it; one half has no colour.
    Diverging,
}

impl CellShade {
    /// The number of steps in a scale.
    pub const STEPS: u8 = 9;

    /// Returns the step of a share, from 1 to [`STEPS`](Self::STEPS).
    pub fn step_of_share(share: f64) -> u8 {
        let step = (share.clamp(0.0, 1.0) * f64::from(Self::STEPS)).floor();
        (1..Self::STEPS).take_while(|&above| step >= f64::from(above)).last().unwrap_or(0) + 1
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name for programs, such as `regret_per_match`.
    pub key: String,
    /// The heading for people, such as `own errors`.
    pub label: String,
    /// The meaning of the column in a few words; `None` if the label is enough.
    pub meaning: Option<&'static str>,
    /// The format of the numbers in the column.
    pub format: NumberFormat,
    /// The alignment of the cells.
    pub alignment: Alignment,
    /// The values of each cell in CSV.
    pub parts: CellParts,
    /// The meaning of the colours of the cells; `None` if they are not coloured.
    pub shade: Option<CellShade>,
    /// The key of the column with the ids of the items that this column names, so that a page can link the names.
    pub names: Option<&'static str>,
}

impl Column {
    /// Creates a column of texts.
    pub fn text(label: impl Into<String>) -> Self {
        Self { alignment: Alignment::Left, ..Self::integer(label) }
    }

    /// Creates a column of whole numbers.
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

    /// Creates a column of numbers with `precision` decimals.
    pub fn number(label: impl Into<String>, unit: NumberUnit, precision: usize) -> Self {
        Self { format: NumberFormat::new(unit, precision), ..Self::integer(label) }
    }

    /// Sets the name for programs.
    #[must_use = "returns the changed column"]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// Sets the meaning of the column.
    #[must_use = "returns the changed column"]
    pub fn with_meaning(self, meaning: &'static str) -> Self {
        Self { meaning: Some(meaning), ..self }
    }

    /// Shows a plus sign on positive numbers.
    #[must_use = "returns the changed column"]
    pub fn with_sign(self) -> Self {
        Self { format: NumberFormat { is_signed: true, ..self.format }, ..self }
    }

    /// Declares that the cells contain the names of the items whose ids are in the column with this key.
    #[must_use = "returns the changed column"]
    pub fn with_names_for(self, key: &'static str) -> Self {
        Self { names: Some(key), ..self }
    }

    /// Aligns the column to the right.
    #[must_use = "returns the changed column"]
    pub fn right_aligned(self) -> Self {
        Self { alignment: Alignment::Right, ..self }
    }

    /// Sets the values of each cell in CSV.
    #[must_use = "returns the changed column"]
    pub fn with_parts(self, parts: CellParts) -> Self {
        Self { parts, ..self }
    }

    /// Colours the cells of the column by their shares.
    #[must_use = "returns the changed column"]
    pub fn with_shade(self, shade: CellShade) -> Self {
        Self { shade: Some(shade), ..self }
    }
}

/// Derives the key of a column from its heading: `points/match` becomes `points_per_match`.
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
    /// Whether the row needs attention.
    pub tone: BlockTone,
    /// The format of the numbers in the row, if it differs from the formats of the columns.
    pub format: Option<NumberFormat>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// The maximum number of rows shown to people; programs get all.
    pub max_shown: Option<usize>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// Starts a table with a row for each item.
    pub fn of_items<T>(items: &[T]) -> ItemTable<'_, T> {
        let rows = items.iter().map(|_| TableRow::default()).collect();
        ItemTable { items, table: Self { rows, ..Self::default() } }
    }

    /// Adds and returns a row.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut TableRow {
        let cells: Vec<_> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len(), "each row needs a cell for each column");
        self.rows.push(TableRow { cells, ..TableRow::default() });
        self.rows.last_mut().expect("a row was added")
    }

    /// Removes the columns with these keys.
    #[must_use = "returns the changed table"]
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

    /// Adds a column with a cell for each row.
    #[must_use = "returns the changed table"]
    pub fn with_column<C: Into<Cell>>(mut self, column: Column, cells: impl IntoIterator<Item = C>) -> Self {
        self.columns.push(column);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.cells.push(cell.into());
        }
        self
    }

    /// Moves the column with this key to the front.
    #[must_use = "returns the changed table"]
    pub fn move_column_to_front(mut self, key: &str) -> Self {
        if let Some(place) = self.columns.iter().position(|column| column.key == key) {
            self.columns[..=place].rotate_right(1);
            for row in &mut self.rows {
                row.cells[..=place].rotate_right(1);
            }
        }
        self
    }

    /// Moves the column with this key to the end.
    #[must_use = "returns the changed table"]
    pub fn move_column_to_end(mut self, key: &str) -> Self {
        if let Some(place) = self.columns.iter().position(|column| column.key == key) {
            self.columns[place..].rotate_left(1);
            for row in &mut self.rows {
                row.cells[place..].rotate_left(1);
            }
        }
        self
    }

    /// Returns the meanings of columns that have one.
    pub fn meanings(&self) -> impl Iterator<Item = String> {
        self.columns
            .iter()
            .filter_map(|column| column.meaning.map(|meaning| format!("{}: {meaning}", column.label)))
    }
}

/// A table that is built from items, column by column.
#[derive(Debug)]
pub struct ItemTable<'a, T> {
    items: &'a [T],
    table: Table,
}

impl<T> ItemTable<'_, T> {
    /// Adds a column with a cell for each item.
    #[must_use = "returns the changed table"]
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&T) -> C) -> Self {
        self.table.columns.push(column);
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.cells.push(cell(item).into());
        }
        self
    }

    /// Adds a column if a condition holds.
    #[must_use = "returns the changed table"]
    pub fn column_if<C: Into<Cell>>(self, condition: bool, column: Column, cell: impl Fn(&T) -> C) -> Self {
        if condition { self.column(column, cell) } else { self }
    }

    /// Marks rows that need attention.
    #[must_use = "returns the changed table"]
    pub fn alert_where(mut self, is_alert: impl Fn(&T) -> bool) -> Self {
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.tone = if is_alert(item) { BlockTone::Alert } else { BlockTone::Plain };
        }
        self
    }

    /// Returns the table.
    pub fn into_table(self) -> Table {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_made_from_items() {
        let items = [("a", 3), ("b", -1)];
        let table = Table::of_items(&items)
            .column(Column::text("bot"), |&(bot, _)| bot)
            .column(Column::integer("luck").with_meaning("what others gave"), |&(_, luck)| luck)
            .alert_where(|&(_, luck)| luck < 0)
            .into_table();
        assert_eq!(table.rows[1].cells, [Cell::from("b"), Cell::from(-1)]);
        assert_eq!(table.rows[1].tone, BlockTone::Alert);
        assert_eq!(table.meanings().collect::<Vec<_>>(), ["luck: what others gave"]);

        let narrow = table.without_columns(&["luck"]);
        assert_eq!((narrow.columns.len(), &narrow.columns[0].key[..]), (1, "bot"));
        assert_eq!(narrow.rows[0].cells, [Cell::from("a")]);
    }

    #[test]
    fn shares_are_shaded_in_nine_steps() {
        let steps =
            [-1.0, 0.0, 0.1, 0.12, 0.45, 0.5, 0.55, 0.56, 0.89, 1.0, 2.0].map(CellShade::step_of_share);
        assert_eq!(steps, [1, 1, 1, 2, 5, 5, 5, 6, 9, 9, 9]);
    }

    #[test]
    fn keys_are_derived_from_labels() {
        let keys = ["points/match", "created (UTC)", "95% interval", "bot"].map(key_of_label);
        assert_eq!(keys, ["points_per_match", "created_utc", "95_interval", "bot"]);
    }
}
