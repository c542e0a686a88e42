//! The body of a response: counted until it is written, and given up if nobody reads it.

use super::calls::{MemoryBudget, MemoryCharge};
use super::connection_slots::CallMark;
use super::unread_bytes::UnreadBytes;
use hyper::HeaderMap;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use lastnim_rpc::{ClientAddress, TrafficCounts, add_error_info, memory_spent_status};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tonic::Status;
use tonic::body::Body;

/// The most bytes of a response that are handed to its connection at once: so much of it has to be read in the time that a
/// response has.
const PIECE_BYTES: usize = 64 << 10;

/// A response's body.
#[derive(Debug)]
pub(super) struct ResponseBody {
    body: Body,
    _mark: CallMark,
    /// None where the call has bounds of its own.
    account: Option<Box<ResponseAccount>>,
    /// Counts trailers that refuse the call; none where there are no trailers.
    traffic: Option<Arc<TrafficCounts>>,
}

/// On whose account a response waits.
#[derive(Debug)]
struct ResponseAccount {
    payment: ChunkPayment,
    unread: Arc<UnreadBytes>,
    /// What of the last chunk is not handed over.
    rest: Option<(Bytes, Arc<MemoryCharge>)>,
    /// What comes when all is written.
    end: Option<BodyEnd>,
}

/// How the chunks of a body are charged.
#[derive(Debug)]
enum ChunkPayment {
    /// Each by its length.
    ByLength {
        budget: Arc<MemoryBudget>,
        address: ClientAddress,
        /// What was charged for the first chunk before there was a body.
        prepaid: Option<MemoryCharge>,
    },
    /// All together: they are shared with other bodies, and the next one is taken only once the one before is written.
    Together(Arc<MemoryCharge>),
}

impl ChunkPayment {
    /// Charges the budget for a chunk; `None` if the budget is used up.
    fn charge_chunk(&mut self, bytes: usize) -> Option<Arc<MemoryCharge>> {
        match self {
            Self::Together(charge) => Some(Arc::clone(charge)),
            Self::ByLength { budget, address, prepaid } => {
                prepaid.take().or_else(|| budget.acquire(*address, bytes).ok()).map(Arc::new)
            }
        }
    }

    /// Returns how many bytes may be on their way before more of the body is handed over.
    fn max_unread(&self) -> usize {
        match self {
            Self::ByLength { .. } => PIECE_BYTES,
            Self::Together(_) => 0,
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
    /// Sends a body as it is.
    pub(super) fn unbounded(body: Body, mark: CallMark) -> Self {
        Self { body, _mark: mark, account: None, traffic: None }
    }

    /// Sends a body that counts against a budget, of which the first chunk may be charged already.
    pub(super) fn counted(
        body: Body,
        mark: CallMark,
        budget: Arc<MemoryBudget>,
        address: ClientAddress,
        prepaid: Option<MemoryCharge>,
    ) -> Self {
        Self::with_payment(body, mark, ChunkPayment::ByLength { budget, address, prepaid })
    }

    /// Sends a body that goes on for as long as it is read, and is charged for as a whole.
    pub(super) fn stream(body: Body, mark: CallMark, charge: MemoryCharge) -> Self {
        Self::with_payment(body, mark, ChunkPayment::Together(Arc::new(charge)))
    }

    fn with_payment(body: Body, mark: CallMark, payment: ChunkPayment) -> Self {
        let account =
            ResponseAccount { payment, unread: UnreadBytes::of_current_call(), rest: None, end: None };
        Self { body, _mark: mark, account: Some(Box::new(account)), traffic: None }
    }

    /// Counts the call as refused if its trailers say so.
    pub(super) fn counting_refusals(self, traffic: &Arc<TrafficCounts>) -> Self {
        Self { traffic: Some(Arc::clone(traffic)), ..self }
    }

    /// Returns the next frame, when it may be sent.
    fn poll_next_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self;
        let Some(account) = &mut this.account else { return Pin::new(&mut this.body).poll_frame(context) };
        loop {
            if account.end.is_some() {
                // The call stays until all is written: somebody has to notice if nobody reads it.
                ready!(account.unread.poll_at_most(0, context));
                return Poll::Ready(match account.end.take() {
                    Some(BodyEnd::WithTrailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
                    Some(BodyEnd::WithoutTrailers) | None => None,
                });
            }
            if let Some((rest, charge)) = &mut account.rest {
                ready!(account.unread.poll_at_most(account.payment.max_unread(), context));
                let piece = rest.split_to(rest.len().min(PIECE_BYTES));
                let piece = account.unread.track_piece(piece, charge);
                if rest.is_empty() {
                    account.rest = None;
                }
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            if matches!(account.payment, ChunkPayment::Together(_)) {
                // What is newest by then is sent.
                ready!(account.unread.poll_at_most(0, context));
            }
            let frame = ready!(Pin::new(&mut this.body).poll_frame(context)).transpose()?;
            if let Some(frame) = account.take_frame(frame) {
                return Poll::Ready(Some(Ok(frame)));
            }
            if account.end.is_some() {
                // Nothing more is asked of it, and what it holds is free.
                this.body = Body::empty();
            }
        }
    }
}

impl ResponseAccount {
    /// Takes the next frame of a body. Returns it where nothing is to be done with it.
    fn take_frame(&mut self, frame: Option<Frame<Bytes>>) -> Option<Frame<Bytes>> {
        let Some(frame) = frame else {
            self.end = Some(BodyEnd::WithoutTrailers);
            return None;
        };
        match frame.into_data() {
            Ok(bytes) if bytes.is_empty() => Some(Frame::data(bytes)),
            Ok(bytes) => {
                match self.payment.charge_chunk(bytes.len()) {
                    Some(charge) => self.rest = Some((bytes, charge)),
                    None => self.end = Some(BodyEnd::WithTrailers(trailers_of(&memory_spent_status()))),
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

fn trailers_of(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // What is our own has no characters that a header could not hold.
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
            traffic.note_answer(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let waits = |account: &ResponseAccount| account.rest.is_some() || account.end.is_some();
        !self.account.as_deref().is_some_and(waits) && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.account.is_some() { SizeHint::default() } else { self.body.size_hint() }
    }
}
