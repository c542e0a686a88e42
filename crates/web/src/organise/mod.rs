//! What an organiser does in a browser: signs in with the admin's token, and calls the services with it.
//!
//! These pages answer only on the machine itself or through a proxy that says https: the token would travel in the clear otherwise. The token is typed once. It stays
//! in the memory of the server, in a session that the browser knows by a cookie.

mod bot_tokens;
mod confirmation;
mod guard;
mod new_match;
mod new_tournament;
mod overview;
mod pages;
mod setting_fields;
mod sign_in;
mod tournament_action;
mod tournament_page;
mod typed_settings;
mod void_matches;

pub(super) use pages::{show_organiser_page, take_organiser_form};
