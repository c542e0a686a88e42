//! Converts versions of bots to and from messages.

use super::pb;
use lastnim_core::game::{BotVersion, ConfigHash, SeatVersions, VersionLabel};
use lastnim_tournament::PlayedVersion;

impl From<&BotVersion> for pb::BotVersion {
    fn from(version: &BotVersion) -> Self {
        Self {
            version: version.label.as_ref().map(ToString::to_string).unwrap_or_default(),
            config_hash: version.config_hash.map(|hash| hash.as_bytes().to_vec()).unwrap_or_default(),
        }
    }
}

impl From<&SeatVersions> for pb::SeatVersions {
    fn from(versions: &SeatVersions) -> Self {
        Self { versions: versions.as_slice().iter().map(Into::into).collect() }
    }
}

impl From<&PlayedVersion> for pb::PlayedVersion {
    fn from(played: &PlayedVersion) -> Self {
        Self { version: Some((&played.version).into()), matches: played.matches, wins: played.wins }
    }
}

impl TryFrom<&pb::BotVersion> for BotVersion {
    type Error = String;

    fn try_from(given: &pb::BotVersion) -> Result<Self, String> {
        let label = (!given.version.is_empty()).then(|| given.version.parse::<VersionLabel>());
        let hash = (!given.config_hash.is_empty()).then(|| ConfigHash::try_from(&given.config_hash[..]));
        Ok(Self {
            label: label.transpose().map_err(|error| error.to_string())?,
            config_hash: hash.transpose().map_err(|error| error.to_string())?,
        })
    }
}

impl TryFrom<&pb::SeatVersions> for SeatVersions {
    type Error = String;

    fn try_from(given: &pb::SeatVersions) -> Result<Self, String> {
        let versions: Vec<BotVersion> =
            given.versions.iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self::new(versions))
    }
}

impl TryFrom<&pb::PlayedVersion> for PlayedVersion {
    type Error = String;

    fn try_from(given: &pb::PlayedVersion) -> Result<Self, String> {
        let version = given.version.as_ref().map(TryInto::try_into).transpose()?.unwrap_or_default();
        Ok(Self { version, matches: given.matches, wins: given.wins })
    }
}

/// Reads the versions of the bots, by seat. The list is empty if no bot stated its version.
///
/// # Errors
/// Describes the first value that is not a version.
pub fn parse_seat_versions(given: &[pb::SeatVersions]) -> Result<Vec<SeatVersions>, String> {
    given.iter().map(TryInto::try_into).collect()
}
