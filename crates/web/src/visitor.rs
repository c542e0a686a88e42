//! The visitor of a page.

use super::forms::{CookieSecret, FormToken, names_this_machine};
use super::live::FeedPayer;
use super::sign_in::SignedIn;
use super::visitor_channel::VisitorChannel;
use lastnim_rpc::{ClientAddress, FeedNumber};
use std::fmt;
use tonic::codegen::http::header::{AUTHORIZATION, HeaderValue};
use tonic::codegen::http::{HeaderMap, Uri};
use tonic::{Request, Status};

/// The visitor of a page, as the services see it.
#[derive(Clone)]
pub(super) struct Visitor {
    address: ClientAddress,
    pub channel: VisitorChannel,
    /// The header with a token, if there is one.
    authorization: Option<HeaderValue>,
    /// The secret of the page's cookie, if it has one.
    secret: Option<CookieSecret>,
    /// The session that the token comes from, if any.
    signed_in: Option<SignedIn>,
    /// The feed for which it reads and the address that is charged for it, if any.
    feed: Option<(FeedNumber, FeedPayer)>,
}

/// The token of a visitor, hidden in logs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct VisitorToken(Box<[u8]>);

impl fmt::Debug for VisitorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisitorToken").finish_non_exhaustive()
    }
}

impl Visitor {
    /// Creates a visitor from a request.
    pub(super) fn of_request(
        address: ClientAddress,
        channel: VisitorChannel,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Self {
        let channel = match channel {
            VisitorChannel::Loopback if !names_this_machine(uri, headers) => VisitorChannel::Plain,
            channel => channel,
        };
        let authorization = headers.get(AUTHORIZATION).cloned();
        Self { address, channel, authorization, secret: None, signed_in: None, feed: None }
    }

    /// Adds the secret of the page's cookie.
    #[must_use = "returns the changed visitor"]
    pub(super) fn with_secret(self, secret: CookieSecret) -> Self {
        Self { secret: Some(secret), ..self }
    }

    /// Returns the same visitor with a token in this header.
    pub(super) fn with_authorization(&self, header: HeaderValue) -> Self {
        Self { authorization: Some(header), ..self.clone() }
    }

    /// Adds the session that signed the visitor in.
    #[must_use = "returns the changed visitor"]
    pub(super) fn with_sign_in(self, signed_in: SignedIn) -> Self {
        Self { signed_in: Some(signed_in), ..self }
    }

    /// Returns the session that signed the visitor in, if any.
    pub(super) fn signed_in(&self) -> Option<&SignedIn> {
        self.signed_in.as_ref()
    }

    /// Waits until the visitor's session ends: forever without one.
    pub(super) fn signed_out(&self) -> impl Future<Output = ()> + Send + use<> {
        let end = self.signed_in.as_ref().map(|signed_in| signed_in.end().clone());
        async move {
            match end {
                Some(end) => end.wait_until_over().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Checks that the connection protects secrets that the visitor types.
    ///
    /// # Errors
    /// With the message `why`, if others may read the connection.
    pub(super) fn check_channel(&self, why: &str) -> Result<(), Status> {
        match self.channel {
            VisitorChannel::Loopback | VisitorChannel::Https => Ok(()),
            VisitorChannel::Plain => Err(Status::permission_denied(why)),
        }
    }

    /// Returns the address that limits apply to.
    pub(super) fn address(&self) -> ClientAddress {
        self.address
    }

    /// Returns the secret of the page's cookie.
    pub(super) fn secret(&self) -> Option<&CookieSecret> {
        self.secret.as_ref()
    }

    /// Returns the token for forms of this page.
    ///
    /// # Errors
    /// If the page sets no visitor cookie.
    pub(super) fn form_token(&self) -> Result<FormToken, Status> {
        let token = self.secret.as_ref().map(CookieSecret::form_token);
        token.ok_or_else(|| Status::internal("this page sets no visitor cookie"))
    }

    /// Returns a visitor on whose behalf a new feed reads. All visitors with the same token share the feed, or all
    /// visitors without a token. Its reads are scheduled under the charged address, but separately from that address's
    /// other reads.
    pub(super) fn for_feed(&self, payer: &FeedPayer) -> Self {
        let channel = if self.authorization.is_some() { self.channel } else { VisitorChannel::Plain };
        let feed = Some((FeedNumber::draw(), payer.clone()));
        Self { channel, secret: None, signed_in: None, feed, ..self.clone() }
    }

    /// Returns the token; `None` for a visitor without one.
    pub(super) fn token(&self) -> Option<VisitorToken> {
        self.authorization.as_ref().map(|header| VisitorToken(header.as_bytes().into()))
    }

    /// Creates a request to a service on behalf of the visitor.
    pub(super) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        match &self.feed {
            Some((number, payer)) => {
                request.extensions_mut().insert(payer.address());
                request.extensions_mut().insert(*number);
            }
            None => {
                request.extensions_mut().insert(self.address);
            }
        }
        let token = self.authorization.as_ref().and_then(|token| token.to_str().ok());
        if let Some(value) = token.and_then(|token| token.parse().ok()) {
            request.metadata_mut().insert(AUTHORIZATION.as_str(), value);
        }
        request
    }
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor")
            .field("address", &self.address)
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::open_site;
    use lastnim_arena::{Arena, Backend, Limits};
    use std::net::IpAddr;
    use std::sync::{Arc, Mutex, mpsc};
    use tokio::sync::mpsc::unbounded_channel;
    use tokio::sync::oneshot;
    use tokio::task::{JoinSet, yield_now};

    fn visitor_at(last: u8) -> Visitor {
        let (uri, headers) = (Uri::from_static("/"), HeaderMap::new());
        Visitor::of_request(IpAddr::from([192, 0, 2, last]).into(), VisitorChannel::Plain, &uri, &headers)
    }

    fn feed_of(visitor: &Visitor) -> Visitor {
        visitor.for_feed(&FeedPayer::new(visitor.address()))
    }

    /// Queues one read each, in this order, while all slots are taken, and returns the order in which they run.
    async fn order_of_turns(readers: Vec<(&'static str, Visitor)>) -> Vec<&'static str> {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let (reads, order) = (open_site(&arena, 1).reads, Arc::new(Mutex::new(Vec::new())));
        let ((has_turn, turn_taken), (end, ended)) = (oneshot::channel(), mpsc::channel::<()>());
        let mut reading = JoinSet::new();
        let busy = reads.clone();
        reading.spawn(async move {
            let work = move || {
                has_turn.send(()).unwrap();
                ended.recv().unwrap();
            };
            busy.run_slow_work(&visitor_at(9).request(()), work).await
        });
        turn_taken.await.unwrap();
        for (name, reader) in readers {
            let (reads, order) = (reads.clone(), Arc::clone(&order));
            let work = move || order.lock().unwrap().push(name);
            reading.spawn(async move { reads.run_slow_work(&reader.request(()), work).await });
        }
        // After being polled once, all reads are waiting.
        yield_now().await;
        end.send(()).unwrap();
        assert!(reading.join_all().await.into_iter().all(|read| read.is_ok()));
        Arc::into_inner(order).unwrap().into_inner().unwrap()
    }

    #[tokio::test]
    async fn many_feeds_do_not_delay_the_feeds_of_others() {
        let (many, few) = (visitor_at(1), visitor_at(2));
        let mut readers: Vec<_> = (0..64).map(|_| ("one of many", feed_of(&many))).collect();
        readers.push(("of another", feed_of(&few)));
        readers.push(("a page", few));
        let order = order_of_turns(readers).await;
        let place = |name| order.iter().position(|read| *read == name).unwrap();
        assert!(place("of another") <= 1 && place("a page") <= 2, "{order:?}");
    }

    #[test]
    fn feeds_are_scheduled_by_the_charged_address() {
        let (starter, heir) = (visitor_at(1), visitor_at(2));
        let payer = FeedPayer::new(starter.address());
        let feed = starter.for_feed(&payer);
        let address = || ClientAddress::of_request(feed.request(()).extensions());
        assert_eq!(address(), starter.address());
        payer.pass_to(heir.address());
        assert_eq!(address(), heir.address());
    }

    #[tokio::test]
    async fn many_starting_feeds_do_not_delay_others() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let reads = open_site(&arena, 1).reads;
        let many = visitor_at(1);
        let (started, mut starts) = unbounded_channel();
        let mut starting = JoinSet::new();
        let feeds = (0..64).map(|_| ("one of many", feed_of(&many)));
        for (name, feed) in feeds.chain([("of another", feed_of(&visitor_at(2)))]) {
            let (reads, started) = (reads.clone(), started.clone());
            starting.spawn(async move {
                let start = reads.wait_to_start_feed(&feed.request(())).await.unwrap();
                started.send((name, start)).unwrap();
            });
            yield_now().await;
        }
        // The free slots went to the first address, but the next slot goes to another one.
        let mut held = Vec::new();
        while let Ok((name, start)) = starts.try_recv() {
            assert_eq!(name, "one of many");
            held.push(start);
        }
        assert!(held.len() < 10, "{} start at once", held.len());
        drop(held.pop());
        assert_eq!(starts.recv().await.unwrap().0, "of another");
    }

    #[tokio::test]
    async fn feeds_do_not_wait_for_other_reads_of_their_visitor() {
        let visitor = visitor_at(1);
        let feed = feed_of(&visitor);
        let mut readers = vec![("page", visitor.clone()); 40];
        readers.extend(vec![("feed", feed); 40]);
        readers.push(("other feed", feed_of(&visitor)));
        let order = order_of_turns(readers).await;
        let place = |name| order.iter().position(|read| *read == name).unwrap();
        assert!(place("feed") <= 1 && place("other feed") <= 3, "{order:?}");
    }
}
