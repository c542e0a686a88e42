//! Who calls.

use crate::client_address::ClientAddress;
use lastnim_arena::Principal;
use lastnim_core::game::BotName;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use tonic::Request;

/// Who calls: what is bounded, is bounded for each of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// Whoever has the admin's token.
    Admin,
    /// Whoever has the viewer's token.
    Viewer,
    /// A bot.
    Bot(BotName),
    /// Whoever calls from an address without a token.
    Anonymous(ClientAddress),
    /// The feeds that visitors without a token have started from an address. What many watch does not wait behind what one of them reads.
    Feeds(ClientAddress),
}

/// A caller, and where its call comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallerConnection {
    /// The caller.
    pub(crate) caller: Caller,
    /// Where the call comes from. Calls of one caller from several places take turns, so that two people behind
    /// one address are not in each other's way.
    pub(crate) source: Option<CallSource>,
}

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSource {
    /// The other end of this connection.
    Connection(SocketAddr),
    /// This feed.
    Feed(FeedNumber),
}

/// A number that tells a feed from others: it goes with the requests of something in this process that reads again and again for all who watch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedNumber(u64);

impl FeedNumber {
    /// Returns a number that no other feed of this process has.
    pub fn draw() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Caller {
    /// Names a caller by the token of the call; without one, by its address, where feeds count by themselves.
    fn new(principal: Option<Principal>, address: ClientAddress, feed: Option<FeedNumber>) -> Self {
        match principal {
            Some(Principal::Admin) => Self::Admin,
            Some(Principal::Viewer) => Self::Viewer,
            Some(Principal::Bot(bot)) => Self::Bot(bot),
            None if feed.is_some() => Self::Feeds(address),
            None => Self::Anonymous(address),
        }
    }

    /// Returns whose token the call showed; none without one.
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
    /// Names the sender of a request.
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
    fn without_a_token_the_address_counts() {
        let at = |text| Caller::new(None, address(text), None);
        assert_eq!(at("2001:db8:1:2::7"), at("2001:db8:1:2:3:4:5:6"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        let feed = Caller::new(None, address("192.0.2.1"), Some(FeedNumber::draw()));
        assert_ne!(feed, at("192.0.2.1"), "its feeds do not wait behind what else it reads");
        assert_ne!(FeedNumber::draw(), FeedNumber::draw());
    }

    #[test]
    fn a_token_counts_wherever_it_calls_from() {
        let (here, there) = (address("192.0.2.1"), address("192.0.2.2"));
        let bot = |name: &str, at| Caller::new(Some(Principal::Bot(name.parse().unwrap())), at, None);
        assert_ne!(bot("alice", here), bot("bob", here));
        assert_eq!(bot("alice", here), bot("alice", there));
        assert_eq!(Caller::new(Some(Principal::Admin), here, None), Caller::Admin);
        assert_eq!(Caller::new(Some(Principal::Viewer), there, None), Caller::Viewer);
    }
}
