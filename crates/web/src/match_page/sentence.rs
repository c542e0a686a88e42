//! Sentences about seats, as text and as HTML.

use crate::seat_sign::seat_sign;
use askama::Template;
use lastnim_core::game::Seat;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::ordinal_word;

/// The names of the seats of a match: those of their bots.
#[derive(Debug, Clone)]
pub(crate) struct Seats {
    names: Vec<String>,
    /// The seat of the player, who is called "you".
    own: Option<usize>,
}

impl Seats {
    pub(crate) fn of_setup(setup: &pb::MatchSetup) -> Self {
        Self { names: setup.bots.clone(), own: None }
    }

    /// Changes the name of a seat to "you", for the player who has it.
    pub(crate) fn with_own_seat(mut self, seat: usize) -> Self {
        if let Some(name) = self.names.get_mut(seat) {
            "you".clone_into(name);
            self.own = Some(seat);
        }
        self
    }

    /// Returns the name of a seat; empty for an unknown one.
    pub(crate) fn name(&self, seat: usize) -> &str {
        self.names.get(seat).map(String::as_str).unwrap_or_default()
    }

    /// Returns the possessive word for a seat: "your" for the player's own seat, and "its" for others.
    pub(crate) fn possessive(&self, seat: usize) -> &'static str {
        if self.own == Some(seat) { "your" } else { "its" }
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SentencePart {
    Text(String),
    Strong(String),
    Seat(usize),
}

/// One or more sentences. In HTML, each seat's symbol precedes its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sentence(Vec<SentencePart>);

/// A part of a sentence, for its template.
struct PartView {
    /// The symbol of a seat; empty for other parts.
    sign: String,
    text: String,
    is_strong: bool,
}

#[derive(Template)]
#[template(path = "match/sentence.html")]
struct SentenceView {
    parts: Vec<PartView>,
}

impl Sentence {
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self::default().text(text)
    }

    #[must_use = "returns the longer sentence"]
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.with(SentencePart::Text(text.into()))
    }

    #[must_use = "returns the longer sentence"]
    pub(crate) fn strong(self, text: impl Into<String>) -> Self {
        self.with(SentencePart::Strong(text.into()))
    }

    #[must_use = "returns the longer sentence"]
    pub(crate) fn seat(self, seat: usize) -> Self {
        self.with(SentencePart::Seat(seat))
    }

    /// Appends seats with a text between them, and another one before the last.
    #[must_use = "returns the longer sentence"]
    pub(crate) fn seats(
        mut self,
        seats: impl IntoIterator<Item = Seat>,
        between: &str,
        before_last: &str,
    ) -> Self {
        let mut seats = seats.into_iter().enumerate().peekable();
        while let Some((place, seat)) = seats.next() {
            self = match place {
                0 => self,
                _ if seats.peek().is_none() => self.text(before_last),
                _ => self.text(between),
            };
            self = self.seat(seat.index());
        }
        self
    }

    /// Appends the sentences of another value.
    #[must_use = "returns the longer sentence"]
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn with(mut self, part: SentencePart) -> Self {
        self.0.push(part);
        self
    }

    /// Writes the sentences as text, without symbols.
    pub(crate) fn plain(&self, seats: &Seats) -> String {
        let texts = self.0.iter().map(|part| match part {
            SentencePart::Text(text) | SentencePart::Strong(text) => text,
            SentencePart::Seat(seat) => seats.name(*seat),
        });
        texts.collect()
    }

    pub(crate) fn html(&self, seats: &Seats) -> String {
        let parts = self.0.iter().map(|part| match part {
            SentencePart::Text(text) => {
                PartView { sign: String::new(), text: text.clone(), is_strong: false }
            }
            SentencePart::Strong(text) => {
                PartView { sign: String::new(), text: text.clone(), is_strong: true }
            }
            SentencePart::Seat(seat) => {
                PartView { sign: seat_sign(*seat), text: seats.name(*seat).to_owned(), is_strong: false }
            }
        });
        write_template(&SentenceView { parts: parts.collect() })
    }
}

/// Writes a place in a preference order as an ordinal, `1st` to `32nd`; `rank` counts from 0.
pub(crate) fn ordinal_text(rank: usize) -> String {
    ordinal_word(rank as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_escaped() {
        let setup = pb::MatchSetup { bots: vec!["<b>".into()], ..Default::default() };
        let seats = Seats::of_setup(&setup);
        let sentence = Sentence::default().seat(0).text(" took ").strong("1 & 2").text(".");
        assert_eq!(sentence.plain(&seats), "<b> took 1 & 2.");
        let html = sentence.html(&seats);
        assert!(html.ends_with("&#60;b&#62;</span> took <b>1 &#38; 2</b>."), "{html}");
    }

    #[test]
    fn the_first_choice_is_written_as_1st() {
        let places = [0, 1, 2, 3, 10, 11, 12, 20, 21, 31].map(ordinal_text);
        assert_eq!(places, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "32nd"]);
    }
}
