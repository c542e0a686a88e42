//! The content of a page, before it is written in one format.

use super::address::PageAddress;
use super::page::Page;
use super::page_cache::PageLifetime;
use super::trail::Crumb;
use lastnim_proto::json::MessageJson;
use lastnim_report::Report;
use lastnim_report::render::csv_text;
use prost::Name;
use std::fmt;
use tonic::Status;

/// Makes the HTML page at an address.
type MakePage = Box<dyn FnOnce(&PageAddress) -> Result<Page, Status> + Send>;

/// The content of a page. Only the requested format is written.
pub(super) struct PageContent {
    page: MakePage,
    json: Box<dyn FnOnce() -> String + Send>,
    /// Its tables; `None` if it has no CSV.
    tables: Option<Report>,
    /// The settings that would repeat the tournament; `None` if it has no TOML.
    toml: Option<String>,
    /// The pages above it; `None` if they follow from its address.
    pub trail: Option<Vec<Crumb>>,
    /// The next page of a list.
    pub next: Option<PageAddress>,
    /// How long it stays valid.
    pub lifetime: PageLifetime,
    /// Whether part of it is still being computed.
    pub is_awaited: bool,
}

impl PageContent {
    /// Creates content from a message, which is returned as JSON, and a function that makes the HTML page.
    pub(super) fn of_message<M: Name + Send + 'static>(
        message: M,
        page: impl FnOnce(&PageAddress) -> Result<Page, Status> + Send + 'static,
    ) -> Self {
        let json = move || serde_json::to_string(&MessageJson::of(&message)).expect("all keys are strings");
        Self::new(Box::new(page), Box::new(json))
    }

    /// Takes a message for JSON only.
    pub(super) fn without_page<M: Name + Send + 'static>(message: M) -> Self {
        Self::of_message(message, |_| Err(Status::not_found("this address has no page, only JSON")))
    }

    /// Takes existing JSON.
    pub(super) fn of_json(
        json: String,
        page: impl FnOnce(&PageAddress) -> Result<Page, Status> + Send + 'static,
    ) -> Self {
        Self::new(Box::new(page), Box::new(|| json))
    }

    fn new(page: MakePage, json: Box<dyn FnOnce() -> String + Send>) -> Self {
        let (tables, toml, trail, next, lifetime, is_awaited) = Default::default();
        Self { page, json, tables, toml, trail, next, lifetime, is_awaited }
    }

    /// Sets how long it stays valid.
    #[must_use = "returns the changed content"]
    pub(super) fn with_lifetime(self, lifetime: PageLifetime) -> Self {
        Self { lifetime, ..self }
    }

    /// Marks part of it as still being computed, so that browsers reload it soon.
    #[must_use = "returns the changed content"]
    pub(super) fn with_pending_part(self) -> Self {
        Self { is_awaited: true, lifetime: PageLifetime::Uncacheable, ..self }
    }

    /// Adds tables for CSV.
    #[must_use = "returns the changed content"]
    pub(super) fn with_tables(self, tables: Report) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// Adds the pages above it.
    #[must_use = "returns the changed content"]
    pub(super) fn with_trail(self, trail: Vec<Crumb>) -> Self {
        Self { trail: Some(trail), ..self }
    }

    /// Adds the TOML file.
    #[must_use = "returns the changed content"]
    pub(super) fn with_toml(self, toml: String) -> Self {
        Self { toml: Some(toml), ..self }
    }

    /// Adds the next page of a list.
    #[must_use = "returns the changed content"]
    pub(super) fn with_next(self, next: Option<PageAddress>) -> Self {
        Self { next, ..self }
    }

    /// Makes the HTML page.
    pub(super) fn page(self, address: &PageAddress) -> Result<Page, Status> {
        let page = (self.page)(address)?.with_trail(self.trail.unwrap_or_default());
        Ok(if self.tables.is_some() { page.with_csv(address) } else { page })
    }

    /// Writes the JSON.
    pub(super) fn json(self) -> String {
        (self.json)()
    }

    /// Returns the TOML file.
    pub(super) fn toml(self) -> Option<String> {
        self.toml
    }

    /// Writes the CSV.
    pub(super) fn csv(self) -> Option<String> {
        self.tables.as_ref().map(csv_text)
    }
}

impl fmt::Debug for PageContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageContent").field("next", &self.next).finish_non_exhaustive()
    }
}
