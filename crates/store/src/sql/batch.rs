//! Sorts changes to matches by the tables to which they are written.

use super::clock::write_clock;
use super::columns::{setup_json, small_number, to_column_integer};
use super::dialect::Dialect;
use super::journal::{Journal, JournalWrite, OpenMatch};
use super::matches::{existing_matches, write_matches};
use super::prune::prune_records;
use super::requests::write_requests;
use super::tournaments::write_tournaments;
use super::transcripts::write_transcripts;
use super::versions::write_seat_versions;
use crate::{Change, FinishedMatch, StoreError};
use lastnim_core::game::{BotName, BySeat, MatchId, TournamentId};
use lastnim_core::referee::{EndReason, Event, MatchSetup, TimedEvent, Timestamp};
use lastnim_tournament::Reason;
use std::collections::HashSet;

/// Changes to matches, sorted by the table that they affect. Changes that the tables already contain are left out.
#[derive(Debug, Default)]
pub(super) struct MatchChanges<'a> {
    /// The voided matches, each with the reason. Another match in the same transaction may take over the number of a
    /// voided match.
    pub(super) voided: Vec<(MatchId, &'a Reason)>,
    pub(super) matches: Vec<CreatedMatch<'a>>,
    /// The matches that get new events; a match may occur more than once.
    pub(super) touched: Vec<MatchId>,
    pub(super) ended: Vec<EndedMatch>,
    /// The matches that these changes finish or quarantine, each with its newest events.
    pub(super) closed: Vec<(MatchId, OpenMatch)>,
    pub(super) sealed: Vec<&'a FinishedMatch>,
    pub(super) quarantined: Vec<QuarantinedMatch<'a>>,
}

#[derive(Debug)]
pub(super) struct CreatedMatch<'a> {
    pub(super) id: MatchId,
    pub(super) created_at_us: i64,
    pub(super) tournament: Option<TournamentId>,
    pub(super) number: Option<i64>,
    pub(super) group: Option<i64>,
    pub(super) setup: String,
    pub(super) bots: &'a BySeat<BotName>,
}

#[derive(Debug)]
pub(super) struct EndedMatch {
    pub(super) id: MatchId,
    pub(super) plies: i64,
    pub(super) reason: EndReason,
    pub(super) winner: Option<i64>,
    pub(super) over_at_us: i64,
}

/// An unfinished match whose record is damaged, or which cannot be finished.
#[derive(Debug)]
pub(super) struct QuarantinedMatch<'a> {
    pub(super) id: MatchId,
    /// The number of takes.
    pub(super) plies: i64,
    pub(super) at_us: i64,
    pub(super) why: &'a str,
}

/// Everything that one write changes in the tables.
#[derive(Debug)]
pub(super) struct WritePlan<'a> {
    changes: &'a [Change],
    pub(super) batch: MatchChanges<'a>,
    /// The changes to the journal and the record parts.
    pub(super) events: JournalWrite,
    /// The id of the first journal row that may contain events of the new matches.
    pub(super) first_row: i64,
}

impl<'a> WritePlan<'a> {
    /// Plans a write, and updates the in-memory journal accordingly. If this fails, the in-memory journal must be
    /// rebuilt.
    pub(super) async fn new<D: Dialect>(
        connection: &mut D::Connection,
        journal: &mut Journal,
        changes: &'a [Change],
    ) -> Result<Self, StoreError> {
        let over = existing_matches::<D>(connection, &unknown_matches(changes, journal)).await?;
        let mut batch = MatchChanges::sort_changes(changes, journal, &over)?;
        let first_row = journal.next_row();
        let events = journal.plan_write(&batch.touched, std::mem::take(&mut batch.closed))?;
        Ok(Self { changes, batch, events, first_row })
    }

    /// Returns whether the write only adds events to existing matches, without ending any of them.
    pub(super) fn has_only_events(&self) -> bool {
        self.changes.iter().all(|change| matches!(change, Change::MatchEvents { .. }))
            && self.batch.matches.is_empty()
            && self.batch.ended.is_empty()
    }

    /// Writes everything except the events of matches, which must be written first.
    pub(super) async fn write_other_changes<D: Dialect>(
        &self,
        connection: &mut D::Connection,
    ) -> Result<(), StoreError> {
        let Self { changes, batch, .. } = self;
        write_tournaments::<D>(connection, changes).await?;
        write_matches::<D>(connection, batch, self.first_row).await?;
        write_seat_versions::<D>(connection, changes).await?;
        write_transcripts::<D>(connection, changes).await?;
        prune_records::<D>(connection, changes).await?;
        write_requests::<D>(connection, changes).await?;
        write_clock::<D>(connection, changes).await
    }
}

/// Returns the matches that get events but are not in the journal, because they are new or already over.
fn unknown_matches(changes: &[Change], journal: &Journal) -> Vec<MatchId> {
    let ids = changes.iter().filter_map(|change| match change {
        Change::MatchEvents { id, .. } => Some(*id),
        _ => None,
    });
    ids.filter(|id| !journal.knows(id)).collect()
}

impl<'a> MatchChanges<'a> {
    /// Sorts changes by table, and adds new events to the matches in the in-memory journal. `over` contains those
    /// [`unknown_matches`] that exist in the tables, which means that they are over. If this fails, the in-memory
    /// journal must be rebuilt.
    fn sort_changes(
        changes: &'a [Change],
        journal: &mut Journal,
        over: &[MatchId],
    ) -> Result<Self, StoreError> {
        let over: HashSet<&MatchId> = over.iter().collect();
        let mut sealed = HashSet::new();
        let mut batch = Self::default();
        for change in changes {
            match change {
                Change::MatchEvents { id, first, events } if !over.contains(id) => {
                    batch.append_events(*id, *first, events, journal.open_match(*id))?;
                }
                Change::MatchVoided { id, reason } => batch.voided.push((*id, reason)),
                Change::MatchOver(over) => batch.sealed.extend(sealed.insert(over.id).then_some(&**over)),
                Change::MatchQuarantined { id, at, why } => {
                    // A match missing from the journal is already finished or quarantined.
                    if let Some(open) = journal.close_match(*id) {
                        batch.quarantined.push(QuarantinedMatch {
                            id: *id,
                            plies: open.ply_count().into(),
                            at_us: to_column_integer("a time", at.as_micros())?,
                            why,
                        });
                        batch.closed.push((*id, open));
                    }
                }
                // Other changes are written by other modules, and the tables already contain the events of matches that
                // are over.
                _ => {}
            }
        }
        for ended in &batch.ended {
            batch.closed.extend(journal.close_match(ended.id).map(|open| (ended.id, open)));
        }
        Ok(batch)
    }

    /// Adds those of `events` that the match does not have yet. `first` is the index of `events[0]` in the record.
    fn append_events(
        &mut self,
        id: MatchId,
        first: usize,
        events: &'a [TimedEvent],
        open: &mut OpenMatch,
    ) -> Result<(), StoreError> {
        let has = open.len();
        if has < first {
            return Err(StoreError::Refused(format!(
                "the next event of match {id} is event {has}, not event {first}"
            )));
        }
        let new = events.get(has - first..).unwrap_or_default();
        if new.is_empty() {
            return Ok(());
        }
        for (index, timed) in (has..).zip(new) {
            open.push(id, timed);
            match &timed.event {
                Event::Created(setup) if index == 0 => self.add_new_match(id, timed.at, setup)?,
                Event::Created(_) => {
                    return Err(StoreError::Refused(format!("match {id} already has its `created` event")));
                }
                _ if index == 0 => {
                    return Err(StoreError::Refused(format!(
                        "the first event of match {id} is not `created`"
                    )));
                }
                Event::Ended { reason, winner } => self.ended.push(EndedMatch {
                    id,
                    plies: open.ply_count().into(),
                    reason: *reason,
                    winner: winner.map(small_number),
                    over_at_us: to_column_integer("a time", timed.at.as_micros())?,
                }),
                Event::Took { .. }
                | Event::Dealt(_)
                | Event::Said(_)
                | Event::TalkEnded { .. }
                | Event::Heard { .. }
                | Event::Declared { .. }
                | Event::Revealed { .. }
                | Event::Struck { .. }
                | Event::Forfeited { .. } => {}
            }
        }
        self.touched.push(id);
        Ok(())
    }

    fn add_new_match(
        &mut self,
        id: MatchId,
        created_at: Timestamp,
        setup: &'a MatchSetup,
    ) -> Result<(), StoreError> {
        let origin = setup.origin.as_ref();
        self.matches.push(CreatedMatch {
            id,
            created_at_us: to_column_integer("a time", created_at.as_micros())?,
            tournament: origin.map(|origin| origin.tournament),
            number: origin.map(|origin| to_column_integer("a number", origin.number)).transpose()?,
            group: origin.map(|origin| to_column_integer("a group", origin.group)).transpose()?,
            setup: setup_json(setup)?,
            bots: &setup.bots,
        });
        Ok(())
    }
}
