//! Quotas for each holder and for all holders together.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts and limits what holders use, such as running calls, bytes of memory or open matches. Holders that use nothing
/// are forgotten.
#[derive(Debug)]
pub struct SharedQuota<K> {
    /// The limit per holder.
    holder_limit: usize,
    /// The limit of all holders together.
    total_limit: usize,
    used: Mutex<QuotaUsage<K>>,
}

/// How much of a quota is used, by all holders together and by each.
#[derive(Debug)]
struct QuotaUsage<K> {
    total: usize,
    by_holder: HashMap<K, usize>,
}

/// A holder's share of a quota, which counts as used until it is dropped.
#[derive(Debug)]
#[must_use = "the share counts until it is dropped"]
pub struct QuotaShare<K: Eq + Hash> {
    quota: Arc<SharedQuota<K>>,
    holder: K,
    amount: usize,
}

/// The quota that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaSpent {
    PerHolder,
    Total,
}

impl<K: Eq + Hash + Clone> SharedQuota<K> {
    /// Creates a quota of `each` per holder and `all` for all holders together, of which nothing is used yet.
    pub fn new(each: usize, all: usize) -> Arc<Self> {
        let used = QuotaUsage { total: 0, by_holder: HashMap::new() };
        Arc::new(Self { holder_limit: each, total_limit: all, used: Mutex::new(used) })
    }

    /// Acquires an amount for a holder.
    ///
    /// # Errors
    /// If the holder's quota or the shared one is used up. While nothing of a quota is used, a single share may exceed
    /// it, since such a share would otherwise never be granted.
    pub fn acquire(self: &Arc<Self>, holder: K, amount: usize) -> Result<QuotaShare<K>, QuotaSpent> {
        self.add(&holder, amount)?;
        Ok(QuotaShare { quota: Arc::clone(self), holder, amount })
    }

    /// Returns the amount in use.
    pub fn used(&self) -> usize {
        self.lock().total
    }

    fn add(&self, holder: &K, amount: usize) -> Result<(), QuotaSpent> {
        let fits = |used: usize, quota: usize| used == 0 || used.saturating_add(amount) <= quota;
        let mut used = self.lock();
        if !fits(used.by_holder.get(holder).copied().unwrap_or_default(), self.holder_limit) {
            return Err(QuotaSpent::PerHolder);
        }
        if !fits(used.total, self.total_limit) {
            return Err(QuotaSpent::Total);
        }
        used.total += amount;
        *used.by_holder.entry(holder.clone()).or_default() += amount;
        Ok(())
    }
}

impl<K: Eq + Hash> SharedQuota<K> {
    fn remove(&self, holder: &K, amount: usize) {
        let mut used = self.lock();
        used.total -= amount;
        if let Some(of_holder) = used.by_holder.get_mut(holder) {
            *of_holder -= amount;
            if *of_holder == 0 {
                used.by_holder.remove(holder);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, QuotaUsage<K>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> QuotaShare<K> {
    /// Changes the amount of the share.
    ///
    /// # Errors
    /// If the larger amount would exceed a quota. The amount then stays unchanged.
    pub fn resize(&mut self, amount: usize) -> Result<(), QuotaSpent> {
        if let Some(more) = amount.checked_sub(self.amount) {
            self.quota.add(&self.holder, more)?;
        } else {
            self.quota.remove(&self.holder, self.amount - amount);
        }
        self.amount = amount;
        Ok(())
    }
}

impl<K: Eq + Hash> Drop for QuotaShare<K> {
    fn drop(&mut self) {
        self.quota.remove(&self.holder, self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_counted_per_holder_and_in_total() {
        let quota = SharedQuota::new(2, 3);
        let first = quota.acquire("one", 1).unwrap();
        let second = quota.acquire("one", 1).unwrap();
        assert_eq!(quota.acquire("one", 1).unwrap_err(), QuotaSpent::PerHolder);
        let third = quota.acquire("two", 1).unwrap();
        assert_eq!(quota.acquire("two", 1).unwrap_err(), QuotaSpent::Total);
        drop(first);
        let fourth = quota.acquire("one", 1).unwrap();
        assert_eq!(quota.used(), 3);
        drop((second, third, fourth));
        assert_eq!(quota.used(), 0);
        assert!(quota.lock().by_holder.is_empty(), "no holder is remembered");
    }

    #[test]
    fn both_quotas_are_enforced() {
        let quota = SharedQuota::new(40, 100);
        let acquire = |holder, amount| quota.acquire(holder, amount);
        let first = acquire(1, 40).unwrap();
        assert_eq!(acquire(1, 1).unwrap_err(), QuotaSpent::PerHolder);
        let _others = [acquire(2, 40).unwrap(), acquire(3, 20).unwrap()];
        assert_eq!(acquire(4, 1).unwrap_err(), QuotaSpent::Total);
        drop(first);
        let mut again = acquire(1, 10).unwrap();
        assert_eq!(again.resize(41), Err(QuotaSpent::PerHolder));
        assert_eq!((again.resize(40), again.resize(5)), (Ok(()), Ok(())));
        assert!(acquire(1, 36).is_err() && acquire(1, 35).is_ok());
    }

    #[test]
    fn a_single_share_may_exceed_the_quota() {
        let quota = SharedQuota::new(40, 100);
        let large = quota.acquire(1, 500).unwrap();
        assert!(quota.acquire(1, 1).is_err() && quota.acquire(2, 1).is_err());
        drop(large);
        assert!(quota.acquire(2, 1).is_ok());
    }

    proptest! {
        #[test]
        fn dropped_shares_do_not_count(
            steps in prop::collection::vec((0..4_u8, 0..30_usize, 0..30_usize, any::<bool>()), 0..60),
        ) {
            let quota = SharedQuota::new(40, 100);
            let mut shares = Vec::new();
            for (holder, amount, resized, keep) in steps {
                if let Ok(mut share) = quota.acquire(holder, amount) {
                    let _ = share.resize(resized);
                    if keep {
                        shares.push(share);
                    }
                }
                let sum: usize = shares.iter().map(|share: &QuotaShare<u8>| share.amount).sum();
                prop_assert_eq!(quota.used(), sum);
                prop_assert!(sum <= 100);
                prop_assert!(quota.lock().by_holder.values().all(|&used| used <= 40));
            }
            drop(shares);
            let used = quota.lock();
            prop_assert_eq!((used.total, used.by_holder.len()), (0, 0));
        }
    }
}
