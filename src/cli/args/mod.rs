//! Arguments that several subcommands share.

pub mod alliance;
pub mod format;
pub mod game;
pub mod limits;
pub mod settings;
pub mod shown_rows;
pub mod terms;
pub mod time;
