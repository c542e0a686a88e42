//! How a command ends.

use std::{fmt, io, process::ExitCode};

/// How a command ended that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is done; exit code 0.
    Done,
    /// A batch was answered, but some of its lines were refused; exit code 3.
    SomeRefused,
    /// Mistakes were found in a file and are listed; exit code 2.
    Mistakes,
    /// There was no command, so that the help was shown; exit code 2.
    NoCommand,
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// Something went wrong at run time, such as a file that cannot be read; exit code 1.
    Runtime(anyhow::Error),
    /// The command line or the input is not as it should be; exit code 2.
    Input(anyhow::Error),
    /// Standard output could not be written; exit code 1, or 0 when the reader had closed it, as `head` does.
    Output(io::Error),
}

/// What a command comes to.
pub type Outcome = Result<Exit, Failure>;

impl Failure {
    /// Makes a failure of a run, with the thing that it happened to.
    pub fn runtime(error: impl Into<anyhow::Error>, what: impl fmt::Display) -> Self {
        Self::Runtime(error.into().context(what.to_string()))
    }

    /// Makes a failure of what the user gave.
    pub fn input(error: impl fmt::Display) -> Self {
        Self::Input(anyhow::Error::msg(error.to_string()))
    }
}

impl fmt::Display for Failure {
    /// Writes what happened and why, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Runtime(error) | Self::Input(error) => format!("{error:#}"),
            Self::Output(error) => format!("standard output: {error}"),
        };
        let words: Vec<_> = text.split_whitespace().collect();
        f.write_str(&words.join(" "))
    }
}

/// Reports a failure, and turns an outcome into the exit code of the program.
pub(super) fn report(outcome: Outcome) -> ExitCode {
    let failure = match outcome {
        Ok(Exit::Done) => return ExitCode::SUCCESS,
        Ok(Exit::SomeRefused) => return ExitCode::from(3),
        Ok(Exit::Mistakes | Exit::NoCommand) => return ExitCode::from(2),
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(failure) => failure,
    };
    // The exit code tells as well, should standard error be closed.
    let _ = writeln(&failure);
    match failure {
        Failure::Runtime(_) | Failure::Output(_) => ExitCode::from(1),
        Failure::Input(_) => ExitCode::from(2),
    }
}

fn writeln(failure: &Failure) -> io::Result<()> {
    use io::Write as _;
    writeln!(io::stderr().lock(), "error: {failure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line() {
        let failure = Failure::input("required:\n  --piles <PILES>\n");
        assert_eq!(failure.to_string(), "required: --piles <PILES>");
        let failure = Failure::runtime(io::Error::other("gone"), "game.json");
        assert_eq!(failure.to_string(), "game.json: gone");
    }
}
