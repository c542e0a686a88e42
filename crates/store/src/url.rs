//! Store URLs.

use lastnim_config::{SettingValue, read_text};
use sqlx::postgres::PgConnectOptions;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use thiserror::Error;

/// The URL of a store: `memory`, `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. If it contains a
/// password, the password is never shown.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A store in memory, which exists as long as the server runs.
    Memory,
    /// A SQLite file, created if it does not exist.
    Sqlite(PathBuf),
    /// A PostgreSQL database, by its URL.
    Postgres(String),
}

/// The error for a text that is not a store URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "unknown store {shown:?}{why}: expected sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/DATABASE, or memory"
)]
pub struct StoreUrlError {
    shown: String,
    why: String,
}

impl StoreUrl {
    /// Returns whether the URL contains a password.
    pub fn has_password(&self) -> bool {
        matches!(self, Self::Postgres(url) if hide_password(url) != *url)
    }

    /// Returns the path of a SQLite store; `None` for other stores.
    pub fn sqlite_file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Memory | Self::Postgres(_) => None,
        }
    }
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        let refusal = |why: &str| Err(StoreUrlError { shown: hide_password(text), why: why.to_owned() });
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return match text.parse::<PgConnectOptions>() {
                _ if text.contains("password=") => refusal(" with a password among its parameters"),
                Ok(_) => Ok(Self::Postgres(text.to_owned())),
                Err(sqlx::Error::Configuration(error)) => {
                    refusal(&format!(", which is not a valid URL ({error})"))
                }
                Err(_) => refusal(""),
            };
        }
        match text.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path)) {
            None | Some("") => refusal(""),
            Some(path) if path.starts_with(':') => refusal(", a database in memory"),
            Some(path) if path.contains('?') => refusal(", with parameters"),
            Some(path) => Ok(Self::Sqlite(path.into())),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => f.write_str(&hide_password(url)),
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

/// Replaces the password of a URL with stars, or removes its parameters if they contain a password.
fn hide_password(url: &str) -> String {
    if url.contains("password=") {
        return url.split_once('?').map_or("***", |(before, _)| before).to_owned();
    }
    let hide_in_invalid = || {
        // Even an invalid URL may contain a password.
        let (scheme, rest) = url.split_at(url.find("://").map_or(0, |at| at + 3));
        let (user, host) = rest.rsplit_once('@')?;
        let (user, _) = user.split_once(':')?;
        Some(format!("{scheme}{user}:***@{host}"))
    };
    hide_in_invalid().unwrap_or_else(|| url.to_owned())
}

impl SettingValue for StoreUrl {
    /// Returns null for a URL with a password, so that the password is not shown.
    fn to_json(&self) -> serde_json::Value {
        if self.has_password() { serde_json::Value::Null } else { self.to_string().into() }
    }

    fn set(&mut self, json: &serde_json::Value, _: &std::ops::RangeInclusive<u64>) -> Result<(), String> {
        *self = read_text(json)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_urls_are_parsed() {
        let parse = |text: &str| text.parse::<StoreUrl>();
        assert_eq!(parse("memory"), Ok(StoreUrl::Memory));
        for path in ["sqlite:dir/a.db", "sqlite://dir/a.db"] {
            assert_eq!(parse(path), Ok(StoreUrl::Sqlite("dir/a.db".into())));
        }
        assert_eq!(parse("sqlite:///var/a.db").unwrap().sqlite_file(), Some(Path::new("/var/a.db")));
        let url = "postgres://me:pa:ss@w@localhost:5432/db";
        assert_eq!(parse(url), Ok(StoreUrl::Postgres(url.into())));
        assert_eq!(parse(url).unwrap().to_string(), "postgres://me:***@localhost:5432/db");
        assert!(parse(url).unwrap().has_password());
        let no_password = parse("postgresql://me@localhost/db").unwrap();
        assert_eq!(no_password.to_string(), "postgresql://me@localhost/db");
        assert!(!no_password.has_password() && !parse("sqlite:a:b@c").unwrap().has_password());
        let wrong = [
            "",
            "lastnim.db",
            "sqlite:",
            "sqlite://",
            "sqlite::memory:",
            "sqlite:a.db?mode=ro",
            "mysql://me:secret@host/db",
            "me:secret@host/db",
            "postgres:me:secret@host/db",
            "postgres://me:secret@host:port/db",
            "postgres://host/db?password=secret",
        ];
        for wrong in wrong {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains("sqlite:PATH") && !error.contains("secret"), "{error}");
        }
    }
}
