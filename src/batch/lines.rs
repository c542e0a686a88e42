//! The lines of a batch, read one at a time in bounded memory.

use std::{
    io::{self, BufRead as _, BufReader, Read},
    str,
};
use thiserror::Error;

/// The maximum length of a line in bytes; the largest game and its record are shorter.
pub const MAX_LINE_BYTES: usize = 16 << 20;
const BUFFER_BYTES: usize = 64 << 10;

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line is too long.
    #[error("the line exceeds the limit of {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line is not valid UTF-8.
    #[error("byte {0} of the line is not UTF-8")]
    NotUtf8(usize),
}

/// Lines of text, numbered from 1.
pub struct NumberedLines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> NumberedLines<R> {
    pub fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), line: Vec::new(), number: 0 }
    }

    /// Returns whether reading the next line may block.
    pub fn may_block(&self) -> bool {
        !self.input.buffer().contains(&b'\n')
    }

    /// Reads the next line, if there is one, with its number.
    pub fn next(&mut self) -> io::Result<Option<(u64, Result<&str, LineError>)>> {
        self.line.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        if self.input.by_ref().take(most).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() != Some(&b'\n') && self.line.len() > MAX_LINE_BYTES {
            self.input.skip_until(b'\n')?;
            return Ok(Some((self.number, Err(LineError::TooLong))));
        }
        let text = str::from_utf8(&self.line).map_err(|error| LineError::NotUtf8(error.valid_up_to() + 1));
        Ok(Some((self.number, text.map(str::trim))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<(u64, Result<String, LineError>)> {
        let mut lines = NumberedLines::new(input);
        let mut numbered = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            numbered.push((number, line.map(str::to_owned)));
        }
        numbered
    }

    #[test]
    fn every_line_is_read_or_refused() {
        assert_eq!(read(b""), []);
        let lines = read(b"one\r\n\n\xffx\nlast");
        assert_eq!(lines[0], (1, Ok("one".into())));
        assert_eq!(lines[1], (2, Ok(String::new())));
        assert_eq!(lines[2], (3, Err(LineError::NotUtf8(1))));
        assert_eq!(lines[3], (4, Ok("last".into())));
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let mut input = vec![b'x'; MAX_LINE_BYTES];
        input.extend(b"\n");
        input.extend(vec![b'y'; MAX_LINE_BYTES + 1]);
        input.extend(b"\nz");
        let lines = read(&input);
        assert_eq!(lines[0].1.as_ref().map(String::len), Ok(MAX_LINE_BYTES));
        assert_eq!(lines[1], (2, Err(LineError::TooLong)));
        assert_eq!(lines[2], (3, Ok("z".into())));
    }
}
