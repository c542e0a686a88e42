//! Where a server is, and which certificates are believed there.

use super::CaCertificates;
use std::fmt;

/// A server: `host:port`, `http://host:port` or `https://host[:port]`, and for the last the authorities whose certificates
/// are trusted, if they are not the system's.
///
/// What is wrong with an address is said when a connection is made.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    address: String,
    ca: Option<CaCertificates>,
}

impl ServerAddress {
    /// Names a server.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), ca: None }
    }

    /// Trusts these authorities in place of the system's. The address has to begin with `https://` then.
    #[must_use]
    pub fn with_ca(mut self, ca: CaCertificates) -> Self {
        self.ca = Some(ca);
        self
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
