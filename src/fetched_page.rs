//! The pages of a server, fetched over the connection on which its services are called.

use crate::{Failure, remote::RemoteServer};
use std::{fmt::Display, future::poll_fn, pin::pin, time::Duration};
use tokio::time::sleep;
use tonic::{
    body::Body,
    codegen::{
        Body as _, Service as _,
        http::{Request, StatusCode, header::CONTENT_TYPE},
    },
};

/// The pauses between the tries while the server is busy.
const BUSY_PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(20),
    Duration::from_mins(1),
];

/// A page of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchedPage {
    /// The bytes of the page.
    Found(Vec<u8>),
    /// There is no such page.
    Missing,
    /// The server shows the page only to callers with a token.
    NeedsToken,
}

impl RemoteServer {
    /// Fetches a page that the server shows in browsers. Waits and tries again while the server is busy.
    ///
    /// # Errors
    /// If the server serves no pages, cannot be reached, or refuses the request.
    pub async fn fetch_page(&self, address: &str) -> Result<FetchedPage, Failure> {
        let failure = |why: &dyn Display| {
            let server = self.name();
            Failure::Runtime(anyhow::anyhow!(
                "{address}: the server at {server} did not send this page: {why}"
            ))
        };
        let mut pauses = BUSY_PAUSES.into_iter();
        let body = loop {
            let request = Request::get(address).body(Body::empty()).map_err(|error| failure(&error))?;
            let mut channel = self.authorized_channel();
            poll_fn(|context| channel.poll_ready(context)).await.map_err(|error| failure(&error))?;
            let (head, body) = channel.call(request).await.map_err(|error| failure(&error))?.into_parts();
            let kind = head.headers.get(CONTENT_TYPE);
            if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
                return Err(failure(&"it serves no pages"));
            }
            match head.status {
                StatusCode::OK => break body,
                StatusCode::NOT_FOUND => return Ok(FetchedPage::Missing),
                StatusCode::UNAUTHORIZED => return Ok(FetchedPage::NeedsToken),
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => match pauses.next() {
                    Some(pause) => sleep(pause).await,
                    None => return Err(failure(&"it is busy")),
                },
                status => return Err(failure(&status)),
            }
        };
        let (mut body, mut bytes) = (pin!(body), Vec::new());
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
            if let Ok(data) = frame.map_err(|error| failure(&error))?.into_data() {
                bytes.extend_from_slice(&data);
            }
        }
        Ok(FetchedPage::Found(bytes))
    }
}
