//! The log, on standard error.

use crate::{log_limiter::LogLimiter, screen};
use std::{
    env, fmt,
    io::{self, IsTerminal as _},
    str::FromStr,
};
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    fmt::layer,
    prelude::*,
};

/// The variable that sets only lastnim's log filter; it takes precedence over [`COMMON_VARIABLE`]. A server refuses to
/// start if the value is invalid.
const OWN_VARIABLE: &str = "LASTNIM_LOG";
/// The variable that sets the log filter of many Rust programs; invalid parts of its value are ignored.
const COMMON_VARIABLE: &str = "RUST_LOG";

/// The default filter of a server: events of lastnim's crates from level info, and warnings of other crates.
const SERVER_FILTER: &str = "warn,lastnim=info";

/// The filter of the log: a level, or levels for modules, in the syntax of tracing's `Targets`, such as `debug` or
/// `warn,lastnim_arena=debug`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogFilter(String);

/// The format of an event in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// As a line of text for people.
    #[default]
    Text,
    /// As a line with one JSON object.
    Json,
}

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `Targets` interprets any single word as a module that is logged completely.
        let is_unknown = |word: &&str| {
            !word.contains(['=', '[']) && !word.starts_with("lastnim") && word.parse::<LevelFilter>().is_err()
        };
        let words = text.split(',').filter(|word| !word.is_empty());
        let wrong = match words.clone().find(is_unknown) {
            Some(word) => Some(format!("{word:?} is not a level")),
            None => text.parse::<Targets>().err().map(|error| error.to_string()),
        };
        match wrong {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(format!(
                "{text:?} is not a log filter ({why}): expected error, warn, info, debug, trace or off, or levels by module, \
                 such as warn,lastnim_arena=debug"
            )),
        }
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("log format {word:?}: expected text or json")),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// Starts the log of a command. It contains warnings, unless the environment sets another filter.
pub fn start_command_log() {
    let own = env::var(OWN_VARIABLE).ok().filter(|filter| !filter.is_empty());
    start_log(own.as_deref(), "warn", LogFormat::Text);
}

/// Starts the log of a server, with the given filter, that of `RUST_LOG`, or [`SERVER_FILTER`], whichever exists first.
pub fn start_server_log(given: Option<&LogFilter>, format: LogFormat) {
    start_log(given.map(|filter| filter.0.as_str()), SERVER_FILTER, format);
}

fn start_log(given: Option<&str>, default: &str, format: LogFormat) {
    let common = env::var(COMMON_VARIABLE).ok().filter(|filter| !filter.is_empty());
    let filter = given.or(common.as_deref()).unwrap_or(default);
    let log = tracing_subscriber::registry().with(read_targets(filter));
    let layer = layer().with_writer(screen::log_output);
    let limiter = LogLimiter::default();
    let lines = limiter.clone();
    match format {
        LogFormat::Text => {
            log.with(layer.with_ansi(io::stderr().is_terminal()).with_filter(lines)).init();
        }
        LogFormat::Json => log.with(layer.json().flatten_event(true).with_filter(lines)).init(),
    }
    if let Err(error) = limiter.start_summaries() {
        tracing::warn!(%error, "cannot start the thread that counts dropped log lines: they will not be counted");
    }
}

/// Reads a filter and ignores invalid directives, because `RUST_LOG` may be meant for other programs.
fn read_targets(filter: &str) -> Targets {
    let known = filter.split(',').filter(|words| words.parse::<Targets>().is_ok());
    let targets: Targets = known.collect::<Vec<_>>().join(",").parse().unwrap_or_default();
    let others = targets.default_level().unwrap_or(LevelFilter::WARN);
    targets.with_default(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn a_filter_is_levels_or_levels_by_module() {
        for fits in ["", "off", "DEBUG", "warn,lastnim_arena=debug", "lastnim", "sqlx=info,lastnim_rpc=off"] {
            assert_eq!(fits.parse::<LogFilter>().unwrap().to_string(), fits);
        }
        for (wrong, why) in [
            ("loud", "\"loud\" is not a level"),
            ("info,debgu", "\"debgu\" is not a level"),
            ("a=b", "level filter"),
        ] {
            let refused = wrong.parse::<LogFilter>().unwrap_err();
            assert!(refused.contains(why) && refused.contains("expected error, warn"), "{refused}");
        }
    }

    #[test]
    fn filters_for_other_programs_are_ignored() {
        let targets = read_targets("a=b,other[{span}]=trace,lastnim=debug");
        assert!(targets.would_enable("lastnim_arena", &Level::DEBUG));
        assert!(targets.would_enable("hyper", &Level::WARN) && !targets.would_enable("hyper", &Level::INFO));
    }
}
