//! Who is signed in, on all pages: by the cookie of a session in place of the header with a token.
//!
//! `identity` says who a visitor is, `sign_in_page` has the form for any token. Organisers and players sign in on their own pages as well; what they may read
//! there they may read everywhere. `arrival` leads browsers on that a link of another site has brought here without their cookies.

mod arrival;
mod identity;
mod sign_in_page;
mod signed_in;

pub(super) use arrival::{arrives_without_cookies, onward_response};
pub(super) use identity::identify_visitor;
pub(super) use sign_in_page::{begin_session, end_sessions, show_sign_in_page, take_sign_in_form};
pub(super) use signed_in::SignedIn;
