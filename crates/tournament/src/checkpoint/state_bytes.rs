//! Encoding of states in the postcard format: small numbers take few bytes, and floats keep all their bits.

use super::CheckpointError;
use crate::MatchResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Encodes a state.
pub(crate) fn encode_state(state: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(state).expect("every list's length is known")
}

/// Decodes a state; trailing bytes are an error. Safe on untrusted input: it returns an error or a well-formed `T`, and
/// memory use is bounded by the input's length. The caller must check that the values are consistent.
pub(crate) fn decode_state<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, CheckpointError> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok(_) => Err(CheckpointError::Malformed("trailing bytes")),
        Err(_) => Err(CheckpointError::Malformed("its encoding is invalid")),
    }
}

/// Returns an error that contains `problem` unless `is_valid` is true.
pub(crate) fn ensure_valid(is_valid: bool, problem: &'static str) -> Result<(), CheckpointError> {
    if is_valid { Ok(()) } else { Err(CheckpointError::Malformed(problem)) }
}

/// Checks that each result is stored under its own number and that its outcome matches its seats.
pub(crate) fn ensure_results_fit(results: &BTreeMap<u64, MatchResult>) -> Result<(), CheckpointError> {
    let fits = results.iter().all(|(&number, result)| {
        let seats = result.bots.seats();
        let is_of_seats = result.outcome.as_ref().is_none_or(|outcome| {
            outcome.seats.seats() == seats && seats.seat(outcome.winner.index()).is_ok()
        });
        number == result.number && is_of_seats
    });
    ensure_valid(fits, "a result does not fit its match")
}
