//! Cookies, which are read from requests and set by responses.

use super::form_token::FormToken;
use crate::visitor_channel::VisitorChannel;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fmt;
use std::sync::Arc;
use tonic::codegen::http::header::COOKIE;
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// A cookie that scripts cannot read, and that browsers do not send with forms from other sites.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SiteCookie {
    pub name: &'static str,
    /// The browser sends the cookie to pages below this path.
    pub path: &'static str,
    /// Whether it is sent when a link on another site is followed.
    pub same_site: SameSite,
}

/// Which requests from other sites carry the cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SameSite {
    /// No request.
    Strict,
    /// Requests that open a page with GET, as links do, but not posted forms.
    Lax,
}

/// The minimum length of a cookie's value in bytes.
const MIN_SECRET_BYTES: usize = 32;
/// The maximum number of characters of a cookie's value: more than any that this server sets.
const MAX_COOKIE_CHARS: usize = 2_048;

/// The value of a cookie, which only this server and the browser know: 256 random bits, or a sealed sign-in.
#[derive(Clone)]
pub(crate) struct CookieSecret(Arc<[u8]>);

/// The BLAKE3 hash of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SecretHash([u8; 32]);

impl SiteCookie {
    /// Returns the secret in this cookie. A malformed value counts as missing.
    pub(crate) fn read(&self, headers: &HeaderMap) -> Option<CookieSecret> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == self.name).map(|(_, value)| value);
        values.find_map(CookieSecret::parse)
    }

    /// Returns the header that sets the cookie until the browser closes.
    pub(crate) fn set(&self, secret: &CookieSecret, channel: VisitorChannel) -> HeaderValue {
        self.header(&secret.reveal(), "", channel)
    }

    /// Returns the header that deletes the cookie.
    pub(crate) fn remove(&self, channel: VisitorChannel) -> HeaderValue {
        self.header("", "; Max-Age=0", channel)
    }

    fn header(&self, value: &str, age: &str, channel: VisitorChannel) -> HeaderValue {
        let secure = if channel == VisitorChannel::Https { "; Secure" } else { "" };
        let Self { name, path, same_site } = self;
        let header = format!("{name}={value}; Path={path}; HttpOnly; SameSite={same_site:?}{secure}{age}");
        let mut header = HeaderValue::try_from(header).expect("base64 is valid in a header");
        header.set_sensitive(true);
        header
    }
}

impl CookieSecret {
    /// Draws a random secret.
    pub(crate) fn draw() -> Self {
        let mut bytes = [0; MIN_SECRET_BYTES];
        getrandom::fill(&mut bytes).expect("the system has a random source");
        Self(Arc::new(bytes))
    }

    /// Creates the value of a cookie from the bytes of a sealed sign-in.
    pub(crate) fn of_sealed(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }

    /// Parses what [`reveal`](Self::reveal) wrote.
    fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(Some(text).filter(|text| text.len() <= MAX_COOKIE_CHARS)?).ok()?;
        (bytes.len() >= MIN_SECRET_BYTES).then(|| Self(bytes.into()))
    }

    fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the token for forms of the visitor who has this cookie.
    pub(crate) fn form_token(&self) -> FormToken {
        FormToken::of_secret(&self.0)
    }

    /// Returns the hash of the secret.
    pub(crate) fn hash(&self) -> SecretHash {
        SecretHash(blake3::hash(&self.0).into())
    }
}

impl SecretHash {
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for CookieSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CookieSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_COOKIE: SiteCookie =
        SiteCookie { name: "lastnim_test", path: "/test", same_site: SameSite::Strict };

    fn cookie_headers(lines: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_bytes(line).unwrap());
        }
        headers
    }

    #[test]
    fn cookies_round_trip() {
        let secret = CookieSecret::draw();
        let header = TEST_COOKIE.set(&secret, VisitorChannel::Https);
        let (pair, attributes) = header.to_str().unwrap().split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/test; HttpOnly; SameSite=Strict; Secure");
        for lines in [
            vec![pair.as_bytes()],
            vec![b"other=1".as_slice(), pair.as_bytes()],
            vec![b"a=b; lastnim_test2=c ;; lastnim_test=short;d".as_slice(), pair.as_bytes()],
        ] {
            let parsed = TEST_COOKIE.read(&cookie_headers(&lines)).unwrap();
            assert_eq!(parsed.hash(), secret.hash());
        }
        let plain = TEST_COOKIE.set(&secret, VisitorChannel::Loopback);
        assert!(!plain.to_str().unwrap().contains("Secure"));
        assert!(!format!("{header:?} {secret:?}").contains(&secret.reveal()), "Debug hides the secret");
    }

    #[test]
    fn malformed_cookies_count_as_missing() {
        let long = format!("lastnim_test={}", "x".repeat(10_000));
        for line in [
            b"".as_slice(),
            b";;;===",
            b"lastnim_test",
            b"lastnim_test=",
            b"lastnim_test=short",
            b"lastnim_test=\xff\xfe",
            b"lastnim_test=0123456789abcdef0123456789abcdef0123456789",
            b"lastnim_test=0123456789abcdef0123456789abcdef0123456789+/",
            b"LASTNIM_TEST=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            long.as_bytes(),
        ] {
            let shown = String::from_utf8_lossy(line);
            assert!(TEST_COOKIE.read(&cookie_headers(&[line])).is_none(), "{shown:?}");
        }
    }
}
