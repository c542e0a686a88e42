//! Permits for callers' running requests.

use super::caller::{Caller, CallerConnection};
use super::shared_quota::{QuotaShare, QuotaSpent, SharedQuota};
use crate::status::retry_status;
use std::sync::Arc;
use tonic::{Code, Status};

/// A permit for one running request of a caller. The request counts until the permit is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    asker: CallerConnection,
    _share: QuotaShare<Caller>,
}

impl Permit {
    /// Acquires a permit for a caller.
    ///
    /// # Errors
    /// If the caller's limit is reached, a status with `reason` and the message `of_caller`. If the limit on all
    /// callers together is reached, a status with the reason `FULL` and the message `of_all`.
    pub(crate) fn acquire(
        quota: &Arc<SharedQuota<Caller>>,
        asker: &CallerConnection,
        reason: &str,
        of_caller: impl FnOnce() -> String,
        of_all: &str,
    ) -> Result<Self, Status> {
        match quota.acquire(asker.caller.clone(), 1) {
            Ok(share) => Ok(Self { asker: asker.clone(), _share: share }),
            Err(QuotaSpent::PerHolder) => Err(retry_status(Code::ResourceExhausted, reason, &of_caller())),
            Err(QuotaSpent::Total) => Err(retry_status(Code::ResourceExhausted, "FULL", of_all)),
        }
    }

    /// Returns the caller that holds the permit.
    pub(crate) fn holder(&self) -> &CallerConnection {
        &self.asker
    }
}
