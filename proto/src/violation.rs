//! What is wrong with a request.

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

    /// Adds what is wrong with a field, as long as there is room.
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

    /// Returns whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns what is wrong, in the order in which it was found.
    pub fn as_slice(&self) -> &[Violation] {
        &self.listed
    }

    /// Returns how many more violations there were than are listed.
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
    fn the_list_is_bounded() {
        let reported = parse_request(|request| {
            request.member("first").report("x".repeat(2 * Violations::MAX_BYTES));
            request.member("second").report("x");
            Some(())
        });
        let violations = reported.unwrap_err();
        assert_eq!((violations.as_slice().len(), violations.unlisted_count()), (1, 1));

        let reported = parse_request(|request| {
            let positions = request.member("positions");
            (0..1_000).for_each(|index| positions.element(index).report("0 piles: a game has 1 to 1024"));
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
