//! Writes the versions that bots reported: those in the list of each bot, and those at the seats of each match.

use super::columns::{seat_versions_json, to_column_integer};
use super::dialect::{Dialect, Statement};
use super::multi_row::MultiRow;
use crate::{Change, MAX_SEEN_VERSIONS, StoreError};
use lastnim_core::game::{BotName, BotVersion};
use lastnim_core::referee::Timestamp;
use std::collections::BTreeMap;

/// Records a version that a registered bot reported, and deletes its oldest versions beyond [`MAX_SEEN_VERSIONS`].
pub(super) async fn add_seen_version<D: Dialect>(
    connection: &mut D::Connection,
    bot: &BotName,
    version: &BotVersion,
    at: Timestamp,
) -> Result<(), StoreError> {
    Statement::<D>::new(
        "INSERT INTO bot_versions (bot, version, config_hash, first_seen_at_us, last_seen_at_us, seen)
        SELECT name, $2, $3, $4, $4, 1 + (SELECT coalesce(max(seen), 0) FROM bot_versions WHERE bot = $1)
        FROM bots WHERE name = $1
        ON CONFLICT (bot, version, config_hash)
            DO UPDATE SET last_seen_at_us = excluded.last_seen_at_us, seen = excluded.seen",
    )
    .bind(bot.as_str())
    .bind(version.label.as_ref().map_or("", |label| label.as_str()))
    .bind(version.config_hash.as_ref().map_or(&[][..], |hash| hash.as_bytes()))
    .bind(to_column_integer("a time", at.as_micros())?)
    .execute(connection)
    .await?;
    Statement::<D>::new(
        "DELETE FROM bot_versions WHERE bot = $1 AND (version, config_hash) NOT IN (
            SELECT version, config_hash FROM bot_versions WHERE bot = $1
            ORDER BY seen DESC LIMIT $2)",
    )
    .bind(bot.as_str())
    .bind(to_column_integer("a count", MAX_SEEN_VERSIONS)?)
    .execute(connection)
    .await
}

/// Records which versions the bots at the seats of existing matches reported.
pub(super) async fn write_seat_versions<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    let mut by_match = BTreeMap::new();
    for change in changes {
        if let Change::SeatVersions { id, versions } = change {
            by_match.insert(*id, seat_versions_json(versions)?);
        }
    }
    let by_match: Vec<_> = by_match.into_iter().collect();
    let written = MultiRow::new(
        "UPDATE matches SET seat_versions = now.column2::jsonb FROM {rows} WHERE matches.id = now.column1::uuid",
        &by_match,
    )
    .text(|&(id, _)| String::from(id))
    .text(|(_, versions)| versions.clone())
    .run::<D>(connection);
    written.await.map(drop)
}
