//! What is asked before something that cannot be undone.

use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::response::{PageResponse, private_response};
use crate::visitor::Visitor;
use askama::Template;
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The field of a form that was asked for, and confirmed.
const CONFIRMED: &str = "confirmed";

/// What is asked.
#[derive(Debug)]
pub(super) struct Confirmation<'a> {
    /// The question.
    pub title: &'a str,
    /// What will happen.
    pub what: String,
    /// What is written on the button.
    pub button: &'a str,
    /// Where the form goes.
    pub action: String,
    /// Where whoever does not want it goes.
    pub back: String,
    /// The fields that were typed.
    pub kept: Vec<(&'static str, &'a str)>,
}

#[derive(Debug, Template)]
#[template(path = "organise/confirmation.html")]
struct ConfirmationForm<'a> {
    form_token: FormToken,
    asked: &'a Confirmation<'a>,
}

/// Returns whether a form has been confirmed.
pub(super) fn is_confirmed(fields: &FormFields) -> bool {
    fields.value(CONFIRMED) == "yes"
}

/// Asks.
pub(super) fn confirmation_page(
    organiser: &Visitor,
    asked: &Confirmation<'_>,
) -> Result<PageResponse, Status> {
    let form_token = organiser.form_token()?;
    let content = ConfirmationForm { form_token, asked };
    Ok(private_response(organiser, StatusCode::OK, Page::of_template(asked.title, &content)))
}
