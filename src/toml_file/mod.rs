//! Files in TOML, read so that every mistake in them is found at once, with its line.

mod mistake;
mod toml_text;

pub use mistake::{FileMistake, read_or_print_mistakes};
pub use toml_text::{TomlDocument, member_path};
