//! What writes to a database of SQL.

use crate::{Change, StoreError};
use async_trait::async_trait;
use std::fmt;

/// The part of a store that writes, which is fast in another way for each database.
#[async_trait]
pub(super) trait WriteBackend: fmt::Debug + Send + Sync {
    /// Writes changes, as [`Store::write`](crate::Store::write) says.
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Checks that what was written is still there, as [`Store::check_intact`](crate::Store::check_intact) says.
    async fn check(&self) -> Result<(), StoreError>;

    /// Lets go of the database, from which nobody reads any more.
    async fn close(&self);
}
