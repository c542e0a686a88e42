//! The server's end of TLS, with a certificate that is read again when its files change.

use super::brief_connection::{MAX_CONNECTION_TIME, refuse_briefly};
use super::client_protocol::ClientProtocol;
use super::lenient_verifier::LenientVerifier;
use lastnim_rpc::{ClientAddress, client_certificate_status};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use std::{fmt, fs, io};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject as _};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;

/// How often the files are read to see whether they have changed.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The ALPN names of the protocols, the preferred one first (RFC 7301, section 6, and RFC 9113, section 3.1).
const ALPN_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The PEM files of a server's certificate, and of the authorities of its clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by the certificates that lead to its authority.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// The authorities that sign the certificates of clients. `None` if clients need no certificate.
    pub client_ca: Option<PathBuf>,
}

/// Why a file cannot be used for TLS.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct TlsFileError {
    path: PathBuf,
    reason: String,
}

/// The contents of the files.
#[derive(Clone, PartialEq, Eq)]
struct FileContents {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

/// What the files contain, or why they cannot be read.
type ReadContents = Result<FileContents, String>;

/// Encrypts the connections of a server.
#[derive(Debug)]
pub struct ServerTls {
    files: TlsFiles,
    current: RwLock<CurrentTls>,
}

/// The newest contents of the files, and the newest usable ones as settings.
struct CurrentTls {
    contents: ReadContents,
    settings: TlsSettings,
}

/// The settings of new connections.
#[derive(Clone)]
struct TlsSettings {
    config: Arc<ServerConfig>,
    /// Checks the certificates of clients. `None` if clients need no certificate.
    clients: Option<Arc<dyn ClientCertVerifier>>,
}

impl fmt::Debug for CurrentTls {
    /// Omits the contents, because the key is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CurrentTls(..)")
    }
}

impl TlsFileError {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

impl TlsFiles {
    fn read(&self) -> Result<FileContents, TlsFileError> {
        let read_file =
            |path: &Path| fs::read(path).map_err(|error| TlsFileError::new(path, error.to_string()));
        let client_ca = self.client_ca.as_deref().map(read_file).transpose()?;
        Ok(FileContents { certificate: read_file(&self.certificate)?, key: read_file(&self.key)?, client_ca })
    }

    fn parse(&self, contents: &FileContents) -> Result<TlsSettings, TlsFileError> {
        let certificates = parse_certificates(&self.certificate, &contents.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&contents.key).map_err(|_| {
            let expected = "there is no unencrypted private key in it: expected -----BEGIN PRIVATE KEY-----";
            TlsFileError::new(&self.key, expected)
        })?;
        let unusable_error = |error: rustls::Error| match error {
            rustls::Error::InconsistentKeys(_) => {
                let reason =
                    format!("this is not the key of the certificate in {}", self.certificate.display());
                TlsFileError::new(&self.key, reason)
            }
            error => TlsFileError::new(&self.certificate, error.to_string()),
        };
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable_error)?;
        let client_ca = self.client_ca.as_deref().zip(contents.client_ca.as_deref());
        let clients = client_ca.map(|(path, pem)| client_verifier(path, pem)).transpose()?;
        let builder = match &clients {
            Some(clients) => {
                builder.with_client_cert_verifier(Arc::new(LenientVerifier(Arc::clone(clients))))
            }
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(certificates, key).map_err(unusable_error)?;
        config.alpn_protocols = ALPN_PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(TlsSettings { config: Arc::new(config), clients })
    }
}

fn parse_certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| TlsFileError::new(path, format!("not PEM: {error}")))?;
    if certificates.is_empty() {
        let expected = "there is no certificate in it: expected -----BEGIN CERTIFICATE-----";
        return Err(TlsFileError::new(path, expected));
    }
    Ok(certificates)
}

/// Returns a verifier of clients' certificates, which must be signed by an authority in the file.
fn client_verifier(path: &Path, pem: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, TlsFileError> {
    let unusable_error = |error: &dyn fmt::Display| TlsFileError::new(path, error.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in parse_certificates(path, pem)? {
        roots.add(certificate).map_err(|error| unusable_error(&error))?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    verifier.build().map_err(|error| unusable_error(&error))
}

/// Checks the certificate of a client.
///
/// # Errors
/// Why it is invalid; `None` if it is missing.
fn check_client(
    clients: &dyn ClientCertVerifier,
    shown: Option<&[CertificateDer<'_>]>,
) -> Result<(), Option<String>> {
    let Some((own, others)) = shown.and_then(<[_]>::split_first) else { return Err(None) };
    let checked = clients.verify_client_cert(own, others, UnixTime::now());
    checked.map(drop).map_err(|error| Some(error.to_string()))
}

impl ServerTls {
    /// Reads the files.
    ///
    /// # Errors
    /// If a file cannot be read or used, or the key is not that of the certificate.
    pub fn read(files: TlsFiles) -> Result<Self, TlsFileError> {
        let contents = files.read()?;
        let settings = files.parse(&contents)?;
        Ok(Self { files, current: RwLock::new(CurrentTls { contents: Ok(contents), settings }) })
    }

    /// Performs the handshake of a new connection. Returns its protocol too: HTTP/2 only if the client asks for it, as
    /// RFC 9113 (section 3.3) requires. Returns `None` after telling a client what is wrong with its own certificate.
    pub(super) async fn accept<S>(
        &self,
        stream: S,
        address: ClientAddress,
    ) -> io::Result<Option<(Box<TlsStream<S>>, ClientProtocol)>>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let settings = self.current.read().unwrap_or_else(PoisonError::into_inner).settings.clone();
        let stream = Box::new(TlsAcceptor::from(settings.config).accept(stream).await?);
        let (_, session) = stream.get_ref();
        let is_http2 = session.alpn_protocol() == Some(ALPN_PROTOCOLS[0]);
        let protocol = if is_http2 { ClientProtocol::Http2 } else { ClientProtocol::Http1 };
        let checked =
            settings.clients.map_or(Ok(()), |clients| check_client(&*clients, session.peer_certificates()));
        if let Err(rejection) = checked {
            let why = rejection.as_deref().unwrap_or("it showed none");
            tracing::warn!(%address, why, "a client was refused because of its certificate");
            let status = client_certificate_status(rejection.as_deref());
            timeout(MAX_CONNECTION_TIME, refuse_briefly(stream, protocol, status)).await??;
            return Ok(None);
        }
        Ok(Some((stream, protocol)))
    }

    /// Loads the files again whenever they have changed, until dropped. If they cannot be used, the certificate in use
    /// stays. Files that changed are used once they stay the same for a second, because they are replaced one by one.
    pub(super) async fn follow_files(self: Arc<Self>) {
        let mut previous = None;
        loop {
            let files = self.files.clone();
            // Reading may block, for example on a network drive. The task cannot be cancelled and does not panic.
            let reading = spawn_blocking(move || files.read().map_err(|error| error.to_string()));
            let Ok(contents) = reading.await else { return };
            if previous.as_ref() == Some(&contents) {
                self.use_contents(&contents);
            }
            previous = Some(contents);
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Uses the contents of the files for the connections that follow, if they are new.
    fn use_contents(&self, contents: &ReadContents) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.contents == *contents {
            return;
        }
        let parsed = contents.as_ref().map_err(Clone::clone);
        match parsed.and_then(|contents| self.files.parse(contents).map_err(|error| error.to_string())) {
            Ok(settings) => {
                current.settings = settings;
                tracing::info!("the files for TLS have changed: new connections use them");
            }
            Err(error) => {
                tracing::error!(
                    error,
                    "the files for TLS cannot be used: the former certificate stays in use"
                );
            }
        }
        current.contents.clone_from(contents);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_files_are_named() {
        let folder = std::env::temp_dir().join(format!("lastnim-server-tls-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let files =
            TlsFiles { certificate: folder.join("cert.pem"), key: folder.join("key.pem"), client_ca: None };
        let refusal = || ServerTls::read(files.clone()).unwrap_err().to_string();
        assert!(refusal().contains("cert.pem: No such file"), "{}", refusal());
        fs::write(&files.certificate, "no certificate").unwrap();
        assert!(refusal().contains("key.pem: No such file"), "{}", refusal());
        fs::write(&files.key, "no key").unwrap();
        assert!(refusal().contains("cert.pem: there is no certificate in it"), "{}", refusal());
        fs::write(&files.certificate, "-----BEGIN CERTIFICATE-----\n").unwrap();
        assert!(refusal().contains("cert.pem: not PEM"), "{}", refusal());
        fs::write(&files.certificate, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
            .unwrap();
        assert!(refusal().contains("key.pem: there is no unencrypted private key in it"), "{}", refusal());
        fs::remove_dir_all(&folder).unwrap();
    }
}
