//! `lastnim tournament manifest`.

use super::named::TournamentArg;
use crate::{Failure, form::OutputFormat, new_file::AtomicFile, remote::RemoteServer, screen};
use clap::Args;
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    manifest::{Manifest, ManifestReadResult, ManifestReader},
    pb,
};
use lastnim_report::words::count_with_noun;
use serde_json::json;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The flags of `lastnim tournament manifest`.
#[derive(Debug, Args)]
pub struct ManifestArgs {
    #[command(flatten)]
    pub named: TournamentArg,
    /// Writes the manifest to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Fetches and verifies a manifest.
pub async fn fetch_manifest(
    remote: &RemoteServer,
    args: &ManifestArgs,
    form: OutputFormat,
) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        let mut output = screen::stdout_document();
        receive_manifest(remote, &args.named.id.to_string(), &mut output, Failure::Output).await?;
        return output.flush().map_err(Failure::Output);
    };
    let mut file = AtomicFile::create(path)?;
    let failure = |error| Failure::runtime(error, path.display());
    let (manifest, signer) = receive_manifest(remote, &args.named.id.to_string(), &mut file, failure).await?;
    file.finish()?;
    print_summary(path, &manifest, signer, form)
}

/// Writes the parts of a manifest as they arrive, and verifies the whole.
///
/// # Errors
/// If the server refuses, sends the manifest of another tournament or one that does not verify, or writing fails.
pub async fn receive_manifest(
    remote: &RemoteServer,
    id: &str,
    output: &mut impl Write,
    failed: impl Fn(io::Error) -> Failure,
) -> Result<(Manifest, PublicKey), Failure> {
    let request = pb::GetManifestRequest { tournament_id: id.to_owned() };
    let mut parts = remote.answer(remote.tournament_client().get_manifest(request)).await?;
    let mut reader = ManifestReader::default();
    let mut rest = Vec::new();
    while let Some(part) = parts.message().await.map_err(|status| remote.refusal_failure(&status))? {
        output.write_all(&part.text).map_err(&failed)?;
        rest.extend_from_slice(&part.text);
        let whole = rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        rest[..whole].split_inclusive(|&byte| byte == b'\n').for_each(|line| reader.read_line(line));
        rest.drain(..whole);
    }
    if !rest.is_empty() {
        reader.read_line(&rest);
    }
    let ManifestReadResult { signed, manifest } = reader.finish();
    let (manifest, signer) = signed.and_then(|signer| Ok((manifest?, signer))).map_err(|flaw| {
        Failure::Runtime(anyhow::anyhow!("the server sent a manifest that does not verify: {flaw}"))
    })?;
    if manifest.id.to_string() == id {
        Ok((manifest, signer))
    } else {
        let tournament_id = manifest.id;
        Err(Failure::Runtime(anyhow::anyhow!(
            "the server sent the manifest of another tournament: {tournament_id}"
        )))
    }
}

fn print_summary(
    path: &Path,
    manifest: &Manifest,
    signer: PublicKey,
    form: OutputFormat,
) -> Result<(), Failure> {
    let json = || {
        json!({
            "file": path.display().to_string(),
            "tournament_id": manifest.id.to_string(),
            "state": manifest.state.to_string(),
            "so_far": manifest.is_interim(),
            "matches": manifest.matches.len(),
            "signer": signer.to_string(),
        })
    };
    form.print_result(json, |output| {
        let what = if manifest.is_interim() { "interim manifest" } else { "manifest" };
        let matches = count_with_noun(manifest.matches.len() as u64, "match", "matches");
        let path = path.display();
        writeln!(output, "{path}: {what}, {}, {matches}, signed by {signer}", manifest.state)
    })
}
