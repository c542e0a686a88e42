//! Changes of matches, sorted by the tables that they go to.

use super::columns::{setup_json, small_number, to_column_integer};
use crate::game::{BotName, BySeat, MatchId, TournamentId};
use crate::referee::{EndReason, Event, EventHash, MatchSetup};
use crate::store::{ChainedEvent, Change, FinishedMatch, StoreError};
use std::collections::{HashMap, HashSet};

/// How far the matches that are not over have come in the tables. What is there already is not written again.
pub(super) type KnownProgress = HashMap<MatchId, MatchProgress>;

/// How far a match has come in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchProgress {
    /// Events.
    pub(super) events: usize,
    /// Takes.
    pub(super) plies: u32,
}

impl MatchProgress {
    /// A match that is over, of which all events are there.
    pub(super) const OVER: Self = Self { events: usize::MAX, plies: 0 };
}

/// Changes of matches, sorted by the tables that they go to; what is in the tables already is left out.
#[derive(Debug, Default)]
pub(super) struct MatchChanges<'a> {
    pub(super) matches: Vec<NewMatch<'a>>,
    pub(super) runs: Vec<EventRun<'a>>,
    pub(super) ended: Vec<EndedMatch>,
    pub(super) sealed: Vec<&'a FinishedMatch>,
    pub(super) quarantined: Vec<QuarantinedMatch<'a>>,
}

/// A match that was created.
#[derive(Debug)]
pub(super) struct NewMatch<'a> {
    pub(super) id: MatchId,
    pub(super) created_at_us: i64,
    pub(super) tournament: Option<TournamentId>,
    pub(super) number: Option<i64>,
    pub(super) group: Option<i64>,
    pub(super) setup: String,
    pub(super) bots: &'a BySeat<BotName>,
}

/// Events of one match that follow each other.
#[derive(Debug)]
pub(super) struct EventRun<'a> {
    pub(super) id: MatchId,
    /// The place of the first of them in the record.
    pub(super) first: i64,
    pub(super) events: &'a [ChainedEvent],
}

/// A match that came to its end.
#[derive(Debug)]
pub(super) struct EndedMatch {
    pub(super) id: MatchId,
    pub(super) plies: i64,
    pub(super) reason: EndReason,
    pub(super) winner: Option<i64>,
    pub(super) over_at_us: i64,
    pub(super) head: EventHash,
}

/// A match that is not over and whose record is damaged.
#[derive(Debug)]
pub(super) struct QuarantinedMatch<'a> {
    pub(super) id: MatchId,
    /// How many takes are kept.
    pub(super) plies: i64,
    pub(super) at_us: i64,
    pub(super) why: &'a str,
}

/// Returns the matches that changes add events to and that are not known: they are new, or over long since.
pub(super) fn unknown_matches(changes: &[Change], known: &KnownProgress) -> Vec<MatchId> {
    let ids = changes.iter().filter_map(|change| match change {
        Change::MatchEvents { id, .. } => Some(*id),
        _ => None,
    });
    ids.filter(|id| !known.contains_key(id)).collect()
}

impl<'a> MatchChanges<'a> {
    /// Sorts changes, and takes note of how far the matches come by them. `over` are the [`strangers`] that the tables
    /// know. If this fails, `known` is of no more use.
    pub(super) fn sort_changes(
        changes: &'a [Change],
        known: &mut KnownProgress,
        over: &[MatchId],
    ) -> Result<Self, StoreError> {
        known.extend(over.iter().map(|&id| (id, MatchProgress::OVER)));
        let mut sealed = HashSet::new();
        let mut batch = Self::default();
        for change in changes {
            match change {
                Change::MatchEvents { id, first, events } => {
                    batch.append_events(*id, *first, events, known)?;
                }
                Change::MatchOver(over) => batch.sealed.extend(sealed.insert(over.id).then_some(&**over)),
                Change::MatchQuarantined { id, at, why } => {
                    // A match that is not known is over, or quarantined already.
                    if let Some(progress) = known.remove(id) {
                        batch.quarantined.push(QuarantinedMatch {
                            id: *id,
                            plies: progress.plies.into(),
                            at_us: to_column_integer("a time", at.as_micros())?,
                            why,
                        });
                    }
                }
                // Not of matches.
                _ => {}
            }
        }
        let ended = batch.ended.iter().map(|ended| &ended.id);
        for id in ended.chain(over) {
            known.remove(id);
        }
        Ok(batch)
    }

    /// Adds events to a match, those that it does not have yet.
    fn append_events(
        &mut self,
        id: MatchId,
        first: usize,
        events: &'a [ChainedEvent],
        known: &mut KnownProgress,
    ) -> Result<(), StoreError> {
        let progress = known.entry(id).or_insert(MatchProgress { events: 0, plies: 0 });
        let has = progress.events;
        if has < first {
            return Err(StoreError::Refused(format!("event {first} of match {id}, which has {has} events")));
        }
        let new = events.get(has - first..).unwrap_or_default();
        if new.is_empty() {
            return Ok(());
        }
        for (index, chained) in (has..).zip(new) {
            match &chained.event.event {
                Event::Created(setup) if index == 0 => self.add_new_match(id, chained, setup)?,
                Event::Created(_) => {
                    return Err(StoreError::Refused(format!("a second `created` of match {id}")));
                }
                _ if index == 0 => {
                    return Err(StoreError::Refused(format!("match {id} does not begin with `created`")));
                }
                Event::Took { ply, .. } => progress.plies = ply + 1,
                Event::Ended { reason, winner } => self.ended.push(EndedMatch {
                    id,
                    plies: progress.plies.into(),
                    reason: *reason,
                    winner: winner.map(small_number),
                    over_at_us: to_column_integer("a time", chained.event.at.as_micros())?,
                    head: chained.hash,
                }),
                Event::Declared { .. }
                | Event::Revealed { .. }
                | Event::Struck { .. }
                | Event::Forfeited { .. } => {}
            }
        }
        progress.events += new.len();
        self.runs.push(EventRun { id, first: to_column_integer("a place", has)?, events: new });
        Ok(())
    }

    fn add_new_match(
        &mut self,
        id: MatchId,
        chained: &ChainedEvent,
        setup: &'a MatchSetup,
    ) -> Result<(), StoreError> {
        let origin = setup.origin.as_ref();
        self.matches.push(NewMatch {
            id,
            created_at_us: to_column_integer("a time", chained.event.at.as_micros())?,
            tournament: origin.map(|origin| origin.tournament),
            number: origin.map(|origin| to_column_integer("a number", origin.number)).transpose()?,
            group: origin.map(|origin| to_column_integer("a group", origin.group)).transpose()?,
            setup: setup_json(setup)?,
            bots: &setup.bots,
        });
        Ok(())
    }
}
