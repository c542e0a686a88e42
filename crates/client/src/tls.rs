//! TLS connections to the server, with rustls and its ring provider.

#[cfg(feature = "tls")]
pub(super) use enabled::{check_certificates, check_key, tls_failure, with_tls};

#[cfg(not(feature = "tls"))]
pub(super) use disabled::{check_certificates, check_key, tls_failure, with_tls};

#[cfg(feature = "tls")]
mod enabled {
    use crate::ServerAddress;
    use rustls::{
        CertificateError, RootCertStore,
        crypto::{CryptoProvider, ring},
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
        sign::CertifiedKey,
    };
    use std::{error::Error as StdError, io, time::Duration};
    use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

    /// Encrypts the connections of one of the server's endpoints. The server's certificate must be from one of the given
    /// authorities or, if none are given, from one that the system trusts.
    ///
    /// # Errors
    /// Returns the reason why TLS cannot be set up.
    pub(crate) fn with_tls(
        endpoint: Endpoint,
        server: &ServerAddress,
        handshake_timeout: Duration,
    ) -> Result<Endpoint, String> {
        // rustls panics if the process has two providers and none is chosen. The call fails only if the program has
        // already chosen one.
        let _ = CryptoProvider::install_default(ring::default_provider());
        let config = ClientTlsConfig::new().timeout(handshake_timeout);
        let mut config = match server.ca() {
            Some(ca) => config.ca_certificate(Certificate::from_pem(ca.pem())),
            None => config.with_native_roots(),
        };
        if let Some(certificate) = server.client_certificate() {
            let (certificate, key) = certificate.pem();
            config = config.identity(Identity::from_pem(certificate, key));
        }
        endpoint.tls_config(config).map_err(|error| super::super::error::innermost_source(&error).to_string())
    }

    /// Checks that there is at least one certificate and that all are valid.
    ///
    /// # Errors
    /// Returns a description of the first mistake.
    pub(crate) fn check_certificates(pem: &[u8]) -> Result<(), String> {
        let mut roots = RootCertStore::empty();
        for (index, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let certificate = certificate.map_err(|error| format!("not PEM: {error}"))?;
            roots.add(certificate).map_err(|error| format!("certificate {}: {error}", index + 1))?;
        }
        if roots.is_empty() {
            return Err("there is no certificate in it: expected -----BEGIN CERTIFICATE-----".to_owned());
        }
        Ok(())
    }

    /// Checks that there is an unencrypted private key, and that it is the key of the first certificate.
    ///
    /// # Errors
    /// Returns what is wrong with the key.
    pub(crate) fn check_key(key: &[u8], certificates: &[u8]) -> Result<(), String> {
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            "there is no unencrypted private key in it: expected -----BEGIN PRIVATE KEY-----".to_owned()
        })?;
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates).collect();
        let certificates = certificates.map_err(|error| error.to_string())?;
        match CertifiedKey::from_der(certificates, key, &ring::default_provider()) {
            Ok(_) => Ok(()),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err("this is not the key of the certificate".to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns advice on a refused certificate.
    fn certificate_advice(reason: &CertificateError) -> &'static str {
        // The TLS library shows this reason only as text inside another error.
        if format!("{reason:?}").contains("CaUsedAsEndEntity") {
            "it is the certificate of an authority, which `openssl req -x509` makes by default; make the server's certificate with -addext basicConstraints=critical,CA:FALSE; see docs/how-to/run-a-server.md"
        } else {
            "to trust another authority, use --ca FILE or `ServerAddress::with_ca`"
        }
    }

    /// Describes the TLS error that made a connection fail; `None` if the failure had another cause. After a TLS error,
    /// a retry would not help.
    pub(crate) fn tls_failure(error: &(dyn StdError + 'static)) -> Option<String> {
        let mut next = Some(error);
        while let Some(error) = next {
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            let inner = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
            match inner.or_else(|| error.downcast_ref::<rustls::Error>()) {
                Some(rustls::Error::InvalidMessage(_)) => {
                    return Some("the server does not use TLS: did you mean http://?".into());
                }
                Some(rustls::Error::AlertReceived(rustls::AlertDescription::HandshakeFailure)) => {
                    return Some(
                        "the server refused TLS; lastnim serve needs --tls-cert for it: did you mean http://?"
                            .into(),
                    );
                }
                Some(rustls::Error::InvalidCertificate(reason)) => {
                    let way_out = certificate_advice(reason);
                    return Some(format!("its certificate was rejected: {reason} ({way_out})"));
                }
                Some(_) | None => next = error.source(),
            }
        }
        None
    }
}

#[cfg(not(feature = "tls"))]
mod disabled {
    use crate::ServerAddress;
    use std::{error::Error as StdError, time::Duration};
    use tonic::transport::Endpoint;

    const TLS_DISABLED: &str = "https:// needs the feature `tls`, but this program was built without it";

    pub(crate) fn with_tls(_: Endpoint, _: &ServerAddress, _: Duration) -> Result<Endpoint, String> {
        Err(TLS_DISABLED.to_owned())
    }

    pub(crate) fn check_certificates(_: &[u8]) -> Result<(), String> {
        Err(TLS_DISABLED.to_owned())
    }

    pub(crate) fn check_key(_: &[u8], _: &[u8]) -> Result<(), String> {
        Err(TLS_DISABLED.to_owned())
    }

    pub(crate) fn tls_failure(_: &(dyn StdError + 'static)) -> Option<String> {
        None
    }
}
