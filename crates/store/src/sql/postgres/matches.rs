//! The tables of matches and their seats.

use super::multi_row::MultiRow;
use crate::sql::batch::{EndedMatch, NewMatch, QuarantinedMatch};
use crate::sql::columns::small_number;
use crate::sql::matches::{check_sealed_count, check_seat_count, seat_results_of};
use crate::sql::words::StoredWord;
use crate::{FinishedMatch, StoreError};
use lastnim_core::game::MatchId;
use lastnim_tournament::Reason;
use sqlx::PgConnection;

/// Takes their numbers from matches. Their setups, which their records follow from, stay as they were.
pub(super) async fn void_matches(
    connection: &mut PgConnection,
    voided: &[(MatchId, &Reason)],
) -> Result<(), StoreError> {
    MultiRow::new(
        "UPDATE matches SET number = NULL, void_reason = now.reason
        FROM unnest($1::text[], $2::text[]) AS now (id, reason) WHERE matches.id = now.id::uuid",
        voided,
    )
    .column(|&(id, _)| String::from(id))
    .column(|&(_, reason)| reason.to_string())
    .run(connection)
    .await
    .map(drop)
}

/// Adds matches and their seats. None has events in the journal before the row `next_row`.
pub(super) async fn create_matches(
    connection: &mut PgConnection,
    new: &[NewMatch<'_>],
    next_row: i64,
) -> Result<(), StoreError> {
    MultiRow::new(
        "INSERT INTO matches (id, created_at_us, tournament_id, number, group_number, setup, journal_from)
        SELECT id::uuid, created_at_us, tournament_id::uuid, number, group_number, setup::jsonb, journal_from
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])
        AS new (id, created_at_us, tournament_id, number, group_number, setup, journal_from)",
        new,
    )
    .column(|new| String::from(new.id))
    .column(|new| new.created_at_us)
    .column(|new| new.tournament.map(String::from))
    .column(|new| new.number)
    .column(|new| new.group)
    .column(|new| new.setup.clone())
    .column(|_| next_row)
    .run(&mut *connection)
    .await?;
    let seats = new.iter().flat_map(|new| new.bots.enumerate().map(|(seat, bot)| (new.id, seat, bot)));
    let seats: Vec<_> = seats.collect();
    MultiRow::new(
        "INSERT INTO seats (match_id, seat, bot) SELECT match_id::uuid, seat, bot
        FROM unnest($1::text[], $2::bigint[], $3::text[]) AS new (match_id, seat, bot)",
        &seats,
    )
    .column(|&(id, ..)| String::from(id))
    .column(|&(_, seat, _)| small_number(seat))
    .column(|&(.., bot)| bot.to_string())
    .run(connection)
    .await
    .map(drop)
}

/// Says of matches how they ended.
pub(super) async fn end_matches(
    connection: &mut PgConnection,
    ended: &[EndedMatch],
) -> Result<(), StoreError> {
    MultiRow::new(
        "UPDATE matches SET plies = now.plies, reason = now.reason, winner = now.winner, over_at_us = now.over_at_us
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
        AS now (id, plies, reason, winner, over_at_us) WHERE matches.id = now.id::uuid",
        ended,
    )
    .column(|ended| String::from(ended.id))
    .column(|ended| ended.plies)
    .column(|ended| ended.reason.as_word())
    .column(|ended| ended.winner)
    .column(|ended| ended.over_at_us)
    .run(connection)
    .await
    .map(drop)
}

/// Says of matches that they are quarantined.
pub(super) async fn quarantine_matches(
    connection: &mut PgConnection,
    quarantined: &[QuarantinedMatch<'_>],
) -> Result<(), StoreError> {
    MultiRow::new(
        "UPDATE matches SET plies = now.plies, over_at_us = now.at_us, damage = now.damage
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS now (id, plies, at_us, damage)
        WHERE matches.id = now.id::uuid",
        quarantined,
    )
    .column(|found| String::from(found.id))
    .column(|found| found.plies)
    .column(|found| found.at_us)
    .column(|found| found.why.to_owned())
    .run(connection)
    .await
    .map(drop)
}

/// Adds the last hashes and the seals of matches that are over, and the figures of their seats.
pub(super) async fn seal_matches(
    connection: &mut PgConnection,
    sealed: &[&FinishedMatch],
) -> Result<(), StoreError> {
    let changed = MultiRow::new(
        "UPDATE matches SET head_hash = now.head_hash, signer = now.signer, signature = now.signature
        FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[]) AS now (id, head_hash, signer, signature)
        WHERE matches.id = now.id::uuid AND over_at_us IS NOT NULL",
        sealed,
    )
    .column(|over| String::from(over.id))
    .column(|over| over.head.as_bytes().to_vec())
    .column(|over| over.seal.signer.as_bytes().to_vec())
    .column(|over| over.seal.signature.as_bytes().to_vec())
    .run(&mut *connection)
    .await?;
    check_sealed_count(sealed, changed)?;
    let figures = seat_results_of(sealed);
    let changed = MultiRow::new(
        "UPDATE seats SET lost = now.lost, rank_actual = now.rank_actual, regret = now.regret, luck = now.luck,
            plies = now.plies, optimal_plies = now.optimal_plies
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
            $8::bigint[])
        AS now (match_id, seat, lost, rank_actual, regret, luck, plies, optimal_plies)
        WHERE seats.match_id = now.match_id::uuid AND seats.seat = now.seat",
        &figures,
    )
    .column(|&(id, ..)| String::from(id))
    .column(|&(_, seat, _)| small_number(seat))
    .column(|&(.., result)| result.lost.map(StoredWord::as_word))
    .column(|&(.., result)| i64::from(result.rank_actual))
    .column(|&(.., result)| i64::from(result.regret))
    .column(|&(.., result)| i64::from(result.luck))
    .column(|&(.., result)| i64::from(result.plies))
    .column(|&(.., result)| i64::from(result.optimal_plies))
    .run(connection)
    .await?;
    check_seat_count(figures.len(), changed)
}
