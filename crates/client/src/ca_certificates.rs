//! Trusted certificate authorities.

use super::{Error, text_input::TextInput};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Maximum size of a file with certificates or a key. The file with all authorities that an operating system trusts has
/// about 0.2 MiB.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Certificates of trusted authorities, from a PEM file.
#[derive(Clone, PartialEq, Eq)]
pub struct CaCertificates {
    path: PathBuf,
    pem: Arc<[u8]>,
}

impl CaCertificates {
    /// Reads a PEM file with at least one certificate.
    ///
    /// # Errors
    /// If the file cannot be read, contains no certificate, or contains a damaged one, or if the program was built
    /// without the feature `tls`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let refusal = |reason: String| Error::Ca { path: path.to_owned(), reason };
        let pem = read_bounded(path).map_err(|error| refusal(error.to_string()))?;
        super::tls::check_certificates(&pem).map_err(refusal)?;
        // Child processes that run in other folders need the absolute path.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self { path, pem: pem.into() })
    }

    /// Returns the absolute path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file's content.
    #[cfg(feature = "tls")]
    pub(super) fn pem(&self) -> &[u8] {
        &self.pem
    }
}

/// Reads a file of at most [`MAX_FILE_BYTES`].
pub(super) fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut content = Vec::new();
    let length = TextInput::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
    if length as u64 > MAX_FILE_BYTES {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    Ok(content)
}

impl std::fmt::Debug for CaCertificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CaCertificates").field(&self.path).finish()
    }
}
