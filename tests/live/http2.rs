//! Raw HTTP/2, for clients that misbehave below gRPC.

use super::host::soon;
use h2::client::{Builder, SendRequest};
use prost::bytes::Bytes;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tonic::codegen::http;

/// The connection preface.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// An empty SETTINGS frame.
pub const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

/// A loopback address.
pub fn local(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, last)
}

/// Connects from a loopback address.
pub async fn socket(server: &str, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    soon("a connection", socket.connect(server.parse().unwrap())).await.unwrap()
}

/// A frame as it was read.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub stream: u32,
    head: [u8; 9],
    pub payload: Vec<u8>,
}

impl Frame {
    /// Returns the frame as it was sent.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.head, &self.payload[..]].concat()
    }
}

/// Reads the next frame of a connection.
pub async fn read_frame(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Frame> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await?;
    let [long, middle, short, kind, _flags, id @ ..] = head;
    let mut payload = vec![0; u32::from_be_bytes([0, long, middle, short]) as usize];
    stream.read_exact(&mut payload).await?;
    Ok(Frame { kind, stream: u32::from_be_bytes(id), head, payload })
}

/// An HTTP/2 connection.
pub struct RawConnection {
    pub requests: SendRequest<Bytes>,
    /// Ends when the connection is closed.
    pub driving: JoinHandle<Result<(), h2::Error>>,
}

impl RawConnection {
    pub async fn open(server: &str, from: Ipv4Addr) -> Self {
        Self::over(socket(server, from).await, &mut Builder::new()).await
    }

    /// Sends `first` before the connection's own bytes.
    pub async fn announced(server: &str, from: Ipv4Addr, first: &[u8]) -> Self {
        let mut stream = socket(server, from).await;
        stream.write_all(first).await.unwrap();
        Self::over(stream, &mut Builder::new()).await
    }

    pub async fn over(stream: TcpStream, settings: &mut Builder) -> Self {
        let handshake = settings.handshake(stream);
        let (requests, connection) = soon("a handshake", handshake).await.unwrap();
        Self { requests, driving: tokio::spawn(connection) }
    }

    /// Calls a method with one message and returns its `grpc-status`.
    pub async fn call(&self, path: &str, token: Option<&str>, message: &[u8]) -> Result<String, h2::Error> {
        let mut requests = soon("room for a request", self.requests.clone().ready()).await?;
        let (response, mut body) = requests.send_request(request(path, token), false)?;
        // A refused call is answered before its body, and may be closed by now.
        let _ = body.send_data(framed(message), true);
        let response = soon("a response", response).await?;
        status_of(response).await
    }
}

/// Reads a response to its end and returns its `grpc-status`.
pub async fn status_of(response: http::Response<h2::RecvStream>) -> Result<String, h2::Error> {
    let (head, mut body) = response.into_parts();
    while let Some(data) = soon("data", body.data()).await {
        body.flow_control().release_capacity(data?.len())?;
    }
    let trailers = soon("trailers", body.trailers()).await?.unwrap_or_default();
    let status = trailers.get("grpc-status").or(head.headers.get("grpc-status"));
    Ok(status.expect("a response of gRPC").to_str().unwrap().to_owned())
}

/// A request without its body.
pub fn request(path: &str, token: Option<&str>) -> http::Request<()> {
    let request = http::Request::post(format!("http://server{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    request.body(()).unwrap()
}

/// Frames a message for gRPC.
pub fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0], &length[..], message].concat().into()
}
