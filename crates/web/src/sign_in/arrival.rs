//! Visits through links on other sites, which arrive without cookies.

use crate::address::SiteAddress;
use crate::forms::is_opened_by_another_site;
use crate::page::{Page, link_paragraph};
use crate::response::{PageResponse, add_refresh_to, page_response, without_caching};
use crate::site_cookies::{PLAYER_COOKIE, SESSION_COOKIE};
use lastnim_report::Section;
use lastnim_report::render::Html;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, StatusCode};

/// Returns whether a link on another site opened the page, so that the browser did not send the `SameSite=Strict`
/// cookies that sign a visitor in. A request with a token or one of these cookies does not count; the guest's cookie
/// does not matter, since it signs nobody in.
pub(crate) fn arrives_without_cookies(headers: &HeaderMap) -> bool {
    let cookies = [&SESSION_COOKIE, &PLAYER_COOKIE];
    is_opened_by_another_site(headers)
        && !headers.contains_key(AUTHORIZATION)
        && cookies.iter().all(|cookie| cookie.read(headers).is_none())
}

/// Reloads the requested page from this server, so that the browser sends its cookies.
pub(crate) fn reload_response(address: &SiteAddress) -> PageResponse {
    let section = Section::new().paragraph("You followed a link from another site.");
    let target = address.to_string();
    let content = Html::with_links(&|_, _| None).section_html(&section)
        + &link_paragraph(&target, "nofollow", "Continue to the page");
    let page = Page::html_only("One moment", content);
    let mut response = without_caching(page_response(StatusCode::OK, &page));
    add_refresh_to(&mut response, &target);
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
    fn only_links_from_other_sites_need_a_second_request() {
        assert!(arrives(&[CROSS_SITE, NAVIGATION]));
        // Cookies of other servers on this machine do not count.
        assert!(arrives(&[CROSS_SITE, NAVIGATION, ("cookie", "other=1; lastnim_session=")]));
        for site in ["same-origin", "same-site", "none", "", "CROSS-SITE"] {
            assert!(!arrives(&[("sec-fetch-site", site), NAVIGATION]), "{site}");
        }
        for mode in ["cors", "no-cors", "websocket", ""] {
            assert!(!arrives(&[CROSS_SITE, ("sec-fetch-mode", mode)]), "{mode}");
        }
        assert!(!arrives(&[]) && !arrives(&[CROSS_SITE]) && !arrives(&[NAVIGATION]));
        assert!(!arrives(&[CROSS_SITE, NAVIGATION, ("authorization", "Bearer x")]));
        let arrives_with = |cookie: &SiteCookie| {
            let set = cookie.set(&CookieSecret::draw(), VisitorChannel::Https);
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            arrives(&[CROSS_SITE, NAVIGATION, (COOKIE.as_str(), pair)])
        };
        for cookie in [&SESSION_COOKIE, &PLAYER_COOKIE] {
            assert!(!arrives_with(cookie), "{}", cookie.name);
        }
        assert!(arrives_with(&PLAY_COOKIE), "a guest may also be signed in");
    }
}
