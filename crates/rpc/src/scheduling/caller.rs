//! Identifies callers.

use crate::client_address::ClientAddress;
use lastnim_arena::Principal;
use lastnim_core::game::BotName;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use tonic::Request;

/// A caller. Limits apply to each caller separately.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    Admin,
    Viewer,
    Bot(BotName),
    /// A client without a token, identified by its address.
    Anonymous(ClientAddress),
    /// The feeds that serve visitors without a token, identified by address. They are separate from
    /// `Anonymous` callers, so that a feed with many watchers does not wait for a visitor's other reads.
    Feeds(ClientAddress),
}

/// A caller, and the source of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallerConnection {
    pub(crate) caller: Caller,
    /// The source of the call. Calls of one caller from several sources take turns, so that two people behind one
    /// address do not block each other.
    pub(crate) source: Option<CallSource>,
}

/// The source of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSource {
    /// The address and port of the client's end of a connection.
    Connection(SocketAddr),
    Feed(FeedNumber),
}

/// The number of a feed. A feed is a task in this process that reads repeatedly for all its watchers, and sends its
/// number with each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedNumber(u64);

impl FeedNumber {
    /// Returns a number that is unique in this process.
    pub fn draw() -> Self {
        static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);
        Self(NEXT_NUMBER.fetch_add(1, Ordering::Relaxed))
    }
}

impl Caller {
    /// Identifies a caller by its token or, if it has none, by its address. Feeds without a token are separate callers.
    fn new(principal: Option<Principal>, address: ClientAddress, feed: Option<FeedNumber>) -> Self {
        match principal {
            Some(Principal::Admin) => Self::Admin,
            Some(Principal::Viewer) => Self::Viewer,
            Some(Principal::Bot(bot)) => Self::Bot(bot),
            None if feed.is_some() => Self::Feeds(address),
            None => Self::Anonymous(address),
        }
    }

    /// Returns the holder of the call's token; `None` without a token.
    pub(crate) fn principal(&self) -> Option<Principal> {
        match self {
            Self::Admin => Some(Principal::Admin),
            Self::Viewer => Some(Principal::Viewer),
            Self::Bot(bot) => Some(Principal::Bot(bot.clone())),
            Self::Anonymous(_) | Self::Feeds(_) => None,
        }
    }
}

impl CallerConnection {
    /// Identifies the sender of a request.
    pub(crate) fn of_request<T>(request: &Request<T>, principal: Option<Principal>) -> Self {
        let address = ClientAddress::of_request(request.extensions());
        let feed = request.extensions().get::<FeedNumber>().copied();
        let connection = || request.remote_addr().map(CallSource::Connection);
        let source = feed.map(CallSource::Feed).or_else(connection);
        Self { caller: Caller::new(principal, address, feed), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    fn address(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn without_a_token_the_address_identifies_a_caller() {
        let caller_at = |text| Caller::new(None, address(text), None);
        assert_eq!(caller_at("2001:db8:1:2::7"), caller_at("2001:db8:1:2:3:4:5:6"));
        assert_ne!(caller_at("192.0.2.1"), caller_at("192.0.2.2"));
        let feed = Caller::new(None, address("192.0.2.1"), Some(FeedNumber::draw()));
        assert_ne!(feed, caller_at("192.0.2.1"), "its feeds do not wait for its other reads");
        assert_ne!(FeedNumber::draw(), FeedNumber::draw());
    }

    #[test]
    fn a_token_identifies_a_caller_at_any_address() {
        let (here, there) = (address("192.0.2.1"), address("192.0.2.2"));
        let bot = |name: &str, at| Caller::new(Some(Principal::Bot(name.parse().unwrap())), at, None);
        assert_ne!(bot("alice", here), bot("bob", here));
        assert_eq!(bot("alice", here), bot("alice", there));
        assert_eq!(Caller::new(Some(Principal::Admin), here, None), Caller::Admin);
        assert_eq!(Caller::new(Some(Principal::Viewer), there, None), Caller::Viewer);
    }
}
