//! Whether a run carries on, and from what.

use super::{folder::RunFolder, kept::Kept};
use crate::cli::Failure;
use serde_json::Value;
use std::path::Path;

/// Begins a cup anew: removes what earlier runs have left. `server` is another's, if one is named.
///
/// # Errors
/// If there is a store that no run made, or files cannot be removed.
pub fn begin_anew(server: Option<&str>, folder: &RunFolder, cup: Value) -> Result<Kept, Failure> {
    let before = Kept::read(&folder.kept());
    if matches!(before, Ok(None)) {
        check_no_foreign_store(folder)?;
    }
    let mut kept = Kept::new(cup, server.map(str::to_owned));
    // What cannot be read goes as well.
    if let Ok(Some(before)) = before
        && before.server == kept.server
    {
        (kept.registered, kept.listened_on) = (before.registered, before.listened_on);
    }
    folder.clear()?;
    kept.write(&folder.kept())?;
    Ok(kept)
}

/// Carries on with the cup of a file, or begins it. `server` is another's, if one is named.
///
/// # Errors
/// If this is no longer the cup that has begun, and says what to do.
pub fn carry_on(file: &Path, server: Option<&str>, folder: &RunFolder, cup: Value) -> Result<Kept, Failure> {
    let file = file.display();
    let Some(mut kept) = Kept::read(&folder.kept())? else {
        check_no_foreign_store(folder)?;
        let kept = Kept::new(cup, server.map(str::to_owned));
        kept.write(&folder.kept())?;
        return Ok(kept);
    };
    if kept.server.as_deref() != server {
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
    if kept.cup.is_null() {
        kept.cup = cup;
        kept.write(&folder.kept())?;
    }
    Ok(kept)
}

/// Refuses to use, or to remove, a store of which no run knows.
fn check_no_foreign_store(folder: &RunFolder) -> Result<(), Failure> {
    let store = folder.store();
    if !store.exists() {
        return Ok(());
    }
    let kept = folder.kept();
    let why = format!("{}: no run of this cup made it, for there is no {}", store.display(), kept.display());
    Err(Failure::Runtime(anyhow::Error::msg(format!("{why}: move it away"))))
}
