//! How many bytes of requests and responses the server keeps, in all and for each address.

use lastnim_rpc::ClientAddress;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes that calls of one kind of caller may keep at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryLimits {
    /// All together.
    pub total: usize,
    /// Those from one address.
    pub per_address: usize,
}

/// The bytes that calls keep.
#[derive(Debug)]
pub(super) struct CallMemoryBudget {
    limits: MemoryLimits,
    kept: Mutex<HeldBytes>,
}

#[derive(Debug, Default)]
struct HeldBytes {
    total: usize,
    by_address: HashMap<ClientAddress, usize>,
}

/// Bytes that are kept. They count until this is dropped.
#[derive(Debug)]
pub(super) struct MemoryCharge {
    budget: Arc<CallMemoryBudget>,
    address: ClientAddress,
    bytes: usize,
}

/// What is refused: the budget of an address, or of all, is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BudgetSpent;

impl CallMemoryBudget {
    /// Makes a budget of which nothing is used.
    pub(super) fn new(limits: MemoryLimits) -> Arc<Self> {
        Arc::new(Self { limits, kept: Mutex::default() })
    }

    fn lock_held_bytes(&self) -> MutexGuard<'_, HeldBytes> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts bytes that are kept for an address.
    ///
    /// # Errors
    /// If its budget or that of all is used up. Who keeps nothing yet may keep one thing larger than its budget, which would
    /// otherwise be refused for ever.
    pub(super) fn charge_address(
        self: &Arc<Self>,
        address: ClientAddress,
        bytes: usize,
    ) -> Result<MemoryCharge, BudgetSpent> {
        self.add(address, bytes)?;
        Ok(MemoryCharge { budget: Arc::clone(self), address, bytes })
    }

    fn add(&self, address: ClientAddress, bytes: usize) -> Result<(), BudgetSpent> {
        let fits = |kept: usize, limit: usize| kept == 0 || kept.saturating_add(bytes) <= limit;
        let mut kept = self.lock_held_bytes();
        let of_address = kept.by_address.get(&address).copied().unwrap_or_default();
        if !fits(of_address, self.limits.per_address) || !fits(kept.total, self.limits.total) {
            return Err(BudgetSpent);
        }
        kept.total += bytes;
        *kept.by_address.entry(address).or_default() += bytes;
        Ok(())
    }
}

impl MemoryCharge {
    /// Counts more bytes, or fewer.
    ///
    /// # Errors
    /// If there are more and the budget is used up: then as many count as before.
    pub(super) fn resize(&mut self, bytes: usize) -> Result<(), BudgetSpent> {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            self.budget.add(self.address, more)?;
        } else {
            self.budget.remove(self.address, self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl CallMemoryBudget {
    fn remove(&self, address: ClientAddress, bytes: usize) {
        let mut kept = self.lock_held_bytes();
        kept.total -= bytes;
        if let Some(of_address) = kept.by_address.get_mut(&address) {
            *of_address -= bytes;
            if *of_address == 0 {
                kept.by_address.remove(&address);
            }
        }
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        self.budget.remove(self.address, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{IpAddr, Ipv4Addr};

    const LIMITS: MemoryLimits = MemoryLimits { total: 100, per_address: 40 };

    fn address(last: u8) -> ClientAddress {
        IpAddr::from(Ipv4Addr::new(127, 0, 0, last)).into()
    }

    #[test]
    fn an_address_has_its_budget_and_all_have_theirs() {
        let budget = CallMemoryBudget::new(LIMITS);
        let charge = |last, bytes| budget.charge_address(address(last), bytes);
        let first = charge(1, 40).unwrap();
        assert_eq!(charge(1, 1).unwrap_err(), BudgetSpent);
        let _others = [charge(2, 40).unwrap(), charge(3, 20).unwrap()];
        assert_eq!(charge(4, 1).unwrap_err(), BudgetSpent);
        drop(first);
        let mut again = charge(1, 10).unwrap();
        assert_eq!((again.resize(41), again.resize(40), again.resize(5)), (Err(BudgetSpent), Ok(()), Ok(())));
        assert!(charge(1, 36).is_err() && charge(1, 35).is_ok());
    }

    #[test]
    fn one_thing_larger_than_the_budget_is_kept_alone() {
        let budget = CallMemoryBudget::new(LIMITS);
        let large = budget.charge_address(address(1), 500).unwrap();
        assert!(
            budget.charge_address(address(1), 1).is_err() && budget.charge_address(address(2), 1).is_err()
        );
        drop(large);
        assert!(budget.charge_address(address(2), 1).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_dropped_counts_no_more(
            steps in prop::collection::vec((0..4_u8, 0..30_usize, 0..30_usize, any::<bool>()), 0..60),
        ) {
            let budget = CallMemoryBudget::new(LIMITS);
            let mut charges = Vec::new();
            for (last, bytes, resized, keep) in steps {
                if let Ok(mut charge) = budget.charge_address(address(last), bytes) {
                    let _ = charge.resize(resized);
                    if keep {
                        charges.push(charge);
                    }
                }
                let sum: usize = charges.iter().map(|charge: &MemoryCharge| charge.bytes).sum();
                prop_assert_eq!(budget.lock_held_bytes().total, sum);
                prop_assert!(sum <= LIMITS.total);
                prop_assert!(budget.lock_held_bytes().by_address.values().all(|&bytes| bytes <= LIMITS.per_address));
            }
            drop(charges);
            let kept = budget.lock_held_bytes();
            prop_assert_eq!((kept.total, kept.by_address.len()), (0, 0));
        }
    }
}
