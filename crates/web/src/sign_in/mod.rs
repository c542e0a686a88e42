//! Signing in by cookie, on all pages, in place of a header with a token.
//!
//! `sign_ins` seals sign-ins into cookies, `identity` identifies visitors, and `sign_in_page` has the form for any token.
//! Organisers and players sign in on their own pages, and then have read access everywhere. `arrival` handles visits
//! through links on other sites, which arrive without cookies.

mod arrival;
mod identity;
mod sign_in_page;
mod sign_ins;
mod signed_in;

pub(super) use arrival::{arrives_without_cookies, reload_response};
pub(super) use identity::identify_visitor;
pub(super) use sign_in_page::{begin_session, handle_sign_in_form, show_sign_in_page, sign_out};
pub use sign_ins::SignIns;
pub(super) use signed_in::SignedIn;
