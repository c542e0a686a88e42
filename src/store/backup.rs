//! `lastnim store backup`.

use super::{
    check::fail_if_damaged,
    command::{StoreLocation, open_for_reading, store_failure},
};
use crate::{CommandExit, CommandResult, Failure, form::OutputFormat, progress::StatusLine, screen};
use lastnim_report::words::count_with_noun;
use lastnim_store::{StoreError, StoreUrl, check_store};
use serde_json::json;
use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

/// Copies a store into a new file, or prints the commands that do so.
pub async fn back_up(store: &StoreLocation, file: &Path, form: OutputFormat) -> CommandResult {
    match &store.url {
        StoreUrl::Memory => Err(store_failure(
            &store.url,
            StoreError::Unusable("a store in memory can only be used by its server".to_owned()),
        )),
        StoreUrl::Postgres(_) => show_commands(&store.url, file, form),
        StoreUrl::Sqlite(database) => copy_and_check(store, database, file, form).await,
    }
}

/// A copy under a temporary name. Dropping this value removes the copy unless it is finished.
struct UnfinishedCopy<'f> {
    file: &'f Path,
    temporary: PathBuf,
}

impl<'f> UnfinishedCopy<'f> {
    /// Creates an empty file that only its owner may read, since it will contain hashes of tokens.
    fn create(file: &'f Path) -> Result<Self, Failure> {
        let what = file.display();
        let name = file.file_name().ok_or_else(|| {
            Failure::input(format!("{what}: not a file name: expected a path such as backup.db"))
        })?;
        if file.exists() {
            return Err(Failure::input(format!("{what}: this file already exists: name a new one")));
        }
        let temporary =
            file.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&temporary).map_err(|error| Failure::runtime(error, what))?;
        Ok(Self { file, temporary })
    }

    /// Renames the temporary file to its final name.
    fn finish(self) -> Result<(), Failure> {
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let named = fs::rename(&self.temporary, self.file)
            .and_then(|()| File::open(folder.unwrap_or(Path::new(".")))?.sync_all());
        named.map_err(|error| Failure::runtime(error, self.file.display()))
    }
}

impl Drop for UnfinishedCopy<'_> {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut name = self.temporary.clone().into_os_string();
            name.push(end);
            // An error is ignored: the file may not exist.
            let _ = fs::remove_file(name);
        }
    }
}

async fn copy_and_check(
    store: &StoreLocation,
    database: &Path,
    file: &Path,
    form: OutputFormat,
) -> CommandResult {
    // Opening the store first refuses a database of a different version, whose backup could not be checked.
    open_for_reading(store).await?.close().await;
    let store = &store.url;
    let copy = UnfinishedCopy::create(file)?;
    let line = StatusLine::show("copying and checking");
    lastnim_store::back_up(database, &copy.temporary).await.map_err(|error| store_failure(store, error))?;
    let copied = StoreUrl::Sqlite(copy.temporary.clone());
    let reader = open_for_reading(&StoreLocation { url: copied.clone(), accept_lost_wal: false }).await?;
    let found = check_store(reader.as_ref()).await.map_err(|error| store_failure(&copied, error))?;
    drop(line);
    reader.close().await;
    fail_if_damaged(store, &found)?;
    let bytes = fs::metadata(&copy.temporary).map_err(|error| Failure::runtime(error, file.display()))?.len();
    copy.finish()?;
    let shown = file.display();
    form.print_result(
        || {
            json!({
                "file": shown.to_string(),
                "bytes": bytes,
                "matches": found.matches,
                "unfinished_matches": found.unfinished,
                "events": found.events,
            })
        },
        |output| {
            let matches = count_with_noun(found.matches + found.unfinished, "match", "matches");
            let events = count_with_noun(found.events, "event", "events");
            writeln!(output, "{shown}: {bytes} bytes with {matches} and {events}, checked")
        },
    )?;
    Ok(CommandExit::Done)
}

/// Describes how to back up and restore a PostgreSQL database, without repeating a password.
fn show_commands(store: &StoreUrl, file: &Path, form: OutputFormat) -> CommandResult {
    let (url, file) = (store.to_string(), file.display().to_string());
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let commands = [
        format!("pg_dump --format=custom --file={} {}", quoted(&file), quoted(&url)),
        format!(
            "pg_restore --clean --if-exists --single-transaction --dbname={} {}",
            quoted(&url),
            quoted(&file)
        ),
    ];
    let text = |output: &mut screen::Stdout| {
        writeln!(output, "to back up, even while a server runs:\n  {}", commands[0])?;
        writeln!(output, "to restore, while no server runs:\n  {}", commands[1])
    };
    form.print_result(|| json!({ "backup": commands[0], "restore": commands[1] }), text)?;
    Ok(CommandExit::Done)
}
