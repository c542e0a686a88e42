//! How often strangers at one address may ask for something that lasts.

use super::client_address::ClientAddress;
use lastnim_arena::next_clear_time;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// All addresses together have as much as so many of them.
const ADDRESSES: u32 = 50;

/// Counts what strangers ask for: some at once from one address, then one more each interval; and a multiple of that from all addresses together, so that
/// neither what they ask for nor this table can be filled from a large network. An attempt counts, whatever comes of it.
#[derive(Debug)]
pub struct AddressLimiter {
    at_once: u32,
    interval: Duration,
    tables: Mutex<ClearTimes>,
}

/// For each address, and for all, the moment at which nothing counts any more. Each attempt moves it by an interval.
#[derive(Debug, Default)]
struct ClearTimes {
    clear_at: HashMap<ClientAddress, Instant>,
    all_clear_at: Option<Instant>,
}

/// Why something is not done now: there were too many attempts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("from {whom}: try again in {} s", .wait.as_secs() + 1)]
pub(super) struct TooManyAttempts {
    /// The address that made them, or all.
    whom: String,
    /// After which time there is room for one.
    pub(super) wait: Duration,
}

impl AddressLimiter {
    /// Lets one address have `at_once` at once, and one more each interval.
    pub fn new(at_once: u32, interval: Duration) -> Self {
        Self { at_once, interval, tables: Mutex::default() }
    }

    /// Lets an address have one more.
    pub(super) fn admit(&self, address: ClientAddress, now: Instant) -> Result<(), TooManyAttempts> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let own = next_clear_time(tables.clear_at.get(&address).copied(), now, self.interval, self.at_once)
            .map_err(|wait| TooManyAttempts { whom: address.to_string(), wait })?;
        let all =
            next_clear_time(tables.all_clear_at, now, self.interval / ADDRESSES, self.at_once * ADDRESSES)
                .map_err(|wait| TooManyAttempts { whom: "all addresses".into(), wait })?;
        // What is left are at most as many as may have one in the time of all turns of one.
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
    fn an_address_has_some_at_once_and_then_one_each_interval() {
        let (registrations, start) = (AddressLimiter::new(3, MINUTE), Instant::now());
        for _ in 0..3 {
            assert_eq!(registrations.admit(address(1), start), Ok(()));
        }
        let refused = registrations.admit(address(1), start + MINUTE / 3).unwrap_err();
        assert_eq!(refused.wait, MINUTE * 2 / 3);
        assert!(refused.to_string().contains("0.0.0.1") && refused.to_string().contains("41 s"), "{refused}");
        assert_eq!(registrations.admit(address(2), start), Ok(()), "another address has its own");
        assert_eq!(registrations.admit(address(1), start + MINUTE), Ok(()), "a refusal does not count");
        assert!(registrations.admit(address(1), start + MINUTE).is_err());
        let later = start + MINUTE * 100;
        assert_eq!((0..9).filter(|_| registrations.admit(address(1), later).is_ok()).count(), 3);
    }

    #[test]
    fn many_addresses_have_no_more_than_all_may_and_are_forgotten() {
        let (registrations, start) = (AddressLimiter::new(2, MINUTE), Instant::now());
        let admitted =
            |now| (0..10_000).filter(|number| registrations.admit(address(*number), now).is_ok()).count();
        assert_eq!(admitted(start), 100);
        assert_eq!(registrations.tables.lock().unwrap().clear_at.len(), 100);
        let refused = registrations.admit(address(7_777), start).unwrap_err();
        assert_eq!(refused, TooManyAttempts { whom: "all addresses".into(), wait: MINUTE / 50 });
        assert_eq!(admitted(start + MINUTE), 50, "those of a minute");
        assert_eq!(admitted(start + MINUTE * 10), 100);
        assert_eq!(
            registrations.tables.lock().unwrap().clear_at.len(),
            100,
            "nobody is kept for longer than it counts"
        );
    }
}
