//! Proxies: one that can freeze or cut its connections, and one that cuts those on which no data arrives.

use super::http2::read_frame;
use std::time::Duration;
use tokio::{
    io::{AsyncWriteExt as _, copy, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, timeout_at},
};

/// The type of DATA frames.
const DATA: u8 = 0;

/// The state of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    Carries,
    Frozen,
    Cut,
}

/// Forwards connections to a server.
pub struct Proxy {
    pub address: String,
    wire: watch::Sender<Wire>,
}

impl Proxy {
    pub async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let wire = watch::Sender::new(Wire::Carries);
        tokio::spawn(forward(listener, server.to_owned(), wire.subscribe()));
        Self { address, wire }
    }

    /// Stops forwarding without closing anything.
    pub fn freeze(&self) {
        self.wire.send_replace(Wire::Frozen);
    }

    /// Forwards new connections again; the frozen ones stay silent.
    pub fn forward_new(&self) {
        self.wire.send_replace(Wire::Carries);
    }

    /// Closes all connections and accepts no more.
    pub fn cut(&self) {
        self.wire.send_replace(Wire::Cut);
    }
}

async fn forward(listener: TcpListener, server: String, wire: watch::Receiver<Wire>) {
    let mut connections = JoinSet::new();
    let mut cut = wire.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = cut.wait_for(|&wire| wire == Wire::Cut) => return,
        };
        let (Ok((mut client, _)), server, mut wire) = (accepted, server.clone(), wire.clone()) else {
            return;
        };
        connections.spawn(async move {
            let Ok(mut upstream) = TcpStream::connect(server).await else { return };
            let changed = tokio::select! {
                _ = copy_bidirectional(&mut client, &mut upstream) => return,
                changed = wire.wait_for(|&wire| wire != Wire::Carries) => changed.map(|wire| *wire),
            };
            if changed.is_ok_and(|wire| wire == Wire::Frozen) {
                // Both sockets stay open and unread; if the proxy was dropped, nobody waits.
                let _ = wire.wait_for(|&wire| wire == Wire::Cut).await;
            }
        });
    }
}

/// Forwards HTTP/2 connections to a server, and cuts those on which the server sends no data for this long, as some
/// proxies do. Returns its address. Pings do not count.
pub async fn start_impatient_proxy(server: &str, limit: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((client, _)) = listener.accept().await {
            let server = server.clone();
            connections.spawn(async move {
                if let Ok(upstream) = TcpStream::connect(server).await {
                    forward_while_data_comes(client, upstream, limit).await;
                }
            });
        }
    });
    address
}

async fn forward_while_data_comes(mut client: TcpStream, mut upstream: TcpStream, limit: Duration) {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = upstream.split();
    let sending = async { drop(copy(&mut from_client, &mut to_server).await) };
    let receiving = async {
        let mut end = Instant::now() + limit;
        while let Ok(Ok(frame)) = timeout_at(end, read_frame(&mut from_server)).await {
            if frame.kind == DATA {
                end = Instant::now() + limit;
            }
            if to_client.write_all(&frame.bytes()).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = sending => {}
        () = receiving => {}
    }
}
