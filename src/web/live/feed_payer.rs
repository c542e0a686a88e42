//! Who pays for a feed.

use crate::rpc::ClientAddress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The address as whose a feed counts, and in whose turns it reads: one that watches it, whoever that is.
#[derive(Debug, Clone)]
pub(in crate::web) struct FeedPayer(Arc<Mutex<ClientAddress>>);

impl FeedPayer {
    /// Lets an address pay for a feed that starts.
    pub(in crate::web) fn new(address: ClientAddress) -> Self {
        Self(Arc::new(Mutex::new(address)))
    }

    fn lock(&self) -> MutexGuard<'_, ClientAddress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns who pays now.
    pub(in crate::web) fn address(&self) -> ClientAddress {
        *self.lock()
    }

    /// Lets another address pay from now on.
    pub(in crate::web) fn pass_to(&self, address: ClientAddress) {
        *self.lock() = address;
    }

    /// Returns whether both are of the same feed.
    pub(super) fn is_of_same_feed(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
