//! Where somebody goes on who had to sign in first.

use crate::address::{PageAddress, PageForm};

/// Returns the page that a visitor wanted before it was asked for a token. What is no page of this server counts as none.
pub(crate) fn wanted_page(query: &str) -> Option<PageAddress> {
    let (_, to) = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "to")?;
    // What it holds goes into a header as it is, and no browser asks for an address with anything else.
    if !to.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    // The pages for signing in and out would lead on and on.
    if !to.starts_with('/') || to.starts_with("/sign-") {
        return None;
    }
    let (path, query) = to.split_once('?').unwrap_or((&to, ""));
    let (address, form) = PageAddress::parse(path, query).ok()?;
    (form == PageForm::Html).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_header_can_hold_is_no_page() {
        let plain = wanted_page("to=%2Fbots%3Fpage%3Dx");
        assert_eq!(plain, Some(PageAddress::Bots { page_token: "x".into() }));
        for byte in (0..=b' ').chain(0x7f..=0xff) {
            for list in ["bots", "tournaments", "matches"] {
                let query = format!("to=%2F{list}%3Fpage%3D%{byte:02X}");
                assert_eq!(wanted_page(&query), None, "{query}");
            }
        }
    }

    #[test]
    fn whoever_signs_in_goes_on_to_a_page_of_this_server() {
        let nested = format!("/sign-in?to={}", "/sign-in?to=".repeat(1_000));
        for to in [
            "",
            "//evil.example",
            "https://evil.example/",
            "/\\evil.example",
            "/%2f/evil.example",
            "tournaments",
            "/sign-in?to=/bots",
            "/sign-out",
            "/nothing",
            "/bots.json",
            &nested,
            "\u{1f980}",
        ] {
            let coded: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
            for to in [to, &coded] {
                assert_eq!(wanted_page(&format!("to={to}")), None, "{to}");
            }
        }
        let bots = PageAddress::Bots { page_token: String::new() };
        assert_eq!(wanted_page("x=/matches&to=/bots"), Some(bots));
        assert_eq!(wanted_page(""), None);
    }
}
