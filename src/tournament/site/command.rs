//! The flags of `lastnim tournament export-site`, and its report.

use super::{
    places::MANIFEST_FILE,
    site_export::{SiteCounts, SiteExport},
};
use crate::{
    Failure, form::OutputFormat, new_folder::AtomicFolder, remote::RemoteServer,
    tournament::named::TournamentArg,
};
use clap::{Args, ValueEnum};
use lastnim_report::words::count_with_noun;
use serde_json::json;
use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

/// The flags of `lastnim tournament export-site`.
#[derive(Debug, Args)]
pub struct ExportSiteArgs {
    #[command(flatten)]
    pub named: TournamentArg,
    /// The folder of the site, which must be empty or missing
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The matches that get a page; with `none` their records are left out too
    #[arg(long, value_enum, default_value_t = SiteMatches::All)]
    matches: SiteMatches,
    /// Replaces the site that an earlier export wrote into the folder
    #[arg(long)]
    force: bool,
}

/// The matches that get a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SiteMatches {
    /// No match
    None,
    /// Matches that errors decided: optimal play would have made another seat win
    Decisive,
    /// Every match
    All,
}

/// Writes the site of a tournament that is over.
pub async fn export_site(
    remote: &RemoteServer,
    args: &ExportSiteArgs,
    form: OutputFormat,
) -> Result<(), Failure> {
    let id = args.named.id.to_string().parse().map_err(Failure::input)?;
    check_destination(&args.dir, args.force)?;
    let folder = AtomicFolder::create(&args.dir)?;
    let counts = SiteExport::new(remote, &folder, id, args.matches).await?.write_site().await?;
    folder.finish()?;
    print_summary(&args.dir, counts, form)
}

/// Checks that the folder may be written, or replaced with `--force`.
fn check_destination(dir: &Path, force: bool) -> Result<(), Failure> {
    let shown = dir.display();
    let mut entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::runtime(error, shown)),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    if !dir.join(MANIFEST_FILE).is_file() || !dir.join("index.html").is_file() {
        return Err(Failure::input(format!(
            "{shown}: this folder has files that no export wrote: name a folder that is empty or missing"
        )));
    }
    if force {
        return Ok(());
    }
    Err(Failure::input(format!("{shown}: this folder already has a site: --force replaces it")))
}

fn print_summary(dir: &Path, counts: SiteCounts, form: OutputFormat) -> Result<(), Failure> {
    let dir = dir.display();
    let json = || {
        json!({
            "dir": dir.to_string(),
            "files": counts.files,
            "bytes": counts.bytes,
            "matches": counts.matches,
            "without_record": counts.without_record,
        })
    };
    form.print_result(json, |output| {
        let files = count_with_noun(counts.files, "file", "files");
        let pages = count_with_noun(counts.matches, "match", "matches");
        let size = counts.bytes.div_ceil(1 << 10);
        writeln!(output, "{dir}: {files}, {size} KiB, pages of {pages}")?;
        if counts.without_record > 0 {
            let matches = count_with_noun(counts.without_record, "match", "matches");
            writeln!(output, "left out, because the server no longer has the record: {matches}")?;
        }
        writeln!(output, "verify it: lastnim record verify {dir}")
    })
}
