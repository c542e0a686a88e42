//! A checkpoint as it is kept, and what can be wrong with one.

use lastnim_core::game::TournamentId;
use thiserror::Error;

/// What a state is of.
#[derive(Debug, Clone, Copy)]
struct StateKind {
    /// Says so to whoever takes its hash.
    context: &'static str,
    /// The version of what is folded, how, and how that is written. Raise it with every change of any of these: a checkpoint of
    /// another version is not used.
    version: u32,
}

/// What a tournament that runs has come to.
const RUNNING: StateKind = StateKind { context: "lastnim tournament checkpoint", version: 8 };
/// How the bots of a tournament that is over compare.
const ENDED: StateKind = StateKind { context: "lastnim tournament that is over", version: 8 };

/// What a tournament had come to when some of its results were counted, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The version of the code that wrote it.
    pub version: u32,
    /// The number below which it counts all matches; of those above it counts some.
    pub upto: u64,
    /// The state of what is folded from results.
    pub state: Vec<u8>,
    /// The BLAKE3 hash of all that and of the tournament.
    pub hash: [u8; 32],
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It was written by another version of the code.
    #[error("it has version {found}, and this program reads version {expected}")]
    Version {
        /// The version that wrote it.
        found: u32,
        /// The version that can be used.
        expected: u32,
    },
    /// It is not what was written.
    #[error("its hash is not that of its contents")]
    Hash,
    /// Its state says something that cannot be.
    #[error("its state cannot be read: {0}")]
    Malformed(&'static str),
    /// Its format keeps no state.
    #[error("a tournament of this kind keeps no checkpoint")]
    Unsupported,
    /// It counts what is not there.
    #[error("it counts {0} that the store does not have")]
    Missing(&'static str),
}

impl Checkpoint {
    /// Makes the checkpoint of a tournament that runs from its state.
    pub fn new(tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        Self::of_kind(RUNNING, tournament, upto, state)
    }

    /// Makes the checkpoint of a tournament that is over.
    pub(crate) fn of_ended(tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        Self::of_kind(ENDED, tournament, upto, state)
    }

    fn of_kind(kind: StateKind, tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        let StateKind { context, version } = kind;
        let hash = state_hash(context, tournament, (version, upto), &state);
        Self { version, upto, state, hash }
    }

    /// Returns the state, if it is what this version of the code wrote of this tournament while it ran.
    ///
    /// # Errors
    /// If it is of another version, or not what was written.
    pub fn verified_state(&self, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
        self.verified_as(RUNNING, tournament)
    }

    /// Returns the state, if it is what this version of the code wrote of this tournament once it was over.
    pub(crate) fn verified_end(&self, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
        self.verified_as(ENDED, tournament)
    }

    fn verified_as(&self, kind: StateKind, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
        if self.version != kind.version {
            return Err(CheckpointError::Version { found: self.version, expected: kind.version });
        }
        if self.hash != state_hash(kind.context, tournament, (self.version, self.upto), &self.state) {
            return Err(CheckpointError::Hash);
        }
        Ok(&self.state)
    }
}

fn state_hash(
    context: &str,
    tournament: TournamentId,
    (version, upto): (u32, u64),
    state: &[u8],
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(String::from(tournament).as_bytes());
    hasher.update(&version.to_le_bytes()).update(&upto.to_le_bytes()).update(state);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_read() {
        let [own, other] = [1, 2].map(|number| TournamentId::new(number, &[7; 10]));
        let written = Checkpoint::new(own, 3, vec![1, 2, 3]);
        assert_eq!(written.verified_state(own), Ok(&[1, 2, 3][..]));
        assert_eq!(written.verified_state(other), Err(CheckpointError::Hash));
        assert_eq!(Checkpoint { upto: 4, ..written.clone() }.verified_state(own), Err(CheckpointError::Hash));
        let (found, expected) = (RUNNING.version + 1, RUNNING.version);
        let newer = Checkpoint { version: found, ..written.clone() };
        assert_eq!(newer.verified_state(own), Err(CheckpointError::Version { found, expected }));
        for bit in 0..24 {
            let mut damaged = written.clone();
            damaged.state[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(damaged.verified_state(own), Err(CheckpointError::Hash), "bit {bit}");
        }
    }

    #[test]
    fn a_tournament_that_runs_and_one_that_is_over_are_told_apart_by_version_and_hash() {
        let (own, state) = (TournamentId::new(1, &[7; 10]), vec![1, 2, 3]);
        let (running, ended) = (Checkpoint::new(own, 3, state.clone()), Checkpoint::of_ended(own, 3, state));
        assert_eq!((running.version, ended.version), (RUNNING.version, ENDED.version));
        assert!(running.verified_state(own).is_ok() && ended.verified_end(own).is_ok());
        assert!(running.verified_end(own).is_err() && ended.verified_state(own).is_err());
    }
}
