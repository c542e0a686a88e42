//! The versions of the programs that played at a seat.

use super::{BotVersion, VersionLabel};
use serde::{Deserialize, Serialize};

/// Maximum number of versions stored for one seat of one match.
pub const MAX_SEAT_VERSIONS: usize = 8;

/// The distinct versions that a bot declared in its sessions at one seat of a match, in order of appearance and at most
/// [`MAX_SEAT_VERSIONS`]. All sessions that declared no version count as one more version. The list is stored as empty
/// if no session declared a version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatVersions(Vec<BotVersion>);

impl SeatVersions {
    /// Collects versions; drops duplicates and versions beyond the limit.
    pub fn new(versions: impl IntoIterator<Item = BotVersion>) -> Self {
        let mut kept = Self::default();
        for version in versions {
            kept.add(&version);
        }
        kept
    }

    /// Adds the version of a session if it is new and the limit is not reached; returns whether it was added.
    pub fn add(&mut self, version: &BotVersion) -> bool {
        let is_new = self.0.len() < MAX_SEAT_VERSIONS && !self.0.contains(version);
        if is_new {
            self.0.push(version.clone());
        }
        is_new
    }

    /// Returns whether any session declared a version.
    pub fn is_declared(&self) -> bool {
        self.0.iter().any(BotVersion::is_declared)
    }

    /// Returns whether there is at least one version and every version has this label.
    pub fn is_only_version(&self, label: &VersionLabel) -> bool {
        !self.0.is_empty() && self.0.iter().all(|version| version.label.as_ref() == Some(label))
    }

    /// Returns the versions, in order of appearance.
    pub fn as_slice(&self) -> &[BotVersion] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_distinct_and_limited() {
        let version = |label: usize| BotVersion { label: label.to_string().parse().ok(), config_hash: None };
        let mut versions = SeatVersions::default();
        assert!(versions.add(&BotVersion::default()) && !versions.is_declared());
        assert!(versions.add(&version(1)) && versions.is_declared());
        assert!(!versions.add(&version(1)) && !versions.add(&BotVersion::default()));
        assert_eq!(versions.as_slice(), [BotVersion::default(), version(1)]);
        let one = "1".parse().unwrap();
        assert!(!versions.is_only_version(&one) && !SeatVersions::default().is_only_version(&one));
        assert!(
            SeatVersions::new([version(1)]).is_only_version(&one)
                && !SeatVersions::new([version(2)]).is_only_version(&one)
        );
        let many = SeatVersions::new((0..100).flat_map(|label| [version(label), version(label)]));
        assert_eq!(many.as_slice(), (0..MAX_SEAT_VERSIONS).map(version).collect::<Vec<_>>());
    }
}
