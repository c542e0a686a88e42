//! `lastnim completions`.

use crate::{CommandResult, Failure, exit::CommandExit, program_command, screen};
use clap::Args;
use clap_complete::{Shell, generate};
use std::io::Write as _;

/// Prints a script for shell completion
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim completions bash > ~/.local/share/bash-completion/completions/lastnim
  lastnim completions zsh > ~/.zfunc/_lastnim
  lastnim completions fish > ~/.config/fish/completions/lastnim.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut program_command(), "lastnim", &mut script);
    screen::stdout_document().write_all(&script).map_err(Failure::Output)?;
    Ok(CommandExit::Done)
}
