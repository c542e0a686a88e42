//! The credentials file: a token for each server, and the default server.

use super::token_source::is_accessible_to_others;
use crate::{
    Failure,
    new_file::{AtomicFile, create_private_folder},
};
use lastnim_client::text_input::read_text_file;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
};

/// The version of the format in which the file is written.
const FORMAT_VERSION: u32 = 1;

/// The file in which `lastnim login` stores tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    form: u32,
    /// The default server.
    pub default_server: Option<String>,
    /// The stored login of each server.
    servers: BTreeMap<String, StoredLogin>,
}

/// The stored login of one server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredLogin {
    /// The access token.
    pub token: String,
    /// The file with the certificate authorities to trust for this server instead of the system's.
    pub ca: Option<PathBuf>,
}

impl std::fmt::Debug for StoredLogin {
    /// Formats the login without its token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredLogin").field("ca", &self.ca).finish_non_exhaustive()
    }
}

impl Default for Credentials {
    fn default() -> Self {
        Self { form: FORMAT_VERSION, default_server: None, servers: BTreeMap::new() }
    }
}

/// Returns the path of the credentials file, in the user's configuration folder.
///
/// # Errors
/// If the environment names neither that folder nor the user's home.
pub fn credentials_path() -> Result<PathBuf, Failure> {
    let configuration = user_folder("XDG_CONFIG_HOME", ".config").ok_or_else(|| {
        Failure::input("no folder for credentials: set XDG_CONFIG_HOME or HOME to an absolute path")
    })?;
    Ok(configuration.join("lastnim/credentials.json"))
}

/// Returns the folder that an environment variable names, or else the folder `path_in_home` in the user's home.
/// Relative paths in the environment are ignored.
pub fn user_folder(variable: &str, path_in_home: &str) -> Option<PathBuf> {
    let folder = |variable| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    folder(variable).or_else(|| Some(folder("HOME")?.join(path_in_home)))
}

/// Returns the key under which the file stores a server. For example, `http://Host:1/` becomes `host:1`.
fn server_key(server: &str) -> String {
    let server = server.trim().trim_end_matches('/').to_ascii_lowercase();
    server.strip_prefix("http://").map(str::to_owned).unwrap_or(server)
}

impl Credentials {
    /// Reads the file; if it does not exist, there are no credentials.
    ///
    /// # Errors
    /// If the file cannot be read, other users can read it, or it has an unknown format.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = match read_text_file(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Failure::runtime(error, shown)),
        };
        if is_accessible_to_others(path) {
            return Err(Failure::input(format!(
                "{shown}: other users can read the tokens in this file: run `chmod 600` on it, and replace the tokens (a bot's with `lastnim bot rotate`)"
            )));
        }
        // The error does not quote the text, because the text contains tokens.
        let foreign = |at: &str| {
            Failure::input(format!(
                "{shown}: {at}not written by this version of `lastnim login`: remove the file and log in again"
            ))
        };
        let kept: Self = serde_json::from_str(&text)
            .map_err(|error| foreign(&format!("line {}, column {}: ", error.line(), error.column())))?;
        if kept.form == FORMAT_VERSION { Ok(kept) } else { Err(foreign(&format!("form {}: ", kept.form))) }
    }

    /// Writes the file atomically, readable only by the user; removes it if it would be empty.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let failure = |error: io::Error| Failure::runtime(error, path.display());
        if self.servers.is_empty() {
            return fs::remove_file(path).map_err(failure);
        }
        if let Some(folder) = path.parent() {
            create_private_folder(folder)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(|error| failure(error.into()))?;
        AtomicFile::write_private(path, &format!("{text}\n"))
    }

    /// Returns the stored login of a server.
    pub fn login(&self, server: &str) -> Option<&StoredLogin> {
        self.servers.get(&server_key(server))
    }

    /// Stores a login, and makes its server the default.
    pub fn store_login(&mut self, server: &str, login: StoredLogin) {
        let key = server_key(server);
        self.servers.insert(key.clone(), login);
        self.default_server = Some(key);
    }

    /// Removes the stored login of a server, and returns whether there was one.
    pub fn remove_login(&mut self, server: &str) -> bool {
        let key = server_key(server);
        if self.default_server.as_deref() == Some(&key) {
            self.default_server = None;
        }
        self.servers.remove(&key).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn stored_login(token: &str) -> StoredLogin {
        StoredLogin { token: token.into(), ca: None }
    }

    #[test]
    fn stored_logins_are_read_back() {
        let folder = env::temp_dir().join(format!("lastnim-credentials-{}", std::process::id()));
        let path = folder.join("lastnim/credentials.json");
        let mut credentials = Credentials::read(&path).unwrap();
        assert_eq!(credentials, Credentials::default());
        credentials.store_login("http://Example.org:7600/", stored_login("one"));
        credentials.store_login(
            "https://example.org",
            StoredLogin { ca: Some("/ca.pem".into()), ..stored_login("two") },
        );
        credentials.write(&path).unwrap();
        let saved = Credentials::read(&path).unwrap();
        assert_eq!(saved, credentials);
        assert_eq!(saved.default_server.as_deref(), Some("https://example.org"));
        assert_eq!(saved.login("example.org:7600"), Some(&stored_login("one")));
        assert_eq!(saved.login("example.org"), None, "a token goes to no other server");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(
            credentials.remove_login("HTTPS://example.org/")
                && !credentials.remove_login("https://example.org")
        );
        assert_eq!(credentials.default_server, None);
        assert!(credentials.remove_login("example.org:7600"));
        credentials.write(&path).unwrap();
        assert!(!path.exists(), "nothing is kept");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn invalid_credential_files_are_refused_without_quoting_them() {
        let path = env::temp_dir().join(format!("lastnim-credentials-{}.json", std::process::id()));
        let refusal = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Credentials::read(&path).unwrap_err().to_string()
        };
        let whole = r#"{"form":1,"default_server":null,"servers":{"a:1":{"token":"secret","ca":null}}}"#;
        let open = refusal(whole, 0o640);
        assert!(
            open.contains("other users can read the tokens in this file: run `chmod 600` on it"),
            "{open}"
        );
        for (text, where_it_is) in [
            ("", "line 1, column 0"),
            (&whole.replace("\"ca\"", "\"secret\""), "line 1, column "),
            (&whole.replace("{\"token\":\"secret\",\"ca\":null}", "\"secret\""), "line 1, column "),
            (&whole.replace("\"form\":1", "\"form\":2"), "form 2: "),
        ] {
            let why = refusal(text, 0o600);
            assert!(why.starts_with(&format!("{}: {where_it_is}", path.display())), "{why}");
            assert!(why.contains("remove the file and log in again") && !why.contains("secret"), "{why}");
        }
        fs::remove_file(&path).unwrap();
    }
}
