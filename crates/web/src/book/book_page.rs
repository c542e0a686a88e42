//! The contents of the book, and its chapters, as pages.

use super::chapter::Chapter;
use super::markdown::{chapter_html, first_paragraph};
use crate::address::PageAddress;
use crate::page::Page;
use crate::page_content::PageContent;
use askama::Template;
use lastnim_report::render::write_template;
use serde_json::json;

/// The table of contents: the chapters of each part.
#[derive(Template)]
#[template(path = "book.html")]
struct Contents {
    parts: Vec<&'static [Chapter]>,
}

/// A chapter, and links to the chapters before and after it.
#[derive(Template)]
#[template(path = "chapter.html")]
struct ChapterPage {
    html: String,
    before: Option<&'static Chapter>,
    after: Option<&'static Chapter>,
}

fn chapter_address(chapter: &'static Chapter) -> PageAddress {
    PageAddress::Chapter { chapter }
}

/// Returns the page with the table of contents.
pub(crate) fn contents_page() -> PageContent {
    let chapters = Chapter::all().iter();
    let chapters = chapters
        .map(|chapter| json!({ "name": chapter.name(), "title": chapter.title, "part": chapter.part }));
    let json = json!({ "chapters": chapters.collect::<Vec<_>>() }).to_string();
    PageContent::of_json(json, |address| {
        let parts = Chapter::all().chunk_by(|one, next| one.part == next.part).collect();
        let html = write_template(&Contents { parts });
        let summary = "How to write bots, run tournaments and read audits with lastnim";
        Ok(Page::of_html(address, "Docs".into(), html).with_summary(summary))
    })
}

/// Returns the page of a chapter.
pub(crate) fn chapter_content(chapter: &'static Chapter) -> PageContent {
    let Chapter { title, part, markdown, .. } = chapter;
    let json =
        json!({ "name": chapter.name(), "title": title, "part": part, "markdown": markdown }).to_string();
    PageContent::of_json(json, move |address| {
        let (before, after) = chapter.neighbours();
        let html = write_template(&ChapterPage { html: chapter_html(chapter), before, after });
        Ok(Page::of_html(address, chapter.title.into(), html).with_summary(first_paragraph(chapter.markdown)))
    })
}
