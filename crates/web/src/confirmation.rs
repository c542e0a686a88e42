//! Confirmation of changes that cannot be undone.

use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::response::{PageResponse, private_response};
use crate::trail::Crumb;
use crate::visitor::Visitor;
use askama::Template;
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The hidden field of a confirmed form.
const CONFIRMED_FIELD: &str = "confirmed";

/// A request for confirmation.
#[derive(Debug)]
pub(super) struct Confirmation<'a> {
    /// The pages above the question.
    pub trail: Vec<Crumb>,
    /// The question.
    pub title: &'a str,
    /// What will happen.
    pub what: String,
    /// The text of the button.
    pub button: &'a str,
    /// The address of the form.
    pub action: String,
    /// The page to return to without changing anything.
    pub back: String,
    /// The typed fields, which the confirmed form sends again.
    pub kept: Vec<(&'static str, &'a str)>,
}

#[derive(Debug, Template)]
#[template(path = "confirmation.html")]
struct ConfirmationForm<'a> {
    form_token: FormToken,
    asked: &'a Confirmation<'a>,
}

/// Says what happens to a bot that is withdrawn from a running tournament.
pub(super) fn withdrawal_text(bot: &str) -> String {
    format!(
        "{bot} finishes its open matches, or in a Swiss tournament this round, and gets no others. Its results stand, and it is ranked behind the bots that stayed. This cannot be undone."
    )
}

/// Returns whether a form is confirmed.
pub(super) fn is_confirmed(fields: &FormFields) -> bool {
    fields.value(CONFIRMED_FIELD) == "yes"
}

pub(super) fn confirmation_page(visitor: &Visitor, asked: &Confirmation<'_>) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let content = ConfirmationForm { form_token, asked };
    let page = Page::of_template(asked.title, asked.what.as_str(), &content).with_trail(asked.trail.clone());
    Ok(private_response(visitor, StatusCode::OK, page))
}
