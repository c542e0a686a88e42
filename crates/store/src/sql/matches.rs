//! Writes matches and their seats.

use super::batch::{CreatedMatch, EndedMatch, MatchChanges, QuarantinedMatch};
use super::columns::small_number;
use super::dialect::{Dialect, Statement};
use super::keywords::StoredKeyword;
use super::multi_row::MultiRow;
use super::rows;
use crate::{FinishedMatch, StoreError};
use lastnim_core::game::{MatchId, Seat};
use lastnim_tournament::{Reason, SeatResult};
use serde_json::Value;

/// Returns those of the given matches that exist.
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

/// Encodes ids as the keys of a JSON object, which every database can read with `json_each`.
pub(super) fn json_keys<T: ToString>(ids: &[T]) -> String {
    Value::Object(ids.iter().map(|id| (id.to_string(), Value::Null)).collect()).to_string()
}

/// Writes changes to matches, except for their events. `first_row` is the id of the first journal row that may contain
/// events of new matches.
pub(super) async fn write_matches<D: Dialect>(
    connection: &mut D::Connection,
    batch: &MatchChanges<'_>,
    first_row: i64,
) -> Result<(), StoreError> {
    void_matches::<D>(connection, &batch.voided).await?;
    create_matches::<D>(connection, &batch.matches, first_row).await?;
    end_matches::<D>(connection, &batch.ended).await?;
    seal_matches::<D>(connection, &batch.sealed).await?;
    quarantine_matches::<D>(connection, &batch.quarantined).await
}

/// Voids matches and frees their numbers. Their setups still contain the numbers, since the records depend on the
/// setups.
async fn void_matches<D: Dialect>(
    connection: &mut D::Connection,
    voided: &[(MatchId, &Reason)],
) -> Result<(), StoreError> {
    let written = MultiRow::new(
        "UPDATE matches SET number = NULL, void_reason = now.column2
        FROM {rows} WHERE matches.id = now.column1::uuid",
        voided,
    )
    .text(|&(id, _)| String::from(id))
    .text(|&(_, reason)| reason.to_string())
    .run::<D>(connection);
    written.await.map(drop)
}

async fn create_matches<D: Dialect>(
    connection: &mut D::Connection,
    new: &[CreatedMatch<'_>],
    first_row: i64,
) -> Result<(), StoreError> {
    MultiRow::new(
        "INSERT INTO matches (id, created_at_us, tournament_id, number, group_number, setup, journal_from)
        SELECT column1::uuid, column2, column3::uuid, column4, column5, column6::jsonb, column7 FROM {rows}",
        new,
    )
    .text(|new| String::from(new.id))
    .integer(|new| new.created_at_us)
    .text(|new| new.tournament.map(String::from))
    .integer(|new| new.number)
    .integer(|new| new.group)
    .text(|new| new.setup.clone())
    .integer(|_| first_row)
    .run::<D>(connection)
    .await?;
    let seats = new.iter().flat_map(|new| new.bots.enumerate().map(|(seat, bot)| (new.id, seat, bot)));
    let seats: Vec<_> = seats.collect();
    let seated = MultiRow::new(
        "INSERT INTO seats (match_id, seat, bot) SELECT column1::uuid, column2, column3 FROM {rows}",
        &seats,
    )
    .text(|&(id, ..)| String::from(id))
    .integer(|&(_, seat, _)| small_number(seat))
    .text(|(.., bot)| bot.to_string())
    .run::<D>(connection);
    seated.await.map(drop)
}

/// Writes how matches ended.
async fn end_matches<D: Dialect>(
    connection: &mut D::Connection,
    ended: &[EndedMatch],
) -> Result<(), StoreError> {
    let written = MultiRow::new(
        "UPDATE matches SET plies = now.column2, reason = now.column3, winner = now.column4, over_at_us = now.column5
        FROM {rows} WHERE matches.id = now.column1::uuid",
        ended,
    )
    .text(|ended| String::from(ended.id))
    .integer(|ended| ended.plies)
    .text(|ended| ended.reason.as_keyword().to_owned())
    .integer(|ended| ended.winner)
    .integer(|ended| ended.over_at_us)
    .run::<D>(connection);
    written.await.map(drop)
}

async fn quarantine_matches<D: Dialect>(
    connection: &mut D::Connection,
    quarantined: &[QuarantinedMatch<'_>],
) -> Result<(), StoreError> {
    let written = MultiRow::new(
        "UPDATE matches SET plies = now.column2, over_at_us = now.column3, damage = now.column4
        FROM {rows} WHERE matches.id = now.column1::uuid",
        quarantined,
    )
    .text(|found| String::from(found.id))
    .integer(|found| found.plies)
    .integer(|found| found.at_us)
    .text(|found| found.why.to_owned())
    .run::<D>(connection);
    written.await.map(drop)
}

/// Writes the last hashes and seals of finished matches, and the figures of their seats.
async fn seal_matches<D: Dialect>(
    connection: &mut D::Connection,
    sealed: &[&FinishedMatch],
) -> Result<(), StoreError> {
    let changed = MultiRow::new(
        "UPDATE matches SET head_hash = now.column2, signer = now.column3, signature = now.column4
        FROM {rows} WHERE matches.id = now.column1::uuid AND over_at_us IS NOT NULL",
        sealed,
    )
    .text(|over| String::from(over.id))
    .bytes(|over| over.head.as_bytes())
    .bytes(|over| over.seal.signer.as_bytes())
    .bytes(|over| over.seal.signature.as_bytes())
    .run::<D>(connection)
    .await?;
    if changed != sealed.len() as u64 {
        let ids: Vec<_> = sealed.iter().map(|over| over.id.to_string()).collect();
        let ids = ids.join(", ");
        let why = format!("not all of these matches exist and are over: {ids}");
        return Err(StoreError::Refused(why));
    }
    let figures = seat_results_of(sealed);
    let changed = MultiRow::new(
        "UPDATE seats SET lost = now.column3, rank_actual = now.column4, regret = now.column5, luck = now.column6,
            plies = now.column7, optimal_plies = now.column8, rank_honest = now.column9
        FROM {rows} WHERE seats.match_id = now.column1::uuid AND seats.seat = now.column2",
        &figures,
    )
    .text(|&(id, ..)| String::from(id))
    .integer(|&(_, seat, _)| small_number(seat))
    .text(|(.., result)| result.lost.map(|lost| lost.as_keyword().to_owned()))
    .integer(|(.., result)| small_number(result.rank_actual))
    .integer(|(.., result)| i64::from(result.regret))
    .integer(|(.., result)| i64::from(result.luck))
    .integer(|(.., result)| small_number(result.plies))
    .integer(|(.., result)| small_number(result.optimal_plies))
    .integer(|(.., result)| result.rank_honest.map(small_number))
    .run::<D>(connection)
    .await?;
    if changed != figures.len() as u64 {
        return Err(StoreError::Refused("there are figures for seats that a match does not have".to_owned()));
    }
    Ok(())
}

/// Returns the figures of all seats in matches that have an outcome.
fn seat_results_of<'a>(sealed: &[&'a FinishedMatch]) -> Vec<(MatchId, Seat, &'a SeatResult)> {
    let outcomes = sealed.iter().filter_map(|over| Some((over.id, over.outcome.as_ref()?)));
    outcomes
        .flat_map(|(id, outcome)| outcome.seats.enumerate().map(move |(seat, result)| (id, seat, result)))
        .collect()
}
