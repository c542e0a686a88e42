//! What the people who register a bot say about it.

use crate::visible_text::is_visible;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The name of a team or an author: 1 to 64 visible characters with a letter or digit, without spaces at its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileName(String);

/// A text that is not a valid name of a team or an author.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected 1 to {max} visible characters with a letter or digit, without spaces at the ends", max = ProfileName::MAX_CHARS)]
pub struct ProfileNameError(String);

/// The address of a web page: `http://` or `https://`, a host without a user, and the rest; at most 200 visible ASCII
/// characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileLink(String);

/// A text that is not a valid address of a web page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected an address such as https://example.org/bot, of at most {max} visible ASCII characters", max = ProfileLink::MAX_CHARS)]
pub struct ProfileLinkError(String);

/// What the people who register a bot say about it. Nobody checks whether it is true.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BotProfile {
    /// Their team.
    pub team: Option<ProfileName>,
    /// The author of the bot.
    pub author: Option<ProfileName>,
    /// A page about the bot.
    pub link: Option<ProfileLink>,
}

impl ProfileName {
    /// The maximum length in characters.
    pub const MAX_CHARS: usize = 64;
}

impl FromStr for ProfileName {
    type Err = ProfileNameError;

    fn from_str(text: &str) -> Result<Self, ProfileNameError> {
        let fits = (1..=Self::MAX_CHARS).contains(&text.chars().count())
            && text.trim() == text
            && text.chars().all(is_visible)
            && text.chars().any(char::is_alphanumeric);
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| ProfileNameError(text.chars().take(2 * Self::MAX_CHARS).collect()))
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl ProfileLink {
    /// The maximum length in characters.
    pub const MAX_CHARS: usize = 200;
}

impl FromStr for ProfileLink {
    type Err = ProfileLinkError;

    fn from_str(text: &str) -> Result<Self, ProfileLinkError> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        let may_be_in_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        let may_be_in_link = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        let fits = text.len() <= Self::MAX_CHARS
            && host.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'[')
            && host.bytes().all(may_be_in_host)
            && text.bytes().all(may_be_in_link);
        fits.then(|| Self(text.to_owned()))
            .ok_or_else(|| ProfileLinkError(text.chars().take(2 * Self::MAX_CHARS).collect()))
    }
}

impl fmt::Display for ProfileLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_hidden_characters() {
        for name in ["Ada Lovelace", "東京", "<b>", &"é".repeat(64)] {
            assert_eq!(name.parse::<ProfileName>().unwrap().to_string(), name);
        }
        for bad in
            ["", " ", " a", "a\n", "a\tb", "a\u{202e}b", "a\u{1b}[2Jb", "\u{3164}", "---", &"é".repeat(65)]
        {
            assert!(bad.parse::<ProfileName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn links_lead_to_web_pages() {
        let longest = format!("https://a.example/{}", "b".repeat(182));
        for link in ["https://example.org", "http://[::1]:80/a?b=%20#c", "https://a.b/~c/d@e", &longest] {
            assert_eq!(link.parse::<ProfileLink>().unwrap().to_string(), link);
        }
        let hostile = [
            "",
            "example.org",
            "ftp://example.org",
            "javascript:alert(1)",
            "JAVASCRIPT://example.org",
            "https://",
            "https:///a",
            "https://:80",
            "https://example.org@evil.example",
            "https://example.org\\@evil.example",
            "https://a b.example",
            "https://a.example/\"onclick=\"alert(1)",
            "https://a.example/<b>",
            "https://é.example",
            "https://a.example/\n",
        ];
        for bad in hostile.into_iter().map(str::to_owned).chain([format!("{longest}b")]) {
            assert!(bad.parse::<ProfileLink>().is_err(), "{bad:?}");
        }
    }
}
