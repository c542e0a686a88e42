//! Numbers typed by people: piles, and the rows of a matrix.

/// Reads numbers with commas or blanks between them, as in `1,2,2`.
///
/// # Errors
/// Names the word that is not a number; `what` says what the numbers are.
pub fn read_numbers(text: &str, what: &str) -> Result<Vec<u64>, String> {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    let number =
        |word: &str| word.parse().map_err(|_| format!("{what}: {word:?} is not a whole number, 0 or more"));
    words.map(number).collect()
}

/// Reads the rows of a matrix, with semicolons between them, as in `0 2 1; 0 1 2; 0 2 1`.
///
/// # Errors
/// Names the word that is not a number, and its row.
pub fn read_rows(text: &str) -> Result<Vec<Vec<u64>>, String> {
    let rows = text.split(';').enumerate();
    rows.map(|(row, offsets)| read_numbers(offsets, &format!("row {row} of the matrix"))).collect()
}
