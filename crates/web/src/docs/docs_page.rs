//! The list of guides, and each of them.

use super::guide::Guide;
use super::markdown::guide_html;
use crate::address::PageAddress;
use crate::page::Page;
use crate::page_content::PageContent;
use askama::Template;
use lastnim_report::render::write_template;
use serde_json::json;

/// The guides, by whom they are for.
#[derive(Template)]
#[template(path = "guides.html")]
struct GuideList {
    audiences: Vec<&'static [Guide]>,
}

fn guide_address(guide: &'static Guide) -> PageAddress {
    PageAddress::Guide { guide }
}

/// Returns the list of guides.
pub(crate) fn guide_list() -> PageContent {
    let listed = Guide::all().iter().map(|guide| json!({ "name": guide.name, "title": guide.title() }));
    let json = json!({ "guides": listed.collect::<Vec<_>>() }).to_string();
    PageContent::of_json(json, |address| {
        let audiences = Guide::all().chunk_by(|one, next| one.audience == next.audience).collect();
        let html = write_template(&GuideList { audiences });
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
