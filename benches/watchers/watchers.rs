//! Watchers: sockets that read all the data that the server sends them.

use anyhow::Context as _;
use std::{
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
};

/// The number of connections that are opened before the server has time to answer.
const OPENED_AT_ONCE: usize = 50;

/// Watchers of pages.
#[derive(Default)]
pub(crate) struct Watchers {
    reading: JoinSet<()>,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    messages: AtomicU64,
    bytes: AtomicU64,
    ended: AtomicUsize,
}

/// The amount sent to watchers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatcherCounts {
    pub(crate) messages: f64,
    pub(crate) bytes: f64,
}

impl WatcherCounts {
    /// Returns the difference to an earlier amount.
    pub(crate) fn since(self, before: Self) -> Self {
        Self { messages: self.messages - before.messages, bytes: self.bytes - before.bytes }
    }
}

impl Watchers {
    /// Adds this many watchers of a page.
    pub(crate) async fn open(&mut self, address: &str, path: &str, count: usize) -> anyhow::Result<()> {
        let request = Rc::new(format!("GET {path} HTTP/1.1\r\nHost: server\r\n\r\n"));
        for opened in 0..count {
            let mut stream = TcpStream::connect(address).await.context("cannot connect a watcher")?;
            stream.write_all(request.as_bytes()).await?;
            if opened % OPENED_AT_ONCE == 0 {
                stream.readable().await?;
            }
            self.reading.spawn(read_on(stream, Arc::clone(&self.seen)));
        }
        Ok(())
    }

    /// Returns the amount of data that was sent to them.
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53")]
    pub(crate) fn counts(&self) -> WatcherCounts {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        WatcherCounts { messages: load(&self.seen.messages), bytes: load(&self.seen.bytes) }
    }

    /// Disconnects all watchers, and returns the number that were refused or dropped before.
    pub(crate) fn close(self) -> usize {
        self.seen.ended.load(Ordering::Relaxed)
    }
}

async fn read_on(mut stream: TcpStream, seen: Arc<Seen>) {
    let mut bytes = vec![0; 16 << 10];
    // The status line says whether the watcher was accepted. A rejected watcher has no more data to read.
    let mut is_admitted = false;
    while let Ok(read) = stream.read(&mut bytes).await
        && read > 0
        && (is_admitted || bytes[..read].starts_with(b"HTTP/1.1 200"))
    {
        is_admitted = true;
        // Each message has one `data` field, and no text in it looks like the start of one.
        let messages = bytes[..read].windows(6).filter(|window| window == b"data: ").count();
        seen.messages.fetch_add(messages as u64, Ordering::Relaxed);
        seen.bytes.fetch_add(read as u64, Ordering::Relaxed);
    }
    seen.ended.fetch_add(1, Ordering::Relaxed);
}
