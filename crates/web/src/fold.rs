//! A part of a page that is folded at first.

use askama::Template;
use lastnim_report::render::write_template;

#[derive(Template)]
#[template(path = "fold.html")]
struct Fold<'a> {
    summary: &'a str,
    content: String,
}

/// Writes HTML that a visitor unfolds below a summary.
pub(super) fn folded_html(summary: &str, content: String) -> String {
    write_template(&Fold { summary, content })
}
