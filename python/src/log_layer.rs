//! Passes log events of the SDK to Python's logging.

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

/// The target of the SDK's log events about failing bots. They are dropped, because the package logs these failures itself,
/// with tracebacks.
const FAILURE_LOG_TARGET: &str = "lastnim_client::bot_tasks";

/// Sends log events to Python: all events of lastnim's crates, and the warnings of other crates.
pub struct LogLayer(pub Arc<BotLink>);

impl<S: Subscriber> Layer<S> for LogLayer {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let max_level = if metadata.target().starts_with("lastnim") { Level::DEBUG } else { Level::WARN };
        *metadata.level() <= max_level && metadata.target() != FAILURE_LOG_TARGET
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = EventText::default();
        event.record(&mut text);
        let (metadata, EventText { message, fields }) = (event.metadata(), text);
        // These are the numeric levels of Python's logging.
        let level = match *metadata.level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            Level::DEBUG | Level::TRACE => 10,
        };
        // The targets are `lastnim_client` and so on, and become loggers below `lastnim`.
        let logger = metadata.target().replacen("lastnim_", "lastnim.", 1).replace("::", ".");
        self.0.notices.push_log(json!({ "level": level, "logger": logger, "message": message + &fields }));
    }
}

/// The message of an event, followed by its fields.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a `String` cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
