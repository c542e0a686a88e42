//! Trusted proxies, and the client addresses that they report.

use super::calls::ConnectionPeer;
use ipnet::IpNet;
use lastnim_web::VisitorChannel;
use serde::{Serialize, Serializer};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use tonic::codegen::http::HeaderMap;

/// The header in which each proxy lists the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// The header in which a proxy names its client's protocol.
const FORWARDED_PROTO: &str = "x-forwarded-proto";
/// Headers that show that a request came through a proxy, trusted or not.
const FORWARDING_HEADERS: [&str; 6] =
    [FORWARDED_FOR, FORWARDED_PROTO, "x-forwarded-host", "x-real-ip", "forwarded", "via"];

/// A network of trusted proxies: a CIDR block or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

impl FromStr for TrustedProxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        let network = network.map_err(|_| {
            format!("{text:?} is neither a network such as 10.0.0.0/8 nor an IP address such as 10.0.0.1")
        })?;
        Ok(Self(network.trunc()))
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for TrustedProxy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns whether an address belongs to a trusted proxy.
pub(super) fn is_trusted(proxies: &[TrustedProxy], address: IpAddr) -> bool {
    let address = address.to_canonical();
    proxies.iter().any(|proxy| proxy.0.contains(&address))
}

/// Returns the address of the client behind `peer`. If `peer` is a trusted proxy, this is the last address in
/// `x-forwarded-for` that is not itself a trusted proxy: the client could have invented every entry before it.
pub(super) fn find_client(proxies: &[TrustedProxy], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut nearest = peer;
    let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok());
    let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).collect();
    let mut hops = hops.into_iter().rev();
    while is_trusted(proxies, nearest) {
        let Some(address) = hops.next().and_then(parse_hop) else { break };
        nearest = address;
    }
    nearest
}

/// Returns the channel over which a request came. A trusted proxy names its client's protocol in `x-forwarded-proto`;
/// if it lists several protocols, all must be https. Any other request with a proxy's headers does not count as local or
/// encrypted, since its client may be on another machine and may have reached the proxy without TLS.
pub(super) fn find_channel(
    proxies: &[TrustedProxy],
    peer: ConnectionPeer,
    headers: &HeaderMap,
) -> VisitorChannel {
    if is_trusted(proxies, peer.client) {
        let lines = headers.get_all(FORWARDED_PROTO).iter().map(|line| line.to_str().unwrap_or_default());
        let mut said = lines.flat_map(|line| line.split(',')).map(str::trim).peekable();
        let is_said = said.peek().is_some();
        if is_said && said.all(|protocol| protocol.eq_ignore_ascii_case("https")) {
            return VisitorChannel::Https;
        }
        return VisitorChannel::Plain;
    }
    let is_local = |address: IpAddr| address.to_canonical().is_loopback();
    let is_forwarded = FORWARDING_HEADERS.iter().any(|name| headers.contains_key(*name));
    if is_forwarded {
        VisitorChannel::Plain
    } else if peer.is_encrypted {
        VisitorChannel::Https
    } else if is_local(peer.socket) && is_local(peer.client) {
        VisitorChannel::Loopback
    } else {
        VisitorChannel::Plain
    }
}

/// Parses an entry of `x-forwarded-for`, which is an address; some proxies add a port to it.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let parse_with_port = || hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let parse_in_brackets = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    hop.parse().ok().or_else(parse_with_port).or_else(parse_in_brackets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_networks(networks: &[&str]) -> Vec<TrustedProxy> {
        networks.iter().map(|network| network.parse().unwrap()).collect()
    }

    #[test]
    fn only_networks_and_addresses_are_parsed() {
        for (given, shown) in
            [("10.1.2.3/8", "10.0.0.0/8"), ("127.0.0.1", "127.0.0.1/32"), ("2001:db8::1/32", "2001:db8::/32")]
        {
            assert_eq!(given.parse::<TrustedProxy>().unwrap().to_string(), shown);
        }
        for wrong in ["", "10.0.0.0/33", "proxy.example", "10.0.0"] {
            let why = wrong.parse::<TrustedProxy>().unwrap_err();
            assert!(why.starts_with(&format!("{wrong:?}")), "{why}");
        }
        assert!(is_trusted(&parse_networks(&["10.0.0.0/8"]), "::ffff:10.1.1.1".parse().unwrap()));
    }

    #[test]
    fn a_client_is_the_nearest_address_that_is_not_a_proxy() {
        let proxies = parse_networks(&["10.0.0.0/8", "2001:db8::/32"]);
        let cases: [(&str, &[&str], &str); 10] = [
            // The peer is not a trusted proxy, so its header is ignored.
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["[2001:db9::1]:80"], "2001:db9::1"),
            ("10.0.0.1", &["2001:db9::2, 2001:db8::1"], "2001:db9::2"),
            // An unreadable entry ends the search at the proxy before it.
            ("10.0.0.1", &["198.51.100.7, unknown, 10.0.0.3"], "10.0.0.3"),
            ("10.0.0.1", &["10.0.0.4, 10.0.0.3"], "10.0.0.4"),
        ];
        for (peer, lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let found = find_client(&proxies, peer.parse().unwrap(), &headers);
            assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn a_channel_depends_on_trusted_proxies_and_local_requests() {
        use VisitorChannel::{Https, Loopback, Plain};
        type Headers = [(&'static str, &'static str)];
        let proxies = parse_networks(&["10.0.0.0/8"]);
        let cases: [(&str, &str, &Headers, VisitorChannel); 14] = [
            ("127.0.0.1", "127.0.0.1", &[], Loopback),
            ("::1", "::1", &[], Loopback),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", &[], Loopback),
            ("192.0.2.1", "192.0.2.1", &[], Plain),
            ("192.0.2.1", "192.0.2.1", &[(FORWARDED_PROTO, "https")], Plain),
            // In these cases, a proxy that is not configured as trusted runs on this machine.
            ("127.0.0.1", "127.0.0.1", &[(FORWARDED_FOR, "192.0.2.1")], Plain),
            ("127.0.0.1", "127.0.0.1", &[("via", "1.1 inner")], Plain),
            ("127.0.0.1", "127.0.0.1", &[(FORWARDED_PROTO, "https")], Plain),
            // A client behind a remote proxy claims to be local.
            ("10.0.0.1", "127.0.0.1", &[], Plain),
            ("10.0.0.1", "10.0.0.1", &[], Plain),
            ("10.0.0.1", "10.0.0.1", &[(FORWARDED_PROTO, "HTTPS")], Https),
            ("10.0.0.1", "10.0.0.1", &[(FORWARDED_PROTO, "https, http")], Plain),
            ("10.0.0.1", "10.0.0.1", &[(FORWARDED_PROTO, "https"), (FORWARDED_PROTO, "http")], Plain),
            // A proxy that only announces addresses, over the PROXY protocol, does not set the header: the client did.
            ("10.0.0.1", "192.0.2.1", &[(FORWARDED_PROTO, "https")], Plain),
        ];
        for (socket, client, said, expected) in cases {
            let mut headers = HeaderMap::new();
            for &(name, value) in said {
                headers.append(name, value.parse().unwrap());
            }
            let [socket, client] = [socket, client].map(|address| address.parse().unwrap());
            let peer = ConnectionPeer { socket, client, is_encrypted: false };
            assert_eq!(find_channel(&proxies, peer, &headers), expected, "{socket} {client} {said:?}");
            // With TLS, a client without a proxy uses https.
            let is_direct = said.is_empty() && !is_trusted(&proxies, client);
            let expected = if is_direct { Https } else { expected };
            let peer = ConnectionPeer { is_encrypted: true, ..peer };
            assert_eq!(find_channel(&proxies, peer, &headers), expected, "TLS {socket} {client} {said:?}");
        }
    }
}
