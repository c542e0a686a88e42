//! The file with the key that signs records.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lastnim_arena::generate_key;
use lastnim_client::text_input::read_text_file;
use lastnim_core::referee::SigningKey;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The prefix of every Ed25519 key in PKCS#8 (RFC 8410), before the 32 bytes of the seed.
const PKCS8_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const PEM_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const PEM_END: &str = "-----END PRIVATE KEY-----";

/// Why a signing key could not be read or generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file cannot be read or written.
    #[error("key file {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The file does not contain a key.
    #[error("key file {}: it contains no Ed25519 private key in PEM (PKCS#8)", .0.display())]
    NoKey(PathBuf),
}

/// Reads the signing key, or generates one and writes it to the file, readable only by its owner. The file is standard
/// PKCS#8 in PEM.
///
/// # Errors
/// If the file cannot be read or written, or contains no key.
pub fn load_or_generate_key(path: &Path) -> Result<SigningKey, KeyFileError> {
    let failure = |error| KeyFileError::File { path: path.to_owned(), error };
    if let Some(key) = load_key(path)? {
        return Ok(key);
    }
    let key = generate_key();
    match write_new_key(path, &key, |from, to| fs::hard_link(from, to)) {
        Ok(()) => {
            tracing::info!(file = %path.display(), public_key = %key.public_key(), "generated a key to sign records with");
            Ok(key)
        }
        // Either another server was faster, in which case its key is used, or the file is a dangling link.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => load_key(path)?.ok_or_else(|| {
            failure(io::Error::new(io::ErrorKind::NotFound, "it is a link to a missing file"))
        }),
        Err(error) => Err(failure(error)),
    }
}

/// Reads the key; `None` if there is no file.
fn load_key(path: &Path) -> Result<Option<SigningKey>, KeyFileError> {
    match read_text_file(path) {
        Ok(text) => {
            warn_if_readable_by_others(path);
            key_from_pem(&text).map(Some).ok_or_else(|| KeyFileError::NoKey(path.to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(KeyFileError::File { path: path.to_owned(), error }),
    }
}

/// Writes a key file atomically, even if the machine loses power; on file systems without hard links, a loss of power
/// may leave a partial file. `link` creates hard links.
fn write_new_key(
    path: &Path,
    key: &SigningKey,
    link: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unfinished = path.with_extension(format!("new-{}", std::process::id()));
    let written = write_key(OpenOptions::new().create(true).truncate(true), &unfinished, key);
    // Unlike a rename, a link never replaces the key of another server.
    let linked = written.and_then(|()| match link(&unfinished, path) {
        Err(error) if lacks_hard_links(&error) => write_key(OpenOptions::new().create_new(true), path, key),
        linked => linked,
    });
    let removed = fs::remove_file(&unfinished);
    linked.and(removed)?;
    File::open(folder)?.sync_all()
}

/// Returns whether an error may mean that the file system does not support hard links.
fn lacks_hard_links(error: &io::Error) -> bool {
    // Linux reports this case as "not permitted".
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

/// Writes a key to a new file; removes the file on failure.
fn write_key(options: &mut OpenOptions, path: &Path, key: &SigningKey) -> io::Result<()> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let mut file = options.write(true).open(path)?;
    let written = file.write_all(key_to_pem(key).as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // An error is ignored: the first error is more important than the file that remains.
        let _ = fs::remove_file(path);
    }
    written
}

fn key_to_pem(key: &SigningKey) -> String {
    let der: Vec<u8> = PKCS8_PREFIX.into_iter().chain(key.to_seed()).collect();
    format!("{PEM_BEGIN}\n{}\n{PEM_END}\n", STANDARD.encode(der))
}

fn key_from_pem(pem: &str) -> Option<SigningKey> {
    let (_, text) = pem.split_once(PEM_BEGIN)?;
    let (text, _) = text.split_once(PEM_END)?;
    let text: String = text.split_whitespace().collect();
    let der = STANDARD.decode(text).ok()?;
    let seed = der.strip_prefix(&PKCS8_PREFIX)?.first_chunk()?;
    // A newer version of the format appends the public key, which is not needed here because it follows from the seed.
    Some(SigningKey::from_seed(seed))
}

#[cfg(unix)]
fn warn_if_readable_by_others(path: &Path) {
    use std::os::unix::fs::MetadataExt as _;
    let is_root = rustix::process::geteuid().is_root();
    let Ok(file) = fs::metadata(path) else { return };
    let needed = needed_mode(file.uid(), is_root);
    if file.mode() & 0o077 & !needed != 0 {
        tracing::warn!(
            file = %path.display(),
            "other users can access the key that signs records: use chmod {needed:o} on this file"
        );
    }
}

/// Returns the mode with which only the server, which runs as root or not, can read its key. If root owns the file and the
/// server does not run as root, only the group can let the server read it, as with a secret of Kubernetes.
#[cfg(unix)]
fn needed_mode(owner: u32, is_root: bool) -> u32 {
    if owner == 0 && !is_root { 0o640 } else { 0o600 }
}

#[cfg(not(unix))]
fn warn_if_readable_by_others(_path: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_written_here_and_by_other_programs_are_read() {
        let key = generate_key();
        assert_eq!(key_from_pem(&key_to_pem(&key)).map(|read| read.to_seed()), Some(key.to_seed()));
        // RFC 8410, section 10.3.
        let example = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
        let public = key_from_pem(example).unwrap().public_key();
        assert_eq!(public.to_string(), "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=");
        for broken in ["", PEM_BEGIN, &key_to_pem(&key).replace("MC4C", "MC4D"), &example.replace("hC", "h")]
        {
            assert!(key_from_pem(broken).is_none(), "{broken:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_group_may_read_a_key_of_root_if_the_server_needs_it() {
        for (mode, owner, is_root, is_warned) in [
            (0o600, 1000, false, false),
            (0o640, 1000, false, true),
            (0o604, 1000, false, true),
            (0o440, 0, false, false),
            (0o444, 0, false, true),
            (0o460, 0, false, true),
            (0o600, 0, true, false),
            (0o640, 0, true, true),
            (0o660, 0, true, true),
        ] {
            let is_open = mode & 0o077 & !needed_mode(owner, is_root) != 0;
            assert_eq!(is_open, is_warned, "{mode:o} {owner} {is_root}");
        }
    }

    #[test]
    fn a_key_is_generated_once() {
        let folder = std::env::temp_dir().join(format!("lastnim-key-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("lastnim.key");
        let drawn = load_or_generate_key(&path).unwrap();
        assert_eq!(load_or_generate_key(&path).unwrap().to_seed(), drawn.to_seed());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&path, "no key").unwrap();
        assert!(matches!(load_or_generate_key(&path), Err(KeyFileError::NoKey(_))));
        let text = key_to_pem(&drawn);
        fs::write(&path, format!("\u{feff}{text}")).unwrap();
        assert_eq!(load_or_generate_key(&path).unwrap().to_seed(), drawn.to_seed());
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(&path, utf_16).unwrap();
        let refused = load_or_generate_key(&path).unwrap_err().to_string();
        assert!(refused.ends_with("lastnim.key: the text is UTF-16: save it as UTF-8"), "{refused}");
        let missing = load_or_generate_key(&folder.join("nowhere/lastnim.key")).unwrap_err();
        assert!(missing.to_string().contains("nowhere"), "{missing}");
        #[cfg(unix)]
        {
            let link = folder.join("link.key");
            std::os::unix::fs::symlink(folder.join("gone"), &link).unwrap();
            let dangling = load_or_generate_key(&link).unwrap_err().to_string();
            assert!(dangling.contains("link.key: it is a link to a missing file"), "{dangling}");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_hard_links_a_key_is_still_written() {
        let folder = std::env::temp_dir().join(format!("lastnim-no-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for kind in [io::ErrorKind::Unsupported, io::ErrorKind::PermissionDenied] {
            let path = folder.join(format!("{kind:?}.key"));
            let write = |key| write_new_key(&path, key, |_, _| Err(kind.into()));
            let (first, second) = (generate_key(), generate_key());
            write(&first).unwrap();
            assert_eq!(write(&second).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(load_or_generate_key(&path).unwrap().to_seed(), first.to_seed());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
