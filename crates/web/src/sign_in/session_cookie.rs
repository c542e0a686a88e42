//! The cookie of a session.

use crate::forms::{SameSite, SiteCookie};

/// The cookie by which a browser is signed in; before that, it only belongs to the form. All pages get it, for what they show depends on who looks.
pub(crate) static SESSION_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_session", path: "/", same_site: SameSite::Strict };
