//! `lastnim record key`.

use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    remote::{RemoteServer, ServerArgs},
    runtime,
};
use clap::Args;
use lastnim_core::referee::PublicKey;
use lastnim_proto::pb;
use std::io::Write as _;

/// Prints the public key that verifies the records of a server
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record key
  lastnim record verify --key $(lastnim record key) record.json

Fetch the key once from the server itself and keep it: a key that comes with a record proves nothing.")]
pub struct KeyArgs {
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn run(args: &KeyArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        let key = fetch_public_key(&remote).await?;
        let message = pb::GetPublicKeyResponse { public_key: key.as_bytes().to_vec() };
        args.form.form().print_message(&message, |output| writeln!(output, "{key}"))?;
        Ok(CommandExit::Done)
    })
}

/// Fetches the public key of a server.
pub async fn fetch_public_key(remote: &RemoteServer) -> Result<PublicKey, Failure> {
    let given =
        remote.answer(remote.match_client().get_public_key(pb::GetPublicKeyRequest {})).await?.public_key;
    let bytes: [u8; PublicKey::BYTES] = given.as_slice().try_into().map_err(|_| {
        Failure::Runtime(anyhow::anyhow!(
            "the server sent a public key of {} bytes: expected {}",
            given.len(),
            PublicKey::BYTES
        ))
    })?;
    PublicKey::from_bytes(bytes)
        .map_err(|error| Failure::runtime(error, "the server sent an invalid public key"))
}
