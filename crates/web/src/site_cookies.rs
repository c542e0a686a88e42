//! The cookies of this site.

use super::forms::{SameSite, SiteCookie};

/// Holds a sign-in; before that, it only protects the sign-in form. It is sent to all pages, since their content
/// depends on the reader.
pub(super) static SESSION_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_session", path: "/", same_site: SameSite::Strict };
/// Identifies a guest. It is `Lax`, because over plain http the server cannot see that a visitor follows a link on
/// another site. With `Strict`, it would then set a new cookie in place of this one, and the guest would lose the
/// games. `Lax` is safe: only forms change anything, and their origin is checked.
pub(super) static PLAY_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_guest", path: "/play", same_site: SameSite::Lax };
/// Holds the sign-in of a player with the token of a bot; before that, it only protects the sign-in form. It is sent to
/// all pages, since the player reads with the rights of that bot.
pub(super) static PLAYER_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_bot", path: "/", same_site: SameSite::Strict };
