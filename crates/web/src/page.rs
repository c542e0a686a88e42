//! The common frame of all pages.

use super::address::{PageAddress, PageFormat};
use super::asset::asset_address;
use super::picture::{PICTURE_HEIGHT, PICTURE_WIDTH};
use super::public_url::PublicUrl;
use super::refusal_words::refusal_sentence;
use super::sign_in::SignedIn;
use super::trail::Crumb;
use super::visitor::Visitor;
use askama::Template;
use lastnim_report::render::{Html, text_html, write_template};
use std::fmt::Display;

/// The default summary of a page.
const SITE_SUMMARY: &str =
    "A tournament server for bots that play multi-player Last Nim, scored by an exact oracle";

/// The parts of a page that other sites can show.
#[derive(Debug)]
pub(super) struct Share {
    /// The HTML tag that shows the page in a frame.
    pub tag: String,
    /// The address of the picture as SVG.
    pub svg: String,
    /// The address of the picture as PNG.
    pub png: String,
}

/// A page: the common frame around its content.
#[derive(Debug, Template)]
#[template(path = "page.html")]
pub(super) struct Page {
    /// The title.
    pub title: String,
    /// The heading as HTML, if it is more than the title; otherwise empty.
    pub heading: String,
    /// A summary in one sentence, for search engines and link previews.
    pub summary: String,
    /// The pages above it, the outermost first.
    pub trail: Vec<Crumb>,
    /// The public address; empty if the server does not know it.
    pub url: String,
    /// The public address of its picture; may be empty.
    pub picture: String,
    /// The address of the news feed for this page; may be empty.
    pub news: String,
    /// The parts that other sites can show.
    pub share: Option<Share>,
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
        let json = address.in_format(PageFormat::Json);
        Self { json, ..Self::html_only(title, content) }
    }

    /// Creates a page without JSON or CSV.
    pub(super) fn html_only(title: impl Into<String>, content: String) -> Self {
        let (heading, url, picture, news, share) = Default::default();
        let (trail, json, csv) = Default::default();
        let (title, summary, signed_in) = (title.into(), SITE_SUMMARY.to_owned(), None);
        Self { title, heading, summary, trail, url, picture, news, share, json, csv, signed_in, content }
    }

    /// Creates a page with a summary from a template, without JSON or CSV.
    pub(super) fn of_template(
        title: impl Into<String>,
        summary: impl Into<String>,
        content: &impl Template,
    ) -> Self {
        Self::html_only(title, write_template(content)).with_summary(summary)
    }

    /// Creates an error page.
    pub(super) fn of_error(title: &str, why: &str) -> Self {
        let why = refusal_sentence(why);
        let section = lastnim_report::Section::new().paragraph(why.as_str());
        let content = Html::with_links(&|_, _| None).section_html(&section)
            + &link_paragraph(&PageAddress::Home, "", "Home");
        Self::html_only(title, content).with_summary(why)
    }

    /// Adds who is signed in.
    #[must_use = "returns the changed page"]
    pub(super) fn with_visitor(self, visitor: &Visitor) -> Self {
        Self { signed_in: visitor.signed_in().cloned(), ..self }
    }

    /// Adds a summary.
    #[must_use = "returns the changed page"]
    pub(super) fn with_summary(self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self }
    }

    /// Adds the pages above it, the outermost first.
    #[must_use = "returns the changed page"]
    pub(super) fn with_trail(self, trail: Vec<Crumb>) -> Self {
        Self { trail, ..self }
    }

    /// Returns its title, followed by the title of the page above it unless that is a list.
    fn full_title(&self) -> String {
        match self.trail.as_slice() {
            [_, .., above] => format!("{} - {}", self.title, above.title),
            _ => self.title.clone(),
        }
    }

    /// Adds a heading as HTML, which live updates can change.
    #[must_use = "returns the changed page"]
    pub(super) fn with_heading(self, heading: String) -> Self {
        Self { heading, ..self }
    }

    /// Adds the public address, the picture, the news feed and the frame of the page at an address.
    #[must_use = "returns the changed page"]
    pub(super) fn with_share_links(self, address: &PageAddress, site: Option<&PublicUrl>) -> Self {
        let public = |path: String| site.map(|site| format!("{site}{path}")).unwrap_or_default();
        let embedded = address.embedded_page();
        // Each ply has a picture, but link previews show the same one for all of them.
        let whole = embedded.as_ref().and_then(PageAddress::whole_page);
        let picture = whole.map(|whole| public(whole.in_format(PageFormat::Png))).unwrap_or_default();
        let share = embedded.map(|embedded| Share {
            tag: embed_tag(&format!("{}{embedded}", public(String::new())), &self.title),
            svg: address.in_format(PageFormat::Svg),
            png: address.in_format(PageFormat::Png),
        });
        let news = address.news_page().map(|page| page.in_format(PageFormat::Atom)).unwrap_or_default();
        Self { url: public(address.to_string()), picture, news, share, ..self }
    }

    /// Returns the address of an asset.
    fn asset(path: &str) -> String {
        asset_address(path)
    }

    /// Adds the link to CSV.
    #[must_use = "returns the changed page"]
    pub(super) fn with_csv(self, address: &PageAddress) -> Self {
        Self { csv: address.in_format(PageFormat::Csv), ..self }
    }

    pub(super) fn html(&self) -> String {
        write_template(self)
    }
}

/// Writes the tag that shows a page of this server in a frame of another site.
fn embed_tag(address: &str, title: &str) -> String {
    let title = text_html(title);
    format!(
        "<iframe src=\"{address}\" title=\"{title}\" width=\"720\" height=\"480\" loading=\"lazy\"></iframe>"
    )
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
