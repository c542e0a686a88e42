//! Who looks at a page.

use crate::rpc::ClientAddress;
use tonic::Request;
use tonic::codegen::http::HeaderMap;
use tonic::codegen::http::header::AUTHORIZATION;

/// Who looks at a page: what the services are told of the caller.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    address: ClientAddress,
    /// The header that holds a token, if there is one.
    authorization: Option<String>,
}

impl Visitor {
    /// Takes what is known of the sender of a request.
    pub(super) fn of_request(address: ClientAddress, headers: &HeaderMap) -> Self {
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        Self { address, authorization: authorization.map(str::to_owned) }
    }

    /// Makes a request of the visitor to a service.
    pub(super) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.extensions_mut().insert(self.address);
        if let Some(value) = self.authorization.as_ref().and_then(|token| token.parse().ok()) {
            request.metadata_mut().insert(AUTHORIZATION.as_str(), value);
        }
        request
    }
}
