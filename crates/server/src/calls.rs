//! Serves calls, from the first byte of a request to the last of its response.

use super::config::Config;
use super::connection_slots::{CallMark, ConnectionSlot};
use super::request_body::{RequestBody, RequestCharge};
use super::request_host::{check_host, is_grpc};
use super::response_body::{EarlyEnd, ResponseBody};
use super::trusted_proxies::{TrustedProxy, find_channel, find_client};
use super::unread_bytes::UnreadBytes;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{HeaderMap, Request, Response, Version};
use lastnim_proto::play_service::arena_service_server::ArenaServiceServer;
use lastnim_rpc::{
    Access, ArenaRpc, CallerStatus, ClientAddress, QuotaShare, SharedQuota, TrafficCounts, add_error_info,
    call_timeout, late_answer_status, memory_spent_status, too_many_strangers_status,
};
use lastnim_web::{BUSY_MESSAGE, PageResponse, Pages, is_event_stream, is_probe, refusal_reason};
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::service::Routes;

/// The path of bots' streams, which have separate limits.
const PLAY_PATH: &str = "/lastnim.v1.ArenaService/Play";

/// The maximum size of a request's headers.
pub(super) const MAX_HEADER_BYTES: u32 = 16 << 10;

/// The services, and the parts that check and count their callers.
#[derive(Debug, Clone)]
pub(super) struct GuardedServices {
    /// The service for bots. It bypasses the routes, which would put each stream's body into two more boxes and so cost
    /// a cache miss per poll.
    pub play: ArenaServiceServer<ArenaRpc>,
    /// All other services.
    pub routes: Routes,
    pub access: Access,
    /// The pages, if enabled.
    pub pages: Option<Pages>,
    /// Counts refused calls.
    pub traffic: Arc<TrafficCounts>,
}

/// The minimum charge in bytes for an open stream of server-sent events. It can be small, because a stream shares its
/// messages with all other watchers. If the body itself reports a larger size, that size is charged.
const MIN_STREAM_CHARGE: usize = 4 << 10;

/// The number of bytes of requests and responses that one class of callers may hold, in total and per address.
pub(super) type MemoryBudget = SharedQuota<ClientAddress>;
/// A number of bytes in use. They count towards the [`MemoryBudget`] until this is dropped.
pub(super) type MemoryCharge = QuotaShare<ClientAddress>;

/// The state that the calls of all connections share.
#[derive(Debug)]
pub(super) struct SharedCalls {
    services: GuardedServices,
    trusted_proxies: Vec<TrustedProxy>,
    request_timeout: Duration,
    max_message: usize,
    /// The initial charge for a request: its headers, and the bytes that may arrive before it is read.
    base_charge: usize,
    stranger_budget: Arc<MemoryBudget>,
    known_budget: Arc<MemoryBudget>,
}

/// Serves the calls on one connection.
#[derive(Debug, Clone)]
pub(super) struct ConnectionCalls {
    shared: Arc<SharedCalls>,
    slot: Arc<ConnectionSlot>,
    peer: ConnectionPeer,
}

/// A connection's peer.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionPeer {
    /// The address of the socket.
    pub socket: IpAddr,
    /// The address announced by a trusted proxy, or else the socket's.
    pub client: IpAddr,
    /// Whether the connection uses TLS.
    pub is_encrypted: bool,
}

type CallResult = Result<Response<ResponseBody>, Infallible>;
type CallFuture = Pin<Box<dyn Future<Output = CallResult> + Send>>;

impl SharedCalls {
    pub(super) fn new(services: GuardedServices, config: &Config) -> Arc<Self> {
        Arc::new(Self {
            services,
            trusted_proxies: config.trusted_proxies.clone(),
            request_timeout: config.request_timeout,
            max_message: config.call_message_bytes,
            base_charge: (config.stream_window_bytes + MAX_HEADER_BYTES) as usize,
            stranger_budget: MemoryBudget::new(
                config.stranger_memory_per_address,
                config.stranger_memory_bytes,
            ),
            known_budget: MemoryBudget::new(config.known_memory_per_address, config.known_memory_bytes),
        })
    }

    fn memory_budget_for(&self, standing: CallerStatus) -> &Arc<MemoryBudget> {
        match standing {
            CallerStatus::Stranger => &self.stranger_budget,
            CallerStatus::Known => &self.known_budget,
        }
    }
}

impl ConnectionCalls {
    /// Creates the service for the calls on a connection from `peer`, which may be a proxy.
    pub(super) fn new(shared: &Arc<SharedCalls>, slot: &Arc<ConnectionSlot>, peer: ConnectionPeer) -> Self {
        Self { shared: Arc::clone(shared), slot: Arc::clone(slot), peer }
    }

    /// Returns whether the caller is known, by its token or, on pages, its cookie.
    fn caller_status(
        &self,
        request: &Request<Incoming>,
        address: ClientAddress,
        pages: Option<&Pages>,
    ) -> Result<CallerStatus, Status> {
        let headers = request.headers();
        match (self.shared.services.access.caller_status(request.uri().path(), headers, address)?, pages) {
            (CallerStatus::Stranger, Some(pages)) => {
                let channel = find_channel(&self.shared.trusted_proxies, self.peer, headers);
                Ok(pages.caller_status(address, channel, request.uri(), headers))
            }
            (standing, _) => Ok(standing),
        }
    }

    /// Serves the stream of a bot.
    fn serve_play(&self, request: Request<Incoming>, mark: CallMark) -> CallFuture {
        let limit = call_timeout(request.headers());
        let shared = Arc::clone(&self.shared);
        let answering = shared.services.play.clone().call(request);
        Box::pin(async move {
            let response = answer_within(limit, answering, PLAY_PATH).await;
            UnreadBytes::disable_for_current_call();
            shared.services.traffic.count_refused_call(response.headers());
            let traffic = &shared.services.traffic;
            Ok(response.map(|body| ResponseBody::unbounded(body, mark).with_traffic_counts(traffic)))
        })
    }

    /// Serves any other call within the memory limits of its caller.
    fn serve_call(
        &self,
        request: Request<Incoming>,
        mark: CallMark,
        address: ClientAddress,
        standing: CallerStatus,
    ) -> CallFuture {
        let shared = Arc::clone(&self.shared);
        let budget = Arc::clone(shared.memory_budget_for(standing));
        let Ok(charge) = budget.acquire(address, shared.base_charge) else {
            return self.refuse_call(memory_spent_status(), mark);
        };
        let (limit, uri) = (call_timeout(request.headers()), request.uri().clone());
        let charge = RequestCharge::new(charge, shared.base_charge);
        let request = request.map(|body| {
            RequestBody::of_messages(body, charge.clone(), shared.max_message, shared.request_timeout)
        });
        let answering = shared.services.routes.clone().call(request);
        Box::pin(async move {
            let response = answer_within(limit, answering, uri.path()).await;
            shared.services.traffic.count_refused_call(response.headers());
            drop(charge);
            let traffic = &shared.services.traffic;
            let end = EarlyEnd::Trailers(too_many_strangers_status());
            Ok(response.map(|body| {
                ResponseBody::counted(body, mark, budget, address, None)
                    .ending_early(end, standing)
                    .with_traffic_counts(traffic)
            }))
        })
    }
}

impl ConnectionCalls {
    /// Serves a page or a form.
    fn serve_page(
        &self,
        pages: Pages,
        request: Request<Incoming>,
        mark: CallMark,
        address: ClientAddress,
        standing: CallerStatus,
    ) -> CallFuture {
        let budget = Arc::clone(self.shared.memory_budget_for(standing));
        let Ok(charge) = budget.acquire(address, self.shared.base_charge) else {
            return self.refuse_page(&pages, request.uri().path(), &memory_spent_status(), mark);
        };
        let calls = self.clone();
        let channel = find_channel(&self.shared.trusted_proxies, self.peer, request.headers());
        let charge = RequestCharge::new(charge, self.shared.base_charge);
        let request = request.map(|body| RequestBody::of_form(body, charge, self.shared.request_timeout));
        Box::pin(async move {
            let path = request.uri().path().to_owned();
            let response = pages.clone().respond(address, channel, request).await;
            let is_stream = is_event_stream(&response);
            let held = usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX);
            // The whole page is charged at once, because a page that is cut off would look complete.
            let charge = budget.acquire(address, if is_stream { MIN_STREAM_CHARGE.max(held) } else { held });
            let Ok(charge) = charge else {
                return calls.refuse_page(&pages, &path, &memory_spent_status(), mark).await;
            };
            calls.count_page(&response);
            Ok(response.map(|body| {
                if is_stream {
                    let end = EarlyEnd::Message(BUSY_MESSAGE);
                    ResponseBody::stream(body, mark, charge).ending_early(end, standing)
                } else {
                    ResponseBody::counted(body, mark, budget, address, Some(charge))
                }
            }))
        })
    }

    fn count_page(&self, response: &PageResponse) {
        self.shared.services.traffic.count_page(response.status().as_u16(), refusal_reason(response));
    }

    fn refuse_page(&self, pages: &Pages, path: &str, status: &Status, mark: CallMark) -> CallFuture {
        let mut response = pages.refuse(path, status);
        if mark.is_leaving() {
            // Over HTTP/2, hyper removes this header.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        self.count_page(&response);
        Box::pin(std::future::ready(Ok(response.map(|body| ResponseBody::unbounded(body, mark)))))
    }

    fn refuse_call(&self, status: Status, mark: CallMark) -> CallFuture {
        let response = status.into_http::<Body>();
        self.shared.services.traffic.count_refused_call(response.headers());
        Box::pin(std::future::ready(Ok(response.map(|body| ResponseBody::unbounded(body, mark)))))
    }
}

/// Returns whether a request is for a page and not for a gRPC service: gRPC clients speak HTTP/2 and send a content
/// type of gRPC.
fn asks_for_page(version: Version, headers: &HeaderMap) -> bool {
    version < Version::HTTP_2 || !is_grpc(headers)
}

impl hyper::service::Service<Request<Incoming>> for ConnectionCalls {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = CallFuture;

    fn call(&self, mut request: Request<Incoming>) -> CallFuture {
        let mark = self.slot.mark_call();
        let (path, headers) = (request.uri().path(), request.headers());
        let client = find_client(&self.shared.trusted_proxies, self.peer.client, headers);
        let address = ClientAddress::from(client);
        let pages = self.shared.services.pages.as_ref();
        let pages = pages.filter(|_| asks_for_page(request.version(), headers));
        let standing = match check_host(&request) {
            Ok(()) => self.caller_status(&request, address, pages),
            Err(malformed) => Err(Status::invalid_argument(malformed.to_string())),
        };
        let has_room = if matches!(standing, Ok(CallerStatus::Known)) {
            self.slot.mark_authenticated();
            true
        } else {
            self.slot.mark_stranger().is_ok() || pages.is_some() && is_probe(path)
        };
        let standing = if has_room { standing } else { Err(too_many_strangers_status()) };
        let standing = match standing {
            Ok(standing) => standing,
            Err(status) => {
                return match pages {
                    Some(pages) => self.refuse_page(pages, path, &status, mark),
                    None => self.refuse_call(status, mark),
                };
            }
        };
        if let Some(pages) = pages {
            return self.serve_page(pages.clone(), request, mark, address, standing);
        }
        let is_play = path == PLAY_PATH;
        request.extensions_mut().insert(address);
        if is_play {
            self.serve_play(request, mark)
        } else {
            self.serve_call(request, mark, address, standing)
        }
    }
}

/// Waits for an answer. If it is not ready within `limit`, returns the refusal of a late answer instead.
async fn answer_within(
    limit: Option<Duration>,
    answering: impl Future<Output = Result<Response<Body>, Infallible>>,
    path: &str,
) -> Response<Body> {
    let answered = match limit {
        None => answering.await,
        Some(limit) => {
            timeout(limit, answering).await.unwrap_or_else(|_| Ok(late_answer_status(limit).into_http()))
        }
    };
    let mut response = answered.unwrap_or_else(|never| match never {});
    add_error_info(response.headers_mut(), path);
    response
}
