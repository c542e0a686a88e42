//! The words for the wire's enumerations.

/// The most characters of a list of words in a table, but for its count.
const LONGEST_LIST: usize = 40;

/// Returns the word for a value: its name on the wire without what all values of its kind begin with, as `to_move_wins`
/// for `ENDING_TO_MOVE_WINS`.
pub fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

/// Returns the word as it stands in a sentence, as `ply limit`.
pub fn phrase(name: &str, prefix: &str) -> String {
    word(name, prefix).replace('_', " ")
}

/// Cuts a list of words that is too long for a column of a table: `a, b, .. (9)` has nine.
pub fn listed(words: &[impl AsRef<str>], between: &str) -> String {
    let mut line = String::new();
    for (index, word) in words.iter().enumerate() {
        let mark = if index == 0 { "" } else { between };
        if line.chars().count() + mark.len() + word.as_ref().chars().count() > LONGEST_LIST {
            return format!("{line}{mark}.. ({})", words.len());
        }
        line.push_str(mark);
        line.push_str(word.as_ref());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::pb;

    #[test]
    fn a_long_list_is_cut_and_counted() {
        assert_eq!(listed(&["ann", "bob"], ", "), "ann, bob");
        assert_eq!(listed(&[""; 0], ", "), "");
        let piles = vec!["12"; 20];
        assert_eq!(listed(&piles, ","), format!("{},.. (20)", ["12"; 13].join(",")));
    }

    #[test]
    fn a_word_is_a_name_without_its_kind() {
        assert_eq!(word(pb::Ending::ToMoveWins.as_str_name(), "ENDING_"), "to_move_wins");
        assert_eq!(phrase(pb::EndReason::PlyLimit.as_str_name(), "END_REASON_"), "ply limit");
    }
}
