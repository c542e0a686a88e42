//! Tracks whether a store can be used, and lets callers wait for that to change.

use super::StoreError;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Tracks whether a store can be used. Waiters wake in the order in which they began to wait, so that two runs with the
/// same faults at the same times behave identically.
#[derive(Debug, Default)]
pub(super) struct StoreAvailability {
    failure: Mutex<Option<StoreError>>,
    changed: Notify,
}

impl StoreAvailability {
    /// Returns the failure that keeps the store from being used, if there is one.
    pub fn failure(&self) -> Option<StoreError> {
        self.lock().clone()
    }

    /// Returns the error that made the store permanently unavailable, if there is one.
    pub fn loss(&self) -> Option<StoreError> {
        self.lock().as_ref().filter(|failure| !failure.is_transient()).cloned()
    }

    /// Notes that the store can be used.
    pub fn note_usable(&self) {
        *self.lock() = None;
        self.changed.notify_waiters();
    }

    /// Notes that the store cannot be used, and why.
    pub fn note_failure(&self, failure: StoreError) {
        *self.lock() = Some(failure);
        self.changed.notify_waiters();
    }

    /// Waits until the store can be used.
    pub async fn wait_until_usable(&self) {
        self.wait_for(|this| this.lock().is_none().then_some(())).await;
    }

    /// Waits until the store cannot be used, and returns why.
    pub async fn wait_until_failed(&self) -> StoreError {
        self.wait_for(Self::failure).await
    }

    /// Waits until the store is permanently lost, and returns why.
    pub async fn wait_until_lost(&self) -> StoreError {
        self.wait_for(Self::loss).await
    }

    async fn wait_for<T>(&self, probe: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            let mut changed = pin!(self.changed.notified());
            // This registers the waiter at once, so that it misses no change between the check below and the wait.
            changed.as_mut().enable();
            if let Some(found) = probe(self) {
                return found;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<StoreError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn taken_error() -> StoreError {
        StoreError::Taken("by a test".into())
    }

    #[tokio::test]
    async fn waiters_wake_in_order() {
        let availability = Arc::new(StoreAvailability::default());
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..100)
            .map(|number| {
                let (availability, order) = (Arc::clone(&availability), Arc::clone(&order));
                tokio::spawn(async move {
                    availability.wait_until_failed().await;
                    order.lock().unwrap().push(number);
                })
            })
            .collect();
        // After this loop, every task is waiting.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        availability.note_failure(taken_error());
        for one in waiting {
            one.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..100).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_change_before_the_wait_is_not_missed() {
        let availability = StoreAvailability::default();
        availability.wait_until_usable().await;
        availability.note_failure(taken_error());
        assert_eq!(availability.wait_until_failed().await, taken_error());
        assert_eq!(availability.wait_until_lost().await, taken_error());
        availability.note_usable();
        availability.wait_until_usable().await;
    }

    #[tokio::test]
    async fn a_transient_failure_is_not_a_loss() {
        let availability = Arc::new(StoreAvailability::default());
        let loss = tokio::spawn({
            let availability = Arc::clone(&availability);
            async move { availability.wait_until_lost().await }
        });
        let passing = StoreError::Unavailable("disk full".into());
        availability.note_failure(passing.clone());
        tokio::task::yield_now().await;
        assert_eq!((availability.failure(), availability.loss()), (Some(passing), None));
        assert!(!loss.is_finished());
        availability.note_failure(taken_error());
        assert_eq!(loss.await.unwrap(), taken_error());
    }
}
