//! Forms that browsers send, and their cookies.
//!
//! A page handles forms in four steps:
//!
//! 1. `FormAddress::cookie` returns the cookie of the page. [`Pages`](super::Pages) sets it, with a new secret, for
//!    visitors without one.
//! 2. Each form of the page has `method="post"` and a hidden field,
//!    `<input type="hidden" name="form_token" value="{{ form_token }}">`, with the [`FormToken`] of
//!    [`Visitor::form_token`](super::visitor::Visitor::form_token).
//! 3. `Pages::respond_to_form` has an arm for the address of the page. Before it runs, the size, content type, origin
//!    and token of the form have been checked.
//! 4. The page responds with a `redirect_response` to the page with the result, or with the typed form and its error.
//!
//! A page that stores something about its visitor finds it by the visitor's [`CookieSecret`]. When somebody signs in,
//! [`SiteCookie::set`] sets a new one, which holds the sign-in.

mod cookies;
mod form_body;
mod form_fields;
mod form_refusal;
mod form_token;
mod origin;

pub(super) use cookies::{CookieSecret, SameSite, SecretHash, SiteCookie};
pub(super) use form_body::read_form;
pub(super) use form_fields::FormFields;
pub(super) use form_refusal::FormRefusal;
pub(super) use form_token::FormToken;
pub(super) use origin::{check_origin, is_opened_by_another_site, names_this_machine};
