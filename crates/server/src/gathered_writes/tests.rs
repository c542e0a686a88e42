use super::*;
use hyper_util::rt::TokioIo;
use std::task::Waker;
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

type StreamWritesAndPeer =
    (GatheringStream<TokioIo<DuplexStream>>, GatheredWrites<TokioIo<DuplexStream>>, DuplexStream);

fn gathering_stream(system_bytes: usize) -> StreamWritesAndPeer {
    let (stream, peer) = duplex(system_bytes);
    let (stream, writes) = gather_writes(TokioIo::new(stream));
    (stream, writes, peer)
}

fn poll_write_bytes(
    stream: &mut GatheringStream<TokioIo<DuplexStream>>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    Pin::new(stream).poll_write(&mut Context::from_waker(Waker::noop()), bytes)
}

fn read_waiting(peer: &mut DuplexStream) -> Vec<u8> {
    let mut bytes = vec![0; 1 << 20];
    let mut context = Context::from_waker(Waker::noop());
    let poll = std::pin::pin!(peer.read(&mut bytes)).poll(&mut context);
    let count = match poll {
        Poll::Ready(count) => count.unwrap(),
        Poll::Pending => 0,
    };
    bytes.truncate(count);
    bytes
}

#[test]
fn nothing_is_sent_before_the_buffer_is_written_out() {
    let (mut stream, writes, mut peer) = gathering_stream(1 << 20);
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(poll_write_bytes(&mut stream, b"one "), Poll::Ready(Ok(4))));
    assert!(Pin::new(&mut stream).poll_flush(&mut context).is_ready());
    let pieces = [IoSlice::new(b"two "), IoSlice::new(b""), IoSlice::new(b"three")];
    assert!(matches!(Pin::new(&mut stream).poll_write_vectored(&mut context, &pieces), Poll::Ready(Ok(9))));
    assert_eq!(read_waiting(&mut peer), b"");
    assert!(writes.poll_write_out(&mut context).is_ready());
    assert_eq!(read_waiting(&mut peer), b"one two three");
}

#[test]
fn the_waiting_bytes_of_a_silent_client_are_limited() {
    let (mut stream, writes, mut peer) = gathering_stream(1_000);
    let mut context = Context::from_waker(Waker::noop());
    let sent: Vec<u8> = (0..3 * MAX_WAITING_BYTES).map(|place| (place % 251) as u8).collect();
    let (mut taken, mut received) = (0, Vec::new());
    while let Poll::Ready(count) = poll_write_bytes(&mut stream, &sent[taken..]) {
        taken += count.unwrap();
    }
    assert!((MAX_WAITING_BYTES..=MAX_WAITING_BYTES + 1_000).contains(&taken), "{taken}");
    assert!(writes.poll_write_out(&mut context).is_pending());
    // While the client reads a little at a time, the rest follows in order, and the limit still holds.
    while received.len() < sent.len() {
        received.extend(read_waiting(&mut peer));
        while taken < sent.len()
            && let Poll::Ready(count) = poll_write_bytes(&mut stream, &sent[taken..])
        {
            taken += count.unwrap();
        }
        assert!(lock_buffer(&writes.0).waiting.len() <= 2 * MAX_WAITING_BYTES);
        let _ = writes.poll_write_out(&mut context);
    }
    assert_eq!(received, sent);
    assert_eq!(lock_buffer(&writes.0).waiting.capacity(), 0);
}

#[test]
fn a_late_write_error_is_reported_at_the_next_use() {
    let (mut stream, writes, peer) = gathering_stream(1 << 20);
    let mut context = Context::from_waker(Waker::noop());
    assert!(poll_write_bytes(&mut stream, b"lost").is_ready());
    drop(peer);
    assert!(writes.poll_write_out(&mut context).is_ready());
    assert!(
        matches!(poll_write_bytes(&mut stream, b"more"), Poll::Ready(Err(error)) if error.kind() == ErrorKind::BrokenPipe)
    );
    assert!(matches!(Pin::new(&mut stream).poll_flush(&mut context), Poll::Ready(Err(_))));
}

#[test]
fn waiting_bytes_are_written_before_the_shutdown() {
    let (mut stream, _writes, mut peer) = gathering_stream(1 << 20);
    let mut context = Context::from_waker(Waker::noop());
    assert!(poll_write_bytes(&mut stream, b"goodbye").is_ready());
    assert!(matches!(Pin::new(&mut stream).poll_shutdown(&mut context), Poll::Ready(Ok(()))));
    assert_eq!(read_waiting(&mut peer), b"goodbye");
}

/// A stream that, like TLS, sends some of the bytes that it accepts only when it is flushed.
#[derive(Default)]
struct FlushedStream {
    accepted: Vec<u8>,
    flushed: Vec<u8>,
}

impl Write for FlushedStream {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.accepted.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushed = self.accepted.clone();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[test]
fn the_stream_is_flushed_after_the_last_write() {
    let (mut stream, writes) = gather_writes(FlushedStream::default());
    let mut context = Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut stream).poll_write(&mut context, b"take").is_ready());
    assert!(writes.poll_write_out(&mut context).is_ready());
    writes.with_stream(|stream| assert_eq!(stream.flushed, b"take"));
}
