//! Limits how many wrong tokens an address may send.

use super::client_address::ClientAddress;
use lastnim_arena::{RateLimit, RateUse};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of counters. A hash assigns each address to a counter, with a random seed that changes at each start.
/// Addresses that have the same counter share its limit.
const COUNTERS: usize = 4096;

/// Slows down attackers who guess tokens: an address may send a burst of wrong tokens, then one per interval. A valid
/// token always passes, so guesses from the same address lock no one out. A token is looked up by its hash, so the time
/// that the check takes reveals nothing about other tokens.
///
/// The time per call and the memory do not depend on the number of addresses.
#[derive(Debug)]
pub struct LoginLimits {
    limit: RateLimit,
    hasher: RandomState,
    /// How much of its limit each counter has used.
    used: Mutex<Box<[Option<RateUse<Instant>>]>>,
}

impl LoginLimits {
    /// Creates limits: each address may send a burst of `burst` wrong tokens, then one per interval.
    pub fn new(burst: u32, interval: Duration) -> Self {
        let limit = RateLimit::new(burst.into(), interval);
        Self { limit, hasher: RandomState::new(), used: Mutex::new(vec![None; COUNTERS].into()) }
    }

    /// Logs and counts a wrong token from an address.
    ///
    /// # Errors
    /// If the address has sent too many wrong tokens, returns the time until the next attempt is allowed.
    pub(super) fn count_failure(&self, address: ClientAddress, now: Instant) -> Result<(), Duration> {
        tracing::warn!(%address, "a login failed: the token is not valid");
        let counter = (self.hasher.hash_one(address) % COUNTERS as u64) as usize;
        let used = &mut self.used.lock().unwrap_or_else(PoisonError::into_inner)[counter];
        *used = Some(self.limit.count(*used, now, 1)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const SECOND: Duration = Duration::from_secs(1);

    fn address(number: u32) -> ClientAddress {
        IpAddr::from(Ipv4Addr::from_bits(number)).into()
    }

    #[test]
    fn an_address_may_guess_in_a_burst_and_then_once_per_interval() {
        let (limits, start) = (LoginLimits::new(3, SECOND), Instant::now());
        for _ in 0..3 {
            assert_eq!(limits.count_failure(address(1), start), Ok(()));
        }
        assert_eq!(limits.count_failure(address(1), start), Err(SECOND));
        assert_eq!(
            limits.count_failure(address(1), start + SECOND),
            Ok(()),
            "rejected attempts do not count"
        );
        assert_eq!(limits.count_failure(address(1), start + SECOND), Err(SECOND));
        let later = start + 60 * SECOND;
        let guesses = (0..100).filter(|_| limits.count_failure(address(1), later).is_ok());
        assert_eq!(guesses.count(), 3);
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_addresses() {
        let (limits, start) = (LoginLimits::new(1, SECOND), Instant::now());
        for from in 0..20_000 {
            let _ = limits.count_failure(address(from), start);
        }
        assert_eq!(limits.used.lock().unwrap().len(), COUNTERS);
    }
}
