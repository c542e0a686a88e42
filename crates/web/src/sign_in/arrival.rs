//! Browsers that a link of another site has brought here: they keep their cookies back until the next page.

use crate::address::SiteAddress;
use crate::forms::is_opened_by_another_site;
use crate::page::{Page, link_paragraph};
use crate::response::{PageResponse, add_onward_refresh, page_response, without_caching};
use crate::site_cookies::{PLAYER_COOKIE, SESSION_COOKIE};
use lastnim_report::Section;
use lastnim_report::render::Html;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, StatusCode};

/// Returns whether a link of another site has brought a browser here, without the cookies that may sign it in: they are `SameSite=Strict`, and come only with
/// what a page of this server asks for. Whoever shows a token, or one of them, is known already; the cookie of a guest comes also with the link, and signs nobody in.
pub(crate) fn arrives_without_cookies(headers: &HeaderMap) -> bool {
    let cookies = [&SESSION_COOKIE, &PLAYER_COOKIE];
    is_opened_by_another_site(headers)
        && !headers.contains_key(AUTHORIZATION)
        && cookies.iter().all(|cookie| cookie.read(headers).is_none())
}

/// Leads a browser on to the page that it asked for. This server asks for it then, so that the cookies come with it.
pub(crate) fn onward_response(address: &SiteAddress) -> PageResponse {
    let section = Section::new().paragraph("A link of another site has brought you here.");
    let target = address.to_string();
    let content = Html::with_links(&|_, _| None).section_html(&section)
        + &link_paragraph(&target, "nofollow", "Go on to the page");
    let page = Page::without_twins("One moment", content);
    let mut response = without_caching(page_response(StatusCode::OK, &page));
    add_onward_refresh(&mut response, &target);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::{CookieSecret, SiteCookie};
    use crate::site_cookies::PLAY_COOKIE;
    use crate::visitor_channel::VisitorChannel;
    use tonic::codegen::http::HeaderValue;
    use tonic::codegen::http::header::{COOKIE, HeaderName};

    const CROSS_SITE: (&str, &str) = ("sec-fetch-site", "cross-site");
    const NAVIGATION: (&str, &str) = ("sec-fetch-mode", "navigate");

    fn arrives(lines: &[(&str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::try_from(*value).unwrap());
        }
        arrives_without_cookies(&headers)
    }

    #[test]
    fn only_a_link_of_another_site_brings_a_browser_without_its_cookies() {
        assert!(arrives(&[CROSS_SITE, NAVIGATION]));
        // Cookies of other servers on the same machine say nothing.
        assert!(arrives(&[CROSS_SITE, NAVIGATION, ("cookie", "other=1; lastnim_session=")]));
        for site in ["same-origin", "same-site", "none", "", "CROSS-SITE"] {
            assert!(!arrives(&[("sec-fetch-site", site), NAVIGATION]), "{site}");
        }
        for mode in ["cors", "no-cors", "websocket", ""] {
            assert!(!arrives(&[CROSS_SITE, ("sec-fetch-mode", mode)]), "{mode}");
        }
        assert!(!arrives(&[]) && !arrives(&[CROSS_SITE]) && !arrives(&[NAVIGATION]));
        assert!(!arrives(&[CROSS_SITE, NAVIGATION, ("authorization", "Bearer x")]));
        let with_cookie = |cookie: &SiteCookie| {
            let set = cookie.set(&CookieSecret::draw(), VisitorChannel::Https);
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            arrives(&[CROSS_SITE, NAVIGATION, (COOKIE.as_str(), pair)])
        };
        for cookie in [&SESSION_COOKIE, &PLAYER_COOKIE] {
            assert!(!with_cookie(cookie), "{}", cookie.name);
        }
        assert!(with_cookie(&PLAY_COOKIE), "a guest may be signed in besides");
    }
}
