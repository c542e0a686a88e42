//! The addresses of hands that are played in the browser.

use crate::game::MatchId;
use crate::web::forms::SiteCookie;
use std::fmt;

/// The cookie by which a guest is known.
pub(in crate::web) const PLAY_COOKIE: SiteCookie = SiteCookie { name: "lastnim_guest", path: "/play" };

/// Where a hand is begun or played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum PlayAddress {
    /// Where opponents and piles are chosen.
    NewHand,
    /// A hand of the visitor. With `since` the answer waits until something else has happened than the page with this number shows.
    Hand { id: MatchId, since: Option<u64> },
}

impl PlayAddress {
    /// Reads the segments of a path behind the first, and what `since` is in the query.
    ///
    /// # Errors
    /// Says what is not there.
    pub(in crate::web) fn parse(segments: &[&str], since: Option<&str>) -> Result<Self, String> {
        match segments {
            [] => Ok(Self::NewHand),
            [id] => {
                let id = id.parse().map_err(|error| format!("match {id:?}: {error}"))?;
                let number = |since: &str| {
                    since.parse().map_err(|_| format!("since {since:?}: expected a whole number from 0 on"))
                };
                Ok(Self::Hand { id, since: since.map(number).transpose()? })
            }
            _ => Err("nothing has this address".to_owned()),
        }
    }

    /// Returns one of each kind.
    #[cfg(test)]
    pub(in crate::web) fn examples() -> Vec<Self> {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        vec![Self::NewHand, Self::Hand { id, since: None }, Self::Hand { id, since: Some(7) }]
    }
}

impl PlayAddress {
    /// Returns its path, and its query without the question mark.
    pub(in crate::web) fn path_and_query(&self) -> (String, String) {
        match self {
            Self::NewHand => ("/play".into(), String::new()),
            Self::Hand { id, since } => {
                let since = since.map(|since| format!("since={since}")).unwrap_or_default();
                (format!("/play/{id}"), since)
            }
        }
    }
}

impl fmt::Display for PlayAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, query) = self.path_and_query();
        if query.is_empty() { f.write_str(&path) } else { write!(f, "{path}?{query}") }
    }
}
