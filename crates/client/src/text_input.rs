//! Reads text from people and other programs: UTF-8, with or without a byte order mark.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The byte order mark that some editors write at the start of a UTF-8 file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader that skips a UTF-8 byte order mark at the start of its input, and refuses UTF-16.
#[derive(Debug)]
pub struct TextInput<R> {
    input: R,
    /// The bytes that were read to look for a mark and have not been returned yet; `None` before the first read.
    read_ahead: Option<Vec<u8>>,
}

impl TextInput<File> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self::new)
    }
}

impl<R: Read> TextInput<R> {
    /// Wraps an input of which nothing has been read yet.
    pub fn new(input: R) -> Self {
        Self { input, read_ahead: None }
    }

    /// Reads as many bytes as are needed to recognise a byte order mark, and returns them unless they are the mark.
    /// Refuses the beginning of a UTF-16 text.
    fn read_beginning(&mut self) -> io::Result<Vec<u8>> {
        let mut beginning = Vec::new();
        let mut buffer = [0; BYTE_ORDER_MARK.len()];
        while beginning.len() < 2 || (BYTE_ORDER_MARK.starts_with(&beginning) && beginning != BYTE_ORDER_MARK)
        {
            let room = BYTE_ORDER_MARK.len() - beginning.len();
            match self.input.read(&mut buffer[..room]) {
                Ok(0) => break,
                Ok(read) => beginning.extend(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            // The first line may be shorter than a mark, and the next line may come only after an answer to it.
            if beginning.ends_with(b"\n") {
                break;
            }
        }
        match *beginning {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, ..] | [1..=255, 0, ..] => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "the text is UTF-16: save it as UTF-8"))
            }
            _ if beginning == BYTE_ORDER_MARK => Ok(Vec::new()),
            _ => Ok(beginning),
        }
    }
}

impl<R: Read> Read for TextInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read_ahead.is_none() {
            self.read_ahead = Some(Vec::new());
            self.read_ahead = Some(self.read_beginning()?);
        }
        let Some(read_ahead) = self.read_ahead.as_mut().filter(|read_ahead| !read_ahead.is_empty()) else {
            return self.input.read(buffer);
        };
        let length = read_ahead.len().min(buffer.len());
        buffer[..length].copy_from_slice(&read_ahead[..length]);
        read_ahead.drain(..length);
        Ok(length)
    }
}

/// Reads the text of a file.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    TextInput::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that returns one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    fn read(bytes: &[u8]) -> Result<String, String> {
        let whole = io::read_to_string(TextInput::new(bytes)).map_err(|error| error.to_string());
        let slow = io::read_to_string(TextInput::new(Slow(bytes))).map_err(|error| error.to_string());
        assert_eq!(whole, slow);
        whole
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_utf_16_is_reported() {
        for text in ["", "a", "\n", "{}\n", "é", "\u{feff}", "\u{feff}x\u{feff}"] {
            let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
            assert_eq!(read(text.as_bytes()).unwrap(), unmarked, "{text:?}");
        }
        for utf_16 in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a", b"a\0b\0", b"\0a\0b"] {
            assert_eq!(read(utf_16).unwrap_err(), "the text is UTF-16: save it as UTF-8");
        }
        assert!(read(b"\xef\xbbx").is_err() && read(b"\xef").is_err());
    }

    #[test]
    fn a_short_line_is_passed_on_before_the_next_one() {
        let mut input = TextInput::new(Slow(b"\n"));
        let mut buffer = [0; 8];
        assert_eq!(input.read(&mut buffer).unwrap(), 1);
    }
}
