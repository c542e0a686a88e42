//! An implementation of `lastnim.v1.ArenaService` that can send arbitrary bytes, because events of a future version
//! cannot be written as messages of this version.

use super::bot_session::{Arrival, BotSession, Inbound};
use lastnim_proto::pb;
use prost::bytes::BufMut as _;
use std::{convert::Infallible, sync::Arc};
use tokio::sync::mpsc;
use tokio_stream::{StreamExt as _, wrappers::UnboundedReceiverStream};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codec::{BufferSettings, Codec, EncodeBuf, Encoder},
    codegen::{BoxFuture, Context, Poll, Service, http},
    metadata::MetadataMap,
    server::{Grpc, NamedService, StreamingService},
};
use tonic_prost::{ProstCodec, ProstDecoder};

/// The path of the only method.
const PLAY_PATH: &str = "/lastnim.v1.ArenaService/Play";
/// The maximum size of a bot's message, as on the real server.
const MAX_REQUEST_BYTES: usize = 64 * 1024;
/// The maximum number of queued messages that the script has not read. Further messages wait in the bot's stream.
const INBOUND_QUEUE_SIZE: usize = 256;

/// An encoded event.
pub(super) type EncodedEvent = Vec<u8>;

/// Passes each stream that the bot opens to the script of the check.
#[derive(Debug, Clone)]
pub(super) struct PlayService {
    token: Arc<str>,
    arrivals: mpsc::UnboundedSender<Arrival>,
}

impl PlayService {
    /// Creates a service that only admits calls with this token.
    pub(super) fn new(token: &str, arrivals: mpsc::UnboundedSender<Arrival>) -> Self {
        Self { token: token.into(), arrivals }
    }

    fn check_token(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let given = metadata.get("authorization").map(|value| value.to_str().unwrap_or("?"));
        if given.and_then(|given| given.strip_prefix("Bearer ")) == Some(&self.token) {
            return Ok(());
        }
        let call = match given {
            None => "a call without `authorization`".to_owned(),
            Some(given) => format!("a call with `authorization: {given:.80}`"),
        };
        // An error means that the script has ended.
        let _ = self.arrivals.send(Arrival::Refused(call));
        Err(Status::unauthenticated(
            "expected `authorization: Bearer <token>` with the token in LASTNIM_TOKEN",
        ))
    }
}

impl NamedService for PlayService {
    const NAME: &'static str = "lastnim.v1.ArenaService";
}

impl Service<http::Request<Body>> for PlayService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            if request.uri().path() != PLAY_PATH {
                return Ok(Status::unimplemented("the scripted server only serves Play").into_http());
            }
            let grpc = Grpc::new(ScriptCodec);
            let mut grpc = grpc.apply_max_message_size_config(Some(MAX_REQUEST_BYTES), None);
            Ok(grpc.streaming(service, request).await)
        })
    }
}

impl StreamingService<pb::PlayRequest> for PlayService {
    type Response = EncodedEvent;
    type ResponseStream = UnboundedReceiverStream<Result<EncodedEvent, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<pb::PlayRequest>>) -> Self::Future {
        let admitted = self.check_token(request.metadata());
        let arrivals = self.arrivals.clone();
        Box::pin(async move {
            admitted?;
            let (outbound, events) = mpsc::unbounded_channel();
            let (sender, inbound) = mpsc::channel(INBOUND_QUEUE_SIZE);
            tokio::spawn(read_requests(request.into_inner(), sender));
            // An error means that the script has ended.
            let _ = arrivals.send(Arrival::Session(BotSession::new(outbound, inbound)));
            Ok(Response::new(UnboundedReceiverStream::new(events)))
        })
    }
}

/// Passes the bot's messages to the script until the bot's stream or the script ends.
async fn read_requests(mut requests: Streaming<pb::PlayRequest>, script: mpsc::Sender<Inbound>) {
    loop {
        let inbound = match requests.next().await {
            Some(Ok(request)) => Inbound::Request(request),
            Some(Err(status)) => Inbound::Broken(status.message().to_owned()),
            None => Inbound::Closed,
        };
        let goes_on = matches!(inbound, Inbound::Request(_));
        if script.send(inbound).await.is_err() || !goes_on {
            return;
        }
    }
}

/// Sends the encoded events unchanged, and decodes the bot's requests.
#[derive(Debug, Clone, Copy, Default)]
struct ScriptCodec;

impl Codec for ScriptCodec {
    type Encode = EncodedEvent;
    type Decode = pb::PlayRequest;
    type Encoder = VerbatimEncoder;
    type Decoder = ProstDecoder<pb::PlayRequest>;

    fn encoder(&mut self) -> Self::Encoder {
        VerbatimEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<pb::PlayRequest, pb::PlayRequest>::raw_decoder(BufferSettings::default())
    }
}

#[derive(Debug, Clone, Copy)]
struct VerbatimEncoder;

impl Encoder for VerbatimEncoder {
    type Item = EncodedEvent;
    type Error = Status;

    fn encode(&mut self, event: EncodedEvent, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&event);
        Ok(())
    }
}
