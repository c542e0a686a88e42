//! Writes and reads published transcripts.

use super::columns::{small_number, to_column_integer};
use super::dialect::{Dialect, Statement};
use super::row::{DamageReason, RowColumns};
use super::rows::{read_seat, with_damage_context};
use crate::{Change, QuestionPlace, StoreError, StoredTranscript, TranscriptHead};
use lastnim_core::game::{MAX_SEATS, MatchId, SeatCount};

/// The value of the column `ply` for the question about a seat's row, which belongs to no ply.
const ROW_QUESTION_PLY: i64 = -1;

/// Writes the publications and removals of transcripts, in order.
pub(super) async fn write_transcripts<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::TranscriptPublished(stored) => publish_transcript::<D>(connection, stored).await?,
            Change::TranscriptRemoved { match_id, seat } => {
                Statement::<D>::new("DELETE FROM transcripts WHERE match_id = $1::uuid AND seat = $2")
                    .bind(String::from(*match_id))
                    .bind(small_number(*seat))
                    .execute(connection)
                    .await?;
            }
            _ => {}
        }
    }
    Ok(())
}

async fn publish_transcript<D: Dialect>(
    connection: &mut D::Connection,
    stored: &StoredTranscript,
) -> Result<(), StoreError> {
    Statement::<D>::new(
        "INSERT INTO transcripts (match_id, seat, ply, published_at_us, lines) VALUES ($1::uuid, $2, $3, $4, $5)
        ON CONFLICT (match_id, seat, ply) DO UPDATE SET published_at_us = excluded.published_at_us, lines = excluded.lines",
    )
    .bind(String::from(stored.match_id))
    .bind(small_number(stored.place.seat))
    .bind(ply_column(stored.place))
    .bind(to_column_integer("a time", stored.published_at.as_micros())?)
    .bind(&*stored.lines)
    .execute(connection)
    .await
}

fn ply_column(place: QuestionPlace) -> i64 {
    place.ply.map_or(ROW_QUESTION_PLY, i64::from)
}

/// Returns the statement that lists the published transcripts of a match.
pub(super) fn heads_statement<D: Dialect>(id: MatchId) -> Statement<D> {
    Statement::new(
        "SELECT match_id::text, seat, ply, published_at_us, octet_length(lines)::bigint AS bytes FROM transcripts
        WHERE match_id = $1::uuid ORDER BY seat, ply",
    )
    .bind(String::from(id))
}

/// Returns the statement that adds up the sizes of a seat's transcripts, without the one at `place`.
pub(super) fn bytes_statement<D: Dialect>(id: MatchId, place: QuestionPlace) -> Statement<D> {
    Statement::new(
        "SELECT pruned_at_us,
            (SELECT coalesce(sum(octet_length(lines)), 0) FROM transcripts
                WHERE match_id = $1::uuid AND seat = $2 AND ply <> $3)::bigint AS bytes
        FROM matches WHERE id = $1::uuid",
    )
    .bind(String::from(id))
    .bind(small_number(place.seat))
    .bind(ply_column(place))
}

/// Returns the statement that reads the transcript of a question.
pub(super) fn transcript_statement<D: Dialect>(id: MatchId, place: QuestionPlace) -> Statement<D> {
    Statement::new(
        "SELECT match_id::text, seat, ply, published_at_us, lines FROM transcripts
        WHERE match_id = $1::uuid AND seat = $2 AND ply = $3",
    )
    .bind(String::from(id))
    .bind(small_number(place.seat))
    .bind(ply_column(place))
}

/// Reads the head of a transcript, which is everything except its lines.
pub(super) fn read_head(row: &impl RowColumns) -> Result<TranscriptHead, StoreError> {
    let read = || {
        let (place, published_at) = (read_place(row)?, row.time("published_at_us")?);
        Ok(TranscriptHead { place, published_at, bytes: row.number("bytes")? })
    };
    with_damage_context(format_args!("a transcript of match {}", row.label("match_id")), read())
}

/// Reads the total size of a seat's transcripts, in bytes.
pub(super) fn read_bytes(id: MatchId, row: &impl RowColumns) -> Result<u64, StoreError> {
    let read = || Ok((row.nullable::<i64>("pruned_at_us")?, row.number("bytes")?));
    let (pruned_at, bytes) = with_damage_context(format_args!("the transcript data of match {id}"), read())?;
    if pruned_at.is_some() { Err(StoreError::Pruned(id)) } else { Ok(bytes) }
}

pub(super) fn read_transcript(row: &impl RowColumns) -> Result<StoredTranscript, StoreError> {
    let read = || {
        Ok(StoredTranscript {
            match_id: row.parse_text("match_id")?,
            place: read_place(row)?,
            published_at: row.time("published_at_us")?,
            lines: row.get::<String>("lines")?.into(),
        })
    };
    with_damage_context(format_args!("a transcript of match {}", row.label("match_id")), read())
}

fn read_place(row: &impl RowColumns) -> Result<QuestionPlace, DamageReason> {
    let max_seats = SeatCount::new(MAX_SEATS).map_err(|error| error.to_string())?;
    let seat = read_seat("seat", row.get("seat")?, max_seats)?;
    let ply = match row.get::<i64>("ply")? {
        ROW_QUESTION_PLY => None,
        _ => Some(row.number("ply")?),
    };
    Ok(QuestionPlace { seat, ply })
}
