//! Calls, from the first byte of a request to the last of its response.

use super::places::{CallMark, Place};
use super::trusted_proxies::{TrustedProxy, find_client};
use crate::rpc::{Access, ClientAddress, call_timeout};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::{Request, Response};
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::time::timeout;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::service::Routes;

/// The services of a server, and who may call them.
#[derive(Debug, Clone)]
pub(super) struct Services {
    /// All services.
    pub routes: Routes,
    /// Who may call.
    pub access: Access,
}

/// Carries the calls of one connection to the services.
#[derive(Debug, Clone)]
pub(super) struct ConnectionCalls {
    services: Services,
    place: Arc<Place>,
    peer: IpAddr,
    trusted_proxies: Arc<[TrustedProxy]>,
}

/// A response's body, which marks its call until it is sent.
#[derive(Debug)]
pub(super) struct CallBody {
    body: Body,
    _mark: CallMark,
}

impl ConnectionCalls {
    /// Carries the calls of a connection from `peer`, which may be a proxy.
    pub(super) fn new(
        services: &Services,
        place: &Arc<Place>,
        peer: IpAddr,
        trusted_proxies: &Arc<[TrustedProxy]>,
    ) -> Self {
        Self {
            services: services.clone(),
            place: Arc::clone(place),
            peer,
            trusted_proxies: Arc::clone(trusted_proxies),
        }
    }
}

impl hyper::service::Service<Request<Incoming>> for ConnectionCalls {
    type Response = Response<CallBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<CallBody>, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let mark = self.place.mark_call();
        if self.services.access.recognises(request.headers()) {
            self.place.show_token();
        }
        let client = find_client(&self.trusted_proxies, self.peer, request.headers());
        request.extensions_mut().insert(ClientAddress::from(client));
        let limit = call_timeout(request.headers());
        let mut routes = self.services.routes.clone();
        Box::pin(async move {
            // The routes are always ready.
            let answering = routes.call(request);
            let answered = match limit {
                None => answering.await,
                Some(limit) => timeout(limit, answering).await.unwrap_or_else(|_| Ok(late())),
            };
            answered.map(|response| response.map(|body| CallBody { body, _mark: mark }))
        })
    }
}

fn late() -> Response<Body> {
    Status::deadline_exceeded("the time that the call had is over").into_http()
}

impl HttpBody for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
