//! The `lastnim` program, run in this process.

use lastnim::{OwnCommand, run_as};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs a command line, whose first word is the program. `own` is the command that starts the program again, and `name` is
/// its name in messages. Returns the exit code.
#[pyfunction]
pub fn run_program(py: Python<'_>, own: Vec<OsString>, name: String, words: Vec<OsString>) -> u8 {
    py.detach(|| run_as(&OwnCommand { name, words: own }, words))
}
