//! Mistakes in requests.

use std::fmt;

/// A mistake in one field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field, such as `settings.positions[3].counters`.
    pub field: String,
    /// The offending value and what is expected.
    pub description: String,
}

/// The mistakes in a request. Parsing continues after a mistake, so that all of them are found.
///
/// They must fit into the trailers of a gRPC status, which many clients limit to 8 KiB. The first mistake is always
/// listed. Others are listed as long as their total length is at most [`MAX_BYTES`](Self::MAX_BYTES); the rest are
/// counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Violations {
    listed: Vec<Violation>,
    bytes: usize,
    unlisted: usize,
}

impl Violations {
    /// Maximum total length of listed mistakes after the first, in bytes.
    pub const MAX_BYTES: usize = 4_096;

    /// Lists a mistake if there is room, and otherwise only counts it.
    pub(super) fn add(&mut self, field: String, description: String) {
        if self.unlisted > 0 {
            self.unlisted += 1;
            return;
        }
        let bytes = self.bytes + field.len() + description.len();
        if self.listed.is_empty() || bytes <= Self::MAX_BYTES {
            self.listed.push(Violation { field, description });
            self.bytes = bytes;
        } else {
            self.unlisted = 1;
        }
    }

    /// Returns whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns the listed mistakes in the order in which they were found.
    pub fn as_slice(&self) -> &[Violation] {
        &self.listed
    }

    /// Returns the number of mistakes that are not listed.
    pub fn unlisted_count(&self) -> usize {
        self.unlisted
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
    use crate::parse_request;

    #[test]
    fn the_list_of_violations_is_limited() {
        let reported = parse_request(|request| {
            request.member("first").report("x".repeat(2 * Violations::MAX_BYTES));
            request.member("second").report("x");
            Some(())
        });
        let violations = reported.unwrap_err();
        assert_eq!((violations.as_slice().len(), violations.unlisted_count()), (1, 1));

        let reported = parse_request(|request| {
            let positions = request.member("positions");
            (0..1_000).for_each(|index| positions.element(index).report("0 piles: expected 1 to 1024"));
            Some(())
        });
        let violations = reported.unwrap_err();
        let listed = violations.as_slice();
        let bytes: usize = listed.iter().map(|each| each.field.len() + each.description.len()).sum();
        assert!(bytes <= Violations::MAX_BYTES && bytes > Violations::MAX_BYTES - 100);
        assert_eq!(listed.len() + violations.unlisted_count(), 1_000);
        assert!(violations.to_string().ends_with(&format!("; and {} more", violations.unlisted_count())));
    }
}
