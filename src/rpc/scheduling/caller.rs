//! Who calls.

use crate::arena::Principal;
use crate::game::BotName;
use crate::rpc::client_address::ClientAddress;
use std::net::SocketAddr;
use tonic::Request;

/// Who calls: what is bounded, is bounded for each of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::rpc) enum Caller {
    /// Whoever has the admin's token.
    Admin,
    /// Whoever has the viewer's token.
    Viewer,
    /// A bot.
    Bot(BotName),
    /// Whoever calls from an address without a token.
    Anonymous(ClientAddress),
}

/// A caller, and the connection that it calls over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rpc) struct CallerConnection {
    /// The caller.
    pub(in crate::rpc) caller: Caller,
    /// The other end of the connection. Calls of one caller over several connections take turns, so that two people behind
    /// one address are not in each other's way.
    pub(in crate::rpc) connection: Option<SocketAddr>,
}

impl Caller {
    /// Names a caller by the token of the call; without one, by its address.
    fn new(principal: Option<Principal>, address: ClientAddress) -> Self {
        match principal {
            Some(Principal::Admin) => Self::Admin,
            Some(Principal::Viewer) => Self::Viewer,
            Some(Principal::Bot(bot)) => Self::Bot(bot),
            None => Self::Anonymous(address),
        }
    }

    /// Returns whose token the call showed; none without one.
    pub(in crate::rpc) fn principal(&self) -> Option<Principal> {
        match self {
            Self::Admin => Some(Principal::Admin),
            Self::Viewer => Some(Principal::Viewer),
            Self::Bot(bot) => Some(Principal::Bot(bot.clone())),
            Self::Anonymous(_) => None,
        }
    }
}

impl CallerConnection {
    /// Names the sender of a request.
    pub(in crate::rpc) fn of_request<T>(request: &Request<T>, principal: Option<Principal>) -> Self {
        let address = ClientAddress::of_request(request.extensions());
        Self { caller: Caller::new(principal, address), connection: request.remote_addr() }
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
        let at = |text| Caller::new(None, address(text));
        assert_eq!(at("2001:db8:1:2::7"), at("2001:db8:1:2:3:4:5:6"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    }

    #[test]
    fn a_token_counts_wherever_it_calls_from() {
        let (here, there) = (address("192.0.2.1"), address("192.0.2.2"));
        let bot = |name: &str, at| Caller::new(Some(Principal::Bot(name.parse().unwrap())), at);
        assert_ne!(bot("alice", here), bot("bob", here));
        assert_eq!(bot("alice", here), bot("alice", there));
        assert_eq!(Caller::new(Some(Principal::Admin), here), Caller::Admin);
        assert_eq!(Caller::new(Some(Principal::Viewer), there), Caller::Viewer);
    }
}
