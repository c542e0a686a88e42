//! Limits how many wrong tokens an address may send.

use super::client_address::ClientAddress;
use super::status::retry_after_status;
use lastnim_arena::{RateLimit, RateUse, retry_seconds};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tonic::{Code, Status};

/// The number of counters. A hash assigns each address to a counter, with a random seed that changes at each start.
/// Addresses that have the same counter share its limit.
const COUNTERS: usize = 4096;

/// What a caller shows to prove who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Credential {
    Token,
    EntryCode,
}

impl Credential {
    /// Returns its name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::EntryCode => "entry code",
        }
    }

    /// Returns the name of the field of a request that contains it.
    fn field(self) -> &'static str {
        match self {
            Self::Token => "authorization",
            Self::EntryCode => "entry_code",
        }
    }
}

/// Slows down attackers who guess tokens and entry codes: an address may send a burst of wrong ones, then one per
/// interval. A valid one always passes, so guesses from the same address lock no one out. A token is looked up by its
/// hash, so the time that the check takes reveals nothing about other tokens.
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

    /// Logs and counts a wrong token or entry code from an address.
    ///
    /// # Errors
    /// If the address has sent too many of them, returns the status for the caller.
    pub(super) fn count_failure(&self, address: ClientAddress, shown: Credential) -> Result<(), Status> {
        let name = shown.name();
        tracing::warn!(%address, "a login failed: the {name} is not valid");
        self.count_attempt(address, Instant::now()).map_err(|wait| {
            let (field, seconds) = (shown.field(), retry_seconds(wait));
            let message = format!("{field}: too many wrong {name}s from {address}: try again in {seconds} s");
            retry_after_status(wait, Code::ResourceExhausted, "TOO_MANY_FAILED_LOGINS", &message)
        })
    }

    /// Counts a failed attempt, or returns the time until the next one is allowed.
    fn count_attempt(&self, address: ClientAddress, now: Instant) -> Result<(), Duration> {
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
            assert_eq!(limits.count_attempt(address(1), start), Ok(()));
        }
        assert_eq!(limits.count_attempt(address(1), start), Err(SECOND));
        assert_eq!(
            limits.count_attempt(address(1), start + SECOND),
            Ok(()),
            "rejected attempts do not count"
        );
        assert_eq!(limits.count_attempt(address(1), start + SECOND), Err(SECOND));
        let later = start + 60 * SECOND;
        let guesses = (0..100).filter(|_| limits.count_attempt(address(1), later).is_ok());
        assert_eq!(guesses.count(), 3);
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_addresses() {
        let (limits, start) = (LoginLimits::new(1, SECOND), Instant::now());
        for from in 0..20_000 {
            let _ = limits.count_attempt(address(from), start);
        }
        assert_eq!(limits.used.lock().unwrap().len(), COUNTERS);
    }
}
