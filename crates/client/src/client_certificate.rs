//! The certificate that a client shows to a server.

use super::{Error, ca_certificates::read_bounded};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A client's certificate and its private key, from two PEM files. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate(Arc<CertificateFiles>);

/// The absolute paths and the contents of the two files.
#[derive(PartialEq, Eq)]
struct CertificateFiles {
    certificate_path: PathBuf,
    key_path: PathBuf,
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl ClientCertificate {
    /// Reads two PEM files: one with the certificate, followed by those that lead to its authority, and one with its
    /// private key.
    ///
    /// # Errors
    /// If a file cannot be read, if the first contains no certificate or the second not its unencrypted key, or if the
    /// program was built without the feature `tls`.
    pub fn read(certificate: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, Error> {
        let [certificate_path, key_path] = [certificate.as_ref(), key.as_ref()]
            .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let refused =
            |path: &Path, reason: String| Error::ClientCertificate { path: path.to_owned(), reason };
        let read = |path: &Path| read_bounded(path).map_err(|error| refused(path, error.to_string()));
        let (certificate, key) = (read(&certificate_path)?, read(&key_path)?);
        super::tls::check_certificates(&certificate).map_err(|reason| refused(&certificate_path, reason))?;
        super::tls::check_key(&key, &certificate).map_err(|reason| refused(&key_path, reason))?;
        Ok(Self(Arc::new(CertificateFiles { certificate_path, key_path, certificate, key })))
    }

    /// Returns the absolute path of the certificate's file.
    pub fn certificate_path(&self) -> &Path {
        &self.0.certificate_path
    }

    /// Returns the absolute path of the key's file.
    pub fn key_path(&self) -> &Path {
        &self.0.key_path
    }

    /// Returns the contents of both files.
    #[cfg(feature = "tls")]
    pub(super) fn pem(&self) -> (&[u8], &[u8]) {
        (&self.0.certificate, &self.0.key)
    }
}

impl fmt::Debug for ClientCertificate {
    /// Omits the contents, because the key is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientCertificate").field(&self.0.certificate_path).field(&self.0.key_path).finish()
    }
}
