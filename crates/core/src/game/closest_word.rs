//! The known word that a mistyped one was probably meant to be.

/// Returns the known word closest to `given` by Levenshtein distance, if at most half of its characters differ, of a shorter
/// word than three at most one.
pub fn find_closest_word<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let by_distance = known.into_iter().map(|word| (strsim::levenshtein(word, given), word));
    let (distance, word) = by_distance.min_by_key(|&(distance, _)| distance)?;
    (distance <= word.chars().count().max(3) / 2).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_word_was_not_meant() {
        let keys = ["seats", "seed", "strikes"];
        assert_eq!(find_closest_word("seat", keys), Some("seats"));
        assert_eq!(find_closest_word("strike", keys), Some("strikes"));
        assert_eq!(find_closest_word("b", ["a"]), Some("a"));
        assert_eq!(find_closest_word("colour", keys), None);
        assert_eq!(find_closest_word("", keys), None);
        assert_eq!(find_closest_word("seats", []), None);
    }
}
