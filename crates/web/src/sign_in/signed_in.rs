//! The identity of a signed-in visitor.

use super::sign_ins::SignInEnd;
use crate::address::{BotPlayAddress, OrganiseAddress, PageAddress, SignInAddress};
use crate::forms::{CookieSecret, FormToken, SiteCookie};
use crate::site_cookies::{PLAYER_COOKIE, SESSION_COOKIE};
use lastnim_arena::Principal;

/// Where a visitor signed in, which decides the cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignInPlace {
    /// On a page for organisers or readers.
    Session,
    /// On the page for playing as a bot.
    BotSeats,
}

/// The identity of a signed-in visitor.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    principal: Principal,
    place: SignInPlace,
    form_token: FormToken,
    end: SignInEnd,
}

impl SignInPlace {
    pub(super) fn cookie(self) -> &'static SiteCookie {
        match self {
            Self::Session => &SESSION_COOKIE,
            Self::BotSeats => &PLAYER_COOKIE,
        }
    }
}

impl SignedIn {
    pub(super) fn new(
        principal: Principal,
        place: SignInPlace,
        secret: &CookieSecret,
        end: SignInEnd,
    ) -> Self {
        Self { principal, place, form_token: secret.form_token(), end }
    }

    /// Returns when the sign-in ends.
    pub(crate) fn end(&self) -> &SignInEnd {
        &self.end
    }

    /// Returns the name to show.
    pub(crate) fn name(&self) -> &str {
        match &self.principal {
            Principal::Admin => "organiser",
            Principal::Viewer => "viewer",
            Principal::Bot(bot) => bot.as_str(),
        }
    }

    /// Returns the address of the visitor's start page.
    pub(crate) fn home(&self) -> String {
        match (&self.principal, self.place) {
            (Principal::Admin, _) => OrganiseAddress::Overview.to_string(),
            (Principal::Viewer, _) => PageAddress::Home.to_string(),
            (Principal::Bot(_), SignInPlace::BotSeats) => BotPlayAddress::Seats { since: None }.to_string(),
            (Principal::Bot(bot), SignInPlace::Session) => PageAddress::Bot { name: bot.clone() }.to_string(),
        }
    }

    /// Returns the address of the form that signs out.
    pub(crate) fn sign_out_address(&self) -> String {
        match self.place {
            SignInPlace::Session => SignInAddress::SignOut.to_string(),
            SignInPlace::BotSeats => BotPlayAddress::SignOut.to_string(),
        }
    }

    /// Returns the token for the form that signs out.
    pub(crate) fn form_token(&self) -> FormToken {
        self.form_token
    }
}
