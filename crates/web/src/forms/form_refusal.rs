//! Why a form is refused before any page reads it.

use thiserror::Error;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// Why a form is refused before any page reads it.
#[derive(Debug, Error)]
pub(crate) enum FormRefusal {
    /// It is no form of a page.
    #[error("the content type {0:?} cannot be read here: expected application/x-www-form-urlencoded")]
    ContentType(String),
    /// It is too large.
    #[error("the form is too large: expected at most {0} bytes")]
    TooLarge(usize),
    /// It cannot be read.
    #[error("{0}")]
    Malformed(String),
    /// Another site had the browser send it.
    #[error("the form comes from {0}: expected a page of this server, {1}")]
    ForeignOrigin(String, String),
    /// Nothing says where it comes from.
    #[error(
        "nothing says where the form comes from: expected a browser, which sends the header Origin or Sec-Fetch-Site"
    )]
    NoOrigin,
    /// The browser sent no cookie.
    #[error(
        "the form came without the cookie that belongs to it: allow cookies for this site, load the page again, and send the form again"
    )]
    NoCookie,
    /// It carries no token, or one of another visitor.
    #[error(
        "the form belongs to an earlier visit, or to another one: load the page again, and send the form again"
    )]
    WrongToken,
    /// It did not arrive.
    #[error("{}", .0.message())]
    Body(Status),
}

impl FormRefusal {
    /// Returns the reason, for those who count.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::ContentType(_) => "FORM_CONTENT_TYPE",
            Self::TooLarge(_) => "FORM_TOO_LARGE",
            Self::Malformed(_) => "FORM_MALFORMED",
            Self::ForeignOrigin(..) | Self::NoOrigin => "FORM_ORIGIN",
            Self::NoCookie => "FORM_COOKIE",
            Self::WrongToken => "FORM_TOKEN",
            Self::Body(_) => "FORM_BODY",
        }
    }

    /// Returns the status of the answer.
    pub(crate) fn status_code(&self) -> StatusCode {
        match self {
            Self::ContentType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::ForeignOrigin(..) | Self::NoOrigin | Self::NoCookie | Self::WrongToken => {
                StatusCode::FORBIDDEN
            }
            Self::Body(status) => match status.code() {
                Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
                Code::DeadlineExceeded => StatusCode::REQUEST_TIMEOUT,
                _ => StatusCode::BAD_REQUEST,
            },
        }
    }
}
