//! The part of an SQL store that writes.

use crate::{Change, StoreError};
use async_trait::async_trait;
use std::fmt;
use std::time::Duration;

/// Writes to one kind of database in the way that is fastest there.
#[async_trait]
pub(super) trait WriteBackend: fmt::Debug + Send + Sync {
    /// Writes changes as described for [`Store::write`](crate::Store::write).
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Checks that the database still exists, as described for [`Store::check_intact`](crate::Store::check_intact).
    async fn check(&self) -> Result<(), StoreError>;

    /// Returns how long ago the database last confirmed its owner, as described for
    /// [`Store::time_since_confirmed`](crate::Store::time_since_confirmed).
    fn time_since_confirmed(&self) -> Option<Duration> {
        None
    }

    /// Replaces this server's description of itself, as described for
    /// [`Store::set_holder_description`](crate::Store::set_holder_description).
    async fn set_holder_description(&self, _holder: &str) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the names of the waiting servers, as described for
    /// [`Store::standby_servers`](crate::Store::standby_servers).
    async fn standby_servers(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Closes the database. The caller must have closed the read connections.
    async fn close(&self);
}
