//! Connections on which every request gets a short answer, instead of the services.

use super::client_protocol::ClientProtocol;
use super::request_host::is_grpc;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::Status;
use tonic::body::Body;

/// The maximum duration of such a connection.
pub(super) const MAX_CONNECTION_TIME: Duration = Duration::from_secs(5);
/// The maximum number of open calls on one connection.
const MAX_STREAMS: u32 = 8;
/// The maximum size of a request's headers.
const MAX_HEADER_BYTES: usize = 16 << 10;

/// Answers the requests on a connection until it ends. The caller limits its duration.
pub(super) async fn answer_briefly<A>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    protocol: ClientProtocol,
    answer: impl Fn(Request<Incoming>) -> A + Clone + Send + 'static,
) -> io::Result<()>
where
    A: Future<Output = Response<Body>> + Send + 'static,
{
    let answer = service_fn(move |request: Request<Incoming>| {
        let answering = answer(request);
        async move { Ok::<_, Infallible>(answering.await) }
    });
    let stream = TokioIo::new(stream);
    let served = if protocol == ClientProtocol::Http1 {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).max_buf_size(MAX_HEADER_BYTES);
        builder.serve_connection(stream, answer).await
    } else {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_header_list_size(MAX_HEADER_BYTES as u32)
            .max_concurrent_streams(MAX_STREAMS);
        builder.serve_connection(stream, answer).await
    };
    served.map_err(io::Error::other)
}

/// Refuses every request on a connection with a status.
pub(super) async fn refuse_briefly(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    protocol: ClientProtocol,
    status: Status,
) -> io::Result<()> {
    answer_briefly(stream, protocol, move |request| std::future::ready(refuse_request(&request, &status)))
        .await
}

fn refuse_request(request: &Request<Incoming>, status: &Status) -> Response<Body> {
    if is_grpc(request.headers()) {
        return status.clone().into_http();
    }
    text_response(StatusCode::BAD_REQUEST, format!("{}\n", status.message()))
}

/// Returns a response of plain text.
pub(super) fn text_response(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::new(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    *response.status_mut() = status;
    response
}
