//! The address of a server, and the certificate authorities to trust.

use super::{
    CaCertificates, ClientCertificate, Transport, socket_path::socket_path, transport::SharedTransport,
};
use std::{fmt, sync::Arc};

/// A server: `host:port`, `http://host:port`, `https://host[:port]`, or `unix:PATH` for a Unix socket; or the addresses of a
/// server and its standby, separated by commas. With https, you can name the certificate authorities to trust instead of
/// the system's.
///
/// The address is checked when connecting.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    address: String,
    ca: Option<CaCertificates>,
    client_certificate: Option<ClientCertificate>,
    transport: Option<SharedTransport>,
}

impl ServerAddress {
    /// Stores an address without checking it.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), ca: None, client_certificate: None, transport: None }
    }

    /// Sets the certificate authorities to trust instead of the system's. The address must then begin with `https://`.
    #[must_use]
    pub fn with_ca(mut self, ca: CaCertificates) -> Self {
        self.ca = Some(ca);
        self
    }

    /// Sets the certificate to show to a server that asks clients for one. The address must then begin with `https://`.
    #[must_use]
    pub fn with_client_certificate(mut self, certificate: ClientCertificate) -> Self {
        self.client_certificate = Some(certificate);
        self
    }

    /// Sets a custom transport to connect over, instead of the system's TCP.
    #[must_use]
    pub fn with_transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(SharedTransport(transport));
        self
    }

    /// Returns the custom transport, if one was given.
    pub(super) fn transport(&self) -> Option<&SharedTransport> {
        self.transport.as_ref()
    }

    /// Returns the address as given.
    pub fn as_str(&self) -> &str {
        &self.address
    }

    /// Returns an iterator over the addresses.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.address.split(',').map(str::trim)
    }

    /// Returns one `ServerAddress` for each of the addresses, with the same certificates and transport.
    pub fn split(&self) -> Vec<Self> {
        self.addresses().map(|address| Self { address: address.to_owned(), ..self.clone() }).collect()
    }

    /// Returns the addresses as text for a program that runs in another folder: the paths of Unix sockets are absolute.
    pub fn to_absolute_paths(&self) -> String {
        let absolute = |address: &str| match socket_path(address) {
            Ok(Some(path)) => std::path::absolute(path)
                .map_or_else(|_| address.to_owned(), |path| format!("unix:{}", path.display())),
            Ok(None) | Err(_) => address.to_owned(),
        };
        self.addresses().map(absolute).collect::<Vec<_>>().join(",")
    }

    /// Returns the trusted authorities, if any were given.
    pub fn ca(&self) -> Option<&CaCertificates> {
        self.ca.as_ref()
    }

    /// Returns the client's own certificate, if one was given.
    pub fn client_certificate(&self) -> Option<&ClientCertificate> {
        self.client_certificate.as_ref()
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
        if let Some(certificate) = &self.client_certificate {
            shown.field(certificate);
        }
        shown.finish()
    }
}
