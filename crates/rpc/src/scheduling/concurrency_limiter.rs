//! How much may be under way at once, of each caller and in all.

use super::caller::{Caller, CallerConnection};
use crate::status::retry_status;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tonic::{Code, Status};

/// Counts what callers have under way. A caller that has nothing under way is not remembered, so that no more callers are
/// than there are places.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimiter {
    /// The most of one caller.
    each: usize,
    /// The most of all callers together.
    all: usize,
    present: Mutex<ActiveCalls>,
}

#[derive(Debug, Default)]
struct ActiveCalls {
    all: usize,
    by_caller: HashMap<Caller, usize>,
}

/// One thing that a caller has under way; it counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    limiter: Arc<ConcurrencyLimiter>,
    asker: CallerConnection,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitReached {
    /// The caller has as many as it may.
    OfCaller {
        /// How many that is.
        most: usize,
    },
    /// All callers together have as many as they may.
    OfAll,
}

impl LimitReached {
    /// Says so to the caller, with a reason and words for one that has as many as it may, and words for all.
    pub(crate) fn status(
        self,
        reason: &str,
        of_caller: impl FnOnce(usize) -> String,
        of_all: &str,
    ) -> Status {
        match self {
            Self::OfCaller { most } => retry_status(Code::ResourceExhausted, reason, &of_caller(most)),
            Self::OfAll => retry_status(Code::ResourceExhausted, "FULL", of_all),
        }
    }
}

impl ConcurrencyLimiter {
    /// Admits `each` of one caller, and `all` of all together.
    pub(crate) fn new(each: usize, all: usize) -> Arc<Self> {
        Arc::new(Self { each, all, present: Mutex::default() })
    }

    /// Returns how much is under way.
    pub(crate) fn active_count(&self) -> usize {
        self.lock().all
    }

    /// Takes a place.
    pub(crate) fn acquire(self: &Arc<Self>, asker: &CallerConnection) -> Result<Permit, LimitReached> {
        let (mut present, caller) = (self.lock(), &asker.caller);
        let of_caller = present.by_caller.get(caller).copied().unwrap_or_default();
        if of_caller >= self.each {
            return Err(LimitReached::OfCaller { most: self.each });
        }
        if present.all >= self.all {
            return Err(LimitReached::OfAll);
        }
        present.all += 1;
        *present.by_caller.entry(caller.clone()).or_default() += 1;
        Ok(Permit { limiter: Arc::clone(self), asker: asker.clone() })
    }

    /// Returns how many there are in all.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, ActiveCalls> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Returns whose it is.
    pub(crate) fn holder(&self) -> &CallerConnection {
        &self.asker
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut present = self.limiter.lock();
        present.all -= 1;
        if let Entry::Occupied(mut of_caller) = present.by_caller.entry(self.asker.caller.clone()) {
            *of_caller.get_mut() -= 1;
            if *of_caller.get() == 0 {
                of_caller.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(caller: Caller) -> CallerConnection {
        CallerConnection { caller, source: None }
    }

    #[test]
    fn places_are_counted_for_each_and_for_all() {
        let limiter = ConcurrencyLimiter::new(2, 3);
        let first = limiter.acquire(&by(Caller::Admin)).unwrap();
        let second = limiter.acquire(&by(Caller::Admin)).unwrap();
        assert_eq!(limiter.acquire(&by(Caller::Admin)).unwrap_err(), LimitReached::OfCaller { most: 2 });
        let third = limiter.acquire(&by(Caller::Viewer)).unwrap();
        assert_eq!(limiter.acquire(&by(Caller::Viewer)).unwrap_err(), LimitReached::OfAll);
        drop(first);
        let fourth = limiter.acquire(&by(Caller::Admin)).unwrap();
        assert_eq!((fourth.holder(), limiter.len()), (&by(Caller::Admin), 3));
        drop((second, third, fourth));
        assert_eq!(limiter.len(), 0);
        assert!(limiter.lock().by_caller.is_empty(), "nobody is remembered");
    }
}
