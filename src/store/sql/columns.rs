//! What goes into the columns of the tables.

use super::words::{EventKind, StoredWord};
use crate::game::{Row, SeatVersions};
use crate::oracle::Mover;
use crate::referee::{Event, MatchSetup};
use crate::store::{ChainedEvent, StoreError, StoredTournament};
use crate::tournament::{FormatVerdict, PlayedVersion};
use crate::wire::{pb, tournament::settings_message, tournament_event::TimedTournamentEvent};
use std::fmt;

/// The columns of an event, apart from its match, its place and its hash.
#[derive(Debug, Default)]
pub(super) struct EventColumns {
    pub(super) at_us: i64,
    pub(super) kind: &'static str,
    pub(super) seat: Option<i64>,
    pub(super) ply: Option<i64>,
    pub(super) take: Option<i64>,
    pub(super) steward: Option<bool>,
    pub(super) charged_us: Option<i64>,
    pub(super) lag_us: Option<i64>,
    pub(super) reason: Option<&'static str>,
    pub(super) winner: Option<i64>,
    pub(super) detail: Option<String>,
    pub(super) note_hash: Option<Vec<u8>>,
}

impl EventColumns {
    /// Spreads an event over the columns. The setup of a match stands with the match.
    pub(super) fn of_event(chained: &ChainedEvent) -> Result<Self, StoreError> {
        let event = &chained.event.event;
        let common = Self {
            at_us: to_column_integer("a time", chained.event.at.as_micros())?,
            kind: EventKind::of_event(event).as_word(),
            ..Self::default()
        };
        Ok(match event {
            Event::Created(_) => common,
            Event::Declared { seat, row, defaulted, note_hash } => Self {
                seat: Some(small_number(*seat)),
                reason: defaulted.map(StoredWord::as_word),
                detail: Some(json_text(row.offsets())?),
                note_hash: note_hash.map(|note_hash| note_hash.as_bytes().to_vec()),
                ..common
            },
            Event::Revealed { matrix } => {
                let rows: Vec<&[u8]> = matrix.rows().iter().map(Row::offsets).collect();
                Self { detail: Some(json_text(&rows)?), ..common }
            }
            Event::Took { ply, seat, take, mover, charged, credited, note_hash } => Self {
                seat: Some(small_number(*seat)),
                ply: Some((*ply).into()),
                take: Some(to_column_integer("a take", *take)?),
                steward: Some(*mover == Mover::Steward),
                charged_us: Some(to_column_integer("a charged time", charged.as_micros())?),
                lag_us: Some(to_column_integer("a lag", credited.as_micros())?),
                note_hash: note_hash.map(|note_hash| note_hash.as_bytes().to_vec()),
                ..common
            },
            Event::Struck { seat, ply, reason } => Self {
                seat: Some(small_number(*seat)),
                ply: Some((*ply).into()),
                reason: Some(reason.as_word()),
                ..common
            },
            Event::Forfeited { seat, reason } => {
                Self { seat: Some(small_number(*seat)), reason: Some(reason.as_word()), ..common }
            }
            Event::Ended { reason, winner } => {
                Self { reason: Some(reason.as_word()), winner: winner.map(small_number), ..common }
            }
        })
    }
}

/// Writes a setup as JSON, as records have it.
pub(super) fn setup_json(setup: &MatchSetup) -> Result<String, StoreError> {
    json_text(&pb::MatchSetup::from(setup))
}

/// Writes what a tournament is as JSON, as the wire has it.
pub(super) fn settings_json(stored: &StoredTournament) -> Result<String, StoreError> {
    json_text(&settings_message(&stored.settings, &stored.terms))
}

/// Writes what a format says besides the standings as JSON, as the wire has it; nothing where it says nothing.
pub(super) fn verdict_json(verdict: &FormatVerdict) -> Result<Option<String>, StoreError> {
    let written = pb::Verdict::from(verdict);
    written.verdict.is_some().then(|| json_text(&written)).transpose()
}

/// Writes what an organiser did as JSON, as the wire has it.
pub(super) fn event_json(event: &TimedTournamentEvent) -> Result<String, StoreError> {
    json_text(&pb::TournamentEvent::from(event))
}

/// Makes the versions by seat JSON, as the wire has it.
pub(super) fn seat_versions_json(versions: &[SeatVersions]) -> Result<serde_json::Value, StoreError> {
    let written: Vec<pb::SeatVersions> = versions.iter().map(Into::into).collect();
    serde_json::to_value(written).map_err(|error| StoreError::Refused(error.to_string()))
}

/// Writes the versions that played as JSON, as the wire has it; nothing where none was said.
pub(super) fn played_versions_json(versions: &[PlayedVersion]) -> Result<Option<String>, StoreError> {
    let written: Vec<pb::PlayedVersion> = versions.iter().map(Into::into).collect();
    (!written.is_empty()).then(|| json_text(&written)).transpose()
}

fn json_text(value: &(impl serde::Serialize + ?Sized)) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}

/// Returns a number of a kind that is small by its nature.
pub(super) fn small_number(number: impl Into<u32>) -> i64 {
    i64::from(number.into())
}

/// Returns a number that a column can hold.
pub(super) fn to_column_integer<T: TryInto<i64> + Copy + fmt::Display>(
    what: &str,
    number: T,
) -> Result<i64, StoreError> {
    number
        .try_into()
        .map_err(|_| StoreError::Refused(format!("{what} of {number}: a column holds at most {}", i64::MAX)))
}
