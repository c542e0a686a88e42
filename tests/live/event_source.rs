//! A client for server-sent events.

use super::{
    host::{Host, soon},
    http2::{local, socket},
};
use serde_json::Value;
use std::collections::VecDeque;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A stream of events on its own connection.
pub struct EventSource {
    stream: TcpStream,
    status: u16,
    unread: Vec<u8>,
    text: String,
    events: VecDeque<PageEvent>,
    has_ended_well: bool,
}

/// An event.
#[derive(Debug, Clone)]
pub struct PageEvent {
    /// `message`, or its name.
    pub name: String,
    pub id: Option<String>,
    /// The time before a reconnection, in milliseconds.
    pub retry: Option<String>,
    pub data: Value,
}

impl PageEvent {
    /// Returns the new HTML of a part of the page.
    pub fn part(&self, id: &str) -> Option<&str> {
        self.data["parts"][id].as_str()
    }

    /// Returns the plies of the rows of takes, and whether they replace the old ones.
    pub fn plies(&self) -> (Vec<u32>, bool) {
        let appended = self.data["append"]["takes"].as_str();
        let rows = appended.or(self.part("takes")).unwrap_or_default();
        let plies = rows.split(" data-ply=\"").skip(1);
        let ply = |row: &str| row.split('"').next().unwrap().parse::<u32>().unwrap() - 1;
        (plies.map(ply).collect(), appended.is_none())
    }
}

impl EventSource {
    /// Opens a stream with additional header lines.
    pub async fn open_with(host: &Host, path: &str, head: &str) -> Self {
        let mut stream = socket(&host.address, local(1)).await;
        let address = &host.address;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n{head}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let (unread, text, events) = (Vec::new(), String::new(), VecDeque::new());
        let mut source = Self { stream, status: 0, unread, text, events, has_ended_well: false };
        let head = loop {
            if let Some(end) = source.unread.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let rest = source.unread.split_off(end + 4);
                break String::from_utf8(std::mem::replace(&mut source.unread, rest)).unwrap();
            }
            assert!(source.read_more().await, "a head");
        };
        source.status = head.split(' ').nth(1).unwrap().parse().unwrap();
        if source.status == 200 {
            assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
            assert!(head.contains("transfer-encoding: chunked\r\n"), "{head}");
        }
        source
    }

    /// Opens an existing stream.
    pub async fn open(host: &Host, path: &str) -> Self {
        let source = Self::open_with(host, path, "").await;
        assert_eq!(source.status, 200, "{path}");
        source
    }

    /// Returns the status of the answer.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns whether the stream was ended by the server, and not cut off.
    pub fn has_ended_well(&self) -> bool {
        self.has_ended_well
    }

    async fn read_more(&mut self) -> bool {
        let mut bytes = [0; 4_096];
        // A cut connection ends the stream.
        let read = soon("more of a stream", self.stream.read(&mut bytes)).await.unwrap_or(0);
        self.unread.extend(&bytes[..read]);
        read > 0
    }

    /// Returns the next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<PageEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            while let Some(chunk) = take_chunk(&mut self.unread) {
                // The last chunk of a response is empty.
                self.has_ended_well |= chunk.is_empty();
                self.text += &chunk;
            }
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = parse_block(block);
                let rest = rest.len();
                self.text.drain(..self.text.len() - rest);
                self.events.extend(event);
            }
            if self.events.is_empty() && !self.read_more().await {
                return None;
            }
        }
    }

    /// Reads up to the first matching event.
    pub async fn until(&mut self, is_it: impl Fn(&PageEvent) -> bool) -> PageEvent {
        loop {
            let event = self.next().await.expect("the stream is open");
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Returns all events to the end of the stream.
    pub async fn rest(&mut self) -> Vec<PageEvent> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let is_last = event.name == "end";
            events.push(event);
            if is_last {
                break;
            }
        }
        events
    }
}

/// Takes a complete HTTP/1.1 chunk.
fn take_chunk(unread: &mut Vec<u8>) -> Option<String> {
    let line = unread.windows(2).position(|bytes| bytes == b"\r\n")?;
    let length = usize::from_str_radix(str::from_utf8(&unread[..line]).unwrap(), 16).unwrap();
    let end = line + 2 + length + 2;
    if unread.len() < end {
        return None;
    }
    let rest = unread.split_off(end);
    let chunk = std::mem::replace(unread, rest);
    Some(String::from_utf8(chunk[line + 2..end - 2].to_vec()).unwrap())
}

fn parse_block(block: &str) -> Option<PageEvent> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    let data = field("data: ")?;
    Some(PageEvent {
        name: field("event: ").unwrap_or("message").to_owned(),
        id: field("id:").map(|id| id.trim_start().to_owned()),
        retry: field("retry: ").map(str::to_owned),
        data: serde_json::from_str(data).unwrap(),
    })
}
