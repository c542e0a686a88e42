//! The live server over real sockets, by somebody who wants to break it.
//!
//! Every test starts a server of its own on a free port. None sleeps: each waits for what is to happen, with a limit of
//! time that is met only when something is wrong.

mod access;
mod activity;
mod bot_hands;
mod bot_tournaments_pages;
mod bots;
mod browser;
mod closed_oracle;
mod compression;
mod crowds;
mod event_source;
mod exhibitions;
mod foreign_protocols;
mod formats;
mod history;
mod host;
mod hostile;
#[path = "../hostile_bot/mod.rs"]
mod hostile_bot;
mod http2;
mod joining;
mod kept_pages;
mod ladder;
mod line;
mod live_pages;
mod logins;
mod manifest;
mod memory;
mod metrics;
mod missed_ends;
mod note_hashes;
mod oracle;
mod oracle_batches;
mod oracle_bots;
mod oracle_bounds;
mod oracle_hostile;
mod organise_pages;
mod organise_sign_in;
mod organising;
mod page_markup;
mod pages;
mod pages_hostile;
mod pages_injections;
mod play_limits;
mod play_pages;
mod practice;
mod proxy;
mod raw;
mod reads;
mod reference_bots;
mod refusals;
mod registering;
mod secrecy;
mod signed_in_pages;
mod sizes;
mod stopping;
mod strangers;
mod tournaments;
mod transcripts;
mod traps;
mod vanish;
mod versions;
mod views_pages;
mod watching;
