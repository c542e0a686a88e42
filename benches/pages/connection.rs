//! A connection like a browser's: HTTP/1.1, kept open, one request at a time.

use anyhow::{Context as _, ensure};
use std::{
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

/// The time limit for a response.
const PATIENCE: Duration = Duration::from_mins(2);
/// The maximum size of a response, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// An open connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
}

/// The result of a request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The time from the request to the first byte of the response.
    pub(crate) first_byte: Duration,
    /// Bytes of the body.
    pub(crate) bytes: usize,
}

impl Connection {
    pub(crate) fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).context("cannot connect to the server")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::with_capacity(64 << 10, stream), address: address.to_owned() })
    }

    /// Requests a page with the headers of a browser, and reads the whole response.
    pub(crate) fn get(&mut self, path: &str) -> anyhow::Result<Answer> {
        let host = &self.address;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0)\r\n\
            Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en\r\n\
            Accept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\r\n"
        );
        let began = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes())?;
        let is_closed = loop {
            match self.stream.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?.is_empty(),
            }
        };
        let first_byte = began.elapsed();
        ensure!(!is_closed, "the server closed the connection at {path}");
        let status_line = self.line()?;
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("{path} returned {status_line:?}"))?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match name {
                "content-length" => length = value.trim().parse()?,
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                _ => {}
            }
        }
        let bytes = if is_chunked { self.skip_chunks()? } else { self.skip(length)? };
        Ok(Answer { status, first_byte, bytes: usize::try_from(bytes)? })
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.stream.by_ref().take(MAX_BYTES).read_line(&mut line)?;
        ensure!(line.ends_with('\n'), "a response ended after {line:?}");
        Ok(line.trim_end().to_owned())
    }

    fn skip(&mut self, length: u64) -> anyhow::Result<u64> {
        ensure!(length <= MAX_BYTES, "a response has {length} bytes: expected at most {MAX_BYTES}");
        let body_length = std::io::copy(&mut self.stream.by_ref().take(length), &mut std::io::sink())?;
        ensure!(body_length == length, "a response with {length} bytes ended after {body_length}");
        Ok(body_length)
    }

    fn skip_chunks(&mut self) -> anyhow::Result<u64> {
        let mut bytes = 0;
        loop {
            let line = self.line()?;
            let length = u64::from_str_radix(line.trim(), 16)
                .with_context(|| format!("{line:?} is not the size of a chunk"))?;
            bytes += self.skip(length)?;
            ensure!(self.line()?.is_empty(), "a chunk is longer than its stated size");
            if length == 0 {
                return Ok(bytes);
            }
        }
    }
}
