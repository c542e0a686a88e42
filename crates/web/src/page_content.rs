//! What a page is made of, before it is written in one form or another.

use super::address::PageAddress;
use super::kept_pages::PageLifetime;
use super::page::Page;
use lastnim_proto::json::MessageJson;
use lastnim_report::Report;
use lastnim_report::render::csv_text;
use prost::Name;
use std::fmt;
use tonic::Status;

type MakePage = Box<dyn FnOnce(&PageAddress) -> Result<Page, Status> + Send>;

/// What a page is made of. Only the form that was asked for is written.
pub(super) struct PageContent {
    page: MakePage,
    json: Box<dyn FnOnce() -> String + Send>,
    /// Its tables for programs; none where it has none.
    tables: Option<Report>,
    /// What would play it again; none where nothing is played.
    toml: Option<String>,
    /// Where what does not fit goes on.
    pub next: Option<PageAddress>,
    /// What it holds for.
    pub lifetime: PageLifetime,
    /// Whether what it should show is still being worked out.
    pub is_awaited: bool,
}

impl PageContent {
    /// Takes a message, which is the page for programs, and what makes the page for people.
    pub(super) fn of_message<M: Name + Send + 'static>(
        message: M,
        page: impl FnOnce(&PageAddress) -> Result<Page, Status> + Send + 'static,
    ) -> Self {
        let json = move || serde_json::to_string(&MessageJson::of(&message)).expect("all keys are texts");
        Self::new(Box::new(page), Box::new(json))
    }

    /// Takes what is written for programs already.
    pub(super) fn of_json(
        json: String,
        page: impl FnOnce(&PageAddress) -> Result<Page, Status> + Send + 'static,
    ) -> Self {
        Self::new(Box::new(page), Box::new(|| json))
    }

    fn new(page: MakePage, json: Box<dyn FnOnce() -> String + Send>) -> Self {
        let (tables, toml, next, lifetime, is_awaited) = Default::default();
        Self { page, json, tables, toml, next, lifetime, is_awaited }
    }

    /// Says what it holds for.
    #[must_use = "it is the content with its lifetime"]
    pub(super) fn with_lifetime(self, lifetime: PageLifetime) -> Self {
        Self { lifetime, ..self }
    }

    /// Says that what it should show is still being worked out: a browser asks again soon.
    #[must_use = "it is the content that is awaited"]
    pub(super) fn awaited(self) -> Self {
        Self { is_awaited: true, lifetime: PageLifetime::Moment, ..self }
    }

    /// Adds tables for programs.
    #[must_use = "it is the content with its tables"]
    pub(super) fn with_tables(self, tables: Report) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// Adds the file that would play it again.
    #[must_use = "it is the content with the file"]
    pub(super) fn with_toml(self, toml: String) -> Self {
        Self { toml: Some(toml), ..self }
    }

    /// Says where it goes on.
    #[must_use = "it is the content with what comes next"]
    pub(super) fn with_next(self, next: Option<PageAddress>) -> Self {
        Self { next, ..self }
    }

    /// Makes the page for people.
    pub(super) fn page(self, address: &PageAddress) -> Result<Page, Status> {
        let page = (self.page)(address)?;
        Ok(if self.tables.is_some() { page.with_csv(address) } else { page })
    }

    /// Writes it for programs.
    pub(super) fn json(self) -> String {
        (self.json)()
    }

    /// Returns the file that would play it again.
    pub(super) fn toml(self) -> Option<String> {
        self.toml
    }

    /// Writes its tables.
    pub(super) fn csv(self) -> Option<String> {
        self.tables.as_ref().map(csv_text)
    }
}

impl fmt::Debug for PageContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageContent").field("next", &self.next).finish_non_exhaustive()
    }
}
