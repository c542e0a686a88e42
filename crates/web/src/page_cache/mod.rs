//! A cache of pages. A page is cached until making it again could give a different result.

use super::address::PageFormat;
use super::page_makers::{MakerRole, PageMakers, WaitOutcome};
use super::response::{Freshness, PageResponse, add_etag, add_next_link, add_refresh, bytes_response};
use bytes::Bytes;
use lastnim_arena::{Arena, Revision};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tonic::Status;

/// The maximum size of one cached page.
const MAX_PAGE_BYTES: usize = 256 << 10;
/// The approximate memory of a cached page in addition to its text.
const ENTRY_BYTES: usize = 512;
/// A changeable page is cached only if nothing has changed for this long, because live state lags a little behind the
/// store.
const SETTLING_TIME: Duration = Duration::from_secs(1);
/// How long a changeable page is cached. This bounds the age of measured values, such as the lag of bots.
const MAX_AGE: Duration = Duration::from_secs(30);
/// The maximum age of cached pages for people while matches are played. Live pages are brought up to date at once.
const MAX_AGE_WHILE_PLAYED: Duration = Duration::from_secs(1);
/// Maximum number of times that a request waits for another request to make its page before it makes the page itself.
const MAX_WAITS: usize = 3;

/// A part of the cache. Pages are evicted only by other pages of the same part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CachePart {
    /// Pages without a query.
    Pages,
    /// Pictures without a query.
    Pictures,
    /// Whatever a query asks for, such as one ply of a match: anybody can make up any number of queries.
    Queries,
}

impl CachePart {
    /// Returns the part for a page at an address.
    fn of_page(address: &str, made: &RenderedPage) -> Self {
        if address.contains('?') {
            Self::Queries
        } else if made.is_picture() {
            Self::Pictures
        } else {
            Self::Pages
        }
    }

    /// Returns the maximum size of all pages in this part, in bytes.
    fn max_bytes(self) -> usize {
        match self {
            Self::Pages => 16 << 20,
            Self::Pictures | Self::Queries => 4 << 20,
        }
    }
}

/// How long a page stays valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PageLifetime {
    /// It changes with every request.
    Uncacheable,
    /// It stays the same until something happens.
    #[default]
    UntilChange,
    /// It is about something that has ended.
    Permanent,
}

/// A page in one format, and how long it stays valid.
#[derive(Debug)]
pub(super) struct RenderedPage {
    pub(super) content_type: &'static str,
    pub(super) body: Bytes,
    /// The address of the next page of a list.
    pub(super) next: Option<String>,
    pub(super) lifetime: PageLifetime,
    /// Whether part of the content is still being computed.
    pub(super) is_awaited: bool,
}

/// The state on which pages depend. Two pages made in the same state are equal.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteState {
    at: Instant,
    /// The number of changes to finished matches and tournaments.
    ended_changes: u64,
    /// The revision of the store; `None` while something is changing, and shortly after.
    settled: Option<Revision>,
    /// Whether matches are being played.
    is_played: bool,
}

/// A finished page, with the state of the site before it was made, and the time when it was finished.
#[derive(Debug, Clone)]
pub(super) struct FinishedPage {
    made: Arc<RenderedPage>,
    /// The state just before the page was made.
    state_before: SiteState,
    /// When the page was finished. Its age is measured from this time; otherwise slow pages would expire before they
    /// are used.
    at: Instant,
}

/// The cached pages, for visitors without a token.
#[derive(Debug, Clone, Default)]
pub struct PageCache {
    state: Arc<Mutex<CacheState>>,
    makers: PageMakers,
    /// The number of pages made.
    rendered_count: Arc<AtomicU64>,
}

/// The cached pages, and what is needed to evict them.
#[derive(Debug, Default)]
struct CacheState {
    /// Pages by address.
    pages: HashMap<String, CacheEntry>,
    /// The size of all pages in each part.
    bytes: HashMap<CachePart, usize>,
    /// The number of accesses, which is needed to evict the least recently used page.
    accesses: u64,
    /// The newest revision, and when it was first seen.
    newest: Option<(Revision, Instant)>,
}

/// A cached page, its part of the cache, and its last access.
#[derive(Debug)]
struct CacheEntry {
    page: FinishedPage,
    part: CachePart,
    /// The number of the last access.
    last_access: u64,
}

impl RenderedPage {
    /// Creates a page from existing JSON.
    pub(super) fn of_json(json: String, lifetime: PageLifetime) -> Self {
        Self {
            content_type: "application/json",
            body: (json + "\n").into(),
            next: None,
            lifetime,
            is_awaited: false,
        }
    }

    pub(super) fn response(&self) -> PageResponse {
        let is_final = self.is_picture() && self.lifetime == PageLifetime::Permanent;
        let freshness = if is_final { Freshness::Day } else { Freshness::Now };
        let mut response = bytes_response(self.content_type, freshness, self.body.clone());
        add_etag(&mut response, &self.body);
        if let Some(next) = &self.next {
            add_next_link(&mut response, next);
        }
        if self.is_awaited {
            add_refresh(&mut response);
        }
        response
    }

    /// Returns whether the page is HTML, a picture or a news feed. Programs always get the current state.
    fn is_human_readable(&self) -> bool {
        let types = ["text/html", "application/atom+xml"];
        self.is_picture() || types.iter().any(|begin| self.content_type.starts_with(begin))
    }

    fn is_picture(&self) -> bool {
        self.content_type.starts_with("image/")
    }

    fn bytes(&self, address: &str) -> usize {
        ENTRY_BYTES + address.len() + self.body.len()
    }
}

impl SiteState {
    /// Returns how long a page made in this state stays valid, unless something changes.
    fn max_age(&self, made: &RenderedPage) -> Duration {
        match (made.lifetime, self.settled) {
            (PageLifetime::Permanent, _) => Duration::MAX,
            (PageLifetime::UntilChange, Some(_)) => MAX_AGE,
            (PageLifetime::UntilChange, None) if self.is_played && made.is_human_readable() => {
                MAX_AGE_WHILE_PLAYED
            }
            (PageLifetime::Uncacheable, _) | (PageLifetime::UntilChange, None) => Duration::ZERO,
        }
    }

    /// Returns whether a page in this format may be shared with concurrent requests.
    fn can_be_shared(&self, form: PageFormat) -> bool {
        self.settled.is_some() || (self.is_played && form.is_human_readable())
    }
}

impl FinishedPage {
    fn is_valid_in(&self, now: &SiteState) -> bool {
        let is_same = match self.made.lifetime {
            PageLifetime::Uncacheable => false,
            PageLifetime::UntilChange => {
                self.state_before.settled == now.settled && self.state_before.is_played == now.is_played
            }
            PageLifetime::Permanent => self.state_before.ended_changes == now.ended_changes,
        };
        is_same && now.at.saturating_duration_since(self.at) < self.state_before.max_age(&self.made)
    }
}

impl PageCache {
    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current state, which must be read before anything on the page; `None` with a store in memory, for
    /// which nothing is cached.
    pub(super) fn observe(&self, arena: &Arena) -> Option<SiteState> {
        let ended_changes = arena.ended_changes()?;
        let (revision, at) = (arena.idle_revision(), Instant::now());
        Some(self.lock().observe(revision, ended_changes, at))
    }

    /// Returns the valid cached page of an address. Otherwise one request makes it, and concurrent requests wait for
    /// it.
    ///
    /// # Errors
    /// Those of `make_page`. An error is never shared with other requests.
    pub(super) async fn find_or_make<F>(
        &self,
        (address, form): (String, PageFormat),
        now: SiteState,
        make_page: impl FnOnce() -> F,
    ) -> Result<Arc<RenderedPage>, Status>
    where
        F: Future<Output = Result<RenderedPage, Status>>,
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
                    WaitOutcome::Finished(page) if page.is_valid_in(&now) => return Ok(page.made),
                    WaitOutcome::Finished(_) | WaitOutcome::Failed => break None,
                    WaitOutcome::Vacant => waits += 1,
                },
            }
        };
        match make_page().await {
            Ok(page) => {
                let page = FinishedPage { made: Arc::new(page), state_before: now, at: Instant::now() };
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

    /// Removes the page of an address, which has changed without a change of the state.
    pub(super) fn forget(&self, address: &str) {
        self.lock().remove(address);
    }

    pub(super) fn count_rendered_page(&self) {
        self.rendered_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of pages made.
    pub(super) fn rendered_page_count(&self) -> u64 {
        self.rendered_count.load(Ordering::Relaxed)
    }
}

impl CacheState {
    fn observe(&mut self, revision: Option<Revision>, ended_changes: u64, at: Instant) -> SiteState {
        let since = match (revision, self.newest) {
            (Some(revision), Some((newest, since))) if revision == newest => since,
            _ => at,
        };
        self.newest = revision.map(|revision| (revision, since));
        let settled = revision.filter(|_| at.saturating_duration_since(since) >= SETTLING_TIME);
        SiteState { at, ended_changes, settled, is_played: revision.is_none() }
    }

    fn find(&mut self, address: &str, now: &SiteState) -> Option<Arc<RenderedPage>> {
        self.accesses += 1;
        let kept = self.pages.get_mut(address).filter(|kept| kept.page.is_valid_in(now))?;
        kept.last_access = self.accesses;
        Some(Arc::clone(&kept.page.made))
    }

    fn insert(&mut self, address: String, page: FinishedPage) {
        let bytes = page.made.bytes(&address);
        if page.state_before.max_age(&page.made).is_zero() || bytes > MAX_PAGE_BYTES {
            return;
        }
        self.remove(&address);
        self.accesses += 1;
        let part = CachePart::of_page(&address, &page.made);
        *self.bytes.entry(part).or_default() += bytes;
        self.pages.insert(address, CacheEntry { page, part, last_access: self.accesses });
        while self.bytes.get(&part).is_some_and(|&bytes| bytes > part.max_bytes())
            && let Some(oldest) = self.least_recently_used(part)
        {
            self.remove(&oldest);
        }
    }

    /// Returns the address of the least recently used page in a part.
    fn least_recently_used(&self, part: CachePart) -> Option<String> {
        let pages = self.pages.iter().filter(|(_, kept)| kept.part == part);
        pages.min_by_key(|(_, kept)| kept.last_access).map(|(address, _)| address.clone())
    }

    fn remove(&mut self, address: &str) {
        if let Some(kept) = self.pages.remove(address) {
            *self.bytes.entry(kept.part).or_default() -= kept.page.made.bytes(address);
        }
    }
}

#[cfg(test)]
mod tests;
