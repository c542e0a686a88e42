//! The cookies of this site.

use super::forms::{SameSite, SiteCookie};

/// The cookie by which a browser is signed in; before that, it only belongs to the form. All pages get it, for what they show depends on who looks.
pub(super) static SESSION_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_session", path: "/", same_site: SameSite::Strict };
/// The cookie by which a guest is known. It comes along with a link of another site, since where a browser does not say that it follows one (over plain http) a new cookie
/// would take its place, and the guest's hands would be lost. Such a link changes nothing: only forms do, which this server's own pages send.
pub(super) static PLAY_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_guest", path: "/play", same_site: SameSite::Lax };
/// The cookie by which a browser is signed in with the token of a bot; before that, it only belongs to the form. All pages get it: whoever has the seats of a bot
/// reads as that bot.
pub(super) static PLAYER_COOKIE: SiteCookie =
    SiteCookie { name: "lastnim_bot", path: "/", same_site: SameSite::Strict };
