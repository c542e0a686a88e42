//! A proxy that can freeze or cut its connections.

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

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
