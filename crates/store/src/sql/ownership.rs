//! Who owns which tournaments and exhibitions.
//!
//! Beside the epoch of the whole database, each of them has that of its owner. A server takes all that is not over when it opens the
//! database, and what it creates is its own. Whoever takes something from its owner raises `claims` in the same transaction. A writer knows
//! what was taken from its server as of some number of claims, and each of its transactions checks that number together with the epoch.

use super::dialect::{Dialect, Statement};
use super::matches::json_keys;
use super::row::{DamageReason, RowColumns as _};
use super::rows::{self, name_damage};
use crate::{Change, Owned, StoreError};
use lastnim_core::game::{MatchId, MatchMap, TournamentId};
use lastnim_core::referee::Event;
use std::collections::HashSet;

/// What a server owns, as of a number of claims: all that is not over, but for what others have taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ownership {
    /// The number of this server among all that opened the database.
    pub(super) epoch: i64,
    pub(super) claims: i64,
    lost_tournaments: HashSet<TournamentId>,
    /// The matches that are not over of these, and exhibitions that were taken.
    lost_matches: MatchMap<Owned>,
}

/// What a transaction finds in the row of `server`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnershipCheck {
    /// The writer knows what it may write.
    UpToDate,
    /// Somebody has taken something since.
    ClaimsChanged,
}

impl Ownership {
    /// Knows nothing yet.
    pub(super) fn unknown(epoch: i64) -> Self {
        Self { epoch, ..Self::default() }
    }

    /// Takes everything that is not over.
    pub(super) async fn claim_all<D: Dialect>(
        connection: &mut D::Connection,
        epoch: i64,
    ) -> Result<(), StoreError> {
        for statement in [
            "UPDATE tournaments SET owner_epoch = $1 WHERE over_at_us IS NULL",
            "UPDATE matches SET owner_epoch = $1 WHERE over_at_us IS NULL AND tournament_id IS NULL",
            "UPDATE server SET claims = claims + 1 WHERE epoch = $1",
        ] {
            Statement::<D>::new(statement).bind(epoch).execute(connection).await?;
        }
        Ok(())
    }

    /// Reads what others have taken, in a transaction that others' claims wait for.
    pub(super) async fn read<D: Dialect>(
        connection: &mut D::Connection,
        epoch: i64,
    ) -> Result<Self, StoreError> {
        let claims = Statement::<D>::new("SELECT claims FROM server");
        let claims =
            claims.fetch(connection, |row| name_damage("the table `server`", row.get("claims"))).await?;
        let lost = Statement::<D>::new(
            "SELECT id::text FROM tournaments WHERE over_at_us IS NULL AND owner_epoch <> $1",
        );
        let tournament = |row: &D::Row| name_damage("a tournament", row.parse_text("id"));
        let lost_tournaments = lost.bind(epoch).fetch(connection, tournament).await?.into_iter().collect();
        let lost = Statement::<D>::new(
            "SELECT matches.id::text, tournament_id::text AS tournament
            FROM matches LEFT JOIN tournaments ON tournaments.id = matches.tournament_id
            WHERE matches.over_at_us IS NULL AND coalesce(tournaments.owner_epoch, matches.owner_epoch) <> $1",
        );
        let match_of = |row: &D::Row| {
            let id = rows::read_match_id(row)?;
            Ok((id, name_damage(format_args!("match {id}"), read_owned(id, row))?))
        };
        let lost_matches = lost.bind(epoch).fetch(connection, match_of).await?.into_iter().collect();
        Ok(Self {
            epoch,
            claims: claims.first().copied().unwrap_or_default(),
            lost_tournaments,
            lost_matches,
        })
    }

    /// Holds what a transaction has found in the row of `server` against what is known.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if the whole database belongs to another server.
    pub(super) fn check(&self, found: Option<(i64, i64)>) -> Result<OwnershipCheck, StoreError> {
        match found {
            Some((epoch, _)) if epoch != self.epoch => Err(StoreError::Taken(
                "it has been opened by another server since, and this one lets go of it".to_owned(),
            )),
            Some((_, claims)) if claims == self.claims => Ok(OwnershipCheck::UpToDate),
            Some(_) => Ok(OwnershipCheck::ClaimsChanged),
            None => Err(StoreError::Damaged {
                what: "the table `server`".to_owned(),
                why: "its row is gone, which says whose the database is".to_owned(),
            }),
        }
    }

    /// Refuses changes of what others have taken.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] names one of it.
    pub(super) async fn check_changes<D: Dialect>(
        &self,
        connection: &mut D::Connection,
        changes: &[Change],
    ) -> Result<(), StoreError> {
        if self.lost_tournaments.is_empty() && self.lost_matches.is_empty() {
            return Ok(());
        }
        let voided = changes.iter().filter_map(|change| match change {
            Change::MatchVoided { id, .. } => Some(*id),
            _ => None,
        });
        // They are over: nothing in memory says of which tournaments they are.
        let owners = read_match_owners::<D>(connection, &voided.collect::<Vec<_>>()).await?;
        let lost = owners.into_iter().find_map(|owned| self.find_lost(Some(owned)));
        match lost.or_else(|| changes.iter().find_map(|change| self.lost_by(change))) {
            Some(lost) => Err(StoreError::Superseded(lost)),
            None => Ok(()),
        }
    }

    fn find_lost(&self, owned: Option<Owned>) -> Option<Owned> {
        owned.filter(|owned| match owned {
            Owned::Tournament(id) => self.lost_tournaments.contains(id),
            Owned::Exhibition(id) => self.lost_matches.contains_key(id),
        })
    }

    /// Returns what a change is about, if others have taken it.
    fn lost_by(&self, change: &Change) -> Option<Owned> {
        let tournament = |id: &TournamentId| self.find_lost(Some(Owned::Tournament(*id)));
        let of_match = |id: &MatchId| self.lost_matches.get(id).copied();
        match change {
            Change::TournamentCreated(stored) => tournament(&stored.id),
            Change::TournamentJoined { id, .. }
            | Change::TournamentLeft { id, .. }
            | Change::FieldChanged { id, .. }
            | Change::TournamentEvent { id, .. }
            | Change::TournamentState { id, .. }
            | Change::TournamentOver { id, .. }
            | Change::Checkpoint { id, .. }
            | Change::Compared { id, .. } => tournament(id),
            Change::MatchEvents { id, events, .. } => of_match(id).or_else(|| {
                let created = events.first().map(|timed| &timed.event);
                let Some(Event::Created(setup)) = created else { return None };
                tournament(&setup.origin.as_ref()?.tournament)
            }),
            Change::SeatVersions { id, .. } | Change::MatchQuarantined { id, .. } => of_match(id),
            Change::MatchOver(over) => of_match(&over.id),
            Change::MatchVoided { .. }
            | Change::Bot(_)
            | Change::BotRemoved { .. }
            | Change::VersionSeen { .. }
            | Change::EndsHeard { .. }
            | Change::TournamentEndHeard { .. }
            | Change::TranscriptPublished(_)
            | Change::TranscriptRemoved { .. }
            | Change::RecordsPruned { .. } => None,
        }
    }
}

fn read_owned<R: super::row::RowColumns>(id: MatchId, row: &R) -> Result<Owned, DamageReason> {
    Ok(match row.nullable::<String>("tournament")? {
        Some(_) => Owned::Tournament(row.parse_text("tournament")?),
        None => Owned::Exhibition(id),
    })
}

/// Returns what matches belong to, those that there are.
async fn read_match_owners<D: Dialect>(
    connection: &mut D::Connection,
    ids: &[MatchId],
) -> Result<Vec<Owned>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = Statement::<D>::new(
        "SELECT id::text, tournament_id::text AS tournament FROM matches
        WHERE id IN (SELECT key::uuid FROM json_each($1::json))",
    );
    let owned = |row: &D::Row| {
        let id = rows::read_match_id(row)?;
        name_damage(format_args!("match {id}"), read_owned(id, row))
    };
    found.bind(json_keys(ids)).fetch(connection, owned).await
}
