//! The client address that a feed is charged to.

use lastnim_rpc::ClientAddress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The client address that a feed is charged to: the address of one of its watchers.
#[derive(Debug, Clone)]
pub(crate) struct FeedPayer(Arc<Mutex<ClientAddress>>);

impl FeedPayer {
    /// Charges a new feed to an address.
    pub(crate) fn new(address: ClientAddress) -> Self {
        Self(Arc::new(Mutex::new(address)))
    }

    fn lock(&self) -> MutexGuard<'_, ClientAddress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current address.
    pub(crate) fn address(&self) -> ClientAddress {
        *self.lock()
    }

    /// Charges another address from now on.
    pub(crate) fn pass_to(&self, address: ClientAddress) {
        *self.lock() = address;
    }

    /// Returns whether both belong to the same feed.
    pub(super) fn is_same_feed_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
