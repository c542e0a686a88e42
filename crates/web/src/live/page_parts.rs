//! The parts of a page that may change while somebody looks at it.

use serde::Serialize;
use std::collections::BTreeMap;

/// Parts of a page: what stands in elements, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct PageParts(BTreeMap<&'static str, String>);

impl PageParts {
    /// Adds what stands in an element.
    #[must_use = "it is the parts with one more"]
    pub(crate) fn with(mut self, id: &'static str, html: impl Into<String>) -> Self {
        self.0.insert(id, html.into());
        self
    }

    /// Returns the parts that are not as they were.
    pub(super) fn changed_since(&self, before: &Self) -> Self {
        let changed = self.0.iter().filter(|(id, html)| before.0.get(*id) != Some(html));
        Self(changed.map(|(&id, html)| (id, html.clone())).collect())
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
