//! Rate limits by address for unauthenticated callers.

use super::client_address::ClientAddress;
use lastnim_arena::next_clear_time;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The limit of all addresses together, as a multiple of one address's.
const TOTAL_LIMIT_FACTOR: u32 = 50;

/// Limits requests without a token: a burst from each address, then one per interval, and a multiple of that from all
/// addresses together, so that a large network can fill neither the server nor this table. Every admitted attempt
/// counts, whatever its result.
#[derive(Debug)]
pub struct AddressLimiter {
    at_once: u32,
    interval: Duration,
    tables: Mutex<ClearTimes>,
}

/// For each address and for all together, the time at which all attempts have expired. Each attempt moves it by an
/// interval.
#[derive(Debug, Default)]
struct ClearTimes {
    clear_at: HashMap<ClientAddress, Instant>,
    all_clear_at: Option<Instant>,
}

/// A rate limit was exceeded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("from {origin}: try again in {} s", .wait.as_secs() + 1)]
pub(super) struct TooManyAttempts {
    /// The address, or all addresses.
    origin: String,
    /// The time until the next attempt is allowed.
    pub(super) wait: Duration,
}

impl AddressLimiter {
    /// Allows each address a burst of `at_once`, then one per interval.
    pub fn new(at_once: u32, interval: Duration) -> Self {
        Self { at_once, interval, tables: Mutex::default() }
    }

    /// Counts an attempt of an address, if it is allowed.
    pub(super) fn admit(&self, address: ClientAddress, now: Instant) -> Result<(), TooManyAttempts> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let own = next_clear_time(tables.clear_at.get(&address).copied(), now, self.interval, self.at_once)
            .map_err(|wait| TooManyAttempts { origin: address.to_string(), wait })?;
        let all = next_clear_time(
            tables.all_clear_at,
            now,
            self.interval / TOTAL_LIMIT_FACTOR,
            self.at_once * TOTAL_LIMIT_FACTOR,
        )
        .map_err(|wait| TooManyAttempts { origin: "all addresses".into(), wait })?;
        // The number of entries that remain is limited by what all addresses may have in one full burst period.
        tables.clear_at.retain(|_, at| *at > now);
        tables.clear_at.insert(address, own);
        tables.all_clear_at = Some(all);
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
    fn an_address_has_a_burst_and_then_one_attempt_per_interval() {
        let (registrations, start) = (AddressLimiter::new(3, MINUTE), Instant::now());
        for _ in 0..3 {
            assert_eq!(registrations.admit(address(1), start), Ok(()));
        }
        let refused = registrations.admit(address(1), start + MINUTE / 3).unwrap_err();
        assert_eq!(refused.wait, MINUTE * 2 / 3);
        assert!(refused.to_string().contains("0.0.0.1") && refused.to_string().contains("41 s"), "{refused}");
        assert_eq!(registrations.admit(address(2), start), Ok(()), "each address has its own limit");
        assert_eq!(registrations.admit(address(1), start + MINUTE), Ok(()), "rejected attempts do not count");
        assert!(registrations.admit(address(1), start + MINUTE).is_err());
        let later = start + MINUTE * 100;
        assert_eq!((0..9).filter(|_| registrations.admit(address(1), later).is_ok()).count(), 3);
    }

    #[test]
    fn many_addresses_share_a_limit_and_are_forgotten() {
        let (registrations, start) = (AddressLimiter::new(2, MINUTE), Instant::now());
        let admitted =
            |now| (0..10_000).filter(|number| registrations.admit(address(*number), now).is_ok()).count();
        assert_eq!(admitted(start), 100);
        assert_eq!(registrations.tables.lock().unwrap().clear_at.len(), 100);
        let refused = registrations.admit(address(7_777), start).unwrap_err();
        assert_eq!(refused, TooManyAttempts { origin: "all addresses".into(), wait: MINUTE / 50 });
        assert_eq!(admitted(start + MINUTE), 50, "the attempts of one minute");
        assert_eq!(admitted(start + MINUTE * 10), 100);
        assert_eq!(registrations.tables.lock().unwrap().clear_at.len(), 100, "expired entries are removed");
    }
}
