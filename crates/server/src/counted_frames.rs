//! Limits the idle frames of an HTTP/2 connection. These are frames that request no work, such as window updates,
//! pings, settings, priorities and empty data. They need no call, token or memory, so no other limit counts them, and a
//! flood of them would occupy a processor.

use lastnim_arena::{RateLimit, RateUse};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The maximum number of idle frames that a client may send in a burst.
const IDLE_FRAME_BURST: u64 = 4_096;
/// The maximum number of idle frames that a client may send per second after such a burst.
const IDLE_FRAMES_PER_SECOND: u64 = 1_000;
/// The number of idle frames that a client may send for each frame of data from the server: a window update for the
/// stream and one for the connection.
const IDLE_FRAMES_PER_DATA: u64 = 2;
/// The number of idle frames that a client may send for each call, such as a reset, a window update and a priority.
const IDLE_FRAMES_PER_CALL: u64 = 4;

/// The number of bytes before a client's first frame (RFC 9113, section 3.4).
const PREFACE_BYTES: usize = 24;
/// The number of bytes in a frame's head (RFC 9113, section 4.1).
const HEAD_BYTES: usize = 9;
/// The payload of the smallest useful DATA frame, which holds only the prefix of a message.
const MIN_DATA_BYTES: usize = 5;
/// The type of a DATA frame (RFC 9113, section 6.1).
const DATA_FRAME: u8 = 0;
/// The type of a HEADERS frame, which begins a call or ends one (RFC 9113, section 6.2).
const HEADERS_FRAME: u8 = 1;
/// The flag of the last DATA or HEADERS frame of a stream.
const END_STREAM_FLAG: u8 = 1;

/// GOAWAY with the error `ENHANCE_YOUR_CALM` (RFC 9113, sections 6.8 and 7). Which calls were served is not known here,
/// so the frame names the largest stream id. The client then cannot assume that any call was left unserved.
const ENHANCE_YOUR_CALM_FRAME: [u8; HEAD_BYTES + 8] =
    [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 11];

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameHead {
    length: usize,
    kind: u8,
    flags: u8,
}

/// Finds the frames in a stream of bytes.
#[derive(Debug)]
struct FrameScanner {
    /// The number of bytes to skip before the next head.
    skip: usize,
    head: [u8; HEAD_BYTES],
    /// The number of bytes of the head that have been read.
    read: usize,
}

/// A connection that fails with [`TooManyIdleFrames`] when its client floods it with idle frames.
#[derive(Debug)]
pub(super) struct CountedFrames<S> {
    stream: S,
    incoming: FrameScanner,
    outgoing: FrameScanner,
    limit: RateLimit,
    used: Option<RateUse<Instant>>,
    /// The number of idle frames that may still come without counting towards the limit, because the server's frames
    /// and the client's calls account for them.
    explained: u64,
    is_flooded: bool,
}

/// The client sent too many frames that request no work.
#[derive(Debug, thiserror::Error)]
#[error("the client sent more than {IDLE_FRAMES_PER_SECOND} frames per second that request no work")]
struct TooManyIdleFrames;

impl FrameHead {
    fn parse([long, middle, short, kind, flags, ..]: [u8; HEAD_BYTES]) -> Self {
        let length = u32::from_be_bytes([0, long, middle, short]) as usize;
        Self { length, kind, flags }
    }

    /// Returns whether the frame requests no work: it does not begin a call, and does not carry or end a message.
    fn is_idle(self) -> bool {
        match self.kind {
            HEADERS_FRAME => false,
            DATA_FRAME => self.length < MIN_DATA_BYTES && self.flags & END_STREAM_FLAG == 0,
            _ => true,
        }
    }
}

impl FrameScanner {
    /// Creates a scanner that skips this many bytes before the first head.
    fn skipping(skip: usize) -> Self {
        Self { skip, head: [0; HEAD_BYTES], read: 0 }
    }

    /// Continues with these bytes, and calls `found` with each head that they complete.
    fn scan(&mut self, mut bytes: &[u8], mut found: impl FnMut(FrameHead)) {
        while !bytes.is_empty() {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = &bytes[skipped..];
            let taken = bytes.len().min(HEAD_BYTES - self.read);
            self.head[self.read..self.read + taken].copy_from_slice(&bytes[..taken]);
            self.read += taken;
            bytes = &bytes[taken..];
            if self.read == HEAD_BYTES {
                let head = FrameHead::parse(self.head);
                (self.skip, self.read) = (head.length, 0);
                found(head);
            }
        }
    }

    fn is_between_frames(&self) -> bool {
        self.skip == 0 && self.read == 0
    }
}

impl<S> CountedFrames<S> {
    /// Wraps a new connection. The frames that follow the preface are counted.
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            incoming: FrameScanner::skipping(PREFACE_BYTES),
            outgoing: FrameScanner::skipping(0),
            limit: RateLimit::per_second(IDLE_FRAME_BURST, IDLE_FRAMES_PER_SECOND),
            used: None,
            explained: 0,
            is_flooded: false,
        }
    }

    fn count_incoming(&mut self, bytes: &[u8]) -> Result<(), TooManyIdleFrames> {
        let (mut idle, mut calls) = (0, 0);
        self.incoming.scan(bytes, |frame| {
            idle += u64::from(frame.is_idle());
            calls += u64::from(frame.kind == HEADERS_FRAME);
        });
        self.explained += calls * IDLE_FRAMES_PER_CALL;
        let explained = idle.min(self.explained);
        self.explained -= explained;
        let unexplained = idle - explained;
        if unexplained > 0 {
            let used = self.limit.count(self.used, tokio::time::Instant::now().into_std(), unexplained);
            self.used = Some(used.map_err(|_| TooManyIdleFrames)?);
        }
        Ok(())
    }

    fn count_outgoing(&mut self, bytes: &[u8]) {
        let mut frames = 0;
        self.outgoing.scan(bytes, |frame| frames += u64::from(frame.kind == DATA_FRAME));
        self.explained += frames * IDLE_FRAMES_PER_DATA;
    }
}

impl<S: AsyncWrite + Unpin> CountedFrames<S> {
    /// If the client was cut off because of its idle frames, sends it the reason, unless the socket cannot accept that
    /// now.
    pub(super) fn send_enhance_your_calm(&mut self, context: &mut Context<'_>) {
        if self.is_flooded && self.outgoing.is_between_frames() {
            // An error is ignored: the connection closes in any case.
            let _ = Pin::new(&mut self.stream).poll_write(context, &ENHANCE_YOUR_CALM_FRAME);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CountedFrames<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if let Err(flood) = self.count_incoming(&buffer.filled()[before..]) {
            self.is_flooded = true;
            return Poll::Ready(Err(io::Error::other(flood)));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountedFrames<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.count_outgoing(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING_FRAME: [u8; 17] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];

    fn frame_bytes(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, 1], payload].concat()
    }

    #[test]
    fn frames_are_found_in_pieces_of_any_size() {
        let frames = [
            frame_bytes(HEADERS_FRAME, 4, b"headers"),
            frame_bytes(DATA_FRAME, 0, b""),
            PING_FRAME.to_vec(),
            frame_bytes(DATA_FRAME, 1, &[7; 200]),
        ];
        let bytes = frames.concat();
        for size in [1, 2, 9, 10, 50, bytes.len()] {
            let mut scanner = FrameScanner::skipping(PREFACE_BYTES);
            let mut found = Vec::new();
            for piece in [&[b'x'; PREFACE_BYTES][..], &bytes].concat().chunks(size) {
                scanner.scan(piece, |head| found.push((head.kind, head.length, head.flags)));
            }
            assert_eq!(found, [(1, 7, 4), (0, 0, 0), (6, 8, 0), (0, 200, 1)], "{size}");
            assert!(scanner.is_between_frames());
            scanner.scan(&[0], |_| {});
            assert!(!scanner.is_between_frames());
        }
    }

    /// Returns how many of these frames pass before the connection is cut off, at most 100,000.
    fn count_passing(connection: &mut CountedFrames<()>, bytes: &[u8]) -> usize {
        (0..100_000).take_while(|_| connection.count_incoming(bytes).is_ok()).count()
    }

    fn new_connection() -> CountedFrames<()> {
        let mut connection = CountedFrames::new(());
        connection.count_incoming(&[b'x'; PREFACE_BYTES]).unwrap();
        connection
    }

    #[test]
    fn idle_frames_are_limited_and_others_are_not() {
        let idle = [
            PING_FRAME.to_vec(),
            frame_bytes(8, 0, &[0, 0, 0, 1]),
            frame_bytes(4, 0, &[]),
            frame_bytes(2, 0, &[0; 5]),
            frame_bytes(9, 0, b"x"),
            frame_bytes(99, 0, b"unknown"),
            frame_bytes(DATA_FRAME, 0, b""),
            frame_bytes(DATA_FRAME, 0, b"x"),
        ];
        for idle in idle {
            let passed = count_passing(&mut new_connection(), &idle) as u64;
            // Some frames are allowed again while this runs.
            assert!((IDLE_FRAME_BURST..2 * IDLE_FRAME_BURST).contains(&passed), "{idle:?}: {passed}");
        }
        for busy in [
            frame_bytes(HEADERS_FRAME, 4, b"a call"),
            frame_bytes(DATA_FRAME, 0, b"message"),
            frame_bytes(DATA_FRAME, END_STREAM_FLAG, b""),
        ] {
            assert_eq!(count_passing(&mut new_connection(), &busy), 100_000, "{busy:?}");
        }
    }

    #[test]
    fn data_and_calls_allow_more_idle_frames() {
        let update = frame_bytes(8, 0, &[0, 0, 0, 1]);
        let mut connection = new_connection();
        connection.count_outgoing(&frame_bytes(DATA_FRAME, 0, b"take").repeat(50_000));
        assert_eq!(count_passing(&mut connection, &update), 100_000);
        let call =
            [frame_bytes(HEADERS_FRAME, 4, b"call"), frame_bytes(3, 0, &[0; 4]), update.repeat(3)].concat();
        assert_eq!(count_passing(&mut connection, &call), 100_000);
        assert!(count_passing(&mut connection, &update) < 100_000);
    }
}
