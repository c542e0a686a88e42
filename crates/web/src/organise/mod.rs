//! The pages of organisers, who sign in with the admin's token and act through the services.
//!
//! To keep the token secret, these pages respond only on the machine itself, or over https. The browser keeps it,
//! encrypted, in a cookie.

mod bot_tokens;
mod guard;
mod new_match;
mod new_tournament;
mod overview;
mod pages;
mod setting_fields;
mod settings_input;
mod sign_in;
mod tournament_action;
mod tournament_page;
mod void_matches;

pub(super) use pages::{handle_organiser_form, show_organiser_page};
