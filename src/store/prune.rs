//! `lastnim store prune`.

use super::{
    clock::{check_clock, now},
    command::{StoreLocation, open_for_writing, store_failure},
};
use crate::{
    CommandExit, CommandResult, Failure,
    form::OutputFormat,
    progress::StatusLine,
    remote::{RemoteServer, ServerArgs},
};
use clap::Args;
use lastnim_core::{game::TournamentId, referee::Timestamp};
use lastnim_proto::pb;
use lastnim_report::words::count_with_noun;
use lastnim_store::{PruneFilter, prune_store};
use std::{io::Write as _, time::Duration};

const DAY: Duration = Duration::from_hours(24);

/// The records to remove.
#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Removes only records of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,
    /// Removes only records of matches that ended more than this many days ago
    #[arg(long, value_name = "DAYS", required_unless_present = "keep")]
    older_than: Option<u32>,
    /// Keeps the records of the N newest matches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    keep: Option<u64>,
    #[command(flatten)]
    server: ServerArgs,
}

impl PruneArgs {
    fn filter(&self) -> PruneFilter {
        let never = Timestamp::from_micros(i64::MAX as u64);
        PruneFilter {
            tournament: self.tournament,
            over_before: self.older_than.map_or(never, |days| now().minus(DAY * days)),
            keep_newest: self.keep.unwrap_or(0),
        }
    }
}

/// Removes records through the named server, or directly from a store that no server has open.
pub async fn prune_and_print(args: &PruneArgs, store: &StoreLocation, form: OutputFormat) -> CommandResult {
    let filter = args.filter();
    let pruned_matches = match args.server.given_server() {
        Some(_) => prune_on_server(args, filter).await?,
        None => prune_offline(args, store, filter).await?,
    };
    let message = pb::PruneRecordsResponse { pruned_matches };
    let removed = count_with_noun(pruned_matches, "record was", "records were");
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

/// Prunes a store directly, as its server would. The server must not be running.
async fn prune_offline(args: &PruneArgs, store: &StoreLocation, filter: PruneFilter) -> Result<u64, Failure> {
    let opened =
        open_for_writing(store, "; or remove the records through that server, with --server ADDR").await?;
    let store = &store.url;
    let _line = StatusLine::show("removing records");
    let pruned = async {
        if args.older_than.is_some() {
            check_clock(store, opened.as_ref()).await?;
        }
        prune_store(opened.as_ref(), filter, now()).await.map_err(|error| store_failure(store, error))
    };
    let pruned = pruned.await;
    opened.close().await;
    pruned
}
