//! Why a form is refused before its page handles it.

use thiserror::Error;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// Why a form is refused before its page handles it.
#[derive(Debug, Error)]
pub(crate) enum FormRefusal {
    /// It is not a form.
    #[error("unsupported content type {0:?}: expected application/x-www-form-urlencoded")]
    ContentType(String),
    #[error("the form is too large: expected at most {0} bytes")]
    TooLarge(usize),
    /// It cannot be parsed.
    #[error("{0}")]
    Malformed(String),
    /// Another site made the browser send it.
    #[error("the form was sent from {0}: expected {1}, this server's address")]
    ForeignOrigin(String, String),
    /// No header says where it comes from.
    #[error(
        "the form's origin is unknown: expected the header Origin or Sec-Fetch-Site, which browsers send"
    )]
    NoOrigin,
    #[error(
        "the form arrived without its cookie: allow cookies for this site, reload the page, and send the form again"
    )]
    NoCookie,
    /// It has no token, or another visitor's token.
    #[error(
        "the form is from an earlier visit or from another visitor: reload the page, and send the form again"
    )]
    WrongToken,
    /// The body did not arrive.
    #[error("{}", .0.message())]
    Body(Status),
}

impl FormRefusal {
    /// Returns the reason as a label for the metrics.
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

    /// Returns the status of the response.
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
