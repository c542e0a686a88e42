//! Who pays for a feed.

use lastnim_rpc::ClientAddress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The address as whose a feed counts, and in whose turns it reads: one that watches it, whoever that is.
#[derive(Debug, Clone)]
pub(crate) struct FeedPayer(Arc<Mutex<ClientAddress>>);

impl FeedPayer {
    /// Lets an address pay for a feed that starts.
    pub(crate) fn new(address: ClientAddress) -> Self {
        Self(Arc::new(Mutex::new(address)))
    }

    fn lock(&self) -> MutexGuard<'_, ClientAddress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns who pays now.
    pub(crate) fn address(&self) -> ClientAddress {
        *self.lock()
    }

    /// Lets another address pay from now on.
    pub(crate) fn pass_to(&self, address: ClientAddress) {
        *self.lock() = address;
    }

    /// Returns whether both are of the same feed.
    pub(super) fn is_of_same_feed(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
