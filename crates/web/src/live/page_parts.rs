//! The changing parts of a page.

use serde::Serialize;
use std::collections::BTreeMap;

/// The HTML of elements, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct PageParts(BTreeMap<&'static str, String>);

impl PageParts {
    /// Adds an element.
    #[must_use = "returns the parts with the new one"]
    pub(crate) fn with(mut self, id: &'static str, html: impl Into<String>) -> Self {
        self.0.insert(id, html.into());
        self
    }

    /// Returns the parts that have changed.
    pub(super) fn changed_since(&self, before: &Self) -> Self {
        let changed = self.0.iter().filter(|(id, html)| before.0.get(*id) != Some(html));
        Self(changed.map(|(&id, html)| (id, html.clone())).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
