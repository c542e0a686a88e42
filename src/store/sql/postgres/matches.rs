//! The tables of matches and their seats.

use super::fault;
use crate::store::sql::batch::{EndedMatch, Known, NewMatch, Progress, QuarantinedMatch};
use crate::store::sql::columns::small_number;
use crate::store::sql::dialect::Statement;
use crate::store::sql::matches::{check_sealed, check_seats, seat_results};
use crate::store::sql::row::Columns as _;
use crate::store::sql::rows::{self, damaged};
use crate::store::sql::words::Word;
use crate::store::{MatchOver, StoreError};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Postgres};

/// Makes a column of what is in many rows.
fn column<T, C>(items: &[T], of: impl FnMut(&T) -> C) -> Vec<C> {
    items.iter().map(of).collect()
}

/// Returns how far the matches have come that are not over.
pub(super) async fn unfinished_matches(connection: &mut PgConnection) -> Result<Known, StoreError> {
    let unfinished = Statement::<Postgres>::new(
        "SELECT id::text,
            coalesce((SELECT seq + 1 FROM events WHERE match_id = id ORDER BY seq DESC LIMIT 1), 0)::bigint AS events,
            coalesce((SELECT ply + 1 FROM events WHERE match_id = id AND kind = 'took' ORDER BY seq DESC LIMIT 1), 0)
                AS plies
        FROM matches WHERE over_at_us IS NULL",
    );
    let progress = |row: &PgRow| {
        let id = rows::match_id(row)?;
        let read = || Ok(Progress { events: row.number("events")?, plies: row.number("plies")? });
        Ok((id, damaged(format_args!("match {id}"), read())?))
    };
    Ok(unfinished.fetch(connection, progress).await?.into_iter().collect())
}

/// Adds matches and their seats.
pub(super) async fn create_matches(
    connection: &mut PgConnection,
    new: &[NewMatch<'_>],
) -> Result<(), StoreError> {
    if new.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO matches (id, created_at_us, tournament_id, number, group_number, setup)
        SELECT id::uuid, created_at_us, tournament_id::uuid, number, group_number, setup::jsonb
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
        AS new (id, created_at_us, tournament_id, number, group_number, setup)",
    )
    .bind(column(new, |new| String::from(new.id)))
    .bind(column(new, |new| new.created_at_us))
    .bind(column(new, |new| new.tournament.map(String::from)))
    .bind(column(new, |new| new.number))
    .bind(column(new, |new| new.group))
    .bind(column(new, |new| new.setup.clone()))
    .execute(&mut *connection)
    .await
    .map_err(fault)?;
    let seats = new.iter().flat_map(|new| new.bots.enumerate().map(|(seat, bot)| (new.id, seat, bot)));
    let seats: Vec<_> = seats.collect();
    sqlx::query(
        "INSERT INTO seats (match_id, seat, bot) SELECT match_id::uuid, seat, bot
        FROM unnest($1::text[], $2::bigint[], $3::text[]) AS new (match_id, seat, bot)",
    )
    .bind(column(&seats, |&(id, ..)| String::from(id)))
    .bind(column(&seats, |&(_, seat, _)| small_number(seat)))
    .bind(column(&seats, |&(.., bot)| bot.to_string()))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

/// Says of matches how they ended.
pub(super) async fn end_matches(
    connection: &mut PgConnection,
    ended: &[EndedMatch],
) -> Result<(), StoreError> {
    if ended.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE matches SET plies = now.plies, reason = now.reason, winner = now.winner, over_at_us = now.over_at_us,
            head_hash = now.head_hash
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
        AS now (id, plies, reason, winner, over_at_us, head_hash) WHERE matches.id = now.id::uuid",
    )
    .bind(column(ended, |ended| String::from(ended.id)))
    .bind(column(ended, |ended| ended.plies))
    .bind(column(ended, |ended| ended.reason.word()))
    .bind(column(ended, |ended| ended.winner))
    .bind(column(ended, |ended| ended.over_at_us))
    .bind(column(ended, |ended| ended.head.as_bytes().to_vec()))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

/// Says of matches that they are quarantined.
pub(super) async fn quarantine_matches(
    connection: &mut PgConnection,
    quarantined: &[QuarantinedMatch<'_>],
) -> Result<(), StoreError> {
    if quarantined.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE matches SET plies = now.plies, over_at_us = now.at_us, damage = now.damage
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS now (id, plies, at_us, damage)
        WHERE matches.id = now.id::uuid",
    )
    .bind(column(quarantined, |found| String::from(found.id)))
    .bind(column(quarantined, |found| found.plies))
    .bind(column(quarantined, |found| found.at_us))
    .bind(column(quarantined, |found| found.why.to_owned()))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

/// Adds the seals of matches that are over, and the figures of their seats.
pub(super) async fn seal_matches(
    connection: &mut PgConnection,
    sealed: &[&MatchOver],
) -> Result<(), StoreError> {
    if sealed.is_empty() {
        return Ok(());
    }
    let done = sqlx::query(
        "UPDATE matches SET signer = now.signer, signature = now.signature
        FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS now (id, signer, signature)
        WHERE matches.id = now.id::uuid AND over_at_us IS NOT NULL",
    )
    .bind(column(sealed, |over| String::from(over.id)))
    .bind(column(sealed, |over| over.seal.signer.as_bytes().to_vec()))
    .bind(column(sealed, |over| over.seal.signature.as_bytes().to_vec()))
    .execute(&mut *connection)
    .await
    .map_err(fault)?;
    check_sealed(sealed, done.rows_affected())?;
    let figures = seat_results(sealed);
    let done = sqlx::query(
        "UPDATE seats SET lost = now.lost, rank_actual = now.rank_actual, regret = now.regret, luck = now.luck,
            plies = now.plies, optimal_plies = now.optimal_plies
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
            $8::bigint[])
        AS now (match_id, seat, lost, rank_actual, regret, luck, plies, optimal_plies)
        WHERE seats.match_id = now.match_id::uuid AND seats.seat = now.seat",
    )
    .bind(column(&figures, |&(id, ..)| String::from(id)))
    .bind(column(&figures, |&(_, seat, _)| small_number(seat)))
    .bind(column(&figures, |&(.., result)| result.lost.map(Word::word)))
    .bind(column(&figures, |&(.., result)| i64::from(result.rank_actual)))
    .bind(column(&figures, |&(.., result)| i64::from(result.regret)))
    .bind(column(&figures, |&(.., result)| i64::from(result.luck)))
    .bind(column(&figures, |&(.., result)| i64::from(result.plies)))
    .bind(column(&figures, |&(.., result)| i64::from(result.optimal_plies)))
    .execute(connection)
    .await
    .map_err(fault)?;
    check_seats(figures.len(), done.rows_affected())
}
