//! Keeps track of which field of a request is being parsed, so that mistakes are reported with the path of the field.

use super::{FromWire, Violations};
use std::{cell::RefCell, fmt, str::FromStr};

/// Parses a request to its end, so that every mistake is reported. `parse` gets a [`RequestField`] that stands for the
/// whole request, whose fields are its [members](RequestField::member).
///
/// # Errors
/// If any mistake was reported.
///
/// # Panics
/// If `parse` returned `None` without reporting a mistake.
pub fn parse_request<T>(parse: impl FnOnce(RequestField<'_>) -> Option<T>) -> Result<T, Violations> {
    let violations = RefCell::default();
    let parsed = parse(RequestField { violations: &violations, place: None });
    let violations = violations.into_inner();
    if violations.is_empty() { Ok(parsed.expect("a failed parse is reported")) } else { Err(violations) }
}

/// A field of a request, named by its path, such as `settings.positions[3].counters`.
///
/// The path is a linked list of borrowed names and indexes, so that nothing is allocated for fields without a mistake.
#[derive(Debug, Clone, Copy)]
pub struct RequestField<'a> {
    violations: &'a RefCell<Violations>,
    place: Option<(&'a RequestField<'a>, FieldStep)>,
}

#[derive(Debug, Clone, Copy)]
enum FieldStep {
    Member(&'static str),
    Element(usize),
}

impl RequestField<'_> {
    /// Returns the field with this name in the message in this field.
    pub fn member(&self, name: &'static str) -> RequestField<'_> {
        RequestField { violations: self.violations, place: Some((self, FieldStep::Member(name))) }
    }

    /// Returns an element of this repeated field, by its index from 0.
    pub fn element(&self, index: usize) -> RequestField<'_> {
        RequestField { violations: self.violations, place: Some((self, FieldStep::Element(index))) }
    }

    /// Reports a mistake in this field.
    pub fn report(&self, description: impl fmt::Display) {
        self.violations.borrow_mut().add(self.to_string(), description.to_string());
    }

    /// Returns whether no mistake has been reported in the whole request so far.
    pub fn has_no_violations(&self) -> bool {
        self.violations.borrow().is_empty()
    }

    /// Returns the value of a successful parse, or reports the error.
    pub fn ok_or_report<T, E: fmt::Display>(&self, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|error| self.report(error)).ok()
    }

    /// Parses the text in the field; an empty text means that no value was given.
    pub fn parse_if_given<T: FromStr<Err: fmt::Display>>(&self, word: &str) -> Option<Option<T>> {
        if word.is_empty() { Some(None) } else { self.ok_or_report(word.parse()).map(Some) }
    }

    /// Parses the number in the field; 0 means that no value was given.
    #[expect(
        clippy::option_option,
        reason = "as in all parsers here, the outer option is `None` after a mistake"
    )]
    pub(crate) fn parse_unless_zero<N: PartialEq + From<u8>, T, E: fmt::Display>(
        &self,
        number: N,
        parse: impl FnOnce(N) -> Result<T, E>,
    ) -> Option<Option<T>> {
        if number == N::from(0) { Some(None) } else { self.ok_or_report(parse(number)).map(Some) }
    }

    /// Returns the message in the field, or reports that it is missing.
    pub fn require<'m, T>(&self, message: Option<&'m T>) -> Option<&'m T> {
        self.ok_or_report(message.ok_or("missing"))
    }

    /// Parses the message in the field, or reports that it is missing.
    pub fn parse_required<'m, M, T>(
        &self,
        message: Option<&'m M>,
        parse: impl FnOnce(&'m M, RequestField<'_>) -> Option<T>,
    ) -> Option<T> {
        self.require(message).and_then(|message| parse(message, *self))
    }

    /// Parses every element of this repeated field, even after a mistake in an earlier one.
    pub fn parse_each<'m, M, T>(
        &self,
        elements: impl IntoIterator<Item = &'m M>,
        parse: impl Fn(&'m M, RequestField<'_>) -> Option<T>,
    ) -> Option<Vec<T>>
    where
        M: 'm,
    {
        let elements = elements.into_iter().enumerate();
        let parsed: Vec<_> = elements.map(|(index, element)| parse(element, self.element(index))).collect();
        parsed.into_iter().collect()
    }

    /// Converts a number to an enum value, or reports that it is unknown. The values must be numbered from 0 without
    /// gaps.
    pub fn known_enum<E: TryFrom<i32>>(&self, number: i32) -> Option<E> {
        let known = E::try_from(number).ok();
        if known.is_none() {
            let values = (0..i32::from(u8::MAX)).take_while(|&value| E::try_from(value).is_ok()).count();
            let max = values.saturating_sub(1);
            self.report(format_args!("{number} is not a known value: expected 0 to {max}"));
        }
        known
    }

    /// Converts a number to an enum value; `Some(None)` if it is unspecified. Reports an unknown number.
    pub fn optional_enum<T: FromWire>(&self, number: i32) -> Option<Option<T>> {
        self.known_enum::<T::Wire>(number).map(T::from_known)
    }

    /// Converts a number to an enum value. Reports an unknown number, and reports `if_missing` if it is unspecified.
    pub(crate) fn required_enum<T: FromWire>(&self, number: i32, if_missing: &str) -> Option<T> {
        self.optional_enum(number).and_then(|value| self.ok_or_report(value.ok_or(if_missing)))
    }
}

impl fmt::Display for RequestField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((message, step)) = self.place else { return Ok(()) };
        message.fmt(f)?;
        match step {
            FieldStep::Member(name) if message.place.is_none() => f.write_str(name),
            FieldStep::Member(name) => write!(f, ".{name}"),
            FieldStep::Element(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pb;

    #[test]
    fn path_has_dots_and_indices() {
        let parsed = parse_request(|request| {
            let settings = request.member("settings");
            let positions = settings.member("positions");
            assert_eq!(positions.element(3).member("counters").to_string(), "settings.positions[3].counters");
            assert_eq!(settings.to_string(), "settings");
            Some(7)
        });
        assert_eq!(parsed, Ok(7));
    }

    #[test]
    fn all_mistakes_are_collected() {
        let parsed = parse_request(|request| {
            let seats = request.member("seats");
            assert_eq!(seats.ok_or_report("x".parse::<u8>().map_err(|_| "x is not a number")), None);
            assert_eq!(seats.ok_or_report("7".parse::<u8>()), Some(7));
            assert_eq!(request.member("game").require::<u8>(None), None);
            assert_eq!(request.member("ending").known_enum::<pb::Ending>(3), None);
            assert_eq!(request.member("ending").known_enum(2), Some(pb::Ending::LastMoverWins));
            let parse_small = |number: &u8, at: RequestField<'_>| {
                at.ok_or_report(if *number < 5 { Ok(*number) } else { Err(number) })
            };
            assert_eq!(request.member("set").parse_each(&[9, 1, 8], parse_small), None);
            assert_eq!(request.member("set").parse_each(&[2, 1], parse_small), Some(vec![2, 1]));
            Some(())
        });
        assert_eq!(
            parsed.unwrap_err().to_string(),
            "seats: x is not a number; game: missing; ending: 3 is not a known value: expected 0 to 2; \
             set[0]: 9; set[2]: 8"
        );
    }
}
