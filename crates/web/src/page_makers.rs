//! Lets one of several concurrent requests make a page, while the others wait for it.

use super::page_cache::FinishedPage;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long a request waits for one maker. A maker that has used up its quota may be slow; after this time, another
/// request takes over.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// The pages that are being made, by address.
#[derive(Debug, Clone, Default)]
pub(super) struct PageMakers {
    making: Arc<Mutex<HashMap<String, watch::Receiver<MakerState>>>>,
}

/// The state of a page in the making.
#[derive(Debug, Clone, Default)]
enum MakerState {
    #[default]
    Making,
    Finished(FinishedPage),
    Failed,
}

/// The role of a request for a page that is not cached.
#[derive(Debug)]
pub(super) enum MakerRole {
    /// This request makes the page for all.
    Maker(PageMaker),
    /// Another request makes it.
    Waiter(MakerWatch),
}

/// Creates a page. If it is dropped first, another request takes over.
#[derive(Debug)]
#[must_use = "other requests wait for the page"]
pub(super) struct PageMaker {
    makers: PageMakers,
    address: String,
    state: watch::Sender<MakerState>,
}

/// Waits for a page that another request makes.
#[derive(Debug)]
pub(super) struct MakerWatch {
    makers: PageMakers,
    address: String,
    state: watch::Receiver<MakerState>,
}

/// How a wait for another request to make the page ended.
#[derive(Debug)]
pub(super) enum WaitOutcome {
    Finished(FinishedPage),
    /// The maker failed; another request may succeed.
    Failed,
    /// The maker is gone or too slow; another request can take over.
    Vacant,
}

impl PageMakers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Receiver<MakerState>>> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the role of a request: the maker of the page if it has none, or else a waiter.
    pub(super) fn take_role(&self, address: &str) -> MakerRole {
        let (makers, address) = (self.clone(), address.to_owned());
        let mut making = self.lock();
        if let Some(state) = making.get(&address) {
            return MakerRole::Waiter(MakerWatch { makers, state: state.clone(), address });
        }
        let state = watch::Sender::default();
        making.insert(address.clone(), state.subscribe());
        MakerRole::Maker(PageMaker { makers, address, state })
    }

    /// Removes a maker, unless another has replaced it.
    fn vacate(&self, address: &str, state: &watch::Receiver<MakerState>) {
        let mut making = self.lock();
        if making.get(address).is_some_and(|newest| newest.same_channel(state)) {
            making.remove(address);
        }
    }
}

impl PageMaker {
    /// Sends the page to the waiting requests.
    pub(super) fn finish(self, page: FinishedPage) {
        self.state.send_replace(MakerState::Finished(page));
    }

    /// Tells the waiting requests that the maker failed.
    pub(super) fn fail(self) {
        self.state.send_replace(MakerState::Failed);
    }
}

impl Drop for PageMaker {
    fn drop(&mut self) {
        self.makers.vacate(&self.address, &self.state.subscribe());
    }
}

impl MakerWatch {
    /// Waits for a bounded time until the page is made or the maker fails.
    pub(super) async fn wait(mut self) -> WaitOutcome {
        let is_decided = |state: &MakerState| !matches!(state, MakerState::Making);
        let waited = timeout(MAX_WAIT, self.state.wait_for(is_decided)).await;
        let decided = waited.map(|decided| decided.map(|state| state.clone()));
        match decided {
            Ok(Ok(MakerState::Finished(page))) => WaitOutcome::Finished(page),
            Ok(Ok(_)) => WaitOutcome::Failed,
            Ok(Err(_has_left)) => WaitOutcome::Vacant,
            Err(_is_late) => {
                self.makers.vacate(&self.address, &self.state);
                WaitOutcome::Vacant
            }
        }
    }
}
