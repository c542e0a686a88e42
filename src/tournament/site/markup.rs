//! Changes the HTML of a server's page to that of a file.

/// Elements without an end tag.
const VOID_ELEMENTS: [&str; 7] = ["br", "hr", "img", "input", "link", "meta", "wbr"];

/// The properties of the `meta` elements that a page has only if the public address of its server is known.
const SHARING_MARKS: [&str; 4] = ["og:url", "og:image", "og:image:width", "og:image:height"];

/// Changes the links of a page or of a news feed to those that `find_link` returns, and leaves out forms, live updates
/// and what only a server can do. Other links lose their address.
///
/// The server's templates write the text: every attribute with a value has double quotes.
pub fn static_markup(text: &str, mut find_link: impl FnMut(&str) -> Option<String>) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    // The header and footer of the page have links to parts of the server.
    let mut is_in_frame = false;
    while let Some(start) = rest.find('<') {
        output.push_str(&rest[..start]);
        let (tag, after) = split_tag(&rest[start..]);
        rest = after;
        let name = tag_name(tag);
        if matches!(name, "header" | "footer") {
            is_in_frame = !tag.starts_with("</");
        }
        if tag.starts_with("</") || tag.starts_with("<!") || tag.starts_with("<?") {
            output.push_str(tag);
            continue;
        }
        match change_tag(name, tag, is_in_frame, &mut find_link) {
            Some(changed) => output.push_str(&changed),
            None => rest = skip_element(name, tag, rest),
        }
    }
    output.push_str(rest);
    output
}

/// Returns the changed tag; `None` if the element is left out.
fn change_tag(
    name: &str,
    tag: &str,
    is_in_frame: bool,
    find_link: &mut impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let attributes = attributes_of(name, tag);
    let value_of = |key: &str| attributes.iter().find(|(name, _)| *name == key).and_then(|(_, value)| *value);
    let is_marked = attributes.iter().any(|(name, _)| *name == "data-server-only");
    let is_sharing_mark = value_of("property").is_some_and(|mark| SHARING_MARKS.contains(&mark))
        || value_of("name") == Some("twitter:card");
    if name == "form" || is_marked || name == "meta" && is_sharing_mark {
        return None;
    }
    let mut changed = format!("<{name}");
    for (key, value) in &attributes {
        let value = match (*key, *value) {
            ("href" | "src", Some(address)) if !address.starts_with('#') => {
                match find_link(&address.replace("&#38;", "&").replace("&amp;", "&")) {
                    Some(link) => Some(link),
                    None if name == "a" && !is_in_frame => continue,
                    None => return None,
                }
            }
            ("data-live" | "data-follow" | "data-after", _) => continue,
            (_, value) => value.map(str::to_owned),
        };
        changed.push(' ');
        changed.push_str(key);
        if let Some(value) = value {
            changed.extend(["=\"", &value, "\""]);
        }
    }
    if name == "html" {
        changed.push_str(" data-static");
    }
    changed.push_str(if tag.ends_with("/>") { "/>" } else { ">" });
    Some(changed)
}

/// Splits a text at the end of the tag or comment with which it begins.
fn split_tag(text: &str) -> (&str, &str) {
    if text.starts_with("<!--") {
        return text.split_at(text.find("-->").map_or(text.len(), |end| end + 3));
    }
    let mut is_quoted = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return text.split_at(index + 1),
            _ => {}
        }
    }
    (text, "")
}

fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    &name[..name.find([' ', '\n', '/', '>']).unwrap_or(name.len())]
}

/// Returns the names and values of a tag's attributes. Characters that are escaped in the values stay escaped.
fn attributes_of<'a>(name: &str, tag: &'a str) -> Vec<(&'a str, Option<&'a str>)> {
    let mut attributes = Vec::new();
    let mut rest = tag[1 + name.len()..].trim_end_matches('>').trim_end_matches('/').trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ', '\n']).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => {
                let end = quoted.find('"').unwrap_or(quoted.len());
                (Some(&quoted[..end]), quoted.get(end + 1..).unwrap_or_default())
            }
            None => (None, after.trim_start_matches('=')),
        };
        attributes.push((key, value));
        rest = after.trim_start();
    }
    attributes
}

/// Returns the text after the end of an element whose start tag precedes the text.
fn skip_element<'a>(name: &str, tag: &str, text: &'a str) -> &'a str {
    if tag.ends_with("/>") || VOID_ELEMENTS.contains(&name) {
        return text;
    }
    let mut rest = text;
    let mut depth = 1;
    while let Some(start) = rest.find('<') {
        let (tag, after) = split_tag(&rest[start..]);
        rest = after;
        if tag_name(tag) == name && !tag.ends_with("/>") {
            depth = if tag.starts_with("</") { depth - 1 } else { depth + 1 };
            if depth == 0 {
                return rest;
            }
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> String {
        static_markup(text, |address| address.strip_prefix("/in").map(|rest| format!("in{rest}")))
    }

    #[test]
    fn links_point_to_exported_files_or_are_removed() {
        for (before, after) in [
            ("<a href=\"/in?a=1&#38;b=2\">x</a>", "<a href=\"in?a=1&b=2\">x</a>"),
            ("<a class=\"c\" href=\"/out\" data-take=\"1\">x</a>", "<a class=\"c\" data-take=\"1\">x</a>"),
            ("<a href=\"#content\">x</a>", "<a href=\"#content\">x</a>"),
            ("<svg><a href=\"/in\"><rect/></a></svg>", "<svg><a href=\"in\"><rect/></a></svg>"),
            (
                "<header><a href=\"/out\">x</a><a href=\"/in\">y</a></header>",
                "<header><a href=\"in\">y</a></header>",
            ),
            (
                "<footer>\n<a href=\"/out\">x</a></footer><a href=\"/out\">y</a>",
                "<footer>\n</footer><a>y</a>",
            ),
            ("<link rel=\"canonical\" href=\"https://x/in\">y", "y"),
            (
                "<script type=\"module\" src=\"/in.js\"></script>",
                "<script type=\"module\" src=\"in.js\"></script>",
            ),
            ("<script src=\"/out.js\"></script>y", "y"),
            ("<link rel=\"self\" href=\"/in\"/><id>urn</id>", "<link rel=\"self\" href=\"in\"/><id>urn</id>"),
        ] {
            assert_eq!(changed(before), after, "{before}");
        }
    }

    #[test]
    fn elements_that_need_a_server_are_left_out() {
        for (before, after) in [
            ("a<form method=\"get\" action=\"/in\"><label>b<input></label></form>c", "ac"),
            ("a<p data-server-only>b<p>c</p></p>d", "ad"),
            ("<div data-live=\"/events\" data-follow id=\"x\">y</div>", "<div id=\"x\">y</div>"),
            (
                "<meta property=\"og:url\" content=\"https://x\"><meta charset=\"utf-8\">",
                "<meta charset=\"utf-8\">",
            ),
            ("<html lang=\"en\">", "<html lang=\"en\" data-static>"),
        ] {
            assert_eq!(changed(before), after, "{before}");
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "<!doctype html>\n<p title=\"a > b\">1 &#60; 2 &#38; 3</p><!-- <form> --><br>",
            "<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"></feed>",
            "&lt;form&gt;é",
            "",
        ] {
            assert_eq!(changed(text), text);
        }
    }
}
