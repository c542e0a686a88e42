//! Reads the events of one match from its record parts.

use super::dialect::{Dialect, Statement};
use super::replay::{RecordReplay, StoredPart};
use super::row::DamageReason;
use super::rows::with_damage_context;
use crate::{LostSeat, StoreError};
use lastnim_core::game::MatchId;
use lastnim_core::referee::{Event, parse_canonical_bytes};

/// Reads the record parts of a match, in order.
async fn read_parts<D: Dialect>(
    connection: &mut D::Connection,
    id: MatchId,
) -> Result<Vec<StoredPart>, StoreError> {
    Statement::<D>::new(
        "SELECT seq, next_seq, events FROM record_parts WHERE match_id = $1::uuid ORDER BY record_parts.seq",
    )
    .bind(String::from(id))
    .fetch(connection, |row| StoredPart::read(id, row))
    .await
}

/// Replays all events of a match that are in record parts.
pub(super) async fn replay_stored_events<D: Dialect>(
    connection: &mut D::Connection,
    id: MatchId,
    replay: &mut RecordReplay,
) -> Result<(), StoreError> {
    read_parts::<D>(connection, id).await?.iter().try_for_each(|part| replay.push_part(part))
}

/// Reads the strikes and the loss of a seat from the record of its match, and adds them to `lost`.
pub(super) async fn read_losses<D: Dialect>(
    connection: &mut D::Connection,
    lost: &mut LostSeat,
) -> Result<(), StoreError> {
    let id = lost.id;
    let parts = read_parts::<D>(connection, id).await?;
    with_damage_context(format_args!("the record of match {id}"), add_losses(&parts, lost))
}

fn add_losses(parts: &[StoredPart], lost: &mut LostSeat) -> Result<(), DamageReason> {
    let mut seats = None;
    for part in parts {
        for kept in part.events(lost.id)? {
            let timed = parse_canonical_bytes(kept?, seats).map_err(|error| error.to_string())?;
            if let Event::Created(setup) = &timed.event {
                seats = Some(setup.seats());
            }
            lost.note_event(&timed);
        }
    }
    Ok(())
}
