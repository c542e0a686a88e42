//! The name that was meant by a word that is none.

/// Returns the name that is nearest to a word, if at most half of its letters must change.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let edits = names.into_iter().map(|name| (edits(name, word), name));
    let (edits, name) = edits.min_by_key(|&(edits, _)| edits)?;
    (2 * edits <= name.chars().count()).then_some(name)
}

/// Counts the letters that must be put in, left out or exchanged to make one word of the other (Levenshtein 1966).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (before, letter) in one.chars().enumerate() {
        let mut diagonal = before;
        row[0] = before + 1;
        for (place, other) in other.chars().enumerate() {
            let exchanged = diagonal + usize::from(letter != other);
            diagonal = row[place + 1];
            row[place + 1] = exchanged.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (one, other, expected) in
            [("", "", 0), ("nim", "", 3), ("kitten", "sitting", 3), ("nim", "min", 2)]
        {
            assert_eq!(edits(one, other), expected);
            assert_eq!(edits(other, one), expected);
        }
    }
}
