//! Who asks the oracle.

use crate::arena::Principal;
use crate::game::BotName;
use std::net::{IpAddr, Ipv6Addr};

/// Who asks: what is bounded, is bounded for each of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// Whoever has the admin's token.
    Admin,
    /// Whoever has the viewer's token.
    Viewer,
    /// A bot.
    Bot(BotName),
    /// Whoever calls from an address without a token; none where the transport has no addresses.
    Anonymous(Option<IpAddr>),
}

impl Caller {
    /// Names a caller by the token of the call; without one, by its address.
    pub(super) fn new(principal: Option<Principal>, address: Option<IpAddr>) -> Self {
        match principal {
            Some(Principal::Admin) => Self::Admin,
            Some(Principal::Viewer) => Self::Viewer,
            Some(Principal::Bot(bot)) => Self::Bot(bot),
            None => Self::Anonymous(address.map(household)),
        }
    }
}

/// Returns what all addresses of one household have in common: an IPv6 network of 64 bits is given to one.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_is_one_caller() {
        let at = |address: &str| Caller::new(None, Some(address.parse().unwrap()));
        assert_eq!(at("2001:db8:1:2::7"), at("2001:db8:1:2:3:4:5:6"));
        assert_ne!(at("2001:db8:1:2::7"), at("2001:db8:1:3::7"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_ne!(at("::1"), at("127.0.0.1"));
        assert_ne!(Caller::new(None, None), at("0.0.0.0"));
    }

    #[test]
    fn a_token_counts_wherever_it_calls_from() {
        let address = Some("192.0.2.1".parse().unwrap());
        let bot = |name: &str| Caller::new(Some(Principal::Bot(name.parse().unwrap())), address);
        assert_ne!(bot("alice"), bot("bob"));
        assert_eq!(Caller::new(Some(Principal::Admin), address), Caller::Admin);
        assert_eq!(Caller::new(Some(Principal::Viewer), None), Caller::Viewer);
    }
}
