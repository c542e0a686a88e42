//! The folder next to a tournament file, in which a run keeps its durable data.

use super::{
    bounded_log::BoundedLog,
    secrets_folder::{SECRETS_LINK, create_secrets_folder},
};
use crate::{Failure, new_file::create_private_folder};
use lastnim_core::game::BotName;
use lastnim_llm::LlmSettings;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, symlink},
    path::{Path, PathBuf},
};

/// The files of a run that have fixed names. The others are named after a bot, or after the variable with a key.
const FIXED_FILE_NAMES: [&str; 9] = [
    SAVED_RUN_FILE,
    ADMIN_TOKEN_FILE,
    STORE_ID_FILE,
    STORE_FILE,
    "lastnim.db-wal",
    "lastnim.db-shm",
    "lastnim.db.lock",
    SIGNING_KEY_FILE,
    SHARED_LEDGER_FILE,
];
/// The file of the saved run.
const SAVED_RUN_FILE: &str = "run.json";
/// The file with the admin token of the run's own server. No file with a bot's token has such a name.
const ADMIN_TOKEN_FILE: &str = "lastnim.admin-token";
/// The key that signs the records, with the name that `lastnim serve` uses.
const SIGNING_KEY_FILE: &str = "lastnim.key";
/// The file that records the cost of all models. No bot's ledger has such a name.
const SHARED_LEDGER_FILE: &str = "models.llm-ledger";
/// The file extension of rate-limit files, which are named after the variable with the key.
const RATE_SUFFIX: &str = ".llm-rate";
/// The file extension of a single model's ledger.
const LEDGER_SUFFIX: &str = ".ledger";
/// The ending of transcript file names.
const TRANSCRIPT_SUFFIX: &str = ".transcript.jsonl";
/// The store of the run's own server.
const STORE_FILE: &str = "lastnim.db";
/// The file whose existence shows that there is a store.
const STORE_ID_FILE: &str = "lastnim.db.id";

/// The paths of a run's files that other commands use.
#[derive(Debug, Clone)]
pub struct RunPaths {
    folder: PathBuf,
}

impl RunPaths {
    /// Returns the paths for the tournament of a file.
    pub fn of_file(plan: &Path) -> Self {
        Self { folder: plan.with_extension("run") }
    }

    /// Returns the file of the saved run.
    pub fn saved_run_file(&self) -> PathBuf {
        self.folder.join(SAVED_RUN_FILE)
    }

    /// Returns the file of the store of the run's own server.
    pub fn store_file(&self) -> PathBuf {
        self.folder.join(STORE_FILE)
    }

    /// Returns the file with the key that signs the records of the run's own server.
    pub fn key_file(&self) -> PathBuf {
        self.folder.join(SECRETS_LINK).join(SIGNING_KEY_FILE)
    }

    /// Returns the ledger of a bot's model.
    pub fn ledger_file(&self, bot: &str) -> PathBuf {
        self.folder.join(format!("{bot}{LEDGER_SUFFIX}"))
    }

    /// Returns the ledgers of a bot's model and of all models, if a run has begun.
    pub fn ledger_files(&self, bot: &BotName) -> Option<[PathBuf; 2]> {
        let files = [self.ledger_file(bot.as_str()), self.folder.join(SHARED_LEDGER_FILE)];
        self.folder.is_dir().then_some(files)
    }

    /// Returns the file with the admin token of the run's own server, which exists while that server runs.
    pub fn admin_token_file(&self) -> PathBuf {
        self.folder.join(SECRETS_LINK).join(ADMIN_TOKEN_FILE)
    }
}

/// The file with the admin token of a running server. A token left by a killed run is invalid: each server generates
/// its own.
#[derive(Debug)]
#[must_use = "the file is removed when this is dropped"]
pub struct AdminTokenFile(PathBuf);

impl Drop for AdminTokenFile {
    fn drop(&mut self) {
        // An error is ignored: once the server has stopped, its token is invalid.
        let _ = fs::remove_file(&self.0);
    }
}

/// A run's folder, locked by this process.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The link to the folder with the secrets of the run.
    secrets: PathBuf,
    /// The lock on the folder. The system releases it when the process ends.
    _lock: File,
}

impl RunFolder {
    /// Locks the folder of a tournament for this process; creates it if it does not exist.
    pub fn lock_folder(plan: &Path) -> Result<Self, Failure> {
        let path = plan.with_extension("run");
        create_private_folder(&path)?;
        let failure = |error: io::Error| Failure::runtime(error, path.display());
        let lock = File::open(&path).map_err(failure)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Runtime(anyhow::Error::msg(format!(
                    "{}: another `lastnim tournament run` is using {}: stop it or let it finish",
                    plan.display(),
                    path.display()
                ))));
            }
            Err(TryLockError::Error(error)) => return Err(failure(error)),
        }
        let secrets = create_secrets_folder(&path)?;
        Ok(Self { path, secrets, _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file of the saved run.
    pub fn saved_run_file(&self) -> PathBuf {
        self.path.join(SAVED_RUN_FILE)
    }

    /// Returns the file with the store of the run's own server.
    pub fn store_file(&self) -> PathBuf {
        self.path.join(STORE_FILE)
    }

    /// Returns the file with the key that signs the records of the run's own server.
    pub fn key_file(&self) -> PathBuf {
        self.secrets.join(SIGNING_KEY_FILE)
    }

    /// Creates a link to the key next to the store, where `lastnim serve` looks for it.
    pub fn link_key_file(&self) -> Result<(), Failure> {
        let link = self.path.join(SIGNING_KEY_FILE);
        match symlink(Path::new(SECRETS_LINK).join(SIGNING_KEY_FILE), &link) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(Failure::runtime(error, link.display()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the file for a program's output.
    pub fn log_file(&self, bot: &BotName) -> PathBuf {
        self.path.join(format!("{bot}.log"))
    }

    /// Opens the file for a program's output.
    pub fn open_log(&self, bot: &BotName) -> Result<BoundedLog, Failure> {
        let path = self.log_file(bot);
        BoundedLog::open(path.clone()).map_err(|error| Failure::runtime(error, path.display()))
    }

    /// Returns the file with a model's questions and answers, independent of the working folder.
    pub fn transcript_file(&self, bot: &BotName) -> io::Result<PathBuf> {
        std::path::absolute(self.path.join(format!("{bot}{TRANSCRIPT_SUFFIX}")))
    }

    /// Returns the file that records the cost of a bot's model, independent of the working folder.
    pub fn ledger_file(&self, bot: &BotName) -> io::Result<PathBuf> {
        std::path::absolute(self.path.join(format!("{bot}{LEDGER_SUFFIX}")))
    }

    /// Returns the file that records the cost of all models, independent of the working folder.
    pub fn shared_ledger_file(&self) -> io::Result<PathBuf> {
        std::path::absolute(self.path.join(SHARED_LEDGER_FILE))
    }

    /// Returns the file through which all models with the same key at the same address share limits per minute,
    /// independent of the working folder.
    pub fn rate_file(&self, settings: &LlmSettings) -> io::Result<PathBuf> {
        let (key, address) = settings.rate_account();
        let address = address.split('?').next().unwrap_or_default();
        let address: String =
            address.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        std::path::absolute(
            self.path.join(format!("{key}-{}{RATE_SUFFIX}", &address[..address.len().min(100)])),
        )
    }

    /// Returns the file of a remote bot's token.
    pub fn token_file(&self, bot: &BotName) -> PathBuf {
        self.secrets.join(format!("{bot}.token"))
    }

    /// Writes the token of a remote bot into a file that only the organiser can read.
    pub fn write_token(&self, bot: &BotName, token: &str) -> Result<(), Failure> {
        write_secret(&self.token_file(bot), token)
    }

    /// Writes the admin token of the run's own server into a file that only the organiser can read.
    pub fn write_admin_token(&self, token: &str) -> Result<AdminTokenFile, Failure> {
        let path = self.secrets.join(ADMIN_TOKEN_FILE);
        write_secret(&path, token)?;
        Ok(AdminTokenFile(path))
    }

    /// Removes the files of earlier runs. Anything else in the folder stays.
    pub fn remove_run_files(&self) -> Result<(), Failure> {
        self.check_store_is_free()?;
        let failure = |error: io::Error| Failure::runtime(error, self.path.display());
        let mut ours = Vec::new();
        for folder in [&self.path, &self.secrets] {
            for entry in fs::read_dir(folder).map_err(failure)? {
                ours.push(entry.map_err(failure)?.path());
            }
        }
        ours.retain(|path| is_run_file(path));
        // The store's id file is removed first; the saved run, which marks the folder as that of a run, is removed
        // last.
        ours.sort_by_key(|path| (*path == self.saved_run_file(), !path.ends_with(STORE_ID_FILE)));
        ours.iter().try_for_each(|path| {
            let failure = |error: io::Error| Failure::runtime(error, path.display());
            fs::remove_file(path).or_else(ignore_missing).map_err(failure)
        })
    }

    /// Refuses to touch a store that another server has open, such as a `lastnim serve` that somebody started to view
    /// its matches.
    fn check_store_is_free(&self) -> Result<(), Failure> {
        let lock = self.path.join("lastnim.db.lock");
        match File::open(&lock).map(|lock| lock.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) => Err(Failure::Runtime(anyhow::Error::msg(format!(
                "{}: another server is using this store: stop that server first",
                self.store_file().display()
            )))),
            _ => Ok(()),
        }
    }
}

/// Returns the working folder of a tournament's programs: the folder of its file.
pub fn working_folder(plan: &Path) -> Result<PathBuf, Failure> {
    let folder = plan.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().map_err(|error| Failure::runtime(error, folder.display()))
}

/// Returns whether a file has one of the names that runs use for their files.
fn is_run_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let bots = [".log", ".token", TRANSCRIPT_SUFFIX, LEDGER_SUFFIX]
        .iter()
        .filter_map(|ending| name.strip_suffix(ending));
    let is_of_account = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_rate = || name.strip_suffix(RATE_SUFFIX).is_some_and(|account| account.chars().all(is_of_account));
    FIXED_FILE_NAMES.contains(&name) || bots.map(str::parse::<BotName>).any(|bot| bot.is_ok()) || is_rate()
}

/// Writes a token into a new file that only its owner can read.
fn write_secret(path: &Path, token: &str) -> Result<(), Failure> {
    let failure = |error: io::Error| Failure::runtime(error, path.display());
    // An existing file that others can read would keep its permissions if it were overwritten.
    fs::remove_file(path).or_else(ignore_missing).map_err(failure)?;
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path).map_err(failure)?;
    writeln!(file, "{token}").and_then(|()| file.sync_all()).map_err(failure)
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_made_by_a_run_are_removed() {
        for ours in [
            "run.json",
            "lastnim.db-wal",
            "lastnim.db.id",
            "lastnim.key",
            "lastnim.admin-token",
            "alice.log",
            "bob.2.token",
            "bob.transcript.jsonl",
            "OPENAI_API_KEY-https---api-openai-com-v1.llm-rate",
            "none-http---127-0-0-1-8000-v1.llm-rate",
        ] {
            assert!(is_run_file(&Path::new("cup.run").join(ours)), "{ours}");
        }
        for foreign in ["notes.txt", "Alice.log", ".log", "run.json.bak", "my.db", "standings.json"] {
            assert!(!is_run_file(&Path::new("cup.run").join(foreign)), "{foreign}");
        }
    }
}
