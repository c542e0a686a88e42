//! The fields of a form, as they were typed.

use super::form_refusal::FormRefusal;
use super::form_token::FormToken;

/// The most fields of a form.
const MAX_FIELDS: usize = 1_000;

/// The fields of a form, in the order in which they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads the body of a form. Bytes that are no UTF-8 are read as replacement characters.
    ///
    /// # Errors
    /// Says how many fields there may be.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, String> {
        let pairs = form_urlencoded::parse(body).into_owned();
        let fields: Vec<_> = pairs.take(MAX_FIELDS + 1).collect();
        if fields.len() > MAX_FIELDS {
            return Err(format!("the form has too many fields: expected at most {MAX_FIELDS}"));
        }
        Ok(Self(fields))
    }

    /// Checks that this site wrote the form for the visitor whose cookie has this token.
    pub(crate) fn check_token(&self, token: FormToken) -> Result<(), FormRefusal> {
        let is_own = token.matches(self.value(FormToken::FIELD));
        if is_own { Ok(()) } else { Err(FormRefusal::WrongToken) }
    }

    /// Returns what was typed into a field; nothing if it was not sent.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    /// Returns all that was sent under a name: each box that is ticked sends a value of its own.
    pub(crate) fn values<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Returns what was typed into a field, if it was sent: a box that is not ticked is not.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_read_as_they_were_typed() {
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
    fn fields_are_bounded() {
        let said = FormFields::parse("a&".repeat(MAX_FIELDS + 1).as_bytes()).unwrap_err();
        assert_eq!(said, "the form has too many fields: expected at most 1000");
        assert!(FormFields::parse("a&".repeat(MAX_FIELDS).as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn what_browsers_write_is_read_as_the_same(name in ".{1,10}", value in ".{0,40}") {
            let body = form_urlencoded::Serializer::new(String::new()).append_pair(&name, &value).finish();
            let fields = FormFields::parse(body.as_bytes()).unwrap();
            prop_assert_eq!(fields.find(&name), Some(value.as_str()));
        }

        #[test]
        fn no_body_breaks_anything(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = FormFields::parse(&body);
        }
    }
}
