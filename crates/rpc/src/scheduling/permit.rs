//! What callers have under way.

use super::caller::{Caller, CallerConnection};
use super::shared_quota::{QuotaShare, QuotaSpent, SharedQuota};
use crate::status::retry_status;
use std::sync::Arc;
use tonic::{Code, Status};

/// One thing that a caller has under way; it counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    asker: CallerConnection,
    _share: QuotaShare<Caller>,
}

impl Permit {
    /// Lets a caller begin one more thing.
    ///
    /// # Errors
    /// With `reason` and `of_caller` if the caller has as many under way as it may, and with `of_all` if all callers together have.
    pub(crate) fn acquire(
        quota: &Arc<SharedQuota<Caller>>,
        asker: &CallerConnection,
        reason: &str,
        of_caller: impl FnOnce() -> String,
        of_all: &str,
    ) -> Result<Self, Status> {
        match quota.acquire(asker.caller.clone(), 1) {
            Ok(share) => Ok(Self { asker: asker.clone(), _share: share }),
            Err(QuotaSpent::OfHolder) => Err(retry_status(Code::ResourceExhausted, reason, &of_caller())),
            Err(QuotaSpent::OfAll) => Err(retry_status(Code::ResourceExhausted, "FULL", of_all)),
        }
    }

    /// Returns whose it is.
    pub(crate) fn holder(&self) -> &CallerConnection {
        &self.asker
    }
}
