//! The frame of all pages.

use super::address::{PageAddress, PageForm};
use super::sign_in::SignedIn;
use super::visitor::Visitor;
use askama::Template;
use lastnim_report::render::{Html, write_template};
use std::fmt::Display;

/// A page: the common frame around its content.
#[derive(Debug, Template)]
#[template(path = "page.html")]
pub(super) struct Page {
    /// The title.
    pub title: String,
    /// The heading as HTML, if it is more than the title; otherwise empty.
    pub heading: String,
    /// A summary in one sentence, for link previews.
    pub summary: String,
    /// The public address; empty if the server does not know it.
    pub url: String,
    /// The address of the page as JSON; may be empty.
    pub json: String,
    /// The address of its tables as CSV; may be empty.
    pub csv: String,
    /// Who is signed in, if anyone.
    pub signed_in: Option<SignedIn>,
    pub content: String,
}

impl Page {
    /// Creates a page of HTML.
    pub(super) fn of_html(address: &PageAddress, title: String, content: String) -> Self {
        let json = address.in_form(PageForm::Json);
        Self { json, ..Self::html_only(title, content) }
    }

    /// Creates a page without JSON or CSV.
    pub(super) fn html_only(title: impl Into<String>, content: String) -> Self {
        let (heading, summary, json, csv) = Default::default();
        let (title, url, signed_in) = (title.into(), String::new(), None);
        Self { title, heading, summary, url, json, csv, signed_in, content }
    }

    /// Creates a page from a template, without JSON or CSV.
    pub(super) fn of_template(title: impl Into<String>, content: &impl Template) -> Self {
        Self::html_only(title, write_template(content))
    }

    /// Creates an error page.
    pub(super) fn of_error(title: &str, why: &str) -> Self {
        let section = lastnim_report::Section::new().paragraph(why);
        let content = Html::with_links(&|_, _| None).section_html(&section)
            + &link_paragraph(&PageAddress::Home, "", "Home");
        Self::html_only(title, content).with_summary(why)
    }

    /// Adds who is signed in.
    #[must_use = "returns the changed page"]
    pub(super) fn seen_by(self, visitor: &Visitor) -> Self {
        Self { signed_in: visitor.signed_in().cloned(), ..self }
    }

    /// Adds a summary.
    #[must_use = "returns the changed page"]
    pub(super) fn with_summary(self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self }
    }

    /// Adds a heading as HTML, which live updates can change.
    #[must_use = "returns the changed page"]
    pub(super) fn with_heading(self, heading: String) -> Self {
        Self { heading, ..self }
    }

    /// Adds the public address.
    #[must_use = "returns the changed page"]
    pub(super) fn with_url(self, url: String) -> Self {
        Self { url, ..self }
    }

    /// Adds the link to CSV.
    #[must_use = "returns the changed page"]
    pub(super) fn with_csv(self, address: &PageAddress) -> Self {
        Self { csv: address.in_form(PageForm::Csv), ..self }
    }

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

/// Writes a link as a paragraph.
pub(super) fn link_paragraph(address: &impl Display, rel: &str, words: &str) -> String {
    write_template(&LinkParagraph { address, rel, words })
}
