//! The reading of a file that gathers every mistake with its line.

use super::Mistake;
use crate::wire::Violation;
use std::{fmt, ops::Range};
use toml_edit::Document;

/// Where a field of the settings stands in the file.
#[derive(Debug)]
struct Place {
    field: String,
    line: usize,
    key: String,
}

/// A text that is being read, and what was found in it so far.
#[derive(Debug)]
pub struct Reading<'t> {
    text: &'t str,
    mistakes: Vec<Mistake>,
    places: Vec<Place>,
}

impl<'t> Reading<'t> {
    /// Begins to read a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, mistakes: Vec::new(), places: Vec::new() }
    }

    /// Parses the text; none if it is no TOML, which is reported.
    pub fn document(&mut self) -> Option<Document<&'t str>> {
        Document::parse(self.text)
            .map_err(|error| {
                let line = self.line(error.span().as_ref(), 1);
                self.report(line, format_args!("this is no TOML: {}", error.message()));
            })
            .ok()
    }

    /// Returns the line on which a span begins, from 1; `otherwise` for what has no place of its own.
    pub fn line(&self, span: Option<&Range<usize>>, otherwise: usize) -> usize {
        let before = span.and_then(|span| self.text.get(..span.start));
        before.map_or(otherwise, |before| 1 + before.matches('\n').count())
    }

    /// Returns what stands in a span, shortened to a line.
    pub fn written(&self, span: Option<Range<usize>>) -> String {
        const MOST: usize = 40;
        let text = span.and_then(|span| self.text.get(span)).unwrap_or_default();
        let words: Vec<_> = text.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}...", &line[..end]),
            None => line,
        }
    }

    /// Says what is wrong on a line.
    pub fn report(&mut self, line: usize, what: impl fmt::Display) {
        self.mistakes.push(Mistake { line, what: what.to_string() });
    }

    /// Remembers where a field of the settings stands, as which key.
    pub fn place(&mut self, field: impl Into<String>, line: usize, key: &str) {
        self.places.push(Place { field: field.into(), line, key: key.to_owned() });
    }

    /// Says what is wrong with a field of the settings, where it stands.
    pub fn report_field(&mut self, violation: &Violation) {
        let Violation { field, description } = violation;
        let around = self.places.iter().filter(|place| field.starts_with(&place.field));
        let (line, key) = match around.max_by_key(|place| place.field.len()) {
            Some(place) => (place.line, place.key.clone()),
            None => (1, field.rsplit('.').next().unwrap_or_default().to_owned()),
        };
        self.report(line, format_args!("{key}: {description}"));
    }

    /// Returns whether nothing is wrong so far.
    pub fn is_clean(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// What is wrong, from the top to the bottom, if anything is.
    pub fn finish(mut self) -> Result<(), Vec<Mistake>> {
        self.mistakes.sort_by_key(|mistake| mistake.line);
        if self.is_clean() { Ok(()) } else { Err(self.mistakes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_stands_on_the_line_of_its_field() {
        let mut reading = Reading::new("a = 1\nb = [\n 2,\n]\n");
        assert_eq!(reading.line(Some(&(6..7)), 9), 2);
        assert_eq!(reading.line(None, 9), 9);
        assert_eq!(reading.written(Some(10..17)), "[ 2, ]");
        reading.place("settings.b", 2, "b");
        reading.place("settings.b[0]", 3, "b[0]");
        let at = |field: &str| Violation { field: field.into(), description: "wrong".into() };
        reading.report_field(&at("settings.b[0].counters"));
        reading.report_field(&at("settings.b[1]"));
        reading.report_field(&at("settings.c"));
        let told: Vec<_> =
            reading.finish().unwrap_err().into_iter().map(|mistake| (mistake.line, mistake.what)).collect();
        assert_eq!(told, [(1, "c: wrong".into()), (2, "b: wrong".into()), (3, "b[0]: wrong".into())]);
    }
}
