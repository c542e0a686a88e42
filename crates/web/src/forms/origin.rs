//! Checks which site sent a form.

use super::form_refusal::FormRefusal;
use crate::visitor_channel::VisitorChannel;
use std::net::IpAddr;
use tonic::codegen::http::HeaderMap;
use tonic::codegen::http::header::{HOST, ORIGIN};
use tonic::codegen::http::request::Parts;
use tonic::codegen::http::uri::{Authority, Uri};

/// The header in which browsers say where a request comes from; scripts cannot set it.
const FETCH_SITE: &str = "sec-fetch-site";
/// The header in which browsers say what a request is for.
const FETCH_MODE: &str = "sec-fetch-mode";

/// Checks that a page of this server sent a form.
///
/// # Errors
/// If another site sent it, or no header says where it comes from.
pub(crate) fn check_origin(head: &Parts, channel: VisitorChannel) -> Result<(), FormRefusal> {
    let text_of = |name: &str| {
        let value = head.headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).chars().take(200).collect::<String>())
    };
    let own = host_of_request(&head.uri, &head.headers).map(|host| host.to_string()).unwrap_or_default();
    if let Some(site) = text_of(FETCH_SITE) {
        // Sec-Fetch-Site refers to the address that the browser shows, which a proxy may have rewritten.
        return if site == "same-origin" {
            Ok(())
        } else {
            Err(FormRefusal::ForeignOrigin(format!("elsewhere ({site})"), own))
        };
    }
    let origin = text_of(ORIGIN.as_str()).ok_or(FormRefusal::NoOrigin)?;
    let is_own = origin.parse::<Uri>().is_ok_and(|uri| is_same_site(&uri, head, channel));
    if is_own { Ok(()) } else { Err(FormRefusal::ForeignOrigin(origin, own)) }
}

/// Returns whether a link on another site opened this page.
pub(crate) fn is_opened_by_another_site(headers: &HeaderMap) -> bool {
    let says = |name, word| headers.get(name).is_some_and(|value| value == word);
    says(FETCH_SITE, "cross-site") && says(FETCH_MODE, "navigate")
}

fn is_same_site(origin: &Uri, head: &Parts, channel: VisitorChannel) -> bool {
    let scheme = match channel {
        VisitorChannel::Https => "https",
        VisitorChannel::Loopback | VisitorChannel::Plain => "http",
    };
    let default_port = if scheme == "https" { 443 } else { 80 };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(default_port);
    let (Some(theirs), Some(own)) = (origin.authority(), host_of_request(&head.uri, &head.headers)) else {
        return false;
    };
    origin.scheme_str() == Some(scheme)
        && theirs.host().eq_ignore_ascii_case(own.host())
        && port(theirs) == port(&own)
}

/// Returns the requested host: in HTTP/2 from the address, in HTTP/1.1 from a header.
fn host_of_request(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let header_host = || headers.get(HOST)?.to_str().ok()?.parse().ok();
    uri.authority().cloned().or_else(header_host)
}

/// Returns whether the requested host is this machine. This prevents DNS rebinding, in which a foreign name resolves to
/// this machine so that pages under that name can read its responses.
pub(crate) fn names_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    host_of_request(uri, headers).is_some_and(|host| is_loopback_host(&host))
}

fn is_loopback_host(host: &Authority) -> bool {
    let name = host.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::codegen::http::Request;

    fn is_accepted(headers: &[(&str, &str)], channel: VisitorChannel) -> bool {
        let mut request = Request::post("/organise");
        for &(name, value) in headers {
            request = request.header(name, value);
        }
        check_origin(&request.body(()).unwrap().into_parts().0, channel).is_ok()
    }

    #[test]
    fn forms_from_other_sites_are_refused() {
        const HOST: (&str, &str) = ("host", "cup.example:7600");
        let (plain, https) = (VisitorChannel::Loopback, VisitorChannel::Https);
        assert!(is_accepted(&[HOST, ("origin", "http://cup.example:7600")], plain));
        assert!(is_accepted(&[HOST, ("origin", "http://CUP.example:7600")], plain));
        assert!(is_accepted(&[("host", "cup.example"), ("origin", "https://cup.example")], https));
        assert!(is_accepted(&[("host", "cup.example:443"), ("origin", "https://cup.example")], https));
        assert!(is_accepted(
            &[("host", "inner:80"), ("origin", "https://cup.example"), (FETCH_SITE, "same-origin")],
            https
        ));
        for origin in [
            "",
            "null",
            "http://cup.example",
            "https://cup.example:7600",
            "http://cup.example:7601",
            "http://evil.example:7600",
            "http://cup.example:7600.evil.example",
            "http://cup.example:7600@evil.example",
            "//cup.example:7600",
            "\u{e9}\u{1f980}",
        ] {
            assert!(!is_accepted(&[HOST, ("origin", origin)], plain), "{origin}");
        }
        for site in ["cross-site", "same-site", "none", "", "SAME-ORIGIN"] {
            let headers = [HOST, ("origin", "http://cup.example:7600"), (FETCH_SITE, site)];
            assert!(!is_accepted(&headers, plain), "{site}");
        }
        assert!(
            !is_accepted(&[HOST], plain) && !is_accepted(&[("origin", "http://cup.example:7600")], plain)
        );
    }

    #[test]
    fn only_loopback_names_count_as_this_machine() {
        for name in [
            "localhost",
            "LOCALHOST:80",
            "a.localhost",
            "127.0.0.1:7600",
            "127.9.9.9",
            "[::1]:7600",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback_host(&name.parse().unwrap()), "{name}");
        }
        for name in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::]",
            "0.0.0.0",
            "evillocalhost",
        ] {
            assert!(!is_loopback_host(&name.parse().unwrap()), "{name}");
        }
    }
}
