//! The listening address of a server.

use std::{fmt, io, net::SocketAddr, str::FromStr};
use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// The maximum number of connections that wait to be accepted; the system may lower it. With Tokio's default of 128,
/// connections are lost when many bots connect at once.
pub const BACKLOG: u32 = 4_096;

/// The listening address of a server: an address or a host name, and a port. Port 0 stands for any free port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenAddress(String);

impl ListenAddress {
    /// Listens at this address. If a host name has several addresses, this uses the first one that works, and
    /// tries IPv4 first, because clients on this machine look for a server at 127.0.0.1 by default.
    pub async fn bind(&self) -> io::Result<TcpListener> {
        let mut addresses: Vec<SocketAddr> = lookup_host(&self.0).await?.collect();
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "this host name has no address");
        for address in addresses {
            match listen_at(address) {
                Ok(listener) => return Ok(listener),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = text.parse::<SocketAddr>().is_ok()
            || text
                .rsplit_once(':')
                .is_some_and(|(host, port)| is_host_name(host) && port.parse::<u16>().is_ok());
        if fits {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("{text:?} is not a host and a port, such as 127.0.0.1:7600, localhost:7600 or [::]:7600"))
    }
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On Windows this option would let two servers share a port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Returns whether a string can name a host (RFC 1123, section 2.1); underscores are accepted, because some private
/// names contain them.
fn is_host_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    let mut labels = text.split('.');
    // A host whose last label is a number was meant to be an IP address, but is not a valid one.
    text.len() <= 253 && labels.clone().all(is_label) && !labels.next_back().is_some_and(is_number)
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::{net::TcpStream, time::timeout};

    #[test]
    fn a_listen_address_needs_a_host_and_a_port() {
        let fit = ["127.0.0.1:0", "[::1]:7600", "localhost:7600", "play.example.org:80", "a_b-c:1"];
        for text in fit {
            assert_eq!(text.parse::<ListenAddress>().unwrap().to_string(), text);
        }
        let wrong = [
            "",
            ":7600",
            "7600",
            "localhost",
            "localhost:",
            "localhost:70000",
            "127.0.0:1",
            "::1:7600",
            "a b:1",
            "a..b:1",
        ];
        for text in wrong {
            let refused = text.parse::<ListenAddress>().unwrap_err();
            assert!(refused.starts_with(&format!("{text:?} is not a host and a port")), "{refused}");
        }
    }

    #[tokio::test]
    async fn a_host_name_is_looked_up_and_ipv4_is_preferred() {
        let listener = "localhost:0".parse::<ListenAddress>().unwrap().bind().await.unwrap();
        assert_eq!(listener.local_addr().unwrap().ip().to_string(), "127.0.0.1");
    }

    #[tokio::test]
    async fn a_burst_of_connections_waits_to_be_accepted() {
        let listener = "127.0.0.1:0".parse::<ListenAddress>().unwrap().bind().await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        for number in 0..300 {
            let connected = timeout(Duration::from_millis(900), TcpStream::connect(address)).await;
            waiting.push(connected.unwrap_or_else(|_| panic!("connection {number} waits")).unwrap());
        }
    }
}
