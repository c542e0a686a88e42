//! `lastnim record export`.

use super::{format_args::RecordFormatArgs, key::fetch_public_key};
use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    new_file::{AtomicFile, create_folder},
    played_matches::{MatchSelectionArgs, PlayedMatches, fail_if_damaged},
    progress::matches_bar,
    remote::{RemoteServer, ServerArgs},
    runtime, screen,
};
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    pb,
    record::verify_record,
    record_file::{RecordForm, read_record},
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

/// Writes the records of finished matches into a folder, one file each
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim record export --tournament $ID --dir records
  lastnim record export --bot alice --bot bob --state over --dir records
  lastnim record verify --key $(lastnim record key) records/*

A record that is already in the folder and verifies is not fetched again, so the same command continues an
interrupted export.")]
pub struct ExportArgs {
    #[command(flatten)]
    which: MatchSelectionArgs,
    /// The folder, created if it does not exist
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    format: RecordFormatArgs,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn run(args: &ExportArgs) -> CommandResult {
    let form = args.format.record_form()?;
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        export_records(&remote, args, form).await?;
        Ok(CommandExit::Done)
    })
}

/// Writes the records that the folder does not contain yet.
async fn export_records(remote: &RemoteServer, args: &ExportArgs, form: RecordForm) -> Result<(), Failure> {
    args.which.check_record_selection(remote).await?;
    let dir = args.dir.as_path();
    create_folder(dir)?;
    let key = fetch_public_key(remote).await?;
    let file_of = |game: &pb::Match| {
        let extension = if form == RecordForm::Text { "txt" } else { "json" };
        dir.join(format!("{}.{extension}", game.id))
    };
    let bar = matches_bar(None);
    bar.set_message(dir.display().to_string());
    let (mut kept, mut written, mut replaced) = (0_u64, 0_u64, 0_u64);
    let mut by_others = BTreeMap::<String, u64>::new();
    let mut unchanged = 0_u64;
    let mut played = PlayedMatches::new(remote, &args.which, bar.clone(), |game| {
        let there = is_already_exported(&file_of(game), game, &args.which, form, &key);
        if there {
            kept += 1;
            bar.inc(1);
        }
        !there
    });
    while let Some((game, sealed)) = played.next().await? {
        // Records that were signed by an earlier key of the server keep their signature.
        if let Some(other) = sealed.seal().map(|seal| seal.signer).filter(|&signer| signer != key) {
            *by_others.entry(other.to_string()).or_default() += 1;
        }
        let (file, text) = (file_of(&game), form.write(sealed.record(), sealed.seal()));
        bar.inc(1);
        if fs::read_to_string(&file).is_ok_and(|there| there == text) {
            unchanged += 1;
            continue;
        }
        replaced += u64::from(file.exists());
        // The file need not be synced: if a power failure damages it, it does not verify, and the next export replaces
        // it.
        AtomicFile::write_unsynced(&file, &text)?;
        written += 1;
    }
    let left_out = played.left_out();
    drop(played);
    kept += unchanged;
    bar.finish_and_clear();
    for (signer, count) in &by_others {
        let records = if *count == 1 { "record is" } else { "records are" };
        // The export succeeds even if standard error is closed.
        let _ = writeln!(
            screen::stderr(),
            "note: {count} {records} signed by a different key than the server's: {signer}"
        );
    }
    let json = || {
        json!({
            "dir": dir.display().to_string(),
            "written": written,
            "replaced": replaced,
            "kept": kept,
            "still_open": left_out.still_open,
            "quarantined": left_out.quarantined,
            "pruned": left_out.pruned,
            "damaged": left_out.damaged,
            "by_other_keys": by_others,
        })
    };
    args.form.form().print_result(json, |output| {
        let more = [(replaced, "of them replacing a different file"), (kept, "already there")];
        write!(output, "{}: {written} written", dir.display())?;
        for (count, what) in more.into_iter().filter(|&(count, _)| count > 0) {
            write!(output, ", {count} {what}")?;
        }
        left_out.words().try_for_each(|words| write!(output, "; {words}"))?;
        writeln!(output)
    })?;
    fail_if_damaged(left_out.damaged)
}

/// Returns whether a file contains exactly what an export would write for a match, with a signature by `key`.
///
/// A match that ended while rows were secret has no signature.
fn is_already_exported(
    file: &Path,
    game: &pb::Match,
    which: &MatchSelectionArgs,
    form: RecordForm,
    key: &PublicKey,
) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return false };
    // Only records in JSON are recognised here; if the file has text, the record is fetched again and compared.
    let Ok(given) = read_record(&text) else { return false };
    let Ok(sealed) = verify_record(&given) else { return false };
    let state = sealed.record().state();
    let signed = sealed.seal().map_or(!state.is_all_public(), |seal| seal.signer == *key);
    given.match_id == game.id
        && which.check_record(sealed.record()).is_ok()
        && state.end().is_some()
        && signed
        && form.write(sealed.record(), sealed.seal()) == text
}
