//! The addresses of what an organiser does.

use crate::web::forms::SiteCookie;
use std::fmt;

/// The cookie by which a browser is signed in; before that, it only belongs to the form.
pub(in crate::web) const ORGANISER_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_organiser", path: "/organise" };

/// What an organiser does. Each shows a form, or takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum OrganiseAddress {
    /// Sees what there is to do.
    Overview,
    /// Types the admin's token.
    SignIn,
    /// Ends the session.
    SignOut,
}

impl OrganiseAddress {
    /// Reads the segments of a path behind the first.
    ///
    /// # Errors
    /// Says what is not there.
    pub(in crate::web) fn parse(segments: &[&str]) -> Result<Self, String> {
        match segments {
            [] => Ok(Self::Overview),
            ["sign-in"] => Ok(Self::SignIn),
            ["sign-out"] => Ok(Self::SignOut),
            _ => Err("nothing has this address".to_owned()),
        }
    }

    /// Returns one of each kind.
    #[cfg(test)]
    pub(in crate::web) fn examples() -> Vec<Self> {
        vec![Self::Overview, Self::SignIn, Self::SignOut]
    }
}

impl fmt::Display for OrganiseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overview => f.write_str("/organise"),
            Self::SignIn => f.write_str("/organise/sign-in"),
            Self::SignOut => f.write_str("/organise/sign-out"),
        }
    }
}
