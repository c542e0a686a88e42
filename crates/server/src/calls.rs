//! Calls, from the first byte of a request to the last of its response.

use super::config::Config;
use super::connection_slots::{CallMark, ConnectionSlot};
use super::request_body::{RequestBody, RequestCharge};
use super::response_body::ResponseBody;
use super::trusted_proxies::{TrustedProxy, find_channel, find_client};
use super::unread_bytes::UnreadBytes;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Request, Response, Version};
use lastnim_proto::play_service::arena_service_server::ArenaServiceServer;
use lastnim_rpc::{
    Access, ArenaRpc, CallerStatus, ClientAddress, QuotaShare, SharedQuota, TrafficCounts, add_error_info,
    call_timeout, late_answer_status, memory_spent_status,
};
use lastnim_web::{PageResponse, Pages, is_event_stream, refusal_reason};
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

/// Where bots play. Their streams have bounds of their own.
const PLAY: &str = "/lastnim.v1.ArenaService/Play";

/// The most bytes of the headers of a request.
pub(super) const MAX_HEADER_BYTES: u32 = 16 << 10;

/// The services of a server, and who may call them.
#[derive(Debug, Clone)]
pub(super) struct GuardedServices {
    /// Where bots play. Routes would put the body of each stream into two more boxes, which are cold whenever it is polled.
    pub play: ArenaServiceServer<ArenaRpc>,
    /// All other services.
    pub routes: Routes,
    /// Who may call.
    pub access: Access,
    /// The pages, if there are any.
    pub pages: Option<Pages>,
    /// Counts what is refused.
    pub traffic: Arc<TrafficCounts>,
}

/// The least bytes that a stream of server-sent events is charged while it is open. What it sends is shared with all that watch the same, but for
/// what its body says that it holds.
const STREAM_CHARGE: usize = 4 << 10;

/// The bytes of requests and responses that calls of one kind of caller may keep at once, in all and for each address.
pub(super) type MemoryBudget = SharedQuota<ClientAddress>;
/// Bytes that are kept. They count until this is dropped.
pub(super) type MemoryCharge = QuotaShare<ClientAddress>;

/// What the calls of all connections share.
#[derive(Debug)]
pub(super) struct SharedCalls {
    services: GuardedServices,
    trusted_proxies: Vec<TrustedProxy>,
    request_timeout: Duration,
    max_message: usize,
    /// What a request is charged before its first byte: its headers, and what may arrive before anybody reads it.
    base_charge: usize,
    strangers: Arc<MemoryBudget>,
    known: Arc<MemoryBudget>,
}

/// Carries the calls of one connection to the services.
#[derive(Debug, Clone)]
pub(super) struct ConnectionCalls {
    shared: Arc<SharedCalls>,
    place: Arc<ConnectionSlot>,
    peer: ConnectionPeer,
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionPeer {
    /// The address that the system names.
    pub socket: IpAddr,
    /// The address that a trusted proxy has announced, or else the same.
    pub client: IpAddr,
}

type CallResult = Result<Response<ResponseBody>, Infallible>;
type CallFuture = Pin<Box<dyn Future<Output = CallResult> + Send>>;

impl SharedCalls {
    /// Makes what the calls of all connections share.
    pub(super) fn new(services: GuardedServices, config: &Config) -> Arc<Self> {
        Arc::new(Self {
            services,
            trusted_proxies: config.trusted_proxies.clone(),
            request_timeout: config.request_timeout,
            max_message: config.call_message_bytes,
            base_charge: (config.stream_window_bytes + MAX_HEADER_BYTES) as usize,
            strangers: MemoryBudget::new(config.stranger_memory_per_address, config.stranger_memory_bytes),
            known: MemoryBudget::new(config.known_memory_per_address, config.known_memory_bytes),
        })
    }

    fn memory_budget_for(&self, standing: CallerStatus) -> &Arc<MemoryBudget> {
        match standing {
            CallerStatus::Stranger => &self.strangers,
            CallerStatus::Known => &self.known,
        }
    }
}

impl ConnectionCalls {
    /// Carries the calls of a connection from `peer`, which may be a proxy.
    pub(super) fn new(shared: &Arc<SharedCalls>, place: &Arc<ConnectionSlot>, peer: ConnectionPeer) -> Self {
        Self { shared: Arc::clone(shared), place: Arc::clone(place), peer }
    }

    /// Lets a bot play.
    fn serve_play(&self, request: Request<Incoming>, mark: CallMark) -> CallFuture {
        let limit = call_timeout(request.headers());
        let shared = Arc::clone(&self.shared);
        let answering = shared.services.play.clone().call(request);
        Box::pin(async move {
            let response = answer_within(limit, answering, PLAY).await;
            UnreadBytes::leave_current_call_uncounted();
            shared.services.traffic.note_answer(response.headers());
            let traffic = &shared.services.traffic;
            Ok(response.map(|body| ResponseBody::unbounded(body, mark).counting_refusals(traffic)))
        })
    }

    /// Carries any other call, of whose request and response no more is kept than its caller may have.
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
            shared.services.traffic.note_answer(response.headers());
            drop(charge);
            let traffic = &shared.services.traffic;
            Ok(response.map(|body| {
                ResponseBody::counted(body, mark, budget, address, None).counting_refusals(traffic)
            }))
        })
    }
}

impl ConnectionCalls {
    /// Shows a page, or carries out a form.
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
            // A page that is refused half-way would look like one that ends there.
            let charge = budget.acquire(address, if is_stream { STREAM_CHARGE.max(held) } else { held });
            let Ok(charge) = charge else {
                return calls.refuse_page(&pages, &path, &memory_spent_status(), mark).await;
            };
            calls.note_page(&response);
            Ok(response.map(|body| {
                if is_stream {
                    ResponseBody::stream(body, mark, charge)
                } else {
                    ResponseBody::counted(body, mark, budget, address, Some(charge))
                }
            }))
        })
    }

    fn note_page(&self, response: &PageResponse) {
        self.shared.services.traffic.note_page(response.status().as_u16(), refusal_reason(response));
    }

    fn refuse_page(&self, pages: &Pages, path: &str, status: &Status, mark: CallMark) -> CallFuture {
        let response = pages.refuse(path, status);
        self.note_page(&response);
        Box::pin(std::future::ready(Ok(response.map(|body| ResponseBody::unbounded(body, mark)))))
    }

    fn refuse_call(&self, status: Status, mark: CallMark) -> CallFuture {
        let response = status.into_http::<Body>();
        self.shared.services.traffic.note_answer(response.headers());
        Box::pin(std::future::ready(Ok(response.map(|body| ResponseBody::unbounded(body, mark)))))
    }
}

/// Returns whether a request is for a page: a client of gRPC speaks HTTP/2, and says what it sends.
fn asks_for_page(version: Version, headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let is_call = content_type.is_some_and(|content_type| content_type.starts_with(b"application/grpc"));
    version < Version::HTTP_2 || !is_call
}

impl hyper::service::Service<Request<Incoming>> for ConnectionCalls {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = CallFuture;

    fn call(&self, mut request: Request<Incoming>) -> CallFuture {
        let mark = self.place.mark_call();
        let (path, headers) = (request.uri().path(), request.headers());
        let client = find_client(&self.shared.trusted_proxies, self.peer.client, headers);
        let address = ClientAddress::from(client);
        let pages = self.shared.services.pages.as_ref();
        let pages = pages.filter(|_| asks_for_page(request.version(), headers));
        let standing = match (self.shared.services.access.caller_status(path, headers, address), pages) {
            (Ok(CallerStatus::Stranger), Some(pages)) => {
                let channel = find_channel(&self.shared.trusted_proxies, self.peer, headers);
                pages.caller_status(address, channel, request.uri(), headers)
            }
            (Ok(standing), _) => standing,
            (Err(status), Some(pages)) => return self.refuse_page(pages, path, &status, mark),
            (Err(status), None) => return self.refuse_call(status, mark),
        };
        if standing == CallerStatus::Known {
            self.place.mark_authenticated();
        }
        if let Some(pages) = pages {
            return self.serve_page(pages.clone(), request, mark, address, standing);
        }
        let is_play = path == PLAY;
        request.extensions_mut().insert(address);
        if is_play {
            self.serve_play(request, mark)
        } else {
            self.serve_call(request, mark, address, standing)
        }
    }
}

/// Waits for an answer as long as its caller does.
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
