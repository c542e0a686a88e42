//! Encodes values for the columns of the tables.

use crate::{StoreError, StoredTournament};
use lastnim_core::game::SeatVersions;
use lastnim_core::referee::MatchSetup;
use lastnim_proto::{
    json::MessageJson, pb, tournament::settings_message, tournament_event::TimedTournamentEvent,
};
use lastnim_tournament::{FormatVerdict, PlayedVersion};
use std::fmt;

/// Encodes a setup as the JSON that match records use.
pub(super) fn setup_json(setup: &MatchSetup) -> Result<String, StoreError> {
    message_text(&pb::MatchSetup::from(setup))
}

/// Encodes the settings of a tournament as the JSON used on the wire.
pub(super) fn settings_json(stored: &StoredTournament) -> Result<String, StoreError> {
    message_text(&settings_message(&stored.settings, &stored.terms))
}

/// Encodes the verdict of a format as the JSON used on the wire; `None` if the format gives no verdict.
pub(super) fn verdict_json(verdict: &FormatVerdict) -> Result<Option<String>, StoreError> {
    let written = pb::Verdict::from(verdict);
    written.verdict.is_some().then(|| message_text(&written)).transpose()
}

/// Encodes an organiser's intervention as the JSON used on the wire.
pub(super) fn tournament_event_json(event: &TimedTournamentEvent) -> Result<String, StoreError> {
    message_text(&pb::TournamentEvent::from(event))
}

/// Encodes the versions of the bot in each seat as the JSON used on the wire.
pub(super) fn seat_versions_json(versions: &[SeatVersions]) -> Result<String, StoreError> {
    let written = versions.iter().map(|versions| MessageJson::canonical(&pb::SeatVersions::from(versions)));
    json_text(&written.collect::<Vec<_>>())
}

/// Encodes the versions that played, as the JSON used on the wire; `None` for an empty list.
pub(super) fn played_versions_json(versions: &[PlayedVersion]) -> Result<Option<String>, StoreError> {
    let written = versions.iter().map(|version| MessageJson::canonical(&pb::PlayedVersion::from(version)));
    let written: Vec<_> = written.collect();
    (!written.is_empty()).then(|| json_text(&written)).transpose()
}

fn message_text(message: &impl prost::Name) -> Result<String, StoreError> {
    json_text(&MessageJson::canonical(message))
}

fn json_text(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}

/// Converts a number that always fits in a column.
pub(super) fn small_number(number: impl Into<u32>) -> i64 {
    i64::from(number.into())
}

/// Converts a number to the type of integer columns. `what` names the number in the error.
pub(super) fn to_column_integer<T: TryInto<i64> + Copy + fmt::Display>(
    what: &str,
    number: T,
) -> Result<i64, StoreError> {
    number.try_into().map_err(|_| {
        StoreError::Refused(format!(
            "{what} of {number}: expected at most {}, the largest number that the database can store",
            i64::MAX
        ))
    })
}
