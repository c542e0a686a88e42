//! Generates the ids of matches and tournaments.

use crate::environment::Environment;
use crate::wall_clock::WallClock;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_store::NewestIds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bits of the counter that distinguishes ids from the same millisecond.
const COUNTER_BITS: u32 = 12;

/// Generates ids that cannot be guessed. Each is greater than all ids that are already in the store, even if the clock
/// was set back.
///
/// An id starts with a millisecond and a counter. They come from the clock, or, if the clock is behind the last id,
/// they continue from that id.
#[derive(Debug, Clone)]
pub struct IdGenerator {
    clock: WallClock,
    environment: Environment,
    /// The millisecond and counter of the last id.
    last: Arc<AtomicU64>,
}

impl IdGenerator {
    /// Creates a generator that uses the clock and the random bytes of the environment. `newest` holds the newest ids
    /// in the store.
    pub fn new(clock: WallClock, environment: Environment, newest: NewestIds) -> Self {
        let matches = newest.match_id.map(|id| tick_of_id(id.as_bytes()));
        let tournaments = newest.tournament.map(|id| tick_of_id(id.as_bytes()));
        let last = matches.max(tournaments).unwrap_or_default();
        Self { clock, environment, last: Arc::new(AtomicU64::new(last)) }
    }

    pub fn next_match(&self) -> MatchId {
        let (unix_ms, bytes) = self.next_id_parts();
        MatchId::new(unix_ms, &bytes)
    }

    pub fn next_tournament(&self) -> TournamentId {
        let (unix_ms, bytes) = self.next_id_parts();
        TournamentId::new(unix_ms, &bytes)
    }

    /// Returns the millisecond of the next id, and the bytes after it: the counter and random bytes.
    fn next_id_parts(&self) -> (u64, [u8; 10]) {
        let mut bytes = [0; 10];
        self.environment.fill_random(&mut bytes);
        let clock_tick = (self.clock.now().as_micros() / 1_000) << COUNTER_BITS;
        let next_tick = |last: u64| clock_tick.max(last + 1);
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next_tick(last)));
        let tick = next_tick(last.unwrap_or_else(|last| last));
        let counter = (tick & ((1 << COUNTER_BITS) - 1)) as u16;
        bytes[..2].copy_from_slice(&counter.to_be_bytes());
        (tick >> COUNTER_BITS, bytes)
    }
}

/// Returns the millisecond and the counter of an id as one number.
fn tick_of_id(bytes: &[u8; 16]) -> u64 {
    let first = u64::from_be_bytes(bytes[..8].try_into().expect("the slice has eight bytes"));
    // The version bits of the id lie between the millisecond and the counter.
    let counter = first & ((1 << COUNTER_BITS) - 1);
    first >> 16 << COUNTER_BITS | counter
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::referee::Timestamp;
    use std::time::{Duration, SystemTime};

    const BEGAN_MS: u64 = 1_700_000_000_000;

    fn generator(began_ms: u64, newest: NewestIds) -> IdGenerator {
        let date = Timestamp::from_micros(1_000 * began_ms);
        let environment = Environment::new(SystemTime::now, |bytes| getrandom::fill(bytes).unwrap());
        IdGenerator::new(WallClock::start(date, Duration::from_secs(1)), environment, newest)
    }

    #[tokio::test(start_paused = true)]
    async fn every_id_is_greater_than_all_before_it() {
        let ids = generator(BEGAN_MS, NewestIds::default());
        let made: Vec<_> = (0..10_000).map(|_| ids.next_match()).collect();
        assert!(made.is_sorted_by(|one, next| one < next));
        assert_eq!(made[4_095].unix_ms(), BEGAN_MS, "a millisecond has 4,096 ids");
        assert_eq!(made[9_999].unix_ms(), BEGAN_MS + 2);
        assert!(ids.next_tournament().as_bytes() > made[9_999].as_bytes());
        tokio::time::sleep(Duration::from_millis(7)).await;
        assert_eq!(ids.next_match().unix_ms(), BEGAN_MS + 7);
        assert_ne!(made[0].random_bits(), made[1].random_bits());
    }

    #[tokio::test(start_paused = true)]
    async fn ids_increase_even_after_the_clock_was_set_back() {
        let ahead = generator(BEGAN_MS + 7_200_000, NewestIds::default());
        let (tournament, first) = (ahead.next_tournament(), ahead.next_match());
        assert!(first.as_bytes() > tournament.as_bytes());
        let newest = NewestIds { match_id: Some(first), tournament: Some(tournament) };
        let back = generator(BEGAN_MS, newest);
        let second = back.next_match();
        assert!(second > first);
        assert!(back.next_tournament() > tournament);
        assert_eq!(second.unix_ms(), first.unix_ms(), "new ids continue from the last ones");
        let newest = NewestIds { match_id: None, tournament: Some(tournament) };
        assert!(generator(BEGAN_MS, newest).next_tournament() > tournament);
        assert!(
            back.clock.now() < Timestamp::from_micros((BEGAN_MS + 1_000) * 1_000),
            "timestamps are not moved ahead"
        );
    }
}
