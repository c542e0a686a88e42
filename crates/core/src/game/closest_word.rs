//! Suggestions for mistyped words.

/// Returns the known word closest to `given` by Levenshtein distance. The distance may be at most half the length of
/// that word, or 1 if the word has only one or two characters; otherwise returns `None`.
pub fn find_closest_word<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.into_iter().map(|word| (strsim::levenshtein(word, given), word));
    let (distance, word) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= word.chars().count().max(3) / 2).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_words_are_suggested() {
        let keys = ["seats", "seed", "strikes"];
        assert_eq!(find_closest_word("seat", keys), Some("seats"));
        assert_eq!(find_closest_word("strike", keys), Some("strikes"));
        assert_eq!(find_closest_word("b", ["a"]), Some("a"));
        assert_eq!(find_closest_word("colour", keys), None);
        assert_eq!(find_closest_word("", keys), None);
        assert_eq!(find_closest_word("seats", []), None);
    }
}
