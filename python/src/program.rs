//! The program `lastnim`, run in this process.

use lastnim::{OwnCommand, run_as};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program on the words of a command line, the first of which is the program; `own` are the words that start it again, and
/// `name` is what it is called in lines to copy. Returns its exit code.
#[pyfunction]
pub fn run_program(py: Python<'_>, own: Vec<OsString>, name: String, words: Vec<OsString>) -> u8 {
    py.detach(|| run_as(&OwnCommand { name, words: own }, words))
}
