//! Reads numbers that people type: piles, and the rows of a matrix.

/// Reads numbers separated by commas or blanks, as in `1,2,2`.
///
/// # Errors
/// If a word is not a number. The error names the word, and begins with `what`, which describes the numbers.
pub fn read_numbers(text: &str, what: &str) -> Result<Vec<u64>, String> {
    let number =
        |word: &str| word.parse().map_err(|_| format!("{what}: {word:?} is not a whole number, 0 or more"));
    split_words(text).map(number).collect()
}

/// Reads the rows of a matrix, separated by semicolons, as in `0 2 1; 0 1 2; 0 2 1`.
///
/// # Errors
/// If a word is a tie or is not a number. The error names the word and its row.
pub fn read_rows(text: &str) -> Result<Vec<Vec<u64>>, String> {
    let rows = read_tied_rows(text)?;
    let strict_row = |(row, groups): (usize, Vec<Vec<u64>>)| match groups.iter().find(|group| group.len() > 1)
    {
        Some(tied) => Err(format!(
            "row {row} of the matrix: {} is a tie, and this question needs strict rows: write {}",
            join_numbers(tied, "="),
            join_numbers(tied, " ")
        )),
        None => Ok(groups.concat()),
    };
    rows.into_iter().enumerate().map(strict_row).collect()
}

/// Returns whether a text with the rows of a matrix has ties.
pub fn has_ties(text: &str) -> bool {
    text.contains('=')
}

/// Reads the rows of a matrix that may have ties, as in `0 1=2; 0 1 2; 0=1 2`. Each row becomes a list of groups of
/// tied offsets.
///
/// # Errors
/// If a word is not a number or a tie of numbers. The error names the word and its row.
pub fn read_tied_rows(text: &str) -> Result<Vec<Vec<Vec<u64>>>, String> {
    let rows = text.split(';').enumerate();
    rows.map(|(row, offsets)| {
        let what = format!("row {row} of the matrix");
        // Blanks around an equals sign are part of the tie.
        let offsets = offsets.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        split_words(&offsets).map(|word| read_group(word, &what)).collect()
    })
    .collect()
}

/// Reads a number, or tied numbers such as `1=2`.
fn read_group(word: &str, what: &str) -> Result<Vec<u64>, String> {
    if !has_ties(word) {
        return read_numbers(word, what);
    }
    let number = |number: &str| {
        number
            .parse()
            .map_err(|_| format!("{what}: {word:?} is not a tie of whole numbers: expected one such as 1=2"))
    };
    word.split('=').map(number).collect()
}

fn join_numbers(numbers: &[u64], between: &str) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(between)
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_read_as_groups() {
        let expected = vec![vec![vec![0], vec![1, 2]], vec![vec![0, 1, 2]], vec![vec![2], vec![1], vec![0]]];
        assert_eq!(read_tied_rows("0 1=2; 0 = 1= 2;2,1 0"), Ok(expected));
        assert_eq!(read_rows("0 1; 1,0"), Ok(vec![vec![0, 1], vec![1, 0]]));
        assert_eq!(read_tied_rows("0 1;"), Ok(vec![vec![vec![0], vec![1]], vec![]]));
    }

    #[test]
    fn bad_words_are_named_with_their_row() {
        let tie = "is not a tie of whole numbers: expected one such as 1=2";
        assert_eq!(read_tied_rows("0 1; 0 1="), Err(format!("row 1 of the matrix: \"1=\" {tie}")));
        assert_eq!(read_tied_rows("="), Err(format!("row 0 of the matrix: \"=\" {tie}")));
        assert_eq!(read_tied_rows("0=x"), Err(format!("row 0 of the matrix: \"0=x\" {tie}")));
        assert_eq!(
            read_tied_rows("0 x"),
            Err("row 0 of the matrix: \"x\" is not a whole number, 0 or more".to_owned())
        );
        assert_eq!(
            read_rows("0 1 2; 0 1=2; 0 1 2"),
            Err("row 1 of the matrix: 1=2 is a tie, and this question needs strict rows: write 1 2"
                .to_owned())
        );
    }
}
