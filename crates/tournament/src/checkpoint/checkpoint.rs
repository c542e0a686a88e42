//! Stored checkpoints and their errors.

use lastnim_core::game::TournamentId;
use thiserror::Error;

/// The kind of state that a checkpoint contains: that of a running tournament or that of a finished one.
#[derive(Debug, Clone, Copy)]
struct StateKind {
    /// The hash context that keeps checkpoints of this kind distinct from others.
    context: &'static str,
    /// The version of the folds and of their encoding. Raise it with every change to either, because checkpoints of
    /// other versions are rejected.
    version: u32,
}

/// The kind of checkpoint that contains the state of a running tournament.
const RUNNING: StateKind = StateKind { context: "lastnim tournament checkpoint", version: 12 };
/// The kind of checkpoint that contains the comparison of the bots after a tournament.
const ENDED: StateKind = StateKind { context: "lastnim tournament that is over", version: 8 };

/// The state of a tournament after some or all of its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The version of the state and its encoding.
    pub version: u32,
    /// A match number: all matches with lower numbers are counted, and possibly some with higher ones.
    pub upto: u64,
    /// The encoded state of the folds.
    pub state: Vec<u8>,
    /// The BLAKE3 hash of the other fields and the tournament's id.
    pub hash: [u8; 32],
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The checkpoint has a different version.
    #[error("the checkpoint has version {found}, but this program reads version {expected}")]
    Version {
        /// The version of the state and its encoding.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// The checkpoint is corrupt.
    #[error("the checkpoint's hash does not match its contents")]
    Hash,
    /// The checkpoint's state is invalid.
    #[error("the checkpoint's state cannot be read: {0}")]
    Malformed(&'static str),
    /// The tournament's format does not support checkpoints.
    #[error("this kind of tournament has no checkpoints")]
    Unsupported,
    /// The checkpoint counts results or field changes that the store does not have.
    #[error("the checkpoint counts {0} that are not in the store")]
    Missing(&'static str),
}

impl Checkpoint {
    /// Creates the checkpoint of a running tournament.
    pub fn new(tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        Self::of_kind(RUNNING, tournament, upto, state)
    }

    /// Creates the checkpoint of a finished tournament.
    pub(crate) fn of_ended(tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        Self::of_kind(ENDED, tournament, upto, state)
    }

    fn of_kind(kind: StateKind, tournament: TournamentId, upto: u64, state: Vec<u8>) -> Self {
        let StateKind { context, version } = kind;
        let hash = state_hash(context, tournament, (version, upto), &state);
        Self { version, upto, state, hash }
    }

    /// Returns the encoded state, after verifying that the checkpoint was taken while this tournament was running.
    ///
    /// # Errors
    /// If the version or the hash is wrong.
    pub fn verified_state(&self, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
        self.verified_kind(RUNNING, tournament)
    }

    /// Returns the encoded state, after verifying that the checkpoint was taken after the end of this tournament.
    pub(crate) fn verified_final_state(&self, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
        self.verified_kind(ENDED, tournament)
    }

    fn verified_kind(&self, kind: StateKind, tournament: TournamentId) -> Result<&[u8], CheckpointError> {
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
    fn damaged_checkpoints_are_rejected() {
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
    fn checkpoints_of_running_and_finished_tournaments_differ() {
        let (own, state) = (TournamentId::new(1, &[7; 10]), vec![1, 2, 3]);
        let (running, ended) = (Checkpoint::new(own, 3, state.clone()), Checkpoint::of_ended(own, 3, state));
        assert_eq!((running.version, ended.version), (RUNNING.version, ENDED.version));
        assert!(running.verified_state(own).is_ok() && ended.verified_final_state(own).is_ok());
        assert!(running.verified_final_state(own).is_err() && ended.verified_state(own).is_err());
    }
}
