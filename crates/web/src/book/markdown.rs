//! Chapters as HTML.

use super::chapter::Chapter;
use crate::address::PageAddress;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html::push_html};
use std::collections::HashMap;

/// Returns a chapter as HTML, without its title.
///
/// HTML in the chapter is shown as text, and so are links to files that have no page.
pub(super) fn chapter_html(chapter: &Chapter) -> String {
    markdown_html(chapter.markdown)
}

/// Returns the text of the first paragraph, which describes the page to search engines.
pub(super) fn first_paragraph(markdown: &str) -> String {
    let events = Parser::new(markdown).skip_while(|event| *event != Event::Start(Tag::Paragraph));
    let inside = events.take_while(|event| *event != Event::End(TagEnd::Paragraph));
    let mut plain_text = String::new();
    for event in inside {
        match event {
            Event::Text(text) | Event::Code(text) => plain_text.push_str(&text),
            Event::SoftBreak => plain_text.push(' '),
            _ => {}
        }
    }
    plain_text
}

fn markdown_html(markdown: &str) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let events = without_title(parser.filter(|event| !is_comment(event)).map(escape_html).collect());
    let events = with_heading_ids(with_page_links(events));
    let mut html = String::new();
    push_html(&mut html, events.into_iter());
    // An empty cell is not a heading.
    html.replace("<th></th>", "<td></td>")
        .replace("<table>", "<div class=\"scroll\"><table>")
        .replace("</table>", "</table></div>")
}

/// Returns whether an event is an HTML comment, such as the markers around generated text.
fn is_comment(event: &Event<'_>) -> bool {
    matches!(event, Event::Html(html) if html.starts_with("<!--") && html.trim_end().ends_with("-->"))
}

/// Turns HTML into text, so that the page shows its source.
fn escape_html(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        event => event,
    }
}

/// Removes the title, which the page shows as its heading.
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

/// Points links between chapters to their pages, and removes links to files that have no page.
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
            // Pages load nothing from elsewhere: a picture is replaced by its description.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            event => kept.push(event),
        }
    }
    kept
}

/// Returns the address that a link of a chapter leads to, if there is a page for it.
fn page_link(link: &str) -> Option<String> {
    if link.starts_with('#') || link.starts_with("https://") {
        return Some(link.to_owned());
    }
    let (file, fragment) = link.split_once('#').map_or((link, None), |(file, part)| (file, Some(part)));
    let chapter = Chapter::find_named(file.rsplit('/').next()?.strip_suffix(".md")?)?;
    let address = PageAddress::Chapter { chapter }.to_string();
    Some(fragment.map_or_else(|| address.clone(), |fragment| format!("{address}#{fragment}")))
}

/// Gives each heading the id that links use.
fn with_heading_ids(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut used = HashMap::<String, usize>::new();
    for start in 0..events.len() {
        if !matches!(events[start], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inside =
            events[start..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let heading: String = inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        let slug = heading_slug(&heading);
        let count = used.entry(slug.clone()).or_default();
        let unique = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(unique.into());
        }
    }
    events
}

/// Returns the id of a heading: its words in lower case, joined by hyphens.
fn heading_slug(heading: &str) -> String {
    let letters = heading.to_lowercase();
    let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_in_a_chapter_is_shown_as_text() {
        let html = markdown_html(
            "# Title\n\n<!-- generated: x -->\n\nA <b onclick=x>b</b> & `<i>`.\n\n<script>alert(1)</script>\n\n## What is *new*, `x`?\n\n## What is new, x?\n\n\
             | a | b |\n|---|---|\n| 1 | 2 |\n\n![p](http://x/y.png) [evil](javascript:alert(1)) [bot](../start/first-bot.md#practise) [here](#what-is-new-x) [code](../src/x.rs)\n",
        );
        for part in [
            "A &lt;b onclick=x&gt;b&lt;/b&gt; &amp; <code>&lt;i&gt;</code>.",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "<h2 id=\"what-is-new-x\">What is <em>new</em>, <code>x</code>?</h2>",
            "<h2 id=\"what-is-new-x-1\">",
            "<div class=\"scroll\"><table>",
            "<a href=\"/docs/first-bot#practise\">bot</a>",
            "<a href=\"#what-is-new-x\">here</a>",
            "evil",
        ] {
            assert!(html.contains(part), "{part} is missing in {html}");
        }
        for part in ["Title", "generated", "<script", "<b ", "javascript:", "<img", "../src"] {
            assert!(!html.contains(part), "{part} is in {html}");
        }
    }

    #[test]
    fn links_between_chapters_point_to_existing_headings() {
        let pages: HashMap<_, _> =
            Chapter::all().iter().map(|chapter| (chapter.name(), chapter_html(chapter))).collect();
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
            assert!(!html.contains(" style="), "{name} has an inline style");
        }
    }
}
