//! A proxy that can lose the answers of a server.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Forwards connections to a server. Until [`recover`](Self::recover), it drops everything that the server sends.
pub struct LossyProxy {
    pub address: String,
    state: Arc<ProxyState>,
}

struct ProxyState {
    server: String,
    loses_answers: AtomicBool,
    /// The connections opened so far.
    open: Mutex<Vec<TcpStream>>,
}

impl LossyProxy {
    /// Starts a proxy on a free port.
    pub fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (server, loses_answers) = (server.to_owned(), AtomicBool::new(true));
        let state = Arc::new(ProxyState { server, loses_answers, open: Mutex::default() });
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
        self.state.loses_answers.store(false, Ordering::SeqCst);
        for connection in self.state.open.lock().unwrap().drain(..) {
            // The peer may have closed it already.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl ProxyState {
    fn forward(self: &Arc<Self>, client: TcpStream) {
        // The client sees a closed connection if the server does not accept one.
        let Ok(server) = TcpStream::connect(&self.server) else { return };
        let clone = |stream: &TcpStream| stream.try_clone().unwrap();
        self.open.lock().unwrap().extend([clone(&client), clone(&server)]);
        let (requests, answers) = ((clone(&client), clone(&server)), (server, client));
        thread::spawn(move || copy_bytes(requests.0, requests.1, || true));
        let state = Arc::clone(self);
        thread::spawn(move || {
            copy_bytes(answers.0, answers.1, || !state.loses_answers.load(Ordering::SeqCst));
        });
    }
}

/// Copies bytes until one side is closed. Bytes that arrive while `passes` is false are dropped.
fn copy_bytes(mut from: TcpStream, mut to: TcpStream, passes: impl Fn() -> bool) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if passes() && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // Either side may be closed already.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
