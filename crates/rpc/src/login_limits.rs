//! How often one address may show wrong tokens.

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

/// Among how many counters addresses are spread. Two addresses that share one by chance share its allowance; which ones do
/// is drawn when the server starts.
const COUNTERS: usize = 4096;
/// Logins that are remembered at least, of those that were made last; twice as many are at most.
const REMEMBERED_LOGINS: usize = 4096;

/// Slows down whoever guesses tokens: an address may show some wrong ones in a burst, then one more each interval. Beyond
/// that its calls with a token are refused unseen, but for tokens that were right from the same address before: so a
/// neighbour's guesses cut nobody off who plays.
///
/// A call costs the same however many addresses there are, and so does the memory.
#[derive(Debug)]
pub struct LoginLimits {
    burst: u32,
    interval: Duration,
    hasher: RandomState,
    state: Mutex<LoginState>,
    /// The failed logins that are not logged yet.
    failures: AddressTally,
}

#[derive(Debug)]
struct LoginState {
    /// For each counter the moment at which nothing counts any more.
    clear_at: Box<[Option<Instant>]>,
    /// Addresses with tokens that were right; when there are many, the older half is forgotten.
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
    /// Lets an address show `burst` wrong tokens at once, and one more each interval.
    pub fn new(burst: u32, interval: Duration) -> Self {
        let (recent, older) = Default::default();
        let state = LoginState { clear_at: vec![None; COUNTERS].into(), recent, older };
        let (hasher, failures) = Default::default();
        Self { burst, interval, hasher, state: Mutex::new(state), failures }
    }

    fn state(&self) -> MutexGuard<'_, LoginState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an address show a token, which `look` looks at, and counts it if it is wrong.
    ///
    /// # Errors
    /// The time after which the address may try again, if it has shown too many wrong ones.
    pub(super) fn admit<T, E>(
        &self,
        address: ClientAddress,
        token: TokenHash,
        now: Instant,
        look: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, E>, Duration> {
        let counter = (self.hasher.hash_one(address) % COUNTERS as u64) as usize;
        let login = (address, token);
        // Held while the token is looked at, so that guesses at the same time do not all find room.
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
            // A token that was right once is no guess.
            (Err(_), Err(_)) => self.failures.note(address),
        }
        Ok(looked)
    }

    /// Logs failed logins for as long as this is polled: the first at once, then all of a minute in one line.
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

    /// Shows a token of which only "right" is right; none if it was refused unseen.
    fn show(limits: &LoginLimits, from: u32, token: &str, now: Instant) -> Option<bool> {
        let look = || if token == "right" { Ok(()) } else { Err(()) };
        let looked = limits.admit(address(from), TokenHash::of_token(token), now, look);
        looked.ok().map(|looked| looked.is_ok())
    }

    #[test]
    fn an_address_may_guess_in_a_burst_and_then_once_each_interval() {
        let (limits, start) = (LoginLimits::new(3, SECOND), Instant::now());
        for guess in ["a", "b", "c"] {
            assert_eq!(show(&limits, 1, guess, start), Some(false));
        }
        assert_eq!(show(&limits, 1, "d", start), None);
        assert_eq!(show(&limits, 1, "right", start), None, "it could be a guess as well");
        let wait = limits.admit(address(1), TokenHash::of_token("e"), start, || Ok::<_, ()>(())).unwrap_err();
        assert_eq!(wait, SECOND);
        assert_eq!(show(&limits, 1, "f", start + SECOND), Some(false), "refusals do not count");
        assert_eq!(show(&limits, 1, "g", start + SECOND), None);
        assert_eq!(show(&limits, 1, "right", start + 2 * SECOND), Some(true));
        let guesses = (0..100).filter(|n| show(&limits, 1, &n.to_string(), start + 60 * SECOND).is_some());
        assert_eq!(guesses.count(), 3);
    }

    #[test]
    fn who_was_let_in_from_there_before_is_let_in_whatever_its_neighbours_do() {
        let (limits, start) = (LoginLimits::new(2, SECOND), Instant::now());
        assert_eq!(show(&limits, 1, "right", start), Some(true));
        for guess in 0..10 {
            show(&limits, 1, &guess.to_string(), start);
        }
        assert_eq!(show(&limits, 1, "a", start), None);
        assert_eq!(show(&limits, 1, "right", start), Some(true));
        assert_eq!(show(&limits, 2, "right", start), Some(true), "another address is another matter");
    }

    #[test]
    fn many_addresses_and_logins_take_no_more_memory() {
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
