//! TLS to the server: rustls with the ring provider.

#[cfg(feature = "tls")]
pub(super) use enabled::{check_certificates, tls_failure, with_tls};

#[cfg(not(feature = "tls"))]
pub(super) use disabled::{check_certificates, tls_failure, with_tls};

#[cfg(feature = "tls")]
mod enabled {
    use crate::CaCertificates;
    use rustls::{
        RootCertStore,
        crypto::{CryptoProvider, ring},
        pki_types::{CertificateDer, pem::PemObject as _},
    };
    use std::{error::Error as StdError, io, time::Duration};
    use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

    /// Encrypts an endpoint's connections. The server has to show a certificate of one of the authorities, or of one that
    /// the system trusts.
    ///
    /// # Errors
    /// Says why it cannot be encrypted.
    pub(crate) fn with_tls(
        endpoint: Endpoint,
        ca: Option<&CaCertificates>,
        handshake_timeout: Duration,
    ) -> Result<Endpoint, String> {
        // Another crate of the process may bring a second provider; without a choice rustls would panic then. If one is
        // installed already, the program has chosen.
        let _ = CryptoProvider::install_default(ring::default_provider());
        let config = ClientTlsConfig::new().timeout(handshake_timeout);
        let config = match ca {
            Some(ca) => config.ca_certificate(Certificate::from_pem(ca.pem())),
            None => config.with_native_roots(),
        };
        endpoint.tls_config(config).map_err(|error| super::super::error::innermost_source(&error).to_string())
    }

    /// Checks that there is a certificate, and that each can be read.
    ///
    /// # Errors
    /// Says what is wrong.
    pub(crate) fn check_certificates(pem: &[u8]) -> Result<(), String> {
        let mut roots = RootCertStore::empty();
        for (index, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let certificate = certificate.map_err(|error| format!("it is not PEM: {error}"))?;
            roots.add(certificate).map_err(|error| format!("certificate {}: {error}", index + 1))?;
        }
        if roots.is_empty() {
            return Err("it holds no certificate: expected -----BEGIN CERTIFICATE-----".to_owned());
        }
        Ok(())
    }

    /// Returns what TLS had against a connection, if that is why it failed; trying again does not help then.
    pub(crate) fn tls_failure(error: &(dyn StdError + 'static)) -> Option<String> {
        let mut next = Some(error);
        while let Some(error) = next {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            let inner = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
            match inner.or_else(|| error.downcast_ref::<rustls::Error>()) {
                Some(rustls::Error::InvalidMessage(_)) => {
                    return Some(
                        "what answers there does not speak TLS: http:// in place of https://?".into(),
                    );
                }
                Some(rustls::Error::AlertReceived(rustls::AlertDescription::HandshakeFailure)) => {
                    return Some(
                        "what answers there refuses TLS; a server of lastnim by itself does not speak TLS: http:// in place of https://?"
                            .into(),
                    );
                }
                Some(rustls::Error::InvalidCertificate(reason)) => {
                    return Some(format!(
                        "its certificate is refused: {reason} (--ca FILE or `ServerAddress::with_ca` names an authority that the system does not know)"
                    ));
                }
                Some(_) | None => next = error.source(),
            }
        }
        None
    }
}

#[cfg(not(feature = "tls"))]
mod disabled {
    use crate::CaCertificates;
    use std::{error::Error as StdError, time::Duration};
    use tonic::transport::Endpoint;

    const MISSING: &str = "https:// needs the feature `tls`, which this program was built without";

    pub(crate) fn with_tls(_: Endpoint, _: Option<&CaCertificates>, _: Duration) -> Result<Endpoint, String> {
        Err(MISSING.to_owned())
    }

    pub(crate) fn check_certificates(_: &[u8]) -> Result<(), String> {
        Err(MISSING.to_owned())
    }

    pub(crate) fn tls_failure(_: &(dyn StdError + 'static)) -> Option<String> {
        None
    }
}
