//! A page as a whole.

use super::address::{PageAddress, PageForm};
use super::sign_in::SignedIn;
use super::visitor::Visitor;
use askama::Template;
use lastnim_report::render::{Html, write_template};
use std::fmt::Display;

/// A page: what all of them have, around what is its own.
#[derive(Debug, Template)]
#[template(path = "page.html")]
pub(super) struct Page {
    /// What it is called, in tabs and where it is linked.
    pub title: String,
    /// What it says in a sentence, where it is linked.
    pub summary: String,
    /// The address by which the world knows it; empty if the server was not told.
    pub url: String,
    /// The same for programs; empty if there is none.
    pub json: String,
    /// Its tables as CSV; empty if there is none.
    pub csv: String,
    /// As whom its visitor is signed in, if it is.
    pub signed_in: Option<SignedIn>,
    /// What is its own.
    pub content: String,
}

impl Page {
    /// Makes a page of what is written already.
    pub(super) fn of_html(address: &PageAddress, title: String, content: String) -> Self {
        let json = address.in_form(PageForm::Json);
        Self { json, ..Self::without_twins(title, content) }
    }

    /// Makes a page that is for people alone.
    pub(super) fn without_twins(title: impl Into<String>, content: String) -> Self {
        let (summary, json, csv) = Default::default();
        Self { title: title.into(), summary, url: String::new(), json, csv, signed_in: None, content }
    }

    /// Makes a page that is for people alone, of a template.
    pub(super) fn of_template(title: impl Into<String>, content: &impl Template) -> Self {
        Self::without_twins(title, write_template(content))
    }

    /// Makes a page that says why there is no other.
    pub(super) fn of_error(title: &str, why: &str) -> Self {
        let section = lastnim_report::Section::new().paragraph(why);
        let content = Html::with_links(&|_, _| None).section_html(&section)
            + &link_paragraph(&PageAddress::Home, "", "To the first page");
        Self::without_twins(title, content).with_summary(why)
    }

    /// Says as whom its visitor is signed in.
    #[must_use = "it is the page with the way out"]
    pub(super) fn seen_by(self, visitor: &Visitor) -> Self {
        Self { signed_in: visitor.signed_in().cloned(), ..self }
    }

    /// Says what it says in a sentence.
    #[must_use = "it is the page with the sentence"]
    pub(super) fn with_summary(self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self }
    }

    /// Says by which address the world knows it.
    #[must_use = "it is the page with the address"]
    pub(super) fn with_url(self, url: String) -> Self {
        Self { url, ..self }
    }

    /// Says that its tables are there as CSV.
    #[must_use = "it is the page with the link"]
    pub(super) fn with_csv(self, address: &PageAddress) -> Self {
        Self { csv: address.in_form(PageForm::Csv), ..self }
    }

    /// Writes it.
    pub(super) fn html(&self) -> String {
        write_template(self)
    }
}

#[derive(Template)]
#[template(path = "link_paragraph.html")]
struct LinkParagraph<'a, A: Display> {
    address: &'a A,
    rel: &'a str,
    words: &'a str,
}

/// Writes a paragraph that is a link.
pub(super) fn link_paragraph(address: &impl Display, rel: &str, words: &str) -> String {
    write_template(&LinkParagraph { address, rel, words })
}
