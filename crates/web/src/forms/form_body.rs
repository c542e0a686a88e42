//! Reads the body of a form.

use super::form_fields::FormFields;
use super::form_refusal::FormRefusal;
use prost::bytes::Bytes;
use std::future::poll_fn;
use std::pin::Pin;
use tonic::Status;
use tonic::codegen::Body;
use tonic::codegen::http::HeaderMap;
use tonic::codegen::http::header::CONTENT_TYPE;

/// The maximum size of a form.
pub(super) const MAX_FORM_BYTES: usize = 64 << 10;

/// The content type of a form.
const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// Reads a form. There is no timeout here, since the body itself returns an error when its time limit is exceeded.
///
/// # Errors
/// If it is not a form, is too large, or does not arrive.
pub(crate) async fn read_form<B>(
    headers: &HeaderMap,
    mut body: Pin<&mut B>,
) -> Result<FormFields, FormRefusal>
where
    B: Body<Data = Bytes, Error = Status>,
{
    check_content_type(headers)?;
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > MAX_FORM_BYTES {
        return Err(FormRefusal::TooLarge(MAX_FORM_BYTES));
    }
    let mut form = Vec::with_capacity(announced);
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let Ok(bytes) = frame.map_err(FormRefusal::Body)?.into_data() else { continue };
        if form.len() + bytes.len() > MAX_FORM_BYTES {
            return Err(FormRefusal::TooLarge(MAX_FORM_BYTES));
        }
        form.extend_from_slice(&bytes);
    }
    FormFields::parse(&form).map_err(FormRefusal::Malformed)
}

fn check_content_type(headers: &HeaderMap) -> Result<(), FormRefusal> {
    let given = headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let given = given.unwrap_or_default();
    let media_type = given.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(FORM_TYPE) {
        Ok(())
    } else {
        Err(FormRefusal::ContentType(media_type.chars().take(100).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::codegen::http::StatusCode;

    async fn read_form_of_type(content_type: &str, body: impl Into<Bytes>) -> Result<FormFields, StatusCode> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
        read_form(&headers, Pin::new(&mut FixedBody(Some(body.into()))))
            .await
            .map_err(|refusal| refusal.status_code())
    }

    /// A body in one piece, without a known length.
    struct FixedBody(Option<Bytes>);

    impl Body for FixedBody {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Status>>> {
            std::task::Poll::Ready(self.0.take().map(|bytes| Ok(hyper::body::Frame::data(bytes))))
        }
    }

    #[tokio::test]
    async fn only_forms_are_read() {
        assert_eq!(read_form_of_type(FORM_TYPE, "a=b").await.unwrap().value("a"), "b");
        let typed_with_charset = "Application/X-WWW-Form-URLEncoded; charset=UTF-8";
        assert_eq!(read_form_of_type(typed_with_charset, "").await, Ok(FormFields::default()));
        for other in ["", "text/plain", "multipart/form-data; boundary=x", "application/json", "\u{e9}"] {
            assert_eq!(
                read_form_of_type(other, "a=b").await,
                Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
                "{other}"
            );
        }
        let largest = format!("a={}", "x".repeat(MAX_FORM_BYTES - 2));
        assert_eq!(
            read_form_of_type(FORM_TYPE, largest.clone()).await.unwrap().value("a").len(),
            MAX_FORM_BYTES - 2
        );
        assert_eq!(read_form_of_type(FORM_TYPE, largest + "x").await, Err(StatusCode::PAYLOAD_TOO_LARGE));
        assert_eq!(read_form_of_type(FORM_TYPE, "&a".repeat(2_000)).await, Err(StatusCode::BAD_REQUEST));
    }
}
