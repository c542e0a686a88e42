//! Files in TOML, read so that every mistake in them is found at once, with its line.

mod mistake;
mod toml_text;

pub use mistake::{Mistake, read_or_complain};
pub use toml_text::{TomlText, member_path};
