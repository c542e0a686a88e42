//! The book of `docs/`: its generated blocks agree with the program, and its links lead somewhere.
//!
//! `LASTNIM_WRITE_BOOK=1 cargo test --test book` writes the blocks again.

mod blocks;
mod links;
mod metrics;
mod protocol;
mod tournament_settings;

use std::path::Path;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn commands_are_up_to_date() {
    blocks::check("commands", &lastnim::reference::commands_page());
}

#[test]
fn server_settings_are_up_to_date() {
    blocks::check("server-settings", &lastnim::reference::server_settings_table());
}

#[test]
fn tournament_settings_are_up_to_date() {
    blocks::check("tournament-settings", &tournament_settings::tables());
}

#[test]
fn protocol_messages_are_up_to_date() {
    blocks::check("protocol-messages", &protocol::messages());
}

#[test]
fn metrics_are_up_to_date() {
    blocks::check("metrics", &metrics::table());
}
