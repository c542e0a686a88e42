//! Organisers sign in and out.

use super::guard::check_admin_token;
use crate::address::OrganiseAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, http_status, private_response};
use crate::sign_in::{begin_session, sign_out as sign_browser_out};
use crate::site::Site;
use crate::typed_token::{authorization_header, token_mistake};
use crate::visitor::Visitor;
use askama::Template;
use tonic::Status;
use tonic::codegen::http::StatusCode;

const SUMMARY: &str = "Sign in to create and run tournaments on this server";

/// The form for the admin's token. The typed token is never shown again.
#[derive(Debug, Template)]
#[template(path = "organise/sign_in.html")]
struct SignInForm {
    form_token: FormToken,
    mistake: String,
}

pub(super) fn sign_in_page(visitor: &Visitor) -> Result<PageResponse, Status> {
    sign_in_response(visitor, StatusCode::OK, String::new())
}

fn sign_in_response(visitor: &Visitor, status: StatusCode, mistake: String) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let form = SignInForm { form_token, mistake };
    Ok(private_response(visitor, status, Page::of_template("Organise", SUMMARY, &form)))
}

/// Shows the sign-in form, with the note that the session has ended.
pub(super) fn signed_out_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake = "You are not signed in, or your session has ended. Nothing was changed.".to_owned();
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake)
}

pub(super) fn sign_in(site: &Site, visitor: &Visitor, fields: &FormFields) -> Result<PageResponse, Status> {
    let typed = authorization_header(fields.value("token"));
    match typed.and_then(|header| check_admin_token(site, visitor, &header).map(|()| header)) {
        Ok(header) => Ok(begin_session(site, visitor, &header, &OrganiseAddress::Overview)),
        Err(status) => {
            let response = sign_in_response(visitor, http_status(&status), token_mistake(&status))?;
            Ok(with_refusal(response, &status))
        }
    }
}

/// Ends a session and deletes its cookie.
pub(super) fn sign_out(site: &Site, visitor: &Visitor) -> PageResponse {
    sign_browser_out(site, visitor, &OrganiseAddress::SignIn)
}
