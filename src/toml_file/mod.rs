//! Reads TOML files, and reports all mistakes in a file at once, each with its line.

mod mistake;
mod toml_text;

pub use mistake::{FileMistake, read_or_print_mistakes};
pub use toml_text::{TomlDocument, member_path};
