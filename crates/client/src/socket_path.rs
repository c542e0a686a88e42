//! Addresses of Unix sockets.

use std::path::Path;

/// The maximum length of the path of a Unix socket, in bytes: the system's limit, without the zero at the end.
const MAX_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Returns the path in the address of a Unix socket: `unix:PATH`, or `unix://PATH` with an absolute path. Returns `None` if
/// the address has another form.
///
/// # Errors
/// Returns what is wrong with the path.
pub fn socket_path(address: &str) -> Result<Option<&Path>, String> {
    let Some(rest) = address.strip_prefix("unix:") else { return Ok(None) };
    let path = match rest.strip_prefix("//") {
        Some(path) if !path.starts_with('/') => {
            return Err(
                "after unix:// the path must begin with /, such as unix:///run/lastnim.sock".to_owned()
            );
        }
        Some(path) => path,
        None => rest,
    };
    if path.is_empty() {
        return Err("the path is missing: expected unix:PATH, such as unix:/run/lastnim.sock".to_owned());
    }
    if path.contains('\0') {
        return Err("the path contains a zero byte".to_owned());
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(format!(
            "the path of a Unix socket may have at most {MAX_PATH_BYTES} bytes, but this one has {}: use a shorter one, such as unix:/run/lastnim.sock",
            path.len()
        ));
    }
    Ok(Some(Path::new(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_sockets_are_parsed() {
        for (address, path) in
            [("unix:a.sock", "a.sock"), ("unix:/run/a", "/run/a"), ("unix:///run/a", "/run/a")]
        {
            assert_eq!(socket_path(address), Ok(Some(Path::new(path))), "{address}");
        }
        for other in ["127.0.0.1:7600", "http://unix:80", "localhost:1", ""] {
            assert_eq!(socket_path(other), Ok(None), "{other}");
        }
        let longest = format!("unix:/{}", "x".repeat(MAX_PATH_BYTES - 1));
        assert!(socket_path(&longest).unwrap().is_some());
        let too_long = format!("{longest}x");
        for (bad, reason) in [
            ("unix:", "the path is missing"),
            ("unix://", "must begin with /"),
            ("unix://host/x", "must begin with /"),
            ("unix:a\0b", "zero byte"),
            (&too_long, "use a shorter one"),
        ] {
            let refused = socket_path(bad).unwrap_err();
            assert!(refused.contains(reason), "{bad:?}: {refused}");
        }
    }
}
