//! The message that a server prints when it starts to listen.

use super::listening::BoundAddress;
use crate::{form::OutputFormat, screen};
use lastnim_arena::Arena;
use lastnim_core::referee::PublicKey;
use lastnim_report::words::count_with_noun;
use lastnim_store::{StoreUrl, Token};
use serde_json::json;
use std::io::{self, IsTerminal as _, Write as _};

/// Describes the open matches and tournaments that this server continues from its store.
fn continued_text(arena: &Arena) -> String {
    match (arena.open_tournament_count(), arena.open_match_count()) {
        (0, 0) => String::new(),
        (tournaments, matches) => format!(
            " (continuing {} and {})",
            count_with_noun(tournaments, "tournament", "tournaments"),
            count_with_noun(matches, "match", "matches")
        ),
    }
}

/// The message that a server prints when it starts to listen.
pub struct StartupMessage<'a> {
    /// The address of the server.
    pub address: &'a BoundAddress,
    /// Whether clients must use TLS.
    pub uses_tls: bool,
    /// Whether the server shows web pages.
    pub has_pages: bool,
    /// The store of the server.
    pub store: &'a StoreUrl,
    /// The key that signed the newest record, if it is not the one in use.
    pub former_key: Option<PublicKey>,
    /// The admin token, if it was generated.
    pub generated_token: Option<&'a Token>,
}

/// Prints the message, as text or as one line of JSON.
pub fn print_startup_message(opening: &StartupMessage, form: OutputFormat, arena: &Arena) -> io::Result<()> {
    let &StartupMessage { address, uses_tls, has_pages, store, former_key, generated_token } = opening;
    let mut out = screen::stdout();
    // Clients take an address without a scheme for one without TLS.
    let server = if uses_tls { format!("https://{address}") } else { address.to_string() };
    // Browsers cannot open a Unix socket.
    let pages = match address {
        BoundAddress::Port(_) if has_pages => {
            Some(format!("{}://{address}/", if uses_tls { "https" } else { "http" }))
        }
        BoundAddress::Port(_) | BoundAddress::Socket(_) => None,
    };
    let public_key = arena.public_key().to_string();
    if form == OutputFormat::Json {
        let mut line = json!({ "listening": server, "store": store.to_string(), "public_key": public_key });
        if let Some(pages) = pages {
            line["pages"] = pages.into();
        }
        if let Some(key) = former_key {
            line["former_public_key"] = key.to_string().into();
        }
        if let Some(token) = generated_token {
            line["admin_token"] = token.reveal().into();
        }
        writeln!(out, "{line}")?;
        return out.flush();
    }
    writeln!(out, "lastnim {} listens on {server}", env!("CARGO_PKG_VERSION"))?;
    if let Some(pages) = pages {
        writeln!(out, "pages: {pages}")?;
    }
    match store {
        StoreUrl::Memory => writeln!(out, "store: memory (all data is lost when the server stops)")?,
        _ => writeln!(out, "store: {store}{}", continued_text(arena))?,
    }
    writeln!(out, "public key: {public_key}")?;
    if let Some(key) = former_key {
        writeln!(
            out,
            "(the newest record in the store was signed by a different key, {key}: is --key right?)"
        )?;
    }
    if let Some(token) = generated_token {
        writeln!(out, "admin token: {}", token.reveal())?;
        writeln!(out, "(generated for this run; set LASTNIM_ADMIN_TOKEN to choose it)")?;
    }
    if io::stdout().is_terminal() {
        writeln!(
            out,
            "next, in another terminal: export LASTNIM_ADMIN_TOKEN=..., then `lastnim bot register alice`"
        )?;
        writeln!(out, "stop with Ctrl-C")?;
    }
    out.flush()
}
