//! The whole number in the name of a house bot.

/// Returns a whole number from 1 to `max` that is written in digits alone.
///
/// A sign is refused, as in `minimax-+3`: a server takes no such name for a bot.
pub(super) fn parse_name_number(text: &str, max: u32) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (1..=max).contains(number))
}
