//! Numbers in the names of house bots.

/// Parses a number from 1 to `max`, written in digits only.
///
/// Rejects signs, because a name such as `minimax-+3` would not be a valid bot name.
pub(super) fn parse_name_number(text: &str, max: u32) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (1..=max).contains(number))
}
