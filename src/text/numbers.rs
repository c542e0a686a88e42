//! Numbers in command-line arguments.

use crate::Failure;
use lastnim_proto::number_text;

/// Reads numbers separated by commas or blanks, as in `1,2,2`; `what` names them in errors.
pub fn read_numbers(text: &str, what: &str) -> Result<Vec<u64>, Failure> {
    number_text::read_numbers(text, what).map_err(Failure::input)
}

/// Reads the rows of a matrix, with semicolons between them, as in `0 2 1; 0 1 2; 0 2 1`.
pub fn read_rows(text: &str) -> Result<Vec<Vec<u64>>, Failure> {
    number_text::read_rows(text).map_err(Failure::input)
}
