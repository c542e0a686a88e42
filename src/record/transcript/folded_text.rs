//! Formats the texts of models for a terminal.

use lastnim_core::visible_text::visible_text;
use lastnim_report::words::count_with_noun;

/// The maximum number of lines shown for one text.
const MAX_SHOWN_LINES: usize = 12;
/// The maximum width of a line in columns, after its indentation.
const MAX_LINE_COLUMNS: usize = 72;

/// How much of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLength {
    /// The first lines.
    Cut,
    /// The whole text.
    Whole,
}

/// Breaks a text into lines for a terminal and, if it cuts the text, says how many characters are left out. Characters
/// that control a terminal or change the direction of its text are escaped.
pub fn fold_text(text: &str, length: TextLength) -> String {
    let mut lines = Vec::new();
    let mut shown = 0;
    for line in text.trim_end().lines() {
        for piece in fold_line(line) {
            if length == TextLength::Cut && lines.len() == MAX_SHOWN_LINES {
                let left = text.trim_end().chars().count().saturating_sub(shown);
                lines.push(format!(
                    "... {}: --full shows everything",
                    count_with_noun(left, "more character", "more characters")
                ));
                return lines.join("\n");
            }
            shown += piece.chars().count();
            lines.push(visible_text(&piece).replace('\t', " "));
        }
        // Counts the line break.
        shown += 1;
    }
    lines.join("\n")
}

/// Breaks a line, between words if possible. No text is lost.
fn fold_line(line: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut columns = 0;
    for word in line.split_inclusive(' ') {
        if columns > 0 && columns + word.trim_end().chars().count() > MAX_LINE_COLUMNS {
            pieces.push(String::new());
            columns = 0;
        }
        for char in word.chars() {
            if columns == MAX_LINE_COLUMNS && char != ' ' {
                pieces.push(String::new());
                columns = 0;
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(char);
            }
            columns += 1;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_escaped() {
        let hostile = "a\x1b[2Jb\u{9b}31mc\u{202e}d\x07\te\r\nf\u{7f}";
        let shown = fold_text(hostile, TextLength::Whole);
        assert_eq!(shown, "a\\u001b[2Jb\\u009b31mc\\u202ed\\u0007 e\nf\\u007f");
    }

    #[test]
    fn long_texts_are_folded_and_cut() {
        let text = "word ".repeat(40);
        let folded = fold_text(&text, TextLength::Whole);
        assert!(folded.lines().all(|line| line.trim_end().len() <= MAX_LINE_COLUMNS), "{folded}");
        assert_eq!(folded.replace('\n', ""), text.trim_end());
        let long = "x".repeat(MAX_LINE_COLUMNS * 20);
        let cut = fold_text(&long, TextLength::Cut);
        assert_eq!(cut.lines().count(), MAX_SHOWN_LINES + 1);
        let left = MAX_LINE_COLUMNS * 8;
        assert!(cut.ends_with(&format!("... {left} more characters: --full shows everything")), "{cut}");
        assert_eq!(fold_text(&long, TextLength::Whole).lines().count(), 20);
        let lines = "a\n".repeat(15);
        assert!(
            fold_text(&lines, TextLength::Cut).ends_with("... 5 more characters: --full shows everything")
        );
        assert_eq!(fold_text("", TextLength::Cut), "");
    }
}
