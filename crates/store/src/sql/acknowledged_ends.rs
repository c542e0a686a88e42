//! Writes which ends of matches and tournaments the bots have acknowledged.

use super::dialect::{Dialect, Statement};
use super::multi_row::MultiRow;
use crate::{Change, StoreError};
use lastnim_core::game::{BotName, TournamentId};
use std::collections::BTreeMap;

/// Writes, for each bot, the match id up to which it has acknowledged the ends of all its matches.
pub(super) async fn write_acknowledged_ends<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    let mut heard = BTreeMap::new();
    for change in changes {
        if let Change::EndsAcknowledged { bot, through } = change {
            heard.entry(bot).and_modify(|heard| *heard = (*through).max(*heard)).or_insert(*through);
        }
    }
    let heard: Vec<_> = heard.into_iter().collect();
    let written = MultiRow::new(
        "UPDATE bots SET ends_heard = now.column2::uuid FROM {rows}
        WHERE name = now.column1 AND (ends_heard IS NULL OR ends_heard < now.column2::uuid)",
        &heard,
    )
    .text(|(bot, _)| bot.to_string())
    .text(|&(_, through)| String::from(through))
    .run::<D>(connection);
    written.await.map(drop)
}

/// Notes that the bots in the final standings have not acknowledged the end of the tournament yet.
pub(super) async fn add_unacknowledged_end<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
) -> Result<(), StoreError> {
    Statement::<D>::new(
        "INSERT INTO unheard_tournament_ends (bot, tournament_id, position)
        SELECT bot, tournament_id, position FROM standings WHERE tournament_id = $1::uuid
        ON CONFLICT DO NOTHING",
    )
    .bind(String::from(id))
    .execute(connection)
    .await
}

/// Notes that a bot has acknowledged the end of a tournament.
pub(super) async fn remove_unacknowledged_end<D: Dialect>(
    connection: &mut D::Connection,
    bot: &BotName,
    id: TournamentId,
) -> Result<(), StoreError> {
    Statement::<D>::new("DELETE FROM unheard_tournament_ends WHERE bot = $1 AND tournament_id = $2::uuid")
        .bind(bot.as_str())
        .bind(String::from(id))
        .execute(connection)
        .await
}
