//! Signing in to read with any valid token, and signing out.

use crate::address::{PageAddress, PageFormat, SignInAddress, SiteAddress};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, http_status, private_response, redirect_response, with_cookie};
use crate::site::Site;
use crate::site_cookies::SESSION_COOKIE;
use crate::typed_token::{authorization_header, check_known_token, token_mistake};
use crate::visitor::Visitor;
use askama::Template;
use std::fmt::Display;
use tonic::Status;
use tonic::codegen::http::{HeaderValue, StatusCode};

/// The path that a sign-in here passes to the check of its token.
const SIGN_IN_PATH: &str = "/sign-in";
/// The page that a visitor is sent to after signing in, by default.
const FIRST_PAGE: SiteAddress = SiteAddress::Page(PageAddress::Home, PageFormat::Html);

/// The form for a token. The typed token is never shown again.
#[derive(Debug, Template)]
#[template(path = "sign_in.html")]
struct SignInForm {
    form_token: FormToken,
    /// The address of the form.
    action: String,
    /// Who is signed in already; may be empty.
    name: String,
    mistake: String,
}

/// Checks that the connection keeps the token secret.
fn check_reader_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "signing in needs a token, but this connection would not protect it: open this page on the server's own machine, or over https, with --tls-cert or through \
         a proxy that the server trusts (--trusted-proxy) and that sets x-forwarded-proto. Programs send the token in the authorization header.",
    )
}

/// Shows the form. A visitor who is already signed in is redirected to the requested page.
pub(crate) fn show_sign_in_page(visitor: &Visitor, address: &SignInAddress) -> Result<PageResponse, Status> {
    match address {
        SignInAddress::SignIn { to } => {
            check_reader_channel(visitor)?;
            match (visitor.signed_in(), to) {
                (Some(_), Some(to)) => Ok(redirect_response(to)),
                _ => sign_in_response(visitor, to.as_deref(), StatusCode::OK, String::new()),
            }
        }
        // This address only accepts a form.
        SignInAddress::SignOut => Ok(redirect_response(&SignInAddress::SignIn { to: None })),
    }
}

fn sign_in_response(
    visitor: &Visitor,
    to: Option<&SiteAddress>,
    status: StatusCode,
    mistake: String,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let action = SignInAddress::SignIn { to: to.cloned().map(Box::new) }.to_string();
    let name = visitor.signed_in().map(|signed_in| signed_in.name().to_owned()).unwrap_or_default();
    let content = SignInForm { form_token, action, name, mistake };
    Ok(private_response(
        visitor,
        status,
        Page::of_template("Sign in", "Sign in with an organiser's, a viewer's or a bot's token", &content),
    ))
}

/// Signs a visitor in or out.
pub(crate) fn handle_sign_in_form(
    site: &Site,
    visitor: &Visitor,
    address: &SignInAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_reader_channel(visitor)?;
    match address {
        SignInAddress::SignIn { to } => sign_in(site, visitor, to.as_deref(), fields),
        SignInAddress::SignOut => Ok(sign_out(site, visitor, &SignInAddress::SignIn { to: None })),
    }
}

fn sign_in(
    site: &Site,
    visitor: &Visitor,
    to: Option<&SiteAddress>,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let known = authorization_header(fields.value("token")).and_then(|header| {
        check_known_token(site, visitor, SIGN_IN_PATH, &header)?;
        Ok(header)
    });
    match known {
        Ok(header) => Ok(begin_session(site, visitor, &header, to.unwrap_or(&FIRST_PAGE))),
        Err(status) => {
            let response = sign_in_response(visitor, to, http_status(&status), token_mistake(&status))?;
            Ok(with_refusal(response, &status))
        }
    }
}

/// Replaces the browser's session, and redirects.
pub(crate) fn begin_session(
    site: &Site,
    visitor: &Visitor,
    authorization: &HeaderValue,
    to: &impl Display,
) -> PageResponse {
    end_session(site, visitor);
    let secret = site.sign_ins.begin(&SESSION_COOKIE, authorization, site.now());
    with_cookie(redirect_response(to), SESSION_COOKIE.set(&secret, visitor.channel))
}

/// Ends the browser's session, deletes its cookie, and redirects.
pub(crate) fn sign_out(site: &Site, visitor: &Visitor, to: &impl Display) -> PageResponse {
    end_session(site, visitor);
    with_cookie(redirect_response(to), SESSION_COOKIE.remove(visitor.channel))
}

fn end_session(site: &Site, visitor: &Visitor) {
    if let Some(secret) = visitor.secret() {
        site.sign_ins.end(&SESSION_COOKIE, secret, site.now());
    }
}
