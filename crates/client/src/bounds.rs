//! Limits on what a server can make the client keep in memory.

/// Maximum number of open matches per bot. By default, a server has the same limit on the number of all its open
/// matches.
pub(super) const MAX_OPEN_MATCHES: usize = 20_000;
/// Maximum number of messages that wait because the server does not read them: a row and a take for each open match,
/// and some replies to pings.
pub(super) const MAX_UNSENT_MESSAGES: usize = 2 * MAX_OPEN_MATCHES + 1_024;
/// Maximum number of house bots on a server.
pub(super) const MAX_HOUSE_BOTS: usize = 10_000;
/// Maximum length in bytes of a text from the server, such as the reason for a refusal; longer texts are truncated.
const MAX_TEXT_BYTES: usize = 4_096;

/// Truncates a text that is too long, and releases the memory that is no longer needed.
pub(super) fn truncate_text(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
        text.push_str("...");
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_texts_are_cut() {
        let longest = "x".repeat(MAX_TEXT_BYTES);
        assert_eq!(truncate_text(longest.clone()), longest);
        let cut = truncate_text("\u{e9}".repeat(MAX_TEXT_BYTES) + "x");
        assert_eq!(cut, "\u{e9}".repeat(MAX_TEXT_BYTES / 2) + "...");
        assert!(cut.capacity() < 2 * MAX_TEXT_BYTES);
    }
}
