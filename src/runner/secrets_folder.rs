//! The folder for the secrets of a run.
//!
//! The folder of a run is inside the working folder of the bots' programs. The secrets are elsewhere, so that a program
//! that sees only its working folder cannot read them; the folder of the run has a link to them.

use crate::{Failure, credentials::user_folder, new_file::create_private_folder};
use std::{
    fs, io,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

/// The name of the link in the folder of a run.
pub const SECRETS_LINK: &str = "secrets";

/// Creates the folder for the secrets of the run whose folder is given, unless it exists. Returns the link to it.
pub fn create_secrets_folder(run: &Path) -> Result<PathBuf, Failure> {
    let link = run.join(SECRETS_LINK);
    let failure = |error: io::Error| Failure::runtime(error, link.display());
    let all = user_folder("XDG_STATE_HOME", ".local/state").ok_or_else(|| {
        Failure::input("no folder for the run's secrets: set XDG_STATE_HOME or HOME to an absolute path")
    })?;
    let all = all.join("lastnim/runs");
    match fs::read_link(&link) {
        // Another user may have made the link, and `--fresh` removes the files to which it leads.
        Ok(target) if target.parent() != Some(&all) || !target.is_dir() => {
            let (link, target, all) = (link.display(), target.display(), all.display());
            Err(Failure::input(format!(
                "{link}: this link leads to {target}, which is not a folder in {all}: remove the link"
            )))
        }
        Ok(_) => Ok(link),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = all.join(unique_name(run).map_err(failure)?);
            create_private_folder(&target)?;
            symlink(&target, &link).map_err(failure)?;
            Ok(link)
        }
        Err(error) => Err(failure(error)),
    }
}

/// Returns a name that no other run has, even if the same folder had another run before.
fn unique_name(run: &Path) -> io::Result<String> {
    let run = run.canonicalize()?;
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(run.as_os_str().as_bytes())
        .update(format!("{:?}{}", SystemTime::now(), process::id()).as_bytes());
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}
