//! The words for the wire's enumerations.

/// Returns the word for a value: its name on the wire without what all values of its kind begin with, as `to_move_wins`
/// for `ENDING_TO_MOVE_WINS`.
pub(super) fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

/// Returns the word as it stands in a sentence, as `ply limit`.
pub(super) fn phrase(name: &str, prefix: &str) -> String {
    word(name, prefix).replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::pb;

    #[test]
    fn a_word_is_a_name_without_its_kind() {
        assert_eq!(word(pb::Ending::ToMoveWins.as_str_name(), "ENDING_"), "to_move_wins");
        assert_eq!(phrase(pb::EndReason::PlyLimit.as_str_name(), "END_REASON_"), "ply limit");
    }
}
