//! Response bodies, whose memory is charged to the client until it is written, and which are dropped if the client
//! does not read them.

use super::calls::{MemoryBudget, MemoryCharge};
use super::connection_slots::CallMark;
use super::unread_bytes::UnreadBytes;
use hyper::HeaderMap;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use lastnim_rpc::{CallerStatus, ClientAddress, TrafficCounts, add_error_info, memory_spent_status};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::Status;
use tonic::body::Body;

/// The maximum number of bytes handed to a connection at once. The client must read them within the response timeout.
const PIECE_BYTES: usize = 64 << 10;

/// A response body, which hands its bytes to the connection only as fast as the client reads them.
#[derive(Debug)]
pub(super) struct ResponseBody {
    body: Body,
    mark: CallMark,
    /// `None` for refusals and for the streams of bots, which are not charged here.
    account: Option<Box<ResponseAccount>>,
    /// Where trailers with errors are counted; `None` for pages, which have no trailers.
    traffic: Option<Arc<TrafficCounts>>,
}

/// How the memory of a response is charged, and which part of the response is still to be sent.
#[derive(Debug)]
struct ResponseAccount {
    payment: ChunkPayment,
    unread: Arc<UnreadBytes>,
    /// The part of the last chunk that was not handed to the connection yet, with the charge for that chunk.
    pending: Option<(Bytes, Arc<MemoryCharge>)>,
    /// How the body ends once all its bytes are written. Unset until the body has no more chunks.
    end: Option<BodyEnd>,
    /// Set if the body must end early when its connection is told to close: the signal to wait for, and how the body
    /// then ends.
    leaving: Option<(Pin<Box<WaitForCancellationFutureOwned>>, EarlyEnd)>,
}

/// How a response body ends if its connection is told to close early.
#[derive(Debug)]
pub(super) enum EarlyEnd {
    /// The body ends with this last message.
    Message(Bytes),
    /// The body ends with trailers that contain this status of the call.
    Trailers(Status),
}

/// How chunks are charged.
#[derive(Debug)]
enum ChunkPayment {
    /// Each chunk is charged by its length.
    ByLength {
        budget: Arc<MemoryBudget>,
        address: ClientAddress,
        /// The charge for the first chunk, if it was made before the body existed.
        prepaid: Option<MemoryCharge>,
    },
    /// One charge covers all chunks: they are shared with other bodies, and each is taken only after the previous
    /// one is written.
    Shared(Arc<MemoryCharge>),
}

impl ChunkPayment {
    /// Charges for a chunk of this many bytes. Returns `None` if the budget is used up.
    fn charge_chunk(&mut self, bytes: usize) -> Option<Arc<MemoryCharge>> {
        match self {
            Self::Shared(charge) => Some(Arc::clone(charge)),
            Self::ByLength { budget, address, prepaid } => {
                prepaid.take().or_else(|| budget.acquire(*address, bytes).ok()).map(Arc::new)
            }
        }
    }

    /// Returns the maximum number of bytes that may be unread when the next piece is handed to the connection.
    fn max_unread(&self) -> usize {
        match self {
            Self::ByLength { .. } => PIECE_BYTES,
            Self::Shared(_) => 0,
        }
    }
}

/// How a body ends.
#[derive(Debug)]
enum BodyEnd {
    WithTrailers(HeaderMap),
    WithoutTrailers,
}

impl ResponseBody {
    /// Wraps a body without limits.
    pub(super) fn unbounded(body: Body, mark: CallMark) -> Self {
        Self { body, mark, account: None, traffic: None }
    }

    /// Wraps a body whose chunks are charged to a budget. `prepaid` is the charge for the first chunk, if it was
    /// already made.
    pub(super) fn counted(
        body: Body,
        mark: CallMark,
        budget: Arc<MemoryBudget>,
        address: ClientAddress,
        prepaid: Option<MemoryCharge>,
    ) -> Self {
        Self::with_payment(body, mark, ChunkPayment::ByLength { budget, address, prepaid })
    }

    /// Wraps an endless body, all of whose chunks are covered by one charge.
    pub(super) fn stream(body: Body, mark: CallMark, charge: MemoryCharge) -> Self {
        Self::with_payment(body, mark, ChunkPayment::Shared(Arc::new(charge)))
    }

    fn with_payment(body: Body, mark: CallMark, payment: ChunkPayment) -> Self {
        let account = ResponseAccount {
            payment,
            unread: UnreadBytes::of_current_call(),
            pending: None,
            end: None,
            leaving: None,
        };
        Self { body, mark, account: Some(Box::new(account)), traffic: None }
    }

    /// Makes the body end early if the caller is a stranger and its connection is told to close.
    pub(super) fn ending_early(mut self, end: EarlyEnd, standing: CallerStatus) -> Self {
        if let (CallerStatus::Stranger, Some(account)) = (standing, &mut self.account) {
            account.leaving = Some((Box::pin(self.mark.leaving()), end));
        }
        self
    }

    /// Makes the body count its call as refused if the trailers contain an error.
    pub(super) fn with_traffic_counts(self, traffic: &Arc<TrafficCounts>) -> Self {
        Self { traffic: Some(Arc::clone(traffic)), ..self }
    }

    /// Returns the next frame, as soon as it may be sent.
    fn poll_next_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self;
        let Some(account) = &mut this.account else { return Pin::new(&mut this.body).poll_frame(context) };
        loop {
            if account.end.is_some() {
                // The call stays open until everything is written, so that an unread response is detected.
                ready!(account.unread.poll_until_at_most(0, context));
                return Poll::Ready(match account.end.take() {
                    Some(BodyEnd::WithTrailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
                    Some(BodyEnd::WithoutTrailers) | None => None,
                });
            }
            if let Some((pending, charge)) = &mut account.pending {
                ready!(account.unread.poll_until_at_most(account.payment.max_unread(), context));
                let piece = pending.split_to(pending.len().min(PIECE_BYTES));
                let piece = account.unread.track_piece(piece, charge);
                if pending.is_empty() {
                    account.pending = None;
                }
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            if matches!(account.payment, ChunkPayment::Shared(_)) {
                // The next chunk is taken only now, so that a slow client gets the newest one.
                ready!(account.unread.poll_until_at_most(0, context));
            }
            if account.poll_leaving(context).is_ready() {
                this.body = Body::empty();
                continue;
            }
            let frame = ready!(Pin::new(&mut this.body).poll_frame(context)).transpose()?;
            if let Some(frame) = account.take_frame(frame) {
                return Poll::Ready(Some(Ok(frame)));
            }
            if account.end.is_some() {
                // The inner body is dropped now, since no more of it is sent.
                this.body = Body::empty();
            }
        }
    }
}

impl ResponseAccount {
    /// Waits until the connection is told to close, and then sets how the body ends.
    fn poll_leaving(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some((leaving, _)) = &mut self.leaving else { return Poll::Pending };
        ready!(leaving.as_mut().poll(context));
        match self.leaving.take() {
            Some((_, EarlyEnd::Trailers(status))) => {
                self.end = Some(BodyEnd::WithTrailers(status_trailers(&status)));
            }
            Some((_, EarlyEnd::Message(message))) => {
                self.pending = self.payment.charge_chunk(message.len()).map(|charge| (message, charge));
            }
            None => {}
        }
        Poll::Ready(())
    }

    /// Processes the next frame of a body. Returns it if it can be sent unchanged.
    fn take_frame(&mut self, frame: Option<Frame<Bytes>>) -> Option<Frame<Bytes>> {
        let Some(frame) = frame else {
            self.end = Some(BodyEnd::WithoutTrailers);
            return None;
        };
        match frame.into_data() {
            Ok(bytes) if bytes.is_empty() => Some(Frame::data(bytes)),
            Ok(bytes) => {
                match self.payment.charge_chunk(bytes.len()) {
                    Some(charge) => self.pending = Some((bytes, charge)),
                    None => self.end = Some(BodyEnd::WithTrailers(status_trailers(&memory_spent_status()))),
                }
                None
            }
            Err(frame) => {
                let mut trailers = frame.into_trailers().unwrap_or_default();
                add_error_info(&mut trailers, "");
                self.end = Some(BodyEnd::WithTrailers(trailers));
                None
            }
        }
    }
}

fn status_trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // The server's own messages always fit in headers.
    let _ = status.add_header(&mut trailers);
    trailers
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(self.poll_next_frame(context));
        if let (Some(Ok(frame)), Some(traffic)) = (&frame, &self.traffic)
            && let Some(trailers) = frame.trailers_ref()
        {
            traffic.count_refused_call(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let waits = |account: &ResponseAccount| account.pending.is_some() || account.end.is_some();
        !self.account.as_deref().is_some_and(waits) && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.account.is_some() { SizeHint::default() } else { self.body.size_hint() }
    }
}
