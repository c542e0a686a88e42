//! How this program is started, so that it can start itself again.

use std::{env, ffi::OsString};

/// How this program was called, and what starts it again: house bots of files and supervisors are this program as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommand {
    /// The program as it was called, for lines that can be copied.
    pub name: String,
    /// The program to start, and the first of its arguments: `python -m lastnim` where the program is part of another one.
    pub words: Vec<OsString>,
}

impl OwnCommand {
    /// Returns how this process was started, which is the program itself.
    pub fn of_this_process() -> Self {
        let name = env::args_os().next().unwrap_or_else(|| "lastnim".into());
        let program = env::current_exe().map_or_else(|_| name.clone(), OsString::from);
        Self { name: name.to_string_lossy().into_owned(), words: vec![program] }
    }
}
