//! Text that fits into a picture. Widths are estimates, since a viewer of an SVG may have another font.

/// Estimates the width of a text in the bold font, as a multiple of the font size.
fn estimated_width(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

fn character_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '!' | '|' | '\'' | ' ' => 0.32,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.98,
        'A'..='Z' => 0.70,
        ' '..='~' => 0.60,
        // Wide East Asian characters, and emoji.
        '\u{1100}'.. => 1.05,
        _ => 0.72,
    }
}

/// Returns the largest font size up to `size` at which a text is at most `width` wide.
pub(crate) fn fitted_size(text: &str, size: f64, width: f64) -> f64 {
    size.min(width / estimated_width(text).max(1.0))
}

/// Wraps text at spaces into lines of at most `width`; a word wider than that gets its own line. Beyond `max_lines`
/// lines, the rest is replaced by an ellipsis.
pub(super) fn wrapped_lines(text: &str, size: f64, width: f64, max_lines: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && estimated_width(&format!("{line} {word}")) * size > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    if lines.len() > max_lines {
        lines.truncate(max_lines);
        lines[max_lines - 1].push('…');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_drawn_smaller_or_wrapped() {
        assert!(fitted_size("ann won", 66.0, 500.0) > 65.9);
        let long = "x".repeat(100);
        assert!((4.0..10.0).contains(&fitted_size(&long, 66.0, 500.0)));
        let lines = wrapped_lines("because ann took 1 of 8 at take 11", 34.0, 300.0, 9);
        assert_eq!(lines, ["because ann", "took 1 of 8 at", "take 11"]);
        assert_eq!(wrapped_lines("a b c", 34.0, 30.0, 2), ["a", "b…"]);
        assert_eq!(wrapped_lines(&long, 34.0, 300.0, 2), [long.as_str()]);
    }
}
