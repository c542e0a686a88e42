//! Reads a file that contains a manifest, a card, or records, which are read one at a time in bounded memory.

use crate::{Failure, batch::MAX_LINE_BYTES};
use lastnim_client::text_input::TextInput;
use lastnim_proto::{
    benchmark_card::looks_like_card,
    manifest::{ManifestReadResult, ManifestReader, looks_like_manifest},
};
use std::{
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
};

/// The maximum size, in bytes, of a record that spans several lines: twice the size of the largest indented
/// JSON.
const MAX_RECORD_BYTES: usize = 64 << 20;
/// The maximum length of a line of a manifest, in bytes. It is high because a tournament may have many positions.
const MAX_MANIFEST_LINE_BYTES: usize = 64 << 20;
const BUFFER_BYTES: usize = 64 << 10;
/// How many bytes at the start of a file are enough to identify its type.
const PREFIX_BYTES: usize = 64;

/// Returns the name of an input.
pub fn input_name(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// A text that should be exactly one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordDocument {
    /// The line number in the file, if each line is a record.
    pub line: Option<u64>,
    /// The text.
    pub text: String,
}

impl RecordDocument {
    /// Returns how many lines of the file precede the record, if each line is a record.
    pub fn line_offset(&self) -> usize {
        self.line.map_or(0, |line| usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1))
    }
}

/// The content of a file.
pub enum InputFile {
    /// A manifest.
    Manifest(Box<dyn BufRead>),
    /// The card of a benchmark.
    Card(Box<dyn BufRead>),
    /// Records, or any other content.
    Records(RecordDocuments),
}

impl InputFile {
    /// Opens a file, and finds out what it contains from its first bytes; `-` is standard input.
    pub fn open(file: &Path) -> io::Result<Self> {
        let mut input = open_input(file)?;
        let mut beginning = Vec::with_capacity(PREFIX_BYTES);
        input.by_ref().take(PREFIX_BYTES as u64).read_to_end(&mut beginning)?;
        let (is_manifest, is_card) = (looks_like_manifest(&beginning), looks_like_card(&beginning));
        let whole: Box<dyn Read> = Box::new(Cursor::new(beginning).chain(input));
        Ok(if is_manifest {
            Self::Manifest(Box::new(BufReader::with_capacity(BUFFER_BYTES, whole)))
        } else if is_card {
            Self::Card(Box::new(BufReader::with_capacity(BUFFER_BYTES, whole)))
        } else {
            Self::Records(RecordDocuments::new(whole))
        })
    }
}

/// Reads a manifest to its end.
pub fn read_manifest(input: &mut dyn BufRead) -> io::Result<ManifestReadResult> {
    let mut reader = ManifestReader::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        (&mut *input).take(MAX_MANIFEST_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        match line.len() {
            0 => return Ok(reader.finish()),
            1..=MAX_MANIFEST_LINE_BYTES => reader.read_line(&line),
            _ => {
                let why =
                    format!("a line exceeds the limit of {MAX_MANIFEST_LINE_BYTES} bytes for manifests");
                return Err(io::Error::other(why));
            }
        }
    }
}

/// Opens a text file; `-` is standard input.
pub fn open_input(file: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if file == Path::new("-") {
        Box::new(TextInput::new(io::stdin().lock()))
    } else {
        Box::new(TextInput::open(file)?)
    })
}

/// The records of a file: one per line if the first line is JSON and the second starts like JSON; otherwise a single
/// record.
pub struct RecordDocuments {
    input: BufReader<Box<dyn Read>>,
    /// The bytes that were already read to find out whether each line is a record.
    lookahead: Option<Vec<u8>>,
    /// The number of the previous line, if each line is a record.
    line: Option<u64>,
    begun: bool,
}

impl RecordDocuments {
    /// Opens a file; `-` is standard input.
    pub fn open(file: &Path) -> io::Result<Self> {
        Ok(Self::new(open_input(file)?))
    }

    fn new(input: Box<dyn Read>) -> Self {
        let input = BufReader::with_capacity(BUFFER_BYTES, input);
        Self { input, lookahead: None, line: None, begun: false }
    }

    /// Returns the number of the line that was read last, if each line is a record.
    pub fn line_number(&self) -> Option<u64> {
        self.line
    }

    /// Reads the text of the next record. An empty file has one record, whose text is empty. After a record
    /// that is not UTF-8 ([`io::ErrorKind::InvalidData`]), the next one can be read.
    pub fn next_document(&mut self) -> io::Result<Option<RecordDocument>> {
        if self.line.is_some() {
            return self.next_line();
        }
        if self.begun {
            return Ok(None);
        }
        self.begun = true;
        let mut first = self.read_line()?;
        let second = self.read_line()?;
        if first.starts_with(b"{") && second.trim_ascii_start().starts_with(b"{") {
            (self.line, self.lookahead) = (Some(1), Some(second));
            return decode_text(first).map(|text| Some(RecordDocument { line: Some(1), text }));
        }
        first.extend(second);
        let most = MAX_RECORD_BYTES.saturating_sub(first.len()) as u64 + 1;
        self.input.by_ref().take(most).read_to_end(&mut first)?;
        if first.len() > MAX_RECORD_BYTES {
            return Err(record_too_long_error(MAX_RECORD_BYTES));
        }
        decode_text(first).map(|text| Some(RecordDocument { line: None, text }))
    }

    fn next_line(&mut self) -> io::Result<Option<RecordDocument>> {
        let line = match self.lookahead.take() {
            Some(line) => line,
            None => self.read_line()?,
        };
        if line.is_empty() {
            return Ok(None);
        }
        self.line = self.line.map(|line| line + 1);
        decode_text(line).map(|text| Some(RecordDocument { line: self.line, text }))
    }

    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
        if line.len() > MAX_LINE_BYTES { Err(record_too_long_error(MAX_LINE_BYTES)) } else { Ok(line) }
    }
}

fn record_too_long_error(limit: usize) -> io::Error {
    io::Error::other(format!("the record exceeds the limit of {limit} bytes"))
}

fn decode_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} of the record is not UTF-8", error.utf8_error().valid_up_to() + 1);
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Reads a file with one record.
pub fn read_single_document(file: &Path) -> Result<String, Failure> {
    let failure = |error| Failure::runtime(error, input_name(file));
    let mut documents = RecordDocuments::open(file).map_err(failure)?;
    let only = documents.next_document().map_err(failure)?;
    if only.as_ref().is_some_and(|document| document.line.is_some()) {
        return Err(Failure::input(format!(
            "{}: this file has one record per line: give a single record",
            input_name(file)
        )));
    }
    Ok(only.map(|document| document.text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &'static [u8]) -> Vec<(Option<u64>, String)> {
        let mut documents = RecordDocuments::new(Box::new(input));
        let mut found = Vec::new();
        while let Some(RecordDocument { line, text }) = documents.next_document().unwrap() {
            found.push((line, text));
        }
        found
    }

    #[test]
    fn an_input_has_one_record_or_one_per_line() {
        let whole_document = |text: &str| vec![(None, text.to_owned())];
        for text in ["", "{}", "{}\n", "{\n  \"a\": 1\n}\n", "record\n{\n", "{}\n\n{}\n"] {
            assert_eq!(read(text.as_bytes()), whole_document(text), "{text:?}");
        }
        let lines = read(b"{1}\n{2}\n\nx");
        let texts: Vec<_> = lines.iter().map(|(line, text)| (line.unwrap(), text.as_str())).collect();
        assert_eq!(texts, [(1, "{1}\n"), (2, "{2}\n"), (3, "\n"), (4, "x")]);
    }

    #[test]
    fn invalid_or_long_text_is_refused() {
        let refusal =
            |input: Box<dyn Read>| RecordDocuments::new(input).next_document().unwrap_err().to_string();
        assert_eq!(refusal(Box::new(&b"{\xff}"[..])), "byte 2 of the record is not UTF-8");
        let message = refusal(Box::new(io::repeat(b'x')));
        assert_eq!(message, format!("the record exceeds the limit of {MAX_LINE_BYTES} bytes"));
        let endless = (&b"{\n\n"[..]).chain(io::repeat(b'\n'));
        assert_eq!(
            refusal(Box::new(endless)),
            format!("the record exceeds the limit of {MAX_RECORD_BYTES} bytes")
        );
    }
}
