//! `lastnim key`: the key that a server's records are checked by.

use crate::{
    cli::{
        Exit, Failure, Outcome,
        form::FormArgs,
        remote::{Remote, ServerArgs},
        runtime,
    },
    referee::PublicKey,
    wire::pb,
};
use clap::Args;
use std::io::Write as _;

/// Prints the public key of a server, by which the signatures of its records are checked
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim key
  lastnim verify --key $(lastnim key) record.json

Ask for the key once, from the server itself, and keep it: a key that comes with a record proves nothing.")]
pub struct KeyArgs {
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn run(args: &KeyArgs) -> Outcome {
    runtime::block_on(Some(1), async move {
        let remote = Remote::connect(&args.server).await?;
        let key = public_key(&remote).await?;
        let message = pb::GetPublicKeyResponse { public_key: key.as_bytes().to_vec() };
        args.form.form().print_message(&message, |output| writeln!(output, "{key}"))?;
        Ok(Exit::Done)
    })
}

/// Asks a server for its public key.
pub async fn public_key(remote: &Remote) -> Result<PublicKey, Failure> {
    let given = remote.answer(remote.matches().get_public_key(pb::GetPublicKeyRequest {})).await?.public_key;
    let bytes: [u8; PublicKey::BYTES] = given.as_slice().try_into().map_err(|_| {
        Failure::Runtime(anyhow::anyhow!(
            "the server sent a public key of {} bytes: it has {}",
            given.len(),
            PublicKey::BYTES
        ))
    })?;
    PublicKey::from_bytes(bytes).map_err(|error| Failure::runtime(error, "the server sent no key"))
}
