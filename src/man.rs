//! `lastnim man`.

use crate::{
    CommandResult, Failure,
    exit::CommandExit,
    form::FormatArgs,
    new_file::{AtomicFile, create_folder},
    program_command,
};
use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Writes manual pages for all commands
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim man man1; man ./man1/lastnim-serve.1
  lastnim man /usr/local/share/man/man1")]
pub struct ManArgs {
    /// The folder, created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    form: FormatArgs,
}

pub fn run(args: &ManArgs) -> CommandResult {
    create_folder(&args.folder)?;
    let mut pages = Vec::new();
    write_pages(&program_command(), &args.folder, &mut pages)?;
    let folder = args.folder.display();
    args.form.form().print_result(
        || json!({ "folder": folder.to_string(), "pages": pages }),
        |output| writeln!(output, "{} pages in {folder}", pages.len()),
    )?;
    Ok(CommandExit::Done)
}

/// Writes the pages of a command and its subcommands, and adds the names of the pages to `pages`.
fn write_pages(command: &Command, folder: &Path, pages: &mut Vec<String>) -> Result<(), Failure> {
    let man = Man::new(command.clone());
    let (name, mut page) = (man.get_filename(), Vec::new());
    let path = folder.join(&name);
    let failure = |error: io::Error| Failure::runtime(error, path.display());
    man.render(&mut page).map_err(failure)?;
    let mut file = AtomicFile::create(&path)?;
    file.write_all(&page).map_err(failure)?;
    file.finish()?;
    pages.push(name);
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown.into_iter().try_for_each(|inner| write_pages(inner, folder, pages))
}
