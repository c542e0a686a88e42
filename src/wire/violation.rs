//! What is wrong with a request.

use super::Field;
use std::fmt;

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field, such as `settings.positions[3].counters`.
    pub field: String,
    /// The offending value, and what would be right.
    pub description: String,
}

/// Everything that is wrong with a request, gathered while it is parsed to its end.
///
/// They must fit into the trailers of a gRPC status, which many clients bound at 8 KiB: the first always stands, and
/// others as long as they come to no more than [`MAX_BYTES`](Self::MAX_BYTES) together. The rest is counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Violations {
    listed: Vec<Violation>,
    bytes: usize,
    unlisted: usize,
}

impl Violations {
    /// The most bytes of text that are listed, besides the first violation.
    pub const MAX_BYTES: usize = 4_096;

    /// Says what is wrong with a field.
    pub fn report(&mut self, field: Field<'_>, description: impl fmt::Display) {
        if self.unlisted > 0 {
            self.unlisted += 1;
            return;
        }
        let violation = Violation { field: field.to_string(), description: description.to_string() };
        let bytes = self.bytes + violation.field.len() + violation.description.len();
        if self.listed.is_empty() || bytes <= Self::MAX_BYTES {
            self.listed.push(violation);
            self.bytes = bytes;
        } else {
            self.unlisted = 1;
        }
    }

    /// Returns the value of a field, or reports the error that came instead.
    pub fn keep<T, E: fmt::Display>(&mut self, field: Field<'_>, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|error| self.report(field, error)).ok()
    }

    /// Returns what a field holds, or reports that it is missing.
    pub fn require<'a, T>(&mut self, field: Field<'_>, message: Option<&'a T>) -> Option<&'a T> {
        self.keep(field, message.ok_or("required, but missing"))
    }

    /// Returns the value that a number stands for in an enum whose values are numbered from 0 without a gap, or reports
    /// that it stands for none.
    pub fn known<E: TryFrom<i32>>(&mut self, field: Field<'_>, number: i32) -> Option<E> {
        let known = E::try_from(number).ok();
        if known.is_none() {
            let values = (0..i32::from(u8::MAX)).take_while(|&value| E::try_from(value).is_ok()).count();
            self.report(
                field,
                format_args!("{number} is not a known value: expected 0 to {}", values.saturating_sub(1)),
            );
        }
        known
    }

    /// Returns whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns what is wrong, in the order in which it was found.
    pub fn as_slice(&self) -> &[Violation] {
        &self.listed
    }

    /// Returns how many more violations there were than are listed.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    /// Ends the parsing of a request: gives back what was parsed if nothing is wrong.
    ///
    /// # Errors
    /// If anything was reported.
    ///
    /// # Panics
    /// If nothing was parsed, and nothing reported.
    pub fn finish<T>(self, parsed: Option<T>) -> Result<T, Self> {
        if self.is_empty() { Ok(parsed.expect("what is not parsed is reported")) } else { Err(self) }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Violation { field, description }) in self.listed.iter().enumerate() {
            write!(f, "{}{field}: {description}", if place == 0 { "" } else { "; " })?;
        }
        match self.unlisted {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for Violations {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::pb;

    #[test]
    fn every_mistake_is_listed() {
        let mut violations = Violations::default();
        let seats = Field::root("seats");
        assert_eq!(violations.keep(seats, "x".parse::<u8>().map_err(|_| "x is not a number")), None);
        assert_eq!(violations.keep(seats, "7".parse::<u8>()), Some(7));
        assert_eq!(violations.require::<u8>(Field::root("game"), None), None);
        assert_eq!(violations.known::<pb::Ending>(Field::root("ending"), 3), None);
        assert_eq!(violations.known(Field::root("ending"), 2), Some(pb::Ending::LastMoverWins));
        assert_eq!(
            violations.to_string(),
            "seats: x is not a number; game: required, but missing; ending: 3 is not a known value: expected 0 to 2"
        );
        assert_eq!(violations.clone().finish(Some(())), Err(violations));
        assert_eq!(Violations::default().finish(Some(7)), Ok(7));
    }

    #[test]
    fn the_list_is_bounded() {
        let mut violations = Violations::default();
        violations.report(Field::root("first"), "x".repeat(2 * Violations::MAX_BYTES));
        violations.report(Field::root("second"), "x");
        assert_eq!((violations.as_slice().len(), violations.unlisted()), (1, 1));

        let mut violations = Violations::default();
        for index in 0..1_000 {
            violations.report(Field::root("positions").element(index), "0 piles: a game has 1 to 1024");
        }
        let listed = violations.as_slice();
        let bytes: usize = listed.iter().map(|each| each.field.len() + each.description.len()).sum();
        assert!(bytes <= Violations::MAX_BYTES && bytes > Violations::MAX_BYTES - 100);
        assert_eq!(listed.len() + violations.unlisted(), 1_000);
        assert!(violations.to_string().ends_with(&format!("; and {} more", violations.unlisted())));
    }
}
