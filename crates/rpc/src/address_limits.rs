//! Rate limits by address, such as those on registrations and on the matches of guests.

use super::client_address::ClientAddress;
use lastnim_arena::{RateLimit, RateUse, retry_seconds};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The limit on all addresses together, as a multiple of the limit on one address.
const TOTAL_LIMIT_FACTOR: u32 = 50;

/// Limits the rate of requests from addresses. Each address may send a burst of requests, and then one per interval.
/// All addresses together may send a multiple of that, so that a large network can neither overload the server nor fill
/// this table. Every admitted attempt counts, whatever its result.
#[derive(Debug)]
pub struct AddressLimiter {
    per_address_limit: RateLimit,
    total_limit: RateLimit,
    used: Mutex<LimitUsage>,
}

/// How much of its own limit each address has used, and how much of the joint limit all addresses have used.
#[derive(Debug, Default)]
struct LimitUsage {
    by_address: HashMap<ClientAddress, RateUse<Instant>>,
    total: Option<RateUse<Instant>>,
}

/// A rate limit was exceeded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("from {origin}: try again in {} s", retry_seconds(*.wait))]
pub(super) struct TooManyAttempts {
    /// The address whose limit was exceeded, or the words "all addresses".
    origin: String,
    /// The time until the next attempt is allowed.
    pub(super) wait: Duration,
}

impl AddressLimiter {
    /// Creates limits: each address may send a burst of `burst_size` requests, then one per interval.
    pub fn new(burst_size: u32, interval: Duration) -> Self {
        let per_address_limit = RateLimit::new(burst_size.into(), interval);
        let total_limit =
            RateLimit::new((burst_size * TOTAL_LIMIT_FACTOR).into(), interval / TOTAL_LIMIT_FACTOR);
        Self { per_address_limit, total_limit, used: Mutex::default() }
    }

    /// Counts an attempt from an address, or refuses it if a limit was exceeded.
    pub(super) fn admit(&self, address: ClientAddress, now: Instant) -> Result<(), TooManyAttempts> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let own = used.by_address.get(&address).copied();
        let own = self
            .per_address_limit
            .count(own, now, 1)
            .map_err(|wait| TooManyAttempts { origin: address.to_string(), wait })?;
        let all = self
            .total_limit
            .count(used.total, now, 1)
            .map_err(|wait| TooManyAttempts { origin: "all addresses".into(), wait })?;
        // Addresses whose past requests no longer count are dropped. This also bounds the table: it has at most one
        // entry for each request that all addresses together may send in one burst period.
        used.by_address.retain(|_, used| !self.per_address_limit.is_clear(*used, now));
        used.by_address.insert(address, own);
        used.total = Some(all);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const MINUTE: Duration = Duration::from_mins(1);

    fn address(number: u32) -> ClientAddress {
        IpAddr::from(Ipv4Addr::from_bits(number)).into()
    }

    #[test]
    fn an_address_may_try_in_a_burst_and_then_once_per_interval() {
        let (registrations, start) = (AddressLimiter::new(3, MINUTE), Instant::now());
        for _ in 0..3 {
            assert_eq!(registrations.admit(address(1), start), Ok(()));
        }
        let refused = registrations.admit(address(1), start + MINUTE / 3).unwrap_err();
        assert_eq!(refused.wait, MINUTE * 2 / 3);
        assert!(refused.to_string().contains("0.0.0.1") && refused.to_string().contains("40 s"), "{refused}");
        assert_eq!(registrations.admit(address(2), start), Ok(()), "each address has its own limit");
        assert_eq!(registrations.admit(address(1), start + MINUTE), Ok(()), "rejected attempts do not count");
        assert!(registrations.admit(address(1), start + MINUTE).is_err());
        let later = start + MINUTE * 100;
        assert_eq!((0..9).filter(|_| registrations.admit(address(1), later).is_ok()).count(), 3);
    }

    #[test]
    fn all_addresses_share_a_limit_and_are_forgotten_later() {
        let (registrations, start) = (AddressLimiter::new(2, MINUTE), Instant::now());
        let admitted =
            |now| (0..10_000).filter(|number| registrations.admit(address(*number), now).is_ok()).count();
        assert_eq!(admitted(start), 100);
        assert_eq!(registrations.used.lock().unwrap().by_address.len(), 100);
        let refused = registrations.admit(address(7_777), start).unwrap_err();
        assert_eq!(refused, TooManyAttempts { origin: "all addresses".into(), wait: MINUTE / 50 });
        assert_eq!(admitted(start + MINUTE), 50, "a minute allows 50 more attempts");
        assert_eq!(admitted(start + MINUTE * 10), 100);
        assert_eq!(registrations.used.lock().unwrap().by_address.len(), 100, "expired entries are removed");
    }
}
