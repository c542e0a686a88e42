//! The writing part of an SQL store.

use crate::{Change, StoreError};
use async_trait::async_trait;
use std::fmt;

/// Writes to one kind of database in the way that is fastest there.
#[async_trait]
pub(super) trait WriteBackend: fmt::Debug + Send + Sync {
    /// Writes changes, as [`Store::write`](crate::Store::write) says.
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Checks that the database still exists, as [`Store::check_intact`](crate::Store::check_intact) says.
    async fn check(&self) -> Result<(), StoreError>;

    /// Closes the database, once all reads have ended.
    async fn close(&self);
}
