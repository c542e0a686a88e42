//! What writing matches has in common in all databases.

use super::dialect::{Dialect, Statement};
use super::rows;
use crate::{FinishedMatch, StoreError};
use lastnim_core::game::{MatchId, Seat};
use lastnim_tournament::SeatResult;
use serde_json::Value;

/// Returns those of the matches that there are.
pub(super) async fn existing_matches<D: Dialect>(
    connection: &mut D::Connection,
    ids: &[MatchId],
) -> Result<Vec<MatchId>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Statement::<D>::new(
        "SELECT id::text FROM matches WHERE id IN (SELECT key::uuid FROM json_each($1::json))",
    )
    .bind(json_keys(ids))
    .fetch(connection, rows::read_match_id)
    .await
}

/// Writes a list of ids as the keys of a JSON object, which `json_each` reads in every database.
pub(super) fn json_keys<T: ToString>(ids: &[T]) -> String {
    Value::Object(ids.iter().map(|id| (id.to_string(), Value::Null)).collect()).to_string()
}

/// Returns the figures of the seats of all matches that have an outcome.
pub(super) fn seat_results_of<'a>(sealed: &[&'a FinishedMatch]) -> Vec<(MatchId, Seat, &'a SeatResult)> {
    let with_outcome = sealed.iter().filter_map(|over| Some((over.id, over.outcome.as_ref()?)));
    with_outcome
        .flat_map(|(id, outcome)| outcome.seats.enumerate().map(move |(seat, result)| (id, seat, result)))
        .collect()
}

/// Checks that as many matches were sealed as should be.
pub(super) fn check_sealed_count(sealed: &[&FinishedMatch], changed: u64) -> Result<(), StoreError> {
    if changed == sealed.len() as u64 {
        return Ok(());
    }
    let ids: Vec<_> = sealed.iter().map(|over| over.id.to_string()).collect();
    let ids = ids.join(", ");
    Err(StoreError::Refused(format!("of the matches {ids} one is not over, or does not exist")))
}

/// Checks that figures were written for as many seats as should be.
pub(super) fn check_seat_count(seats: usize, changed: u64) -> Result<(), StoreError> {
    if changed == seats as u64 {
        return Ok(());
    }
    Err(StoreError::Refused("figures for seats that a match does not have".to_owned()))
}
