//! `lastnim tournament`: tournaments on a server, and tournaments played from a file.

mod command;
mod entry_code;
mod intervention;
mod manifest;
mod named;
mod resolution_hint;
mod site;
mod watch;

pub use command::{TournamentArgs, run};
pub use site::{MANIFEST_FILE, RECORDS_FOLDER};
