//! The `lastnim` program; see [`lastnim::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    lastnim::cli::main()
}
