//! Continuing a run, or starting a new one.

use super::{folder::RunFolder, saved_run::SavedRun};
use crate::{Failure, screen, store::now};
use serde_json::Value;
use std::path::Path;

/// Starts a tournament from scratch and removes the files of earlier runs. `server` is the named server, if any.
///
/// # Errors
/// If the folder has a store that was not made by a run, or files cannot be removed.
pub fn start_new_run(server: Option<&str>, folder: &RunFolder, plan: Value) -> Result<SavedRun, Failure> {
    let before = SavedRun::read(&folder.saved_run_file());
    if matches!(before, Ok(None)) {
        check_no_foreign_store(folder)?;
    }
    let mut kept = SavedRun::new(plan, server.map(str::to_owned));
    // An unreadable file is removed too.
    if let Ok(Some(before)) = before
        && before.server == kept.server
    {
        (kept.registered, kept.listened_on) = (before.registered, before.listened_on);
    }
    folder.remove_run_files()?;
    kept.write(&folder.saved_run_file())?;
    Ok(kept)
}

/// Continues or starts the tournament of a file. `server` is the named server, if any.
///
/// # Errors
/// If the file no longer describes the started tournament, the tournament is on a different server, the folder has a
/// store that was not made by a run, or a file of the run cannot be used.
pub fn resume_or_start_run(
    path: &Path,
    server: Option<&str>,
    folder: &RunFolder,
    plan: Value,
) -> Result<SavedRun, Failure> {
    let file = path.display();
    let Some(mut kept) = SavedRun::read(&folder.saved_run_file())? else {
        check_no_foreign_store(folder)?;
        let kept = SavedRun::new(plan, server.map(str::to_owned));
        kept.write(&folder.saved_run_file())?;
        return Ok(kept);
    };
    if kept.server.as_deref() != server {
        return Err(other_server_failure(
            path,
            kept.server.as_deref(),
            "to continue, or --fresh to start again",
        ));
    }
    let changes = kept.changed_keys(&plan);
    if !changes.is_empty() {
        return Err(Failure::input(format!(
            "{file}: it has changed since this tournament started ({}): undo the change to continue, or use --fresh to start again; only the limits of models may change",
            changes.join(", ")
        )));
    }
    let amendments = kept.amendments(&plan, now().as_micros());
    if !amendments.is_empty() {
        for amendment in &amendments {
            screen::print_note(format_args!("{file}: amended: {amendment}"));
        }
        kept.amendments.extend(amendments);
        kept.plan = plan;
        kept.write(&folder.saved_run_file())?;
    }
    Ok(kept)
}

/// Returns a failure that says on which server a tournament started and which flag to use; `for_what` says what for.
pub fn other_server_failure(file: &Path, begun_on: Option<&str>, for_what: &str) -> Failure {
    let (where_from, how) = match begun_on {
        Some(address) => (format!("on the server at {address}"), format!("--server {address}")),
        None => ("on its own server".to_owned(), "neither --server nor LASTNIM_SERVER".to_owned()),
    };
    let file = file.display();
    Failure::input(format!("{file}: this tournament started {where_from}: use {how} {for_what}"))
}

/// Refuses to use or remove a store that belongs to no known run.
fn check_no_foreign_store(folder: &RunFolder) -> Result<(), Failure> {
    let store = folder.store_file();
    if !store.exists() {
        return Ok(());
    }
    let kept = folder.saved_run_file();
    let why = format!(
        "{}: this store was not made by a run of this tournament, since the folder has no {}",
        store.display(),
        kept.display()
    );
    Err(Failure::Runtime(anyhow::Error::msg(format!("{why}: move the store to another folder"))))
}
