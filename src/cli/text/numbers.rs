//! Numbers in words of the command line.

use crate::cli::Failure;

/// Reads numbers with commas or blanks between them, as in `1,2,2`; `what` they are stands in the refusal.
pub fn read_numbers(text: &str, what: &str) -> Result<Vec<u64>, Failure> {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse()
                .map_err(|_| Failure::input(format!("{what}: {word:?} is not a whole number of 0 or more")))
        })
        .collect()
}

/// Reads the rows of a matrix, with semicolons between them, as in `0 2 1; 0 1 2; 0 2 1`.
pub fn read_rows(text: &str) -> Result<Vec<Vec<u64>>, Failure> {
    let rows = text.split(';').enumerate();
    rows.map(|(row, offsets)| read_numbers(offsets, &format!("row {row} of the matrix"))).collect()
}
