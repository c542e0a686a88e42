//! Invalid protobuf messages and invalid gRPC bodies.

use super::host::soon;
use prost::bytes::{Buf, BufMut, Bytes};
use tokio_stream::Stream;
use tonic::{
    Request, Status, Streaming,
    body::Body,
    client::{Grpc, GrpcService as _},
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::http,
    transport::Channel,
};

const PLAY: &str = "/lastnim.v1.ArenaService/Play";

/// A codec for raw bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Verbatim;

impl Encoder for Verbatim {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, bytes: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(bytes);
        Ok(())
    }
}

impl Decoder for Verbatim {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}

impl Codec for Verbatim {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

/// Opens a session with raw bytes as messages.
pub async fn play(
    channel: Channel,
    token: &str,
    messages: impl Stream<Item = Bytes> + Send + 'static,
) -> Result<Streaming<Bytes>, Status> {
    let mut grpc = Grpc::new(channel);
    soon("a ready channel", grpc.ready()).await.unwrap();
    let mut request = Request::new(messages);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let call = grpc.streaming(request, http::uri::PathAndQuery::from_static(PLAY), Verbatim);
    soon("an answer", call).await.map(tonic::Response::into_inner)
}

/// Sends a raw body, and returns the HTTP status.
pub async fn post(mut channel: Channel, token: &str, body: String) -> http::StatusCode {
    let request = http::Request::post(PLAY)
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::new(body))
        .unwrap();
    soon("a ready channel", std::future::poll_fn(|context| channel.poll_ready(context))).await.unwrap();
    soon("an answer", channel.call(request)).await.unwrap().status()
}

/// Makes a call with raw bytes as its only message.
pub async fn call(
    channel: Channel,
    token: &str,
    path: &'static str,
    message: Bytes,
) -> Result<Bytes, Status> {
    let mut grpc = Grpc::new(channel);
    soon("a ready channel", grpc.ready()).await.unwrap();
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let call = grpc.unary(request, http::uri::PathAndQuery::from_static(path), Verbatim);
    soon("an answer", call).await.map(tonic::Response::into_inner)
}
