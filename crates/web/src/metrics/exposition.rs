//! The text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write as _};

pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics as text. Each is written once, with all its samples.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    text: String,
}

impl Exposition {
    /// Writes a gauge.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.sample(name, &[], value);
    }

    /// Writes a counter.
    pub(super) fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "counter");
        self.sample(name, &[], value);
    }

    /// Writes the header of a metric.
    pub(super) fn head(&mut self, name: &str, help: &str, kind: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes a sample of the current metric.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text += name;
        for (index, (label, text)) in labels.iter().enumerate() {
            self.text += if index == 0 { "{" } else { "," };
            let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
            let _ = write!(self.text, "{label}=\"{text}\"");
        }
        if !labels.is_empty() {
            self.text += "}";
        }
        let _ = writeln!(self.text, " {value}");
    }

    /// Returns the text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_written_with_their_labels() {
        let mut exposition = Exposition::default();
        exposition.gauge("sessions", "Open sessions.", 3);
        exposition.head("refused_total", "Refusals.", "counter");
        exposition.sample("refused_total", &[("code", "A"), ("reason", "a\"b\\c\nd")], 1.5);
        assert_eq!(
            exposition.into_text(),
            "# HELP sessions Open sessions.\n# TYPE sessions gauge\nsessions 3\n\
             # HELP refused_total Refusals.\n# TYPE refused_total counter\n\
             refused_total{code=\"A\",reason=\"a\\\"b\\\\c\\nd\"} 1.5\n"
        );
    }
}
