//! Who makes a page for which several visitors ask at the same time: one of them, and the others wait for it.

use super::kept_pages::FinishedPage;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long somebody waits for one maker. Whoever has much under way waits longer for its turns to read than others do, and others take its
/// place then.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// The pages that are being made, by their addresses.
#[derive(Debug, Clone, Default)]
pub(super) struct PageMakers {
    making: Arc<Mutex<HashMap<String, watch::Receiver<MakerState>>>>,
}

/// What has become of a page that somebody makes.
#[derive(Debug, Clone, Default)]
enum MakerState {
    #[default]
    Making,
    Finished(FinishedPage),
    Failed,
}

/// What somebody does about a page for which there is no kept one.
#[derive(Debug)]
pub(super) enum MakerRole {
    /// It makes the page for all who ask.
    Maker(PageMaker),
    /// Somebody else makes it.
    Waiter(MakerWatch),
}

/// Makes a page. If it is dropped before, somebody else makes it.
#[derive(Debug)]
#[must_use = "others wait for what becomes of the page"]
pub(super) struct PageMaker {
    makers: PageMakers,
    address: String,
    state: watch::Sender<MakerState>,
}

/// Waits for a page that somebody else makes.
#[derive(Debug)]
pub(super) struct MakerWatch {
    makers: PageMakers,
    address: String,
    state: watch::Receiver<MakerState>,
}

/// What came of waiting.
#[derive(Debug)]
pub(super) enum WaitOutcome {
    Finished(FinishedPage),
    /// What the maker was refused may be granted to others.
    Failed,
    /// The maker has left, or takes too long: its place is free.
    Vacant,
}

impl PageMakers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Receiver<MakerState>>> {
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the place of the maker of a page if it is free.
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

    /// Frees the place of a maker, unless somebody else has it by now.
    fn vacate(&self, address: &str, state: &watch::Receiver<MakerState>) {
        let mut making = self.lock();
        if making.get(address).is_some_and(|newest| newest.same_channel(state)) {
            making.remove(address);
        }
    }
}

impl PageMaker {
    /// Hands the page to those who wait for it.
    pub(super) fn finish(self, page: FinishedPage) {
        self.state.send_replace(MakerState::Finished(page));
    }

    /// Says to those who wait that there is no page for the maker.
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
    /// Waits until there is a page or none is to be expected, for a bounded time.
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
