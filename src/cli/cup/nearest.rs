//! The known word that a mistyped one was meant to be.

/// Returns the word that is nearest to `given` by edits, if it is near enough to have been meant.
pub(super) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let tolerated = given.chars().count().max(3) / 2;
    let by_distance = known.into_iter().map(|word| (distance(given, word), word));
    by_distance.filter(|&(edits, _)| edits <= tolerated).min_by_key(|&(edits, _)| edits).map(|(_, word)| word)
}

/// Counts the characters to insert, delete or replace to make one word of another (Levenshtein, 1966).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, character) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = place + 1;
        for (column, &wanted) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(character != wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (from, to, edits) in [("", "", 0), ("", "abc", 3), ("seats", "seat", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((distance(from, to), distance(to, from)), (edits, edits), "{from} {to}");
        }
    }

    #[test]
    fn a_far_word_was_not_meant() {
        let keys = ["seats", "seed", "strikes"];
        assert_eq!(nearest("seat", keys), Some("seats"));
        assert_eq!(nearest("strike", keys), Some("strikes"));
        assert_eq!(nearest("colour", keys), None);
    }
}
