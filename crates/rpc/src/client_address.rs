//! The addresses of clients.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tonic::Extensions;
use tonic::transport::server::TcpConnectInfo;

/// The length of the IPv6 prefix that a network typically assigns to one customer, who can choose the other bits
/// freely.
const IPV6_NETWORK_BITS: u32 = 64;

/// The address by which limits tell clients apart: an IPv4 address, or the /64 network of an IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The address that all clients with unknown addresses share.
    pub const UNKNOWN: Self = Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED));

    /// Returns the client's address that the server has attached to a request, or else the address of the connection.
    pub fn of_request(extensions: &Extensions) -> Self {
        let connection = || extensions.get::<TcpConnectInfo>()?.remote_addr();
        let found = extensions.get::<Self>().copied();
        found.or_else(|| connection().map(|address| address.ip().into())).unwrap_or(Self::UNKNOWN)
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::MAX << (128 - IPV6_NETWORK_BITS));
                Ipv6Addr::from_bits(network).into()
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(network) => write!(f, "{network}/{IPV6_NETWORK_BITS}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn ipv6_clients_are_identified_by_network_and_ipv4_clients_by_address() {
        let cases = [
            ("127.0.0.2", "127.0.0.2"),
            ("::ffff:127.0.0.2", "127.0.0.2"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("::1", "::/64"),
        ];
        for (given, expected) in cases {
            assert_eq!(address(given).to_string(), expected);
        }
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
    }

    #[test]
    fn an_attached_address_takes_precedence_over_that_of_the_connection() {
        let mut extensions = Extensions::new();
        assert_eq!(ClientAddress::of_request(&extensions), ClientAddress::UNKNOWN);
        let remote_addr = Some("10.0.0.1:80".parse().unwrap());
        extensions.insert(TcpConnectInfo { local_addr: None, remote_addr });
        assert_eq!(ClientAddress::of_request(&extensions), address("10.0.0.1"));
        extensions.insert(address("10.0.0.2"));
        assert_eq!(ClientAddress::of_request(&extensions), address("10.0.0.2"));
    }
}
