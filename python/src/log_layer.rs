//! What the SDK logs, for Python's logging.

use crate::bot_link::BotLink;
use serde_json::json;
use std::{
    fmt::{self, Write as _},
    sync::Arc,
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::layer::{Context, Layer};

/// What is logged of a bot that cannot go on: the package says it itself, with its traceback.
const ANSWERS: &str = "lastnim_client::bot_tasks";

/// Sends events to Python: all of lastnim, and of the crates below it what is wrong.
pub struct LogLayer(pub Arc<BotLink>);

impl<S: Subscriber> Layer<S> for LogLayer {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let most = if metadata.target().starts_with("lastnim") { Level::DEBUG } else { Level::WARN };
        *metadata.level() <= most && metadata.target() != ANSWERS
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut words = EventWords::default();
        event.record(&mut words);
        let (metadata, EventWords { message, fields }) = (event.metadata(), words);
        // The numbers of the levels of Python.
        let level = match *metadata.level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            Level::DEBUG | Level::TRACE => 10,
        };
        // The crates are `lastnim_client` and the like: loggers below `lastnim`.
        let logger = metadata.target().replacen("lastnim_", "lastnim.", 1).replace("::", ".");
        self.0.tell("log", 0, json!({ "level": level, "logger": logger, "message": message + &fields }));
    }
}

/// The message of an event, and its fields behind it.
#[derive(Default)]
struct EventWords {
    message: String,
    fields: String,
}

impl Visit for EventWords {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a text does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
