//! The frame of all pictures: a sentence on the left, a drawing on the right.

use super::text_fit::{fitted_size, wrapped_lines};
use crate::seat_sign::coloured_seat_sign;
use askama::Template;
use lastnim_report::render::write_template;
use tonic::Status;

/// The size of a picture, in pixels, as recommended for link previews.
pub(crate) const PICTURE_WIDTH: u32 = 1200;
pub(crate) const PICTURE_HEIGHT: u32 = 630;
/// The width of the text.
const TEXT_WIDTH: f64 = 520.0;
/// The font size of the sentence, in pixels.
const LINE_SIZE: f64 = 32.0;
/// The maximum number of lines of the sentence above a drawing; without one, twice as many fit.
const MAX_LINES: usize = 5;

/// The colours of pictures: those of the light style sheet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PictureColour;

impl PictureColour {
    pub(crate) const INK: &str = "#1b1f24";
    pub(crate) const SOFT: &str = "#565e68";
    pub(crate) const LINE: &str = "#d5d9de";
    pub(crate) const GOOD: &str = "#17694a";
    pub(crate) const ERROR: &str = "#b0132f";
    pub(crate) const EDGE: &str = "#7b837a";
    pub(crate) const STONE: &str = "#4b545a";
    pub(crate) const STONE_WAIT: &str = "#a9b1ae";
}

/// Creates the contents of a picture, which may take long.
pub(crate) type DrawPicture = Box<dyn FnOnce() -> Result<Picture, Status> + Send>;

/// A picture, before it is drawn.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    /// The headline: who won or leads.
    pub headline: String,
    /// The seat that the headline names, whose symbol is drawn with it.
    pub seat: Option<usize>,
    /// The text after the headline.
    pub sentence: String,
    /// SVG below the sentence, from y = 400 to y = 530.
    pub below: String,
    /// SVG on the right, from x = 640 on.
    pub drawing: String,
    /// The title of the tournament; may be empty.
    pub title: String,
}

#[derive(Template)]
#[template(path = "picture/frame.svg")]
struct Frame<'a> {
    picture: &'a Picture,
    sign: String,
    headline_x: f64,
    headline_size: f64,
    lines: Vec<(f64, String)>,
    footer: String,
    footer_size: f64,
}

impl Picture {
    /// Writes it as SVG.
    pub(crate) fn svg(&self) -> String {
        let sign = self.seat.map(|seat| coloured_seat_sign(seat, 60.0, 72.0, 56.0)).unwrap_or_default();
        let headline_x = if self.seat.is_some() { 132.0 } else { 60.0 };
        let max_lines = if self.below.is_empty() { 2 * MAX_LINES } else { MAX_LINES };
        let lines = wrapped_lines(&self.sentence, LINE_SIZE, TEXT_WIDTH, max_lines);
        let y = (0..).map(|line| f64::from(line) * 44.0 + 186.0);
        let footer =
            if self.title.is_empty() { "lastnim".to_owned() } else { format!("lastnim · {}", self.title) };
        let svg = write_template(&Frame {
            picture: self,
            sign,
            headline_x,
            headline_size: fitted_size(&self.headline, 64.0, 60.0 + TEXT_WIDTH - headline_x),
            lines: y.zip(lines).collect(),
            footer_size: fitted_size(&footer, 26.0, TEXT_WIDTH - 52.0),
            footer,
        });
        xml_text(&svg)
    }
}

/// Replaces characters that XML does not allow.
pub(crate) fn xml_text(text: &str) -> String {
    let is_allowed = |character: char| matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|character| if is_allowed(character) { character } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_agree_with_the_style_sheet() {
        let style = include_str!("../assets/style.css");
        for (name, colour) in [
            ("text", PictureColour::INK),
            ("soft", PictureColour::SOFT),
            ("line", PictureColour::LINE),
            ("good", PictureColour::GOOD),
            ("error", PictureColour::ERROR),
            ("edge", PictureColour::EDGE),
            ("stone", PictureColour::STONE),
            ("stone-wait", PictureColour::STONE_WAIT),
        ] {
            assert!(style.contains(&format!("--{name}: {colour};")), "{name}");
        }
    }

    #[test]
    fn characters_that_xml_forbids_are_replaced() {
        let picture = Picture { headline: "a\u{0}\u{1b}\u{fffe}<b>".to_owned(), ..Picture::default() };
        let svg = picture.svg();
        assert!(svg.contains("a\u{fffd}\u{fffd}\u{fffd}&#60;b&#62;"), "{svg}");
    }
}
