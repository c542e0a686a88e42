//! `lastnim store prune`.

use super::command::store_failure;
use crate::{
    CommandExit, CommandResult, Failure,
    form::OutputForm,
    remote::{RemoteServer, ServerArgs},
};
use clap::Args;
use lastnim_core::{game::TournamentId, referee::Timestamp};
use lastnim_proto::pb;
use lastnim_report::words::count_words;
use lastnim_store::{OpenOptions, PruneFilter, StoreError, StoreUrl, open_store_with, prune_store};
use std::{
    io::Write as _,
    time::{Duration, SystemTime},
};

const DAY: Duration = Duration::from_hours(24);

/// The records to remove.
#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Only records of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,
    /// Only records of matches that ended more than this many days ago
    #[arg(long, value_name = "DAYS", required_unless_present = "keep")]
    older_than: Option<u32>,
    /// Keeps the records of this many newest matches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    keep: Option<u64>,
    #[command(flatten)]
    server: ServerArgs,
}

impl PruneArgs {
    fn filter(&self) -> PruneFilter {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let over_before = match self.older_than {
            Some(days) => since_epoch.saturating_sub(DAY * days).as_micros() as u64,
            None => i64::MAX as u64,
        };
        PruneFilter {
            tournament: self.tournament,
            over_before: Timestamp::from_micros(over_before),
            keep_newest: self.keep.unwrap_or(0),
        }
    }
}

/// Removes records through the named server, or else from a store that no server has open.
pub async fn prune(args: &PruneArgs, store: &StoreUrl, form: OutputForm) -> CommandResult {
    let filter = args.filter();
    let pruned_matches = match args.server.given_server() {
        Some(_) => prune_on_server(args, filter).await?,
        None => prune_offline(store, filter).await?,
    };
    let message = pb::PruneRecordsResponse { pruned_matches };
    let removed = count_words(pruned_matches, "record was", "records were");
    form.print_message(&message, |output| writeln!(output, "{removed} removed"))?;
    Ok(CommandExit::Done)
}

async fn prune_on_server(args: &PruneArgs, filter: PruneFilter) -> Result<u64, Failure> {
    let remote = RemoteServer::connect(&args.server).await?;
    let request = pb::PruneRecordsRequest {
        tournament_id: filter.tournament.map(|id| id.to_string()).unwrap_or_default(),
        over_before_us: args.older_than.map_or(0, |_| filter.over_before.as_micros().max(1)),
        keep_newest: filter.keep_newest,
    };
    Ok(remote.answer(remote.match_client().prune_records(request)).await?.pruned_matches)
}

/// Prunes a store as its server would, which must not run.
async fn prune_offline(store: &StoreUrl, filter: PruneFilter) -> Result<u64, Failure> {
    if *store == StoreUrl::Memory {
        let why = "a store in memory exists only in its server".to_owned();
        return Err(store_failure(store, StoreError::Unusable(why)));
    }
    if let Some(file) = store.sqlite_file().filter(|file| !file.exists()) {
        let why = format!("{} does not exist", file.display());
        return Err(store_failure(store, StoreError::Unusable(why)));
    }
    let opened = open_store_with(store, &OpenOptions::default()).await;
    let opened = opened.map_err(|error| match error {
        StoreError::Taken(why) => store_failure(
            store,
            StoreError::Taken(format!("{why}; or remove them through that server: --server ADDR")),
        ),
        other => store_failure(store, other),
    })?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = Timestamp::from_micros(now.as_micros() as u64);
    let pruned = prune_store(opened.as_ref(), filter, now).await;
    opened.close().await;
    pruned.map_err(|error| store_failure(store, error))
}
