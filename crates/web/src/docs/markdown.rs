//! Guides as HTML.

use super::guide::Guide;
use crate::address::PageAddress;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html::push_html};
use std::collections::HashMap;

/// Writes a guide as HTML, without its title. HTML in it is shown as it is written, and links that lead to no page are words.
pub(super) fn guide_html(markdown: &str) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let events = without_title(parser.map(escape_html).collect());
    let events = with_heading_ids(with_page_links(events));
    let mut html = String::new();
    push_html(&mut html, events.into_iter());
    // A heading without words is none.
    html.replace("<th></th>", "<td></td>")
        .replace("<table>", "<div class=\"scroll\"><table>")
        .replace("</table>", "</table></div>")
}

/// Shows HTML as text.
fn escape_html(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    }
}

/// Leaves the title out, which the page has already.
fn without_title(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let is_title_end = |event: &Event<'_>| *event == Event::End(TagEnd::Heading(HeadingLevel::H1));
    let after = match events.first() {
        Some(Event::Start(Tag::Heading { level: HeadingLevel::H1, .. })) => {
            events.iter().position(is_title_end).map_or(0, |end| end + 1)
        }
        _ => 0,
    };
    events.into_iter().skip(after).collect()
}

/// Lets links between guides lead to their pages, and leaves out those to files that have no page.
fn with_page_links(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut kept = Vec::new();
    let mut is_shown = true;
    for event in events {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let address = page_link(&dest_url);
                is_shown = address.is_some();
                if let Some(address) = address {
                    let (dest_url, title, id) = (address.into(), CowStr::Borrowed(""), CowStr::Borrowed(""));
                    kept.push(Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id }));
                }
            }
            Event::End(TagEnd::Link) if !is_shown => is_shown = true,
            // A picture comes from elsewhere: its words stand for it.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            event => kept.push(event),
        }
    }
    kept
}

/// Returns where a link of a guide leads; `None` if there is no page for it.
fn page_link(link: &str) -> Option<String> {
    if link.starts_with('#') || link.starts_with("https://") {
        return Some(link.to_owned());
    }
    let (file, fragment) = link.split_once('#').map_or((link, None), |(file, part)| (file, Some(part)));
    let guide = Guide::named(file.strip_suffix(".md")?)?;
    let address = PageAddress::Guide { guide }.to_string();
    Some(fragment.map_or_else(|| address.clone(), |fragment| format!("{address}#{fragment}")))
}

/// Gives each heading the id by which guides link to it.
fn with_heading_ids(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut used = HashMap::<String, usize>::new();
    for start in 0..events.len() {
        if !matches!(events[start], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inside =
            events[start..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        let slug = heading_slug(&words);
        let count = used.entry(slug.clone()).or_default();
        let unique = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(unique.into());
        }
    }
    events
}

/// Returns the id of a heading: its words in small letters, with hyphens between them.
fn heading_slug(words: &str) -> String {
    let letters = words.to_lowercase();
    let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_is_html_without_html_of_its_own() {
        let html = guide_html(
            "# Title\n\nA <b onclick=x>b</b> & `<i>`.\n\n<script>alert(1)</script>\n\n## What is *new*, `x`?\n\n## What is new, x?\n\n\
             | a | b |\n|---|---|\n| 1 | 2 |\n\n![p](http://x/y.png) [evil](javascript:alert(1)) [bots](bots.md#practice) [here](#what-is-new-x) [code](../src/x.rs)\n",
        );
        for part in [
            "A &lt;b onclick=x&gt;b&lt;/b&gt; &amp; <code>&lt;i&gt;</code>.",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "<h2 id=\"what-is-new-x\">What is <em>new</em>, <code>x</code>?</h2>",
            "<h2 id=\"what-is-new-x-1\">",
            "<div class=\"scroll\"><table>",
            "<a href=\"/docs/bots#practice\">bots</a>",
            "<a href=\"#what-is-new-x\">here</a>",
            "evil",
        ] {
            assert!(html.contains(part), "{part} is missing in {html}");
        }
        for part in ["Title", "<script", "<b ", "javascript:", "<img", "../src"] {
            assert!(!html.contains(part), "{part} is in {html}");
        }
    }

    #[test]
    fn links_between_guides_lead_to_headings_that_are_there() {
        let pages: HashMap<_, _> =
            Guide::all().iter().map(|guide| (guide.name, guide_html(guide.markdown))).collect();
        for (name, html) in &pages {
            for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
                let target = match path.strip_prefix("/docs/") {
                    Some(other) => other,
                    None if path.is_empty() => name,
                    None => continue,
                };
                let has_heading =
                    fragment.is_empty() || pages[target].contains(&format!(" id=\"{fragment}\""));
                assert!(has_heading, "{name}: {link}");
            }
            assert!(!html.contains(" style="), "{name} has a style of its own");
        }
    }
}
