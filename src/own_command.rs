//! How this program is started, so that it can start itself again.

use std::{env, ffi::OsString};

/// The command that started this program. It is used to start the program again, for the house bots
/// that a tournament file names and for supervisors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommand {
    /// The name under which the program was invoked. Commands printed for people to copy start with it.
    pub name: String,
    /// The program to start and its first arguments, such as `python -m lastnim`.
    pub words: Vec<OsString>,
}

impl OwnCommand {
    /// Returns the command of this process.
    pub fn of_this_process() -> Self {
        let name = env::args_os().next().unwrap_or_else(|| "lastnim".into());
        let program = env::current_exe().map_or_else(|_| name.clone(), OsString::from);
        Self { name: name.to_string_lossy().into_owned(), words: vec![program] }
    }
}
