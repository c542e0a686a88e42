//! A proxy that can lose the answers of a server.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// Forwards connections to a server. On those opened before [`recover`](Self::recover), it drops everything that the
/// server sends.
pub struct LossyProxy {
    pub address: String,
    state: Arc<ProxyState>,
}

struct ProxyState {
    server: String,
    connections: Mutex<Connections>,
}

struct Connections {
    /// Whether new connections lose the answers.
    lose_answers: bool,
    /// The connections opened so far.
    open: Vec<TcpStream>,
}

impl LossyProxy {
    /// Starts a proxy on a free port.
    pub fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connections = Mutex::new(Connections { lose_answers: true, open: Vec::new() });
        let state = Arc::new(ProxyState { server: server.to_owned(), connections });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming() {
                shared.forward(client.unwrap());
            }
        });
        Self { address, state }
    }

    /// Cuts all connections, and loses nothing from then on.
    pub fn recover(&self) {
        let mut connections = self.state.connections.lock().unwrap();
        connections.lose_answers = false;
        for connection in connections.open.drain(..) {
            // The peer may have closed it already.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl ProxyState {
    fn forward(&self, client: TcpStream) {
        // The client sees a closed connection if the server does not accept one.
        let Ok(server) = TcpStream::connect(&self.server) else { return };
        let clone = |stream: &TcpStream| stream.try_clone().unwrap();
        let mut connections = self.connections.lock().unwrap();
        connections.open.extend([clone(&client), clone(&server)]);
        let loses_answers = connections.lose_answers;
        drop(connections);
        let (requests, answers) = ((clone(&client), clone(&server)), (server, client));
        thread::spawn(move || copy_bytes(requests.0, requests.1, true));
        thread::spawn(move || copy_bytes(answers.0, answers.1, !loses_answers));
    }
}

/// Reads bytes until one side is closed, and passes them on or drops them.
fn copy_bytes(mut from: TcpStream, mut to: TcpStream, passes: bool) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if passes && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // Either side may be closed already.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
