//! Makes text from other people or programs safe to show.

use std::{borrow::Cow, fmt::Write as _};

/// Returns whether a character is harmless: it does not control a terminal, is not invisible, and does not change the
/// direction of text.
pub fn is_visible(char: char) -> bool {
    let is_hidden = matches!(
        char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
    );
    !char.is_control() && !is_hidden
}

/// Replaces characters that control a terminal, are invisible, or change the direction of text with JSON escapes, such
/// as `\u001b`. Line breaks and tabs stay. Inside a JSON string, the escapes stand for the same characters.
///
/// ```
/// use lastnim_core::visible_text::visible_text;
/// assert_eq!(visible_text("a\u{1b}[2Jb\u{202e}"), "a\\u001b[2Jb\\u202e");
/// ```
pub fn visible_text(text: &str) -> Cow<'_, str> {
    let passes = |char: char| matches!(char, '\n' | '\t') || is_visible(char);
    if text.chars().all(passes) {
        return text.into();
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if passes(char) {
            visible.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(visible, "\\u{unit:04x}");
            }
        }
    }
    visible.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_invisible_characters_are_escaped() {
        let hostile = "a\x1b[2Jb\u{9b}31mc\u{202e}d\x07\te\r\nf\u{7f}\u{feff}\u{e0041}";
        let shown =
            r"a\u001b[2Jb\u009b31mc\u202ed\u0007	e\u000d".to_owned() + "\n" + r"f\u007f\ufeff\udb40\udc41";
        assert_eq!(visible_text(hostile), shown);
        for plain in ["", "é 東 ok\n\t", "👍 שלום"] {
            assert!(matches!(visible_text(plain), Cow::Borrowed(same) if same == plain));
        }
    }
}
