//! `lastnim store`, from its arguments to its end.

use super::{
    backup, check,
    prune::{self, PruneArgs},
    stats,
};
use crate::{CommandResult, Failure, form::FormArgs, runtime};
use clap::{Args, Subcommand};
use lastnim_store::{StoreError, StoreReader, StoreUrl, open_reader};
use std::{path::PathBuf, sync::Arc};

/// Checks, backs up and measures what a server keeps
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim store stats
  lastnim store backup /backup/lastnim.db
  lastnim store check --store sqlite:/backup/lastnim.db
  lastnim store check --store postgres://lastnim@localhost/lastnim

A server may run meanwhile: but for prune, these commands only read, and nobody waits for them.")]
pub struct StoreArgs {
    #[command(subcommand)]
    action: Action,
    /// The store, as `serve --store` names it; pass a URL that contains a password in the environment
    #[arg(
        long,
        global = true,
        env = "LASTNIM_STORE",
        hide_env_values = true,
        value_name = "STORE",
        default_value = "sqlite:lastnim.db"
    )]
    store: String,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Checks that all that is kept is what was written
    ///
    /// These are the pages of a SQLite database, the record of every match with its hashes, its signature, and that the
    /// figures kept of each match are those that follow from its record.
    #[command(after_help = "Examples:
  lastnim store check
  lastnim store check --store sqlite:copy.db --json

Exit codes: 0 if all is well, 1 if something is damaged or the store cannot be read. What is damaged is named. A quarantined
match, which a server has found damaged before, is count_words and is no failure. Where the signatures are of a key other than the
one that you trust, all may have been replaced: compare the key with that of `lastnim record key`.")]
    Check {
        #[command(flatten)]
        form: FormArgs,
    },
    /// Copies a SQLite database as it is at this moment, also while its server runs, and checks the copy
    #[command(after_help = "Examples:
  lastnim store backup backup.db
  lastnim store backup --store sqlite:/var/lib/lastnim/lastnim.db /backup/$(date +%F).db
  LASTNIM_STORE=postgres://lastnim:secret@localhost/lastnim lastnim store backup lastnim.dump

The file has its name only once it is whole, checked and on the disk. To restore it, stop the server, remove lastnim.db, -wal and
-shm, put the copy in the place of lastnim.db, and start the server. Keep a copy of lastnim.key as well: new records
are signed by it. Of PostgreSQL it prints the commands that make a backup and restore it.")]
    Backup {
        /// The file, which must not exist yet
        file: PathBuf,
        #[command(flatten)]
        form: FormArgs,
    },
    /// Removes the records of old matches, so that a store does not grow for ever
    ///
    /// Their setups, results and figures stay, and so do their last hashes and signatures: standings, ratings and lists are as
    /// before, and a record that somebody kept can still be told from another. Only the events of matches that are over go.
    #[command(after_help = "Examples:
  lastnim store prune --server 127.0.0.1:7600 --older-than 90
  lastnim store prune --server 127.0.0.1:7600 --tournament $ID --keep 10000
  lastnim store prune --store sqlite:lastnim.db --older-than 30 --keep 1000

With --server (or LASTNIM_SERVER) the server does it, while bots play; it needs the admin's token. Otherwise no server may have the
store open. A match loses its record if it is older and none of those kept. The room is used again by what comes next; the file gets smaller
by a backup that is put in its place. A request for such a record is refused as RECORD_PRUNED.")]
    Prune {
        #[command(flatten)]
        args: PruneArgs,
        #[command(flatten)]
        form: FormArgs,
    },
    /// Says how large the store is, and what is in it by tournament
    #[command(after_help = "Examples:
  lastnim store stats
  lastnim store stats --json")]
    Stats {
        #[command(flatten)]
        form: FormArgs,
    },
}

pub fn run(args: StoreArgs) -> CommandResult {
    let store: StoreUrl = args.store.parse().map_err(|error| Failure::input(format!("--store: {error}")))?;
    runtime::run_on_runtime(Some(1), async move {
        match args.action {
            Action::Check { form } => check::check(&store, form.form()).await,
            Action::Backup { file, form } => backup::back_up(&store, &file, form.form()).await,
            Action::Prune { args, form } => prune::prune(&args, &store, form.form()).await,
            Action::Stats { form } => stats::show(&store, form.form()).await,
        }
    })
}

/// Opens a store to look at it.
pub async fn open(store: &StoreUrl) -> Result<Arc<dyn StoreReader>, Failure> {
    open_reader(store).await.map_err(|error| store_failure(store, error))
}

/// Names the store that something happened to.
pub fn store_failure(store: &StoreUrl, error: StoreError) -> Failure {
    Failure::runtime(error, format!("--store {store}"))
}
