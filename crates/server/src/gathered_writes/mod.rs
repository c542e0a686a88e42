//! Gathers the writes of a connection until the end of a poll.
//!
//! The HTTP/2 codec writes and flushes every larger frame separately. A server that announces a thousand takes at once
//! would therefore make a system call for each stream that receives one. Here, the frames of one poll are written
//! together at its end.

use hyper::rt::{Read, ReadBufCursor, Write};
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

/// The maximum number of waiting bytes. Further data waits in the streams, where it is counted.
const MAX_WAITING_BYTES: usize = 32 << 10;

/// A stream whose writes wait until [`GatheredWrites::poll_write_out`]. Flushing it does nothing.
#[derive(Debug)]
pub(super) struct GatheringStream<S>(Arc<Mutex<WriteBuffer<S>>>);

/// The writes of a [`GatheringStream`]. The code that polls the owner of that stream must write them out afterwards.
#[derive(Debug)]
pub(super) struct GatheredWrites<S>(Arc<Mutex<WriteBuffer<S>>>);

/// A stream, and the bytes that wait to be written to it.
#[derive(Debug)]
struct WriteBuffer<S> {
    stream: S,
    waiting: Vec<u8>,
    /// The number of bytes at the start of `waiting` that have been written.
    written: usize,
    /// An error to report at the next use of the stream.
    failure: Option<ErrorKind>,
}

/// Wraps a stream, and returns it with the handle that writes out what it gathers.
pub(super) fn gather_writes<S>(stream: S) -> (GatheringStream<S>, GatheredWrites<S>) {
    let gathered = WriteBuffer { stream, waiting: Vec::new(), written: 0, failure: None };
    let gathered = Arc::new(Mutex::new(gathered));
    (GatheringStream(Arc::clone(&gathered)), GatheredWrites(gathered))
}

impl<S: Write + Unpin> GatheredWrites<S> {
    /// Writes the waiting bytes as far as the socket accepts them; the task is woken when the socket accepts more.
    /// After an error, the task is woken at once, and the stream reports the error at its next use.
    pub(super) fn poll_write_out(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut gathered = lock_buffer(&self.0);
        if let Err(error) = ready!(gathered.poll_flush_waiting(context)) {
            gathered.failure = Some(error.kind());
            context.waker().wake_by_ref();
        }
        // The buffer is freed, because most connections have nothing to write most of the time.
        (gathered.waiting, gathered.written) = (Vec::new(), 0);
        Poll::Ready(())
    }
}

impl<S> GatheredWrites<S> {
    /// Calls a function on the underlying stream.
    pub(super) fn with_stream(&self, use_stream: impl FnOnce(&mut S)) {
        use_stream(&mut lock_buffer(&self.0).stream);
    }
}

impl<S: Write + Unpin> WriteBuffer<S> {
    fn waiting_bytes(&self) -> usize {
        self.waiting.len() - self.written
    }

    fn check_failure(&self) -> io::Result<()> {
        self.failure.map_or(Ok(()), |kind| Err(kind.into()))
    }

    /// Writes until at most `limit` bytes wait.
    fn poll_write_waiting(&mut self, limit: usize, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.waiting_bytes() > limit {
            let rest = &self.waiting[self.written..];
            match ready!(Pin::new(&mut self.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Writes all waiting bytes, and flushes the stream: TLS may still hold some of what it accepted.
    fn poll_flush_waiting(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_waiting(0, context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Accepts as many bytes as there is room for; if there is no room, waits for it.
    fn poll_buffer<'b>(
        &mut self,
        pieces: impl Iterator<Item = &'b [u8]>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.check_failure()?;
        ready!(self.poll_write_waiting(MAX_WAITING_BYTES - 1, context))?;
        self.waiting.drain(..std::mem::take(&mut self.written));
        let mut taken = 0;
        for piece in pieces {
            let fits = piece.len().min(MAX_WAITING_BYTES - self.waiting_bytes());
            self.waiting.extend_from_slice(&piece[..fits]);
            taken += fits;
            if fits < piece.len() {
                break;
            }
        }
        Poll::Ready(Ok(taken))
    }
}

impl<S: Read + Write + Unpin> Read for GatheringStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut gathered = lock_buffer(&self.0);
        gathered.check_failure()?;
        Pin::new(&mut gathered.stream).poll_read(context, buffer)
    }
}

impl<S: Write + Unpin> Write for GatheringStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        lock_buffer(&self.0).poll_buffer(std::iter::once(bytes), context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        lock_buffer(&self.0).poll_buffer(pieces.iter().map(|piece| &**piece), context)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(lock_buffer(&self.0).check_failure())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut gathered = lock_buffer(&self.0);
        gathered.check_failure()?;
        ready!(gathered.poll_write_waiting(0, context))?;
        Pin::new(&mut gathered.stream).poll_shutdown(context)
    }
}

fn lock_buffer<S>(gathered: &Mutex<WriteBuffer<S>>) -> MutexGuard<'_, WriteBuffer<S>> {
    gathered.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
