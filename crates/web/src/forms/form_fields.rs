//! The fields of a form.

use super::form_refusal::FormRefusal;
use super::form_token::FormToken;

/// The maximum number of fields in a form.
const MAX_FIELDS: usize = 1_000;

/// The fields of a form, in the order in which they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Parses the body of a form. Invalid UTF-8 becomes replacement characters.
    ///
    /// # Errors
    /// If there are more than 1,000 fields.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, String> {
        let pairs = form_urlencoded::parse(body).into_owned();
        let fields: Vec<_> = pairs.take(MAX_FIELDS + 1).collect();
        if fields.len() > MAX_FIELDS {
            return Err(format!("too many fields in the form or the address: expected at most {MAX_FIELDS}"));
        }
        Ok(Self(fields))
    }

    /// Checks that this site wrote the form for the visitor whose cookie has this token.
    pub(crate) fn check_token(&self, token: FormToken) -> Result<(), FormRefusal> {
        let is_own = token.matches(self.value(FormToken::FIELD));
        if is_own { Ok(()) } else { Err(FormRefusal::WrongToken) }
    }

    /// Returns the value of a field, or an empty string.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    /// Returns all values of a field: each ticked box sends one value.
    pub(crate) fn values<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a field, if it was sent: unticked boxes are not.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_decoded_and_may_be_repeated() {
        let fields = FormFields::parse(b"title=A+%26+B%0D%0A&seats=3&seats=4&empty=&flag").unwrap();
        assert_eq!((fields.value("title"), fields.value("seats")), ("A & B\r\n", "3"));
        assert_eq!(
            (fields.find("empty"), fields.find("flag"), fields.find("none")),
            (Some(""), Some(""), None)
        );
        assert_eq!(fields.values("seats").collect::<Vec<_>>(), ["3", "4"]);
        assert_eq!(fields.values("none").count(), 0);
        let broken = FormFields::parse(b"a=%ff%fe%zz%&=b&&&=").unwrap();
        assert_eq!(broken.value("a"), "\u{fffd}\u{fffd}%zz%");
    }

    #[test]
    fn too_many_fields_are_refused() {
        let error = FormFields::parse("a&".repeat(MAX_FIELDS + 1).as_bytes()).unwrap_err();
        assert_eq!(error, "too many fields in the form or the address: expected at most 1000");
        assert!(FormFields::parse("a&".repeat(MAX_FIELDS).as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn encoded_fields_round_trip(name in ".{1,10}", value in ".{0,40}") {
            let body = form_urlencoded::Serializer::new(String::new()).append_pair(&name, &value).finish();
            let fields = FormFields::parse(body.as_bytes()).unwrap();
            prop_assert_eq!(fields.find(&name), Some(value.as_str()));
        }

        #[test]
        fn parsing_a_form_body_never_causes_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = FormFields::parse(&body);
        }
    }
}
