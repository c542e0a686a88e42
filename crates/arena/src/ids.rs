//! Generates ids.

use crate::environment::Environment;
use crate::wall_clock::WallClock;
use lastnim_core::game::{MatchId, TournamentId};

/// Generates ids that rise with time and cannot be guessed.
#[derive(Debug, Clone)]
pub struct IdGenerator {
    clock: WallClock,
    environment: Environment,
}

impl IdGenerator {
    pub fn new(clock: WallClock, environment: Environment) -> Self {
        Self { clock, environment }
    }

    pub fn next_match(&self) -> MatchId {
        MatchId::new(self.now_unix_ms(), &self.random_bytes())
    }

    pub fn next_tournament(&self) -> TournamentId {
        TournamentId::new(self.now_unix_ms(), &self.random_bytes())
    }

    fn now_unix_ms(&self) -> u64 {
        self.clock.now().as_micros() / 1_000
    }
    fn random_bytes(&self) -> [u8; 10] {
        let mut bytes = [0; 10];
        self.environment.fill_random(&mut bytes);
        bytes
    }
}
