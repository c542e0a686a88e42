//! Standard output and standard error. Characters that control a terminal are escaped.
//!
//! Everything that a command prints goes through these writers: names, titles, reasons and messages may come from
//! servers, files and programs that are not trusted.

use lastnim_core::visible_text::visible_text;
use std::{
    fmt,
    io::{self, IsTerminal as _, Write},
    mem, str,
};

/// The styles that lastnim and its log use: reset, bold, dim, italic and colours.
const STYLES: [&str; 10] = ["0", "1", "2", "3", "31", "32", "33", "34", "35", "36"];

/// Standard output.
pub type Stdout = Screen<io::StdoutLock<'static>>;

/// A writer of text that escapes characters as [`visible_text`] does. Bytes that are not UTF-8 become U+FFFD.
#[derive(Debug)]
pub struct Screen<W: Write> {
    output: W,
    has_styles: bool,
    /// The beginning of a character whose end is not written yet.
    partial: Vec<u8>,
}

/// Opens standard output for text and JSON.
pub fn stdout() -> Stdout {
    Screen::new(io::stdout().lock(), io::stdout().is_terminal())
}

/// Opens standard error.
pub fn stderr() -> Screen<io::StderrLock<'static>> {
    Screen::new(io::stderr().lock(), false)
}

/// Opens standard error for the log; its colours and styles are not escaped.
pub fn log_output() -> Screen<io::Stderr> {
    Screen::new(io::stderr(), true)
}

/// Opens standard output for a document whose bytes must not change. They are escaped only if standard output is a
/// terminal.
pub fn stdout_document() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(stdout()) } else { Box::new(io::stdout().lock()) }
}

/// Writes a line to standard error. The command continues if that fails.
pub fn print_note(note: fmt::Arguments<'_>) {
    let _ = writeln!(stderr(), "{note}");
}

impl<W: Write> Screen<W> {
    fn new(output: W, has_styles: bool) -> Self {
        Self { output, has_styles, partial: Vec::new() }
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        let mut parts = text.split('\x1b');
        self.output.write_all(visible_text(parts.next().unwrap_or_default()).as_bytes())?;
        for after in parts {
            let style = after.strip_prefix('[').and_then(|after| after.split_once('m'));
            match style.filter(|(style, _)| self.has_styles && STYLES.contains(style)) {
                Some((style, after)) => {
                    write!(self.output, "\x1b[{style}m")?;
                    self.output.write_all(visible_text(after).as_bytes())?;
                }
                None => self.output.write_all(visible_text(&format!("\x1b{after}")).as_bytes())?,
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.partial.is_empty() && bytes.iter().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
            return self.output.write_all(bytes).map(|()| bytes.len());
        }
        self.partial.extend(bytes);
        let whole = mem::take(&mut self.partial);
        let mut rest = whole.as_slice();
        while !rest.is_empty() {
            let (valid, after, bad) = match str::from_utf8(rest) {
                Ok(text) => (text, &[][..], Some(0)),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    (str::from_utf8(valid).unwrap_or_default(), after, error.error_len())
                }
            };
            self.write_text(valid)?;
            let Some(bad) = bad else {
                self.partial = after.to_vec();
                break;
            };
            if bad > 0 {
                self.output.write_all("\u{fffd}".as_bytes())?;
            }
            rest = &after[bad..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_text(pieces: &[&[u8]], has_styles: bool) -> String {
        let mut output = Vec::new();
        let mut screen = Screen::new(&mut output, has_styles);
        for piece in pieces {
            screen.write_all(piece).unwrap();
        }
        drop(screen);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn foreign_text_cannot_control_the_terminal() {
        let hostile = "\x1b]0;title\x07 \x1b[2J \x1b[8m \u{9b}31m \u{202e}x\r\n";
        let shown = "\\u001b]0;title\\u0007 \\u001b[2J \\u001b[8m \\u009b31m \\u202ex\\u000d\n";
        assert_eq!(written_text(&[hostile.as_bytes()], false), shown);
        assert_eq!(written_text(&[hostile.as_bytes()], true), shown);
        let styled = "\x1b[1mbold\x1b[0m é";
        assert_eq!(written_text(&[styled.as_bytes()], true), styled);
        assert_eq!(written_text(&[styled.as_bytes()], false), "\\u001b[1mbold\\u001b[0m é");
        assert_eq!(written_text(&[b"a\xff\x9bb"], false), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn a_character_may_arrive_in_pieces() {
        let bytes = "é\u{9b}東".as_bytes();
        let pieces: Vec<_> = bytes.chunks(1).collect();
        assert_eq!(written_text(&pieces, false), "é\\u009b東");
    }

    #[test]
    fn escaped_json_keeps_its_value() {
        let value = serde_json::json!({ "title": "\u{202e}\u{9b}\u{7f}\u{1b}\u{e0041} é\n" });
        let line = written_text(&[value.to_string().as_bytes()], false);
        assert!(line.is_ascii() || line.chars().all(|char| char == 'é' || char.is_ascii()), "{line}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), value);
    }
}
