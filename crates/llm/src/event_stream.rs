//! An incremental reader of server-sent events.

use std::mem;

/// Reads the data of events from bytes as they arrive. Its memory is not limited here, since the endpoint's client
/// limits the input.
#[derive(Debug, Default)]
pub struct EventStreamReader {
    /// An incomplete line.
    line: Vec<u8>,
    /// The data of an incomplete event.
    data: String,
}

/// Bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUtf8;

impl EventStreamReader {
    /// Adds bytes, and returns the data of the events that they complete.
    ///
    /// # Errors
    /// If a line is not UTF-8.
    pub fn read_bytes(&mut self, bytes: &[u8]) -> Result<Vec<String>, NotUtf8> {
        let mut events = Vec::new();
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.line.extend_from_slice(piece);
            if pieces.peek().is_some() {
                let line = String::from_utf8(mem::take(&mut self.line)).map_err(|_| NotUtf8)?;
                events.extend(self.read_line(line.strip_suffix('\r').unwrap_or(&line)));
            }
        }
        Ok(events)
    }

    /// Adds a line; an empty one ends an event.
    fn read_line(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return (!self.data.is_empty()).then(|| mem::take(&mut self.data));
        }
        // Comments, names and ids of events are ignored.
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }

    /// Returns the data of the last event if the stream ended without an empty line after it, as with some endpoints.
    pub fn finish(mut self) -> Option<String> {
        let line = String::from_utf8(mem::take(&mut self.line)).unwrap_or_default();
        self.read_line(line.strip_suffix('\r').unwrap_or(&line)).or_else(|| self.read_line(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_from_pieces_of_any_size() {
        let text =
            ": hello\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nevent: x\ndata:é\n\n\n\nid: 7\ndata: [DONE]\n";
        for size in [1, 2, 3, 7, 1_000] {
            let mut reader = EventStreamReader::default();
            let mut events = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                events.extend(reader.read_bytes(piece).unwrap());
            }
            assert_eq!(events, ["{\"a\":\n1}", "é"], "pieces of {size}");
            assert_eq!(reader.finish().as_deref(), Some("[DONE]"));
        }
        assert_eq!(EventStreamReader::default().read_bytes(b"data: \xff\n"), Err(NotUtf8));
        assert_eq!(EventStreamReader::default().finish(), None);
    }
}
