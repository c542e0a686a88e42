//! Finds the token for a command: in a flag, a file or the environment.

use crate::Failure;
use lastnim_client::text_input::read_text_file;
use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Once,
};

/// Advice on how to provide a token, for the error about a missing token.
pub const TOKEN_HELP: &str = "use --token-file, --token, LASTNIM_ADMIN_TOKEN or `lastnim login`";

/// The flags and the environment variable that can give a token.
#[derive(Debug, Clone, Copy)]
pub struct TokenSource<'a> {
    /// The token itself.
    pub token: Option<&'a str>,
    /// The file with the token.
    pub file: Option<&'a Path>,
    /// The name of the variable that contains the token. The variable with this name and `_FILE` appended names a file
    /// with the token. If this is `None`, the environment is ignored.
    pub variable: Option<&'a str>,
}

impl TokenSource<'_> {
    /// Returns the token from a flag, or else from the environment. An empty variable does not count.
    ///
    /// # Errors
    /// If a file does not contain exactly one token, or a variable is not valid UTF-8.
    pub fn read(self) -> Result<Option<String>, Failure> {
        if let Some(token) = self.token {
            if !token.is_empty() {
                warn_about_exposed_token(self.variable);
            }
            return Ok(Some(token.to_owned()));
        }
        if let Some(file) = self.file {
            return read_token_file(file).map(Some);
        }
        let Some(name) = self.variable else { return Ok(None) };
        if let Some(token) = variable(name) {
            let text = token.into_string();
            return text.map(Some).map_err(|_| Failure::input(format!("{name}: expected a token")));
        }
        let file = variable(&format!("{name}_FILE"));
        file.map(|file| read_token_file(&PathBuf::from(file))).transpose()
    }
}

/// Warns once that a token on the command line is not secret.
fn warn_about_exposed_token(variable: Option<&str>) {
    static WARNING: Once = Once::new();
    let variable = variable.unwrap_or("LASTNIM_ADMIN_TOKEN");
    WARNING.call_once(|| {
        tracing::warn!(
            "other users of this machine can read --token: use --token-file, {variable} or `lastnim login`"
        );
    });
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Reads a file that contains only a token.
pub fn read_token_file(file: &Path) -> Result<String, Failure> {
    let shown = file.display();
    let text = read_text_file(file).map_err(|error| Failure::runtime(error, shown.to_string()))?;
    let token = text.trim();
    if token.is_empty() || token.contains(char::is_whitespace) {
        return Err(Failure::input(format!("{shown}: expected a file that contains only a token")));
    }
    if is_accessible_to_others(file) {
        tracing::warn!(file = %shown, "other users can read this token: run `chmod 600` on the file");
    }
    Ok(token.to_owned())
}

/// Returns whether the file is an ordinary one to which users other than its owner have access.
pub(super) fn is_accessible_to_others(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o077 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_file_must_have_one_token() {
        let path = env::temp_dir().join(format!("lastnim-token-{}", std::process::id()));
        let read_token = |text: &str| {
            fs::write(&path, text).unwrap();
            let given =
                TokenSource { token: None, file: Some(&path), variable: Some("LASTNIM_NO_SUCH_VARIABLE") };
            given.read().map_err(|failure| failure.to_string())
        };
        assert_eq!(read_token(" lastnim_07\n"), Ok(Some("lastnim_07".into())));
        assert_eq!(read_token("\u{feff}lastnim_07\r\n"), Ok(Some("lastnim_07".into())));
        for text in ["", "\n\n", "one\ntwo\n", "one two"] {
            let refused = read_token(text).unwrap_err();
            let expected = format!("{}: expected a file that contains only a token", path.display());
            assert_eq!(refused, expected);
        }
        fs::remove_file(&path).unwrap();
        let given =
            TokenSource { token: None, file: Some(&path), variable: Some("LASTNIM_NO_SUCH_VARIABLE") };
        let missing = given.read().unwrap_err().to_string();
        assert!(missing.starts_with(&format!("{}: No such file", path.display())), "{missing}");
        assert_eq!(TokenSource { file: None, ..given }.read().unwrap(), None);
        assert_eq!(TokenSource { token: Some("x"), ..given }.read().unwrap().as_deref(), Some("x"));
    }
}
