//! `lastnim serve hand-over`.

use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    remote::{RemoteServer, ServerArgs, Target},
    runtime,
};
use clap::Args;
use lastnim_proto::pb;
use serde_json::json;
use std::{
    io::Write as _,
    time::{Duration, Instant},
};
use tonic::Status;
use tonic_types::StatusExt as _;

/// How long the command waits for another server. The server that handed over continues after ten seconds.
const TAKEOVER_TIMEOUT: Duration = Duration::from_secs(20);
/// The pause between two rounds of questions to the servers.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Hands the database over to a standby server
///
/// The serving server closes its streams and stands by; bots reconnect to the other server, and open matches continue.
/// The command waits until the other server serves.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim serve hand-over --server a.example.org:7600,b.example.org:7600
  lastnim serve hand-over --server a.example.org:7600 --json

This needs the admin's token. Both servers must have been started with --standby.")]
pub struct HandOverArgs {
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Asks the serving server to hand over, and waits until another one serves.
pub fn run(args: &HandOverArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), hand_over(args))
}

async fn hand_over(args: &HandOverArgs) -> CommandResult {
    let target = args.server.target()?;
    let remote = RemoteServer::connect_to(&target.address, target.token.as_deref()).await?;
    let began = Instant::now();
    let started = remote.answer(remote.server_client().hand_over(pb::HandOverRequest {})).await?;
    let Some(successor) = wait_for_successor(&target, &started.server).await else {
        return Err(Failure::Runtime(anyhow::Error::msg(format!(
            "no other server has taken over after {} seconds: {} continues unless it was stopped; waiting for the database: {}",
            TAKEOVER_TIMEOUT.as_secs(),
            started.server,
            started.standby_servers.join(", ")
        ))));
    };
    let took = began.elapsed();
    let json = || {
        json!({
            "server": successor,
            "former_server": started.server,
            "took_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        })
    };
    args.form.form().print_result(json, |out| {
        writeln!(out, "{successor} took over from {} within {:.1} s", started.server, took.as_secs_f64())
    })?;
    Ok(CommandExit::Done)
}

/// Waits until a standby server reports that a server other than `former` serves, and returns the name of that server.
async fn wait_for_successor(target: &Target, former: &str) -> Option<String> {
    let addresses = target.address.split();
    let began = Instant::now();
    while began.elapsed() < TAKEOVER_TIMEOUT {
        for address in &addresses {
            // A server that is closing its connections does not answer.
            let Ok(remote) = RemoteServer::connect_to(address, target.token.as_deref()).await else {
                continue;
            };
            let answer = remote.bot_client().get_caller(pb::GetCallerRequest {}).await;
            let holder = answer.err().and_then(|status| holder_of_status(&status));
            if let Some(successor) = holder.filter(|holder| holder != former) {
                return Some(successor);
            }
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    None
}

/// Returns the name of the serving server from the refusal of a standby server.
fn holder_of_status(status: &Status) -> Option<String> {
    let mut info = status.get_details_error_info()?;
    (info.reason == "STANDING_BY").then(|| info.metadata.remove("holder"))?
}
