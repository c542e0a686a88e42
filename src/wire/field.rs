//! The path of a field in a request.

use std::fmt;

/// Names a field of a request by the way to it, such as `settings.positions[3].counters`.
///
/// It is a chain of borrowed steps, so that nothing is allocated for a field in which nothing is wrong.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    message: Option<&'a Field<'a>>,
    step: Step,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Member(&'static str),
    Element(usize),
}

impl Field<'_> {
    /// Names a field of the request itself.
    pub fn root(name: &'static str) -> Self {
        Self { message: None, step: Step::Member(name) }
    }

    /// Names a field of the message in this field.
    pub fn member(&self, name: &'static str) -> Field<'_> {
        Field { message: Some(self), step: Step::Member(name) }
    }

    /// Names one element of this repeated field, by its index from 0.
    pub fn element(&self, index: usize) -> Field<'_> {
        Field { message: Some(self), step: Step::Element(index) }
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = self.message {
            message.fmt(f)?;
        }
        match self.step {
            Step::Member(name) if self.message.is_some() => write!(f, ".{name}"),
            Step::Member(name) => f.write_str(name),
            Step::Element(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_it_would_be_written() {
        let settings = Field::root("settings");
        let positions = settings.member("positions");
        assert_eq!(positions.element(3).member("counters").to_string(), "settings.positions[3].counters");
        assert_eq!(settings.to_string(), "settings");
    }
}
