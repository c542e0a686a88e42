//! Accepts connections and serves them until they end.

use super::brief_connection::{self, refuse_briefly};
use super::calls::{ConnectionCalls, ConnectionPeer, GuardedServices, MAX_HEADER_BYTES, SharedCalls};
use super::client_protocol::{
    ClientProtocol, answer_busy, answer_http1, answer_tls, detect_protocol, drain_input,
};
use super::client_stream::ClientStream;
use super::config::Config;
use super::connection_slots::{Admission, ConnectionLimits, ConnectionSlot, ConnectionSlots};
use super::counted_frames::CountedFrames;
use super::gathered_writes::{GatheredWrites, GatheringStream, gather_writes};
use super::listener::{Connection, Listener};
use super::proxy_protocol;
use super::server_tls::ServerTls;
use super::trusted_proxies::{TrustedProxy, is_trusted};
use super::unread_bytes::{CallExecutor, abort_if_unread};
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use lastnim_rpc::{ClientAddress, TrafficCounts, tls_required_status};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// The pause after a failed accept. If the process has no free file descriptors, the next attempt fails too. Without a
/// pause, these attempts would use a whole CPU.
pub(super) const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);

/// How long a connection that was told to close may take to do so.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a newcomer keeps its slot even if all are taken.
const NEWCOMER_GRACE: Duration = Duration::from_millis(100);

/// The maximum number of connections without a slot that are closed gracefully at the same time; further ones are
/// closed abruptly.
const MAX_CLOSING: usize = 64;

/// The address of house bots, which are on this machine.
const HOUSE_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The number of open files other than connections with a slot: closing connections, the log, the listener, and files
/// of the runtime.
const RESERVED_FILES: usize = 32 + MAX_CLOSING;

/// The shared state of all connections.
struct ServerShared {
    traffic: Arc<TrafficCounts>,
    calls: Arc<SharedCalls>,
    slots: Arc<ConnectionSlots>,
    protocol: http2::Builder<CallExecutor>,
    /// The settings of HTTP/1, which browsers use; `None` if the server has no pages.
    page_protocol: Option<http1::Builder>,
    response_timeout: Duration,
    trusted_proxies: Vec<TrustedProxy>,
    first_call_timeout: Duration,
    stranger_idle_timeout: Duration,
    /// The TLS that clients must use, if any.
    tls: Option<Arc<ServerTls>>,
    /// Permits to close connections without a slot gracefully.
    closing: Arc<Semaphore>,
}

/// Serves connections of a listener and of the house bots until `stopping` is cancelled, then lets them finish their
/// calls. Dropping this future closes all connections.
pub(super) async fn serve_connections<L: Listener>(
    mut listener: L,
    mut house: mpsc::Receiver<DuplexStream>,
    services: GuardedServices,
    config: Config,
    stopping: CancellationToken,
) {
    let shared = Arc::new(ServerShared::new(services, &config, listener.tls().cloned()));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            Some(ended) = connections.join_next() => {
                log_panic(ended);
                continue;
            }
            Some(stream) = house.recv() => {
                // Without a slot the bot's connection is lost, and it tries again.
                if let Some(slot) = shared.find_slot(Some(HOUSE_ADDRESS.into())).await {
                    let serving = Arc::clone(&shared).serve_house_bot::<L::Connection>(stream, slot, stopping.clone());
                    shared.spawn_counted(&mut connections, serving);
                }
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(PAUSE_AFTER_FAILURE).await;
                continue;
            }
        };
        // The clients of a proxy share its address; their own addresses are read later.
        let address = (!is_trusted(&shared.trusted_proxies, peer)).then(|| peer.into());
        let Some(slot) = shared.find_slot(address).await else {
            shared.traffic.count_rejected();
            tracing::warn!(%peer, "a connection was refused: authenticated clients use all connections; raise --connections if they need more");
            let shared = Arc::clone(&shared);
            connections.spawn(async move { shared.close_without_slot(stream).await });
            continue;
        };
        if let Err(error) = stream.set_nodelay() {
            tracing::debug!(%error, "an accepted connection was already closed");
            continue;
        }
        let serving = Arc::clone(&shared).serve_connection(stream, peer, slot, stopping.clone());
        shared.spawn_counted(&mut connections, serving);
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        log_panic(ended);
    }
}

fn log_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection panicked");
    }
}

impl ServerShared {
    fn new(services: GuardedServices, config: &Config, tls: Option<Arc<ServerTls>>) -> Self {
        let connections = bounded_connections(config.connections);
        let strangers = (connections.saturating_mul(config.stranger_share.into()) / 100).max(1);
        let limits = ConnectionLimits {
            connections,
            strangers,
            strangers_per_address: config.strangers_per_address.clamp(1, strangers),
            stranger_call_time: config.stranger_call_time,
            newcomer_grace: NEWCOMER_GRACE,
        };
        let mut protocol = http2::Builder::new(CallExecutor { response_timeout: config.response_timeout });
        protocol
            .timer(TokioTimer::new())
            .initial_connection_window_size(config.connection_window_bytes)
            .initial_stream_window_size(config.stream_window_bytes)
            .max_header_list_size(MAX_HEADER_BYTES)
            .max_concurrent_streams(config.streams_per_connection)
            .keep_alive_interval(config.keepalive_interval)
            .keep_alive_timeout(config.keepalive_timeout)
            // Dates are for caches, and gRPC is not cached. Without them the bytes do not depend on the system's clock.
            .auto_date_header(services.pages.is_some());
        let page_protocol = services.pages.is_some().then(|| {
            let mut protocol = http1::Builder::new();
            protocol
                .timer(TokioTimer::new())
                .header_read_timeout(config.request_timeout)
                .max_buf_size(MAX_HEADER_BYTES as usize);
            protocol
        });
        Self {
            page_protocol,
            response_timeout: config.response_timeout,
            traffic: Arc::clone(&services.traffic),
            calls: SharedCalls::new(services, config),
            slots: ConnectionSlots::new(limits),
            protocol,
            trusted_proxies: config.trusted_proxies.clone(),
            first_call_timeout: config.first_call_timeout,
            stranger_idle_timeout: config.stranger_idle_timeout,
            tls,
            closing: Arc::new(Semaphore::new(MAX_CLOSING)),
        }
    }

    /// Serves a connection as a task, and counts it as open until it ends.
    fn spawn_counted(
        &self,
        connections: &mut JoinSet<()>,
        serving: impl Future<Output = ()> + Send + 'static,
    ) {
        let traffic = Arc::clone(&self.traffic);
        traffic.count_accepted();
        let open = OpenConnection(traffic);
        connections.spawn(async move {
            serving.await;
            drop(open);
        });
    }

    /// Finds a slot for a newcomer; `None` if all belong to authenticated connections.
    async fn find_slot(&self, address: Option<ClientAddress>) -> Option<ConnectionSlot> {
        loop {
            match self.slots.admit(address) {
                Admission::Admitted(slot) => return Some(slot),
                Admission::RetryAfter(time) => sleep(time).await,
                Admission::Full => return None,
            }
        }
    }

    /// Tells a browser whose connection got no slot to try again later, and closes the connection.
    async fn close_without_slot(&self, mut stream: impl Connection) {
        let Ok(_permit) = self.closing.try_acquire() else { return };
        let answering = async {
            if detect_protocol(&mut stream).await? == ClientProtocol::Http1 {
                answer_busy(&mut stream).await?;
                drain_input(&mut stream).await?;
            }
            io::Result::Ok(())
        };
        // An error is ignored: this answer is only a courtesy, and the client may be slow or gone.
        let _ = timeout(CLOSE_TIMEOUT, answering).await;
    }

    async fn serve_connection(
        self: Arc<Self>,
        mut stream: impl Connection,
        peer: IpAddr,
        slot: ConnectionSlot,
        stopping: CancellationToken,
    ) {
        let deadline = Instant::now() + self.first_call_timeout;
        let opened = tokio::select! {
            biased;
            opened = timeout_at(deadline, self.open(&mut stream, peer, &slot)) => Some(opened),
            () = slot.wait_until_evicted() => None,
            () = stopping.cancelled() => return,
        };
        let Some(opened) = opened else {
            drop(slot);
            return self.close_without_slot(stream).await;
        };
        let (client, protocol) = match opened.unwrap_or_else(|late| Err(late.into())) {
            Ok(Some(opened)) => opened,
            Ok(None) => return,
            Err(error) => return tracing::debug!(%error, %peer, "a connection failed before its first call"),
        };
        let Some(tls) = &self.tls else {
            let (stream, peer) = (ClientStream::Network(stream), (peer, client));
            return self.serve_calls(stream, protocol, peer, slot, stopping).await;
        };
        let address = ClientAddress::from(client);
        let accepting = async {
            if protocol == ClientProtocol::Tls {
                // The slots limit how many handshakes are in progress.
                return timeout_at(deadline, tls.accept(stream, address)).await?;
            }
            tracing::warn!(%address, "a client tried to connect without TLS, but this port needs it: connect with https://");
            let refusing = refuse_briefly(stream, protocol, tls_required_status());
            timeout(brief_connection::MAX_CONNECTION_TIME, refusing).await??;
            Ok(None)
        };
        let accepted = tokio::select! {
            biased;
            accepted = accepting => accepted,
            () = slot.wait_until_evicted() => return,
            () = stopping.cancelled() => return,
        };
        match accepted {
            Ok(Some((mut stream, ClientProtocol::Http1))) if self.page_protocol.is_none() => {
                // An error is ignored: the client may be slow or gone.
                let _ = timeout_at(deadline, answer_http1(&mut stream)).await;
            }
            Ok(Some((stream, protocol))) => {
                let stream = ClientStream::Tls(stream);
                self.serve_calls(stream, protocol, (peer, client), slot, stopping).await;
            }
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, %peer, "a TLS connection could not be set up"),
        }
    }

    /// Serves a house bot. `S` is the type of other connections, so that both are served by the same code.
    async fn serve_house_bot<S: Connection>(
        self: Arc<Self>,
        stream: DuplexStream,
        slot: ConnectionSlot,
        stopping: CancellationToken,
    ) {
        let stream = ClientStream::<S>::House(stream);
        let peer = (HOUSE_ADDRESS, HOUSE_ADDRESS);
        self.serve_calls(stream, ClientProtocol::Http2, peer, slot, stopping).await;
    }

    /// Serves the calls on a connection whose protocol is known. The addresses are those of the socket and of the client.
    async fn serve_calls(
        &self,
        stream: ClientStream<impl Connection>,
        protocol: ClientProtocol,
        (socket, client): (IpAddr, IpAddr),
        slot: ConnectionSlot,
        stopping: CancellationToken,
    ) {
        let slot = Arc::new(slot);
        let peer = ConnectionPeer { socket, client, is_encrypted: stream.is_encrypted() };
        let calls = ConnectionCalls::new(&self.calls, &slot, peer);
        if let (ClientProtocol::Http1, Some(protocol)) = (protocol, &self.page_protocol) {
            let connection = protocol.serve_connection(TokioIo::new(stream), calls);
            let run = self.run_connection(connection, client, &slot, &stopping);
            // HTTP/1 serves one call at a time, so the time limit on unread responses applies to the whole connection.
            let _ = abort_if_unread(self.response_timeout, run).await;
        } else {
            let (stream, writes) = gather_writes(TokioIo::new(CountedFrames::new(stream)));
            let connection = Box::pin(self.protocol.serve_connection(stream, calls));
            self.run_connection(GatheringConnection { connection, writes }, client, &slot, &stopping).await;
        }
    }

    /// Serves the calls on a connection until it ends, the server stops, or it is evicted.
    async fn run_connection(
        &self,
        connection: impl GracefulConnection,
        peer: IpAddr,
        slot: &ConnectionSlot,
        stopping: &CancellationToken,
    ) {
        let mut connection = pin!(connection);
        let mut permit = None;
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended");
                }
                return;
            }
            () = slot.wait_until_evicted() => {
                tracing::debug!(%peer, "a connection without a token was evicted");
                permit = self.closing.try_acquire().ok();
                if permit.is_none() {
                    return;
                }
            }
            () = slot.wait_until_leaving() => {
                tracing::debug!(%peer, "a connection without a token was closed to make room for another");
            }
            () = self.wait_until_idle_too_long(slot) => tracing::debug!(%peer, "a connection without calls was closed"),
            () = stopping.cancelled() => {}
        }
        connection.as_mut().shut_down_gracefully();
        if stopping.is_cancelled() {
            // There is no time limit here, because the code that stops the server sets one.
            let _ = connection.await;
        } else {
            tokio::select! {
                biased;
                _ = timeout(CLOSE_TIMEOUT, connection) => {}
                () = slot.wait_until_evicted() => {}
            }
        }
        drop(permit);
    }

    /// Reads the client's address and detects the protocol. If the protocol is not supported, tells the client so and
    /// returns `None`.
    async fn open(
        &self,
        stream: &mut impl Connection,
        peer: IpAddr,
        slot: &ConnectionSlot,
    ) -> io::Result<Option<(IpAddr, ClientProtocol)>> {
        let mut client = peer;
        if is_trusted(&self.trusted_proxies, peer)
            && let Some(announced) = read_client_address(stream).await?
        {
            client = announced.to_canonical();
            if !is_trusted(&self.trusted_proxies, client) {
                slot.set_address(ClientAddress::from(client));
            }
        }
        match detect_protocol(stream).await? {
            protocol if self.tls.is_some() => return Ok(Some((client, protocol))),
            ClientProtocol::Http2 => return Ok(Some((client, ClientProtocol::Http2))),
            ClientProtocol::Http1 if self.page_protocol.is_some() => {
                return Ok(Some((client, ClientProtocol::Http1)));
            }
            ClientProtocol::Http1 => {
                tracing::debug!(%client, "answering an HTTP/1 connection with a description of this server");
                answer_http1(stream).await?;
            }
            ClientProtocol::Tls => {
                let address = ClientAddress::from(client);
                tracing::warn!(%address, "a client tried TLS, but this port does not use it: start the server with --tls-cert, or connect with http://");
                answer_tls(stream).await?;
            }
        }
        timeout(CLOSE_TIMEOUT, drain_input(stream)).await.unwrap_or(Ok(()))?;
        Ok(None)
    }

    /// Waits until a newcomer or stranger has been without a call for too long. Waits forever if the connection becomes
    /// authenticated.
    async fn wait_until_idle_too_long(&self, slot: &ConnectionSlot) {
        let mut limit = self.first_call_timeout;
        loop {
            // During a call, the connection is not idle, so the whole limit remains.
            let idle = slot.idle_time().unwrap_or_default();
            if slot.has_called() {
                limit = self.stranger_idle_timeout;
            }
            let Some(left) = limit.checked_sub(idle).filter(|left| !left.is_zero()) else { return };
            sleep(left).await;
            if slot.is_authenticated() {
                return std::future::pending().await;
            }
        }
    }
}

/// Counts as an open connection until dropped.
struct OpenConnection(Arc<TrafficCounts>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.count_closed();
    }
}

/// A connection that serves calls while polled, and can be shut down gracefully.
trait GracefulConnection: Future<Output = hyper::Result<()>> {
    fn shut_down_gracefully(self: Pin<&mut Self>);
}

impl<S: Connection> GracefulConnection for http1::Connection<TokioIo<ClientStream<S>>, ConnectionCalls> {
    fn shut_down_gracefully(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

type Http2Stream<S> = TokioIo<CountedFrames<ClientStream<S>>>;
type Http2Connection<S> = http2::Connection<GatheringStream<Http2Stream<S>>, ConnectionCalls, CallExecutor>;

/// An HTTP/2 connection that writes once after each poll.
struct GatheringConnection<S: Connection> {
    connection: Pin<Box<Http2Connection<S>>>,
    writes: GatheredWrites<Http2Stream<S>>,
}

impl<S: Connection> Future for GatheringConnection<S> {
    type Output = hyper::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.connection.as_mut().poll(context);
        // If the socket accepts no more bytes, the connection is polled again when it does.
        let _ = self.writes.poll_write_out(context);
        if let Poll::Ready(Err(_)) = polled {
            self.writes.with_stream(|stream| stream.inner_mut().send_enhance_your_calm(context));
        }
        polled
    }
}

impl<S: Connection> GracefulConnection for GatheringConnection<S> {
    fn shut_down_gracefully(mut self: Pin<&mut Self>) {
        self.connection.as_mut().graceful_shutdown();
    }
}

/// Reads the client's address from the PROXY protocol header, if a proxy sends one at the start of the connection.
pub(super) async fn read_client_address(stream: &mut impl Connection) -> io::Result<Option<IpAddr>> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    if first[0] == proxy_protocol::FIRST_BYTE {
        proxy_protocol::read_proxy_header(stream).await
    } else {
        Ok(None)
    }
}

/// Lowers the limit on connections to the number that the process can open. Without free file descriptors, a server
/// could not even refuse connections.
fn bounded_connections(connections: usize) -> usize {
    match max_connections_by_open_files() {
        Some(fitting) if fitting < connections => {
            tracing::warn!(
                connections,
                fitting,
                "the limit on open files (ulimit -n) allows fewer connections than --connections: raise it, or lower --connections"
            );
            fitting
        }
        _ => connections,
    }
}

/// Returns how many connections the process's limit on open files allows, if that limit is known.
fn max_connections_by_open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    let files: usize = line.split_whitespace().nth(3)?.parse().ok()?;
    Some(files.saturating_sub(RESERVED_FILES).max(1))
}
