//! Limits the wrong tokens from one address.

use super::address_tally::AddressTally;
use super::client_address::ClientAddress;
use lastnim_arena::next_clear_time;
use lastnim_store::TokenHash;
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::convert::Infallible;
use std::hash::BuildHasher as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of counters shared by all addresses. Two addresses on one counter share its limit; a random seed assigns
/// them at each start.
const COUNTERS: usize = 4096;
/// The minimum number of remembered recent logins; at most twice as many are kept.
const REMEMBERED_LOGINS: usize = 4096;

/// Slows down attackers who guess tokens: an address may send a burst of wrong tokens, then one per interval. Beyond
/// that, its calls with a token are rejected unchecked, unless the same token was valid from this address before: so a
/// neighbour's guesses do not lock out players.
///
/// Time per call and memory do not depend on the number of addresses.
#[derive(Debug)]
pub struct LoginLimits {
    burst: u32,
    interval: Duration,
    hasher: RandomState,
    state: Mutex<LoginState>,
    /// Failed logins that are not logged yet.
    failures: AddressTally,
}

#[derive(Debug)]
struct LoginState {
    /// For each counter, the time at which no failure counts any more.
    clear_at: Box<[Option<Instant>]>,
    /// Addresses with valid tokens; the older half is dropped when there are too many.
    recent: HashSet<(ClientAddress, TokenHash)>,
    older: HashSet<(ClientAddress, TokenHash)>,
}

impl LoginState {
    fn remembers(&self, login: &(ClientAddress, TokenHash)) -> bool {
        self.recent.contains(login) || self.older.contains(login)
    }

    fn remember(&mut self, login: (ClientAddress, TokenHash)) {
        if !self.remembers(&login) {
            if self.recent.len() >= REMEMBERED_LOGINS {
                self.older = std::mem::take(&mut self.recent);
            }
            self.recent.insert(login);
        }
    }
}

impl LoginLimits {
    /// Allows each address a burst of `burst` wrong tokens, then one per interval.
    pub fn new(burst: u32, interval: Duration) -> Self {
        let (recent, older) = Default::default();
        let state = LoginState { clear_at: vec![None; COUNTERS].into(), recent, older };
        let (hasher, failures) = Default::default();
        Self { burst, interval, hasher, state: Mutex::new(state), failures }
    }

    fn state(&self) -> MutexGuard<'_, LoginState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a token with `look`, and counts it if it is wrong.
    ///
    /// # Errors
    /// The time until the next attempt, if the address has sent too many wrong tokens.
    pub(super) fn admit<T, E>(
        &self,
        address: ClientAddress,
        token: TokenHash,
        now: Instant,
        look: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, E>, Duration> {
        let counter = (self.hasher.hash_one(address) % COUNTERS as u64) as usize;
        let login = (address, token);
        // Held during the check, so that concurrent guesses respect the limit.
        let mut state = self.state();
        let allowed = next_clear_time(state.clear_at[counter], now, self.interval, self.burst);
        if let Err(wait) = allowed
            && !state.remembers(&login)
        {
            self.failures.note(address);
            return Err(wait);
        }
        let looked = look();
        match (&looked, allowed) {
            (Ok(_), _) => state.remember(login),
            (Err(_), Ok(clear_at)) => {
                state.clear_at[counter] = Some(clear_at);
                self.failures.note(address);
            }
            // A token that was valid before is not a guess.
            (Err(_), Err(_)) => self.failures.note(address),
        }
        Ok(looked)
    }

    /// Logs failed logins while it is polled: the first at once, then one line per minute.
    pub async fn log_failures(&self) -> Infallible {
        self.failures
            .log_each_minute(|count, from| tracing::warn!(count, %from, "failed logins: no valid token"))
            .await
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

    /// Checks a token, of which only "right" is valid; `None` if it was rejected unchecked.
    fn show(limits: &LoginLimits, from: u32, token: &str, now: Instant) -> Option<bool> {
        let look = || if token == "right" { Ok(()) } else { Err(()) };
        let looked = limits.admit(address(from), TokenHash::of_token(token), now, look);
        looked.ok().map(|looked| looked.is_ok())
    }

    #[test]
    fn an_address_has_a_burst_of_guesses_and_then_one_per_interval() {
        let (limits, start) = (LoginLimits::new(3, SECOND), Instant::now());
        for guess in ["a", "b", "c"] {
            assert_eq!(show(&limits, 1, guess, start), Some(false));
        }
        assert_eq!(show(&limits, 1, "d", start), None);
        assert_eq!(show(&limits, 1, "right", start), None, "it could be a guess as well");
        let wait = limits.admit(address(1), TokenHash::of_token("e"), start, || Ok::<_, ()>(())).unwrap_err();
        assert_eq!(wait, SECOND);
        assert_eq!(show(&limits, 1, "f", start + SECOND), Some(false), "rejected attempts do not count");
        assert_eq!(show(&limits, 1, "g", start + SECOND), None);
        assert_eq!(show(&limits, 1, "right", start + 2 * SECOND), Some(true));
        let guesses = (0..100).filter(|n| show(&limits, 1, &n.to_string(), start + 60 * SECOND).is_some());
        assert_eq!(guesses.count(), 3);
    }

    #[test]
    fn a_known_login_passes_despite_a_neighbours_guesses() {
        let (limits, start) = (LoginLimits::new(2, SECOND), Instant::now());
        assert_eq!(show(&limits, 1, "right", start), Some(true));
        for guess in 0..10 {
            show(&limits, 1, &guess.to_string(), start);
        }
        assert_eq!(show(&limits, 1, "a", start), None);
        assert_eq!(show(&limits, 1, "right", start), Some(true));
        assert_eq!(show(&limits, 2, "right", start), Some(true), "each address has its own limit");
    }

    #[test]
    fn memory_does_not_grow_with_addresses_and_logins() {
        let (limits, start) = (LoginLimits::new(1, SECOND), Instant::now());
        for from in 0..20_000 {
            show(&limits, from, "right", start);
        }
        {
            let state = limits.state();
            assert_eq!(state.clear_at.len(), COUNTERS);
            assert!(state.recent.len() + state.older.len() <= 2 * REMEMBERED_LOGINS);
        }
        for from in 0..20_000 {
            show(&limits, from, "guess", start);
        }
        assert_eq!(limits.state().clear_at.len(), COUNTERS);
    }
}
