//! Errors about unknown bot names.

use crate::{
    Failure,
    remote::{MAX_PAGE_SIZE, RemoteServer},
};
use lastnim_core::game::{BotName, find_closest_word};
use lastnim_proto::pb;
use tonic::{Code, Status};

/// Converts a server's refusal of a call to a failure. If one of the bots that the call named is unknown, the failure
/// suggests the known name that is closest.
pub async fn bot_refusal_failure(remote: &RemoteServer, status: &Status, named: &[BotName]) -> Failure {
    let refused = remote.refusal_failure(status);
    if status.code() != Code::NotFound {
        return refused;
    }
    let request = pb::ListBotsRequest { page_size: MAX_PAGE_SIZE, page_token: String::new() };
    let Ok(listed) = remote.bot_client().list_bots(request).await else { return refused };
    let known: Vec<String> = listed.into_inner().bots.into_iter().map(|bot| bot.name).collect();
    let unknown = named.iter().find(|bot| !known.iter().any(|name| name == bot.as_str()));
    let meant = unknown.and_then(|bot| find_closest_word(bot.as_str(), known.iter().map(String::as_str)));
    match meant {
        Some(meant) => Failure::Runtime(anyhow::anyhow!("{refused}; did you mean {meant}?")),
        None => refused,
    }
}
