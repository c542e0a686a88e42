//! The list of guides, and each of them.

use super::guide::Guide;
use super::markdown::guide_html;
use crate::address::PageAddress;
use crate::page::Page;
use crate::page_content::PageContent;
use lastnim_report::render::Escaped;
use serde_json::json;
use std::fmt::Write as _;

/// Returns the list of guides.
pub(crate) fn guide_list() -> PageContent {
    let listed = Guide::all().iter().map(|guide| json!({ "name": guide.name, "title": guide.title() }));
    let json = json!({ "guides": listed.collect::<Vec<_>>() }).to_string();
    PageContent::of_json(json, |address| {
        let mut html = String::new();
        for guides in Guide::all().chunk_by(|one, next| one.audience == next.audience) {
            // Writing to a text does not fail.
            let _ = write!(html, "<h2>{}</h2>\n<ul>\n", Escaped(guides[0].audience));
            for guide in guides {
                let (link, title) = (PageAddress::Guide { guide }.to_string(), Escaped(guide.title()));
                let about = Escaped(guide.about);
                let _ = writeln!(html, "<li><a href=\"{}\">{title}</a>: {about}</li>", Escaped(&link));
            }
            html += "</ul>\n";
        }
        Ok(Page::of_html(address, "Guides".into(), html))
    })
}

/// Returns a guide.
pub(crate) fn guide_content(guide: &'static Guide) -> PageContent {
    let json = json!({ "name": guide.name, "title": guide.title(), "markdown": guide.markdown }).to_string();
    PageContent::of_json(json, move |address| {
        let html = format!("<article class=\"guide\">\n{}</article>\n", guide_html(guide.markdown));
        Ok(Page::of_html(address, guide.title().into(), html).with_summary(guide.about))
    })
}
