//! Forms that pages are sent, and the cookies that belong to them.
//!
//! A page takes forms in four steps:
//!
//! 1. Its address names a cookie in `FormAddress::cookie`. [`Pages`](super::Pages) then sets that cookie, with a secret of its own, where a visitor comes without it.
//! 2. Each of its forms has `method="post"` and a hidden field, `<input type="hidden" name="form_token" value="{{ form_token }}">`, with the
//!    [`FormToken`] of [`Visitor::form_token`](super::visitor::Visitor::form_token).
//! 3. `Pages::respond_to_form` has an arm for its address, which gets the [`FormFields`]. When it is called, the size, the content type, the origin and the token of
//!    the form have been checked.
//! 4. It answers with `redirect_response` to the page that shows what came of it, or with the form as it was typed and what is wrong with it.
//!
//! A page that keeps something about its visitor, such as a session, finds it by the [`CookieSecret`] of the visitor, and hands out a new one with
//! [`SiteCookie::set`] when somebody signs in.

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
