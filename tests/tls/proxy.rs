//! A proxy with TLS for clients and plain HTTP/2 for the server.

use std::{net::SocketAddr, sync::Arc};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::Runtime,
    task::JoinSet,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

/// A proxy that stops with the test.
pub struct Proxy {
    pub port: u16,
    /// Dropping it stops the tasks.
    _runtime: Runtime,
}

impl Proxy {
    /// Starts a proxy for a server.
    pub fn start(tls: Arc<ServerConfig>, server: SocketAddr) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(accept(listener, TlsAcceptor::from(tls), server));
        Self { port, _runtime: runtime }
    }
}

async fn accept(listener: TcpListener, tls: TlsAcceptor, server: SocketAddr) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let tls = tls.clone();
        connections.spawn(async move {
            // A client that does not trust the proxy disconnects here.
            let Ok(mut client) = tls.accept(client).await else { return };
            let Ok(mut server) = TcpStream::connect(server).await else { return };
            // Either side may disconnect at any time.
            let _ = copy_bidirectional(&mut client, &mut server).await;
        });
    }
}
