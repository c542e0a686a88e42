//! The state of what is folded as bytes, in the format of postcard: small numbers take few bytes, and floats keep all of their bits.

use super::CheckpointError;
use crate::MatchResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Writes a state.
pub(crate) fn encode_state(state: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(state).expect("every list of a state knows its length")
}

/// Reads a state, to the last byte. Whatever the bytes, it fails or returns values of their types, and never holds more than
/// the bytes say; whether the values fit each other is for who asked to check.
pub(crate) fn decode_state<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, CheckpointError> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok(_) => Err(CheckpointError::Malformed("more follows than was written")),
        Err(_) => Err(CheckpointError::Malformed("it is not of this form")),
    }
}

/// Fails with what is wrong unless something holds.
pub(crate) fn ensure_holds(holds: bool, otherwise: &'static str) -> Result<(), CheckpointError> {
    if holds { Ok(()) } else { Err(CheckpointError::Malformed(otherwise)) }
}

/// Fails unless results stand at their numbers, and their outcomes are of their seats.
pub(crate) fn ensure_results_fit(results: &BTreeMap<u64, MatchResult>) -> Result<(), CheckpointError> {
    let fits = results.iter().all(|(&number, result)| {
        let seats = result.bots.seats();
        let is_of_seats = result.outcome.as_ref().is_none_or(|outcome| {
            outcome.seats.seats() == seats && seats.seat(outcome.winner.index()).is_ok()
        });
        number == result.number && is_of_seats
    });
    ensure_holds(fits, "a result is not of its match")
}
