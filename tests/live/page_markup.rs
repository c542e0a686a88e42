//! Checks that the markup of a page is safe.

/// Elements that can load, run or frame something.
const FORBIDDEN_ELEMENTS: [&str; 12] = [
    "animate",
    "audio",
    "base",
    "embed",
    "foreignobject",
    "iframe",
    "image",
    "img",
    "object",
    "set",
    "style",
    "video",
];
/// Attributes with addresses.
const LINKS: [&str; 6] = ["action", "formaction", "href", "poster", "src", "xlink:href"];

/// Checks that a page contains only markup of this server: tags are complete, attributes are quoted and not
/// executable, and links stay on this server. `public_url` is the server's public address.
pub fn assert_own_markup(what: &str, html: &str, public_url: &str) {
    let mut rest = html;
    while let Some((_, tag)) = rest.split_once('<') {
        let found = format!("{what} has <{}:\n{html}", tag.chars().take(200).collect::<String>());
        if let Some(ended) = tag.strip_prefix('/').and_then(|tag| tag.split_once('>')) {
            assert!(ended.0.chars().all(|character| character.is_ascii_alphanumeric()), "{found}");
            rest = ended.1;
            continue;
        }
        if let Some(behind) = tag.strip_prefix("!doctype html>") {
            rest = behind;
            continue;
        }
        let name_end = tag.find(|character: char| !character.is_ascii_alphanumeric()).expect("an end");
        let name = tag[..name_end].to_ascii_lowercase();
        assert!(!name.is_empty() && !FORBIDDEN_ELEMENTS.contains(&name.as_str()), "{found}");
        let (attributes, behind) = read_attributes(&tag[name_end..], &found);
        for (attribute, value) in &attributes {
            assert!(!attribute.starts_with("on") && !["style", "srcdoc"].contains(attribute), "{found}");
            let is_own = value.starts_with(['/', '#', '?']) && !value.starts_with("//");
            let is_public = !public_url.is_empty() && value.starts_with(public_url);
            assert!(!LINKS.contains(attribute) || is_own || is_public, "{found}");
        }
        if name == "script" {
            assert!(attributes.iter().any(|(attribute, _)| *attribute == "src"), "{found}");
            assert!(behind.starts_with("</script>"), "{found}");
        }
        rest = behind;
    }
}

/// Parses the attributes of a tag, and returns the rest of the page as well.
fn read_attributes<'h>(tag: &'h str, found: &str) -> (Vec<(&'h str, &'h str)>, &'h str) {
    let (mut attributes, mut rest) = (Vec::new(), tag);
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix('>').or_else(|| rest.strip_prefix("/>")) {
            return (attributes, behind);
        }
        let is_part = |character: char| character.is_ascii_alphanumeric() || "-_:".contains(character);
        let end = rest.find(|character: char| !is_part(character)).expect("an end");
        assert!(end > 0, "{found}");
        let name = &rest[..end];
        rest = &rest[end..];
        let value = if let Some(quoted) = rest.strip_prefix("=\"") {
            let (value, behind) = quoted.split_once('"').expect("an end");
            rest = behind;
            value
        } else {
            assert!(rest.starts_with([' ', '\n', '>', '/']), "{found}");
            ""
        };
        attributes.push((name, value));
    }
}

#[test]
fn foreign_markup_is_found() {
    assert_own_markup("a page", "<!doctype html><p class=\"a\">&lt;b&gt; <a href=\"/x\">x</a><br/></p>", "");
    assert_own_markup(
        "a page",
        "<script src=\"/x.js\"></script><link href=\"https://nim.example\">",
        "https://nim.example",
    );
    for foreign in [
        "<img src=\"/x\">",
        "<p onclick=\"x()\">",
        "<p class=x>",
        "<p style=\"\">",
        "<a href=\"javascript:x\">",
        "<a href=\"//evil.example\">",
        "<a href=\"https://nim.example.evil\">",
        "<script>x</script>",
        "<p \"x>",
        "< p>",
        "<!-- x -->",
    ] {
        let found = std::panic::catch_unwind(|| assert_own_markup("a page", foreign, ""));
        assert!(found.is_err(), "{foreign}");
    }
}
