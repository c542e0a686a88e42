//! Where a server is, and which certificates are believed there.

use super::{CaCertificates, Transport, transport::SharedTransport};
use std::{fmt, sync::Arc};

/// A server: `host:port`, `http://host:port` or `https://host[:port]`, and for the last the authorities whose certificates
/// are trusted, if they are not the system's.
///
/// What is wrong with an address is said when a connection is made.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    address: String,
    ca: Option<CaCertificates>,
    transport: Option<SharedTransport>,
}

impl ServerAddress {
    /// Names a server.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), ca: None, transport: None }
    }

    /// Trusts these authorities in place of the system's. The address has to begin with `https://` then.
    #[must_use]
    pub fn with_ca(mut self, ca: CaCertificates) -> Self {
        self.ca = Some(ca);
        self
    }

    /// Connects over a transport of the program's own, in place of the system's TCP.
    #[must_use]
    pub fn with_transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(SharedTransport(transport));
        self
    }

    /// Returns the transport that is used in place of the system's TCP, if one was given.
    pub(super) fn transport(&self) -> Option<&SharedTransport> {
        self.transport.as_ref()
    }

    /// Returns the address as it was given.
    pub fn as_str(&self) -> &str {
        &self.address
    }

    /// Returns the authorities that are trusted in place of the system's, if any were given.
    pub fn ca(&self) -> Option<&CaCertificates> {
        self.ca.as_ref()
    }
}

impl From<&str> for ServerAddress {
    fn from(address: &str) -> Self {
        Self::new(address)
    }
}

impl From<String> for ServerAddress {
    fn from(address: String) -> Self {
        Self::new(address)
    }
}

impl From<&String> for ServerAddress {
    fn from(address: &String) -> Self {
        Self::new(address)
    }
}

impl From<&Self> for ServerAddress {
    fn from(address: &Self) -> Self {
        address.clone()
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("ServerAddress");
        shown.field(&self.address);
        if let Some(ca) = &self.ca {
            shown.field(&ca.path());
        }
        shown.finish()
    }
}
