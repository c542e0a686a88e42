//! Which programs played at a seat of a match.

use super::{BotVersion, VersionLabel};
use serde::{Deserialize, Serialize};

/// The most versions that are kept of one seat of one match.
pub const MAX_SEAT_VERSIONS: usize = 8;

/// The versions that a bot said in the sessions that it had at a seat of a match, in the order in which they came, each once; the
/// first [`MAX_SEAT_VERSIONS`] of them. A session that said none counts as a version of its own. Empty if no session said any.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatVersions(Vec<BotVersion>);

impl SeatVersions {
    /// Takes versions that were kept; what is there twice, or beyond the bound, is dropped.
    pub fn new(versions: impl IntoIterator<Item = BotVersion>) -> Self {
        let mut kept = Self::default();
        for version in versions {
            kept.add(&version);
        }
        kept
    }

    /// Takes note of a session; returns whether that changed anything.
    pub fn add(&mut self, version: &BotVersion) -> bool {
        let is_new = self.0.len() < MAX_SEAT_VERSIONS && !self.0.contains(version);
        if is_new {
            self.0.push(version.clone());
        }
        is_new
    }

    /// Returns whether any session said its version.
    pub fn is_declared(&self) -> bool {
        self.0.iter().any(BotVersion::is_declared)
    }

    /// Returns whether every session said this label.
    pub fn is_only_version(&self, label: &VersionLabel) -> bool {
        !self.0.is_empty() && self.0.iter().all(|version| version.label.as_ref() == Some(label))
    }

    /// Returns the versions, in the order in which they came.
    pub fn as_slice(&self) -> &[BotVersion] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_and_only_so_many() {
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
