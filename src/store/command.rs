//! `lastnim store`.

use super::{
    backup, check, clock,
    prune::{self, PruneArgs},
    stats,
};
use crate::{CommandResult, Failure, form::FormatArgs, runtime};
use clap::{Args, Subcommand};
use lastnim_store::{
    OpenOptions, Store, StoreError, StoreReader, StoreUrl, open_reader_with, open_store_with,
};
use std::{path::PathBuf, sync::Arc};

/// Checks, backs up, prunes and measures a server's store
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim store stats
  lastnim store backup /backup/lastnim.db
  lastnim store check --store sqlite:/backup/lastnim.db
  lastnim store check --store postgres://lastnim@localhost/lastnim

The server can keep running: stats, check and backup only read. Stop it before repair-clock, and before prune without
--server.")]
pub struct StoreArgs {
    #[command(subcommand)]
    action: StoreAction,
    /// The store, as for `serve --store`; pass a URL with a password in the environment
    #[arg(
        long,
        global = true,
        env = "LASTNIM_STORE",
        hide_env_values = true,
        value_name = "STORE",
        default_value = "sqlite:lastnim.db"
    )]
    store: String,
    /// Accepts the loss of the newest commits if the SQLite file `PATH-wal` is gone after a crash
    #[arg(long, global = true)]
    accept_lost_wal: bool,
}

/// A store to open.
#[derive(Debug, Clone)]
pub struct StoreLocation {
    pub url: StoreUrl,
    /// Whether the store may be opened although its write-ahead log, which contained commits, is gone.
    pub accept_lost_wal: bool,
}

#[derive(Debug, Subcommand)]
enum StoreAction {
    /// Checks that the store is intact
    ///
    /// It checks the pages of a SQLite database, the hashes and signature of every record, and that the stored figures of every
    /// match follow from its record.
    #[command(after_help = "Examples:
  lastnim store check
  lastnim store check --store sqlite:copy.db --json

Exit codes: 0 if the store is intact, 1 if something is damaged (it is named) or the store cannot be read. Quarantined
matches are counted and are not a failure. Compare the key of the signatures with the one that you trust.")]
    Check {
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Copies a SQLite database, even while its server runs, and checks the copy
    #[command(after_help = "Examples:
  lastnim store backup backup.db
  lastnim store backup --store sqlite:/var/lib/lastnim/lastnim.db /backup/$(date +%F).db
  LASTNIM_STORE=postgres://lastnim:secret@localhost/lastnim lastnim store backup lastnim.dump

The file gets its name only when it is complete, checked and on disk. For PostgreSQL this prints the commands that make and
restore a backup. Back up lastnim.key too. docs/how-to/look-after-a-store.md explains how to restore.")]
    Backup {
        /// The new file
        file: PathBuf,
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Removes the records of old matches
    ///
    /// Only the events of finished matches are removed. Their setups, results, figures, last hashes and signatures remain, so
    /// standings, ratings and lists do not change and exported records still verify.
    #[command(after_help = "Examples:
  lastnim store prune --server 127.0.0.1:7600 --older-than 90
  lastnim store prune --server 127.0.0.1:7600 --tournament $ID --keep 10000
  lastnim store prune --store sqlite:lastnim.db --older-than 30 --keep 1000

With --server (or LASTNIM_SERVER) the server prunes while bots play, which needs the admin's token. Otherwise no server may
have the store open. The space is reused; to shrink the file, replace it with a backup. Requests for a pruned record fail
with RECORD_PRUNED.")]
    Prune {
        #[command(flatten)]
        args: PruneArgs,
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Corrects the times of a store after a server ran with a wrong clock
    ///
    /// Run it while the server is stopped and the clock is right. Times in the future become the present time: those of
    /// bots, versions, tournaments, transcripts, pruning and quarantines. Signed times, in records and of interventions, do not
    /// change.
    #[command(after_help = "Examples:
  lastnim store repair-clock
  lastnim store repair-clock --store sqlite:/var/lib/lastnim/lastnim.db

A server whose clock is behind the latest time in its store prunes nothing by age. If the clock is more than a
day ahead of that time, the gap does not count as age. This command corrects both.
docs/how-to/look-after-a-store.md explains it.")]
    RepairClock {
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Shows the size of the store and its contents by tournament
    #[command(after_help = "Examples:
  lastnim store stats
  lastnim store stats --json")]
    Stats {
        #[command(flatten)]
        form: FormatArgs,
    },
}

pub fn run(args: StoreArgs) -> CommandResult {
    let url = args.store.parse().map_err(|error| Failure::input(format!("--store: {error}")))?;
    let store = StoreLocation { url, accept_lost_wal: args.accept_lost_wal };
    runtime::run_on_runtime(Some(1), async move {
        match args.action {
            StoreAction::Check { form } => check::check_and_print(&store, form.form()).await,
            StoreAction::Backup { file, form } => backup::back_up(&store, &file, form.form()).await,
            StoreAction::Prune { args, form } => prune::prune_and_print(&args, &store, form.form()).await,
            StoreAction::RepairClock { form } => clock::repair_clock(&store, form.form()).await,
            StoreAction::Stats { form } => stats::print_stats(&store, form.form()).await,
        }
    })
}

/// Opens a store for reading.
pub async fn open_for_reading(store: &StoreLocation) -> Result<Arc<dyn StoreReader>, Failure> {
    let opened = open_reader_with(&store.url, store.accept_lost_wal).await;
    opened.map_err(|error| store_failure(&store.url, error))
}

/// Opens an existing store for changes. No server may have it open; `hint` says what to do if one does.
pub async fn open_for_writing(store: &StoreLocation, hint: &str) -> Result<Arc<dyn Store>, Failure> {
    let options = OpenOptions { accept_lost_wal: store.accept_lost_wal, ..OpenOptions::default() };
    let store = &store.url;
    if *store == StoreUrl::Memory {
        let why = "a store in memory can only be used by its server".to_owned();
        return Err(store_failure(store, StoreError::Unusable(why)));
    }
    if let Some(file) = store.sqlite_file().filter(|file| !file.exists()) {
        let why = format!("{} does not exist", file.display());
        return Err(store_failure(store, StoreError::Unusable(why)));
    }
    let opened = open_store_with(store, &options).await;
    opened.map_err(|error| match error {
        StoreError::Taken(why) => store_failure(store, StoreError::Taken(format!("{why}{hint}"))),
        other => store_failure(store, other),
    })
}

/// Converts a store's error to a command failure that names the store.
pub fn store_failure(store: &StoreUrl, error: StoreError) -> Failure {
    Failure::runtime(error, format!("--store {store}"))
}
