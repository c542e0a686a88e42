//! Signing in and out.

use super::guard::check_admin_token;
use crate::address::OrganiseAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::response::{PageResponse, http_status, private_response};
use crate::sign_in::{begin_session, end_sessions};
use crate::site::Site;
use crate::token_sessions::TokenHolders;
use crate::typed_token::authorization_header;
use crate::visitor::Visitor;
use askama::Template;
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The form that asks for the admin's token. What was typed is never shown again.
#[derive(Debug, Template)]
#[template(path = "organise/sign_in.html")]
struct SignInForm {
    form_token: FormToken,
    mistake: String,
}

/// Asks for the admin's token.
pub(super) fn sign_in_page(visitor: &Visitor) -> Result<PageResponse, Status> {
    sign_in_response(visitor, StatusCode::OK, String::new())
}

fn sign_in_response(visitor: &Visitor, status: StatusCode, mistake: String) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token().ok_or_else(|| Status::internal("this page has no cookie"))?;
    let form = SignInForm { form_token, mistake };
    let content = form.render().map_err(|error| Status::internal(error.to_string()))?;
    Ok(private_response(visitor, status, Page::without_twins("Organise", content)))
}

/// Says that a session is over, and asks for the token again.
pub(super) fn signed_out_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake = "You are not signed in, or no longer: nothing was done.".to_owned();
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake)
}

/// Signs somebody in who types the admin's token.
pub(super) fn sign_in(site: &Site, visitor: &Visitor, fields: &FormFields) -> Result<PageResponse, Status> {
    let header = match authorization_header(fields.value("token")) {
        Ok(header) => header,
        Err(mistake) => return sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake.to_owned()),
    };
    if let Err(status) = check_admin_token(site, visitor, &header) {
        let mistake = status.message().trim_start_matches("authorization: ").to_owned();
        return sign_in_response(visitor, http_status(&status), mistake);
    }
    let overview = OrganiseAddress::Overview;
    Ok(begin_session(site, visitor, (&site.organisers, TokenHolders::One), header, &overview))
}

/// Ends a session, and has the browser forget it.
pub(super) fn sign_out(site: &Site, visitor: &Visitor) -> PageResponse {
    end_sessions(site, visitor, &OrganiseAddress::SignIn)
}
