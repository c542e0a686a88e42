//! Pages that were made before, for as long as they are what would be made now.

use super::address::PageForm;
use super::page_makers::{MakerRole, PageMakers, WaitOutcome};
use super::response::{Freshness, PageResponse, add_next_link, add_refresh, text_response};
use lastnim_arena::{Arena, Revision};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The most bytes of all pages that are kept.
const MAX_BYTES: usize = 16 << 20;
/// The most bytes of one of them.
const MAX_PAGE_BYTES: usize = 256 << 10;
/// What a page takes besides its text, about.
const ENTRY_BYTES: usize = 512;
/// How long nothing may have changed before a page is kept that could change: what is live follows what is stored a little later.
const SETTLING_TIME: Duration = Duration::from_secs(1);
/// How long such a page is kept. What is measured all the time, as the lag of bots, is no older on it.
const MAX_AGE: Duration = Duration::from_secs(30);
/// How old a page may be that people look at while matches are played, when the next one is another one anyway. A page that is followed
/// catches up at once.
const MAX_AGE_WHILE_PLAYED: Duration = Duration::from_secs(1);
/// How often somebody waits for a page that somebody else makes, before it makes one for itself.
const MAX_WAITS: usize = 3;

/// What a page holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PageLifetime {
    /// It is another one at the next look.
    Moment,
    /// It is the same as long as nothing happens.
    #[default]
    UntilChange,
    /// It is about something that is over.
    Lasting,
}

/// A page that was made.
#[derive(Debug)]
pub(super) struct MadePage {
    pub(super) content_type: &'static str,
    pub(super) text: String,
    /// Where what does not fit goes on.
    pub(super) next: Option<String>,
    pub(super) lifetime: PageLifetime,
    /// Whether what it should show is still being worked out.
    pub(super) is_awaited: bool,
}

/// What can be shown at one moment, as far as pages depend on it: of a page that was made at another moment with the same, it can be said
/// that it would be made again.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownState {
    at: Instant,
    /// How often something that is over has changed all the same.
    ended_changes: u64,
    /// None while something happens, and shortly after.
    settled: Option<Revision>,
    /// Whether matches are played.
    is_played: bool,
}

/// A page that was made, of what, and when.
#[derive(Debug, Clone)]
pub(super) struct FinishedPage {
    made: Arc<MadePage>,
    /// What could be shown before anything of it was read.
    of: ShownState,
    /// When it was there. Its age counts from then on, as one that takes long to make would be kept for nobody otherwise.
    at: Instant,
}

/// The pages that are kept, for visitors without a token.
#[derive(Debug, Clone, Default)]
pub struct KeptPages {
    kept: Arc<Mutex<KeptState>>,
    makers: PageMakers,
    /// Pages that were made.
    made: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct KeptState {
    /// By their addresses.
    pages: HashMap<String, KeptPage>,
    bytes: usize,
    /// Counts the looks.
    looks: u64,
    /// The newest revision, and when it was seen first.
    newest: Option<(Revision, Instant)>,
}

#[derive(Debug)]
struct KeptPage {
    page: FinishedPage,
    /// The last look at it.
    look: u64,
}

impl MadePage {
    /// Takes what is written for programs already.
    pub(super) fn of_json(json: String, lifetime: PageLifetime) -> Self {
        Self { content_type: "application/json", text: json + "\n", next: None, lifetime, is_awaited: false }
    }

    /// Makes an answer of it.
    pub(super) fn response(&self) -> PageResponse {
        let mut response =
            text_response(StatusCode::OK, self.content_type, Freshness::Now, self.text.clone());
        if let Some(next) = &self.next {
            add_next_link(&mut response, next);
        }
        if self.is_awaited {
            add_refresh(&mut response);
        }
        response
    }

    /// Returns whether people look at it. Programs are told what is so when they ask.
    fn is_for_people(&self) -> bool {
        self.content_type.starts_with("text/html")
    }

    fn bytes(&self, address: &str) -> usize {
        ENTRY_BYTES + address.len() + self.text.len()
    }
}

impl ShownState {
    /// Returns how long a page holds that is made of this, unless something changes.
    fn max_age(&self, made: &MadePage) -> Duration {
        match (made.lifetime, self.settled) {
            (PageLifetime::Lasting, _) => Duration::MAX,
            (PageLifetime::UntilChange, Some(_)) => MAX_AGE,
            (PageLifetime::UntilChange, None) if self.is_played && made.is_for_people() => {
                MAX_AGE_WHILE_PLAYED
            }
            (PageLifetime::Moment, _) | (PageLifetime::UntilChange, None) => Duration::ZERO,
        }
    }

    /// Returns whether a page of this form can hold for others who ask for it while it is made.
    fn can_be_shared(&self, form: PageForm) -> bool {
        self.settled.is_some() || (self.is_played && form == PageForm::Html)
    }
}

impl FinishedPage {
    fn holds(&self, now: &ShownState) -> bool {
        let is_same = match self.made.lifetime {
            PageLifetime::Moment => false,
            PageLifetime::UntilChange => self.of.settled == now.settled && self.of.is_played == now.is_played,
            PageLifetime::Lasting => self.of.ended_changes == now.ended_changes,
        };
        is_same && now.at.saturating_duration_since(self.at) < self.of.max_age(&self.made)
    }
}

impl KeptPages {
    fn lock(&self) -> MutexGuard<'_, KeptState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what can be shown now, before anything of it is read; `None` where nothing outlasts the process, and nothing is kept.
    pub(super) fn observe(&self, arena: &Arena) -> Option<ShownState> {
        let ended_changes = arena.ended_changes()?;
        let (revision, at) = (arena.idle_revision(), Instant::now());
        Some(self.lock().observe(revision, ended_changes, at))
    }

    /// Returns the page of an address that was made before and would be made again. Otherwise one of those who ask for it makes it, and the
    /// others wait for it.
    ///
    /// # Errors
    /// Those of `make_page`. Nobody is told why somebody else has no page.
    pub(super) async fn find_or_make<F>(
        &self,
        (address, form): (String, PageForm),
        now: ShownState,
        make_page: impl FnOnce() -> F,
    ) -> Result<Arc<MadePage>, Status>
    where
        F: Future<Output = Result<MadePage, Status>>,
    {
        let mut waits = 0;
        let maker = loop {
            if let Some(kept) = self.lock().find(&address, &now) {
                return Ok(kept);
            }
            if waits == MAX_WAITS || !now.can_be_shared(form) {
                break None;
            }
            match self.makers.take_role(&address) {
                MakerRole::Maker(maker) => break Some(maker),
                MakerRole::Waiter(watch) => match watch.wait().await {
                    WaitOutcome::Finished(page) if page.holds(&now) => return Ok(page.made),
                    WaitOutcome::Finished(_) | WaitOutcome::Failed => break None,
                    WaitOutcome::Vacant => waits += 1,
                },
            }
        };
        match make_page().await {
            Ok(page) => {
                let page = FinishedPage { made: Arc::new(page), of: now, at: Instant::now() };
                self.lock().insert(address, page.clone());
                if let Some(maker) = maker {
                    maker.finish(page.clone());
                }
                Ok(page.made)
            }
            Err(status) => {
                if let Some(maker) = maker {
                    maker.fail();
                }
                Err(status)
            }
        }
    }

    /// Counts a page that is made.
    pub(super) fn count_made_page(&self) {
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many pages were made.
    pub(super) fn made_pages(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}

impl KeptState {
    fn observe(&mut self, revision: Option<Revision>, ended_changes: u64, at: Instant) -> ShownState {
        let since = match (revision, self.newest) {
            (Some(revision), Some((newest, since))) if revision == newest => since,
            _ => at,
        };
        self.newest = revision.map(|revision| (revision, since));
        let settled = revision.filter(|_| at.saturating_duration_since(since) >= SETTLING_TIME);
        ShownState { at, ended_changes, settled, is_played: revision.is_none() }
    }

    fn find(&mut self, address: &str, now: &ShownState) -> Option<Arc<MadePage>> {
        self.looks += 1;
        let kept = self.pages.get_mut(address).filter(|kept| kept.page.holds(now))?;
        kept.look = self.looks;
        Some(Arc::clone(&kept.page.made))
    }

    fn insert(&mut self, address: String, page: FinishedPage) {
        let bytes = page.made.bytes(&address);
        if page.of.max_age(&page.made).is_zero() || bytes > MAX_PAGE_BYTES {
            return;
        }
        self.remove(&address);
        self.looks += 1;
        self.bytes += bytes;
        self.pages.insert(address, KeptPage { page, look: self.looks });
        while self.bytes > MAX_BYTES
            && let Some((oldest, _)) = self.pages.iter().min_by_key(|(_, page)| page.look)
        {
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, address: &str) {
        if let Some(kept) = self.pages.remove(address) {
            self.bytes -= kept.page.made.bytes(address);
        }
    }
}

#[cfg(test)]
mod tests;
