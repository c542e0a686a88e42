//! Whether a run carries on, and from what.

use super::{folder::RunFolder, kept::Kept};
use crate::cli::Failure;
use serde_json::Value;
use std::path::Path;

/// How a run relates to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// It carries on where they stopped.
    CarryOn,
    /// It removes what they left.
    Fresh,
}

/// Returns what is kept of the cup of a file, and what was before it began anew. `server` is another's, if one is named.
///
/// # Errors
/// If this is no longer the cup that has begun, and says what to do.
pub(super) fn resume(
    beginning: Beginning,
    file: &Path,
    server: Option<&str>,
    folder: &RunFolder,
    cup: Value,
) -> Result<(Kept, Option<Kept>), Failure> {
    let (server, file) = (server.map(str::to_owned), file.display());
    if beginning == Beginning::Fresh {
        // What cannot be read goes as well.
        let before = Kept::read(&folder.kept()).ok().flatten();
        folder.clear()?;
        let mut kept = Kept::new(cup, server);
        if let Some(before) = before.as_ref().filter(|before| before.server == kept.server) {
            kept.registered.clone_from(&before.registered);
            kept.listened_on = before.listened_on;
        }
        kept.write(&folder.kept())?;
        return Ok((kept, before));
    }
    let Some(kept) = Kept::read(&folder.kept())? else {
        if folder.store().exists() {
            let (store, kept) = (folder.store(), folder.kept());
            let why = format!(
                "{}: no run of this cup made it, for there is no {}",
                store.display(),
                kept.display()
            );
            return Err(Failure::Runtime(anyhow::Error::msg(format!("{why}: move it away"))));
        }
        let kept = Kept::new(cup, server);
        kept.write(&folder.kept())?;
        return Ok((kept, None));
    };
    if kept.server != server {
        let (where_from, how) = match &kept.server {
            Some(address) => (format!("on the server at {address}"), format!("--server {address}")),
            None => ("on a server of its own".to_owned(), "neither --server nor LASTNIM_SERVER".to_owned()),
        };
        return Err(Failure::input(format!(
            "{file}: this cup has begun {where_from}: give {how} to carry on, or --fresh to begin anew"
        )));
    }
    let changes = kept.changes(&cup);
    if !changes.is_empty() {
        return Err(Failure::input(format!(
            "{file}: it has changed since this cup began ({}): put that back to carry on, or give --fresh to begin anew",
            changes.join(", ")
        )));
    }
    Ok((kept, None))
}
