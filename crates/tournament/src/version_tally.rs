//! Counts a bot's matches by version.

use lastnim_core::game::BotVersion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of versions counted for one bot.
const MAX_VERSIONS: usize = 32;

/// The numbers of matches and wins of one version of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedVersion {
    /// The version. It is empty for the matches in which the bot declared no version.
    pub version: BotVersion,
    /// The number of matches that this version played. A match in which several versions played counts for each.
    pub matches: u32,
    /// The number of the version's matches that the bot won.
    pub wins: u32,
}

/// Counts the matches of a bot by the version that played.
///
/// The result does not depend on the order of matches: if there are too many versions, those that come first in
/// ascending order are kept, with all their matches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VersionTally(BTreeMap<BotVersion, (u32, u32)>);

impl VersionTally {
    /// Counts a match that the bot attended. A count that is full stays as it is.
    pub fn add_match(&mut self, versions: &[BotVersion], won: bool) {
        if versions.is_empty() {
            self.count_version(&BotVersion::default(), 1, won.into());
        }
        for version in versions {
            self.count_version(version, 1, won.into());
        }
    }

    /// Adds the counts of other matches; returns `None` if a sum is too large.
    #[must_use = "the counts are not all added if a sum is too large"]
    pub fn merge(&mut self, other: &Self) -> Option<()> {
        for (version, &(matches, wins)) in &other.0 {
            self.count_version(version, matches, wins)?;
        }
        Some(())
    }

    /// Adds counts of a version; returns `None` if a sum is too large.
    fn count_version(&mut self, version: &BotVersion, more_matches: u32, more_wins: u32) -> Option<()> {
        let (matches, wins) = match self.0.get_mut(version) {
            Some(counts) => counts,
            None => self.0.entry(version.clone()).or_default(),
        };
        *matches = matches.checked_add(more_matches)?;
        *wins = wins.checked_add(more_wins)?;
        if self.0.len() > MAX_VERSIONS {
            // The dropped version is greater than all kept ones, so it would be dropped again whenever it is counted.
            self.0.pop_last();
        }
        Some(())
    }

    /// Returns the versions in ascending order; empty if the bot never declared one.
    pub fn played_versions(&self) -> Vec<PlayedVersion> {
        if !self.0.keys().any(BotVersion::is_declared) {
            return Vec::new();
        }
        let played_version = |(version, &(matches, wins)): (&BotVersion, _)| PlayedVersion {
            version: version.clone(),
            matches,
            wins,
        };
        self.0.iter().map(played_version).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SeededDraw,
        checkpoint::{decode_state, encode_state},
    };

    fn version(label: u64) -> BotVersion {
        BotVersion { label: format!("v{label:03}").parse().ok(), config_hash: None }
    }

    #[test]
    fn matches_are_counted_by_version() {
        let mut tally = VersionTally::default();
        tally.add_match(&[], true);
        assert!(tally.played_versions().is_empty(), "a bot that declares no version has no versions");
        tally.add_match(&[version(1)], false);
        tally.add_match(&[version(2), version(1)], true);
        let played =
            tally.played_versions().into_iter().map(|played| (played.version, played.matches, played.wins));
        let expected = [(BotVersion::default(), 1, 1), (version(1), 2, 1), (version(2), 1, 1)];
        assert_eq!(played.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_same_versions_are_kept_in_any_order() {
        let mut labels: Vec<u64> = (0..200).flat_map(|label| [label; 3]).collect();
        let tally = |labels: &[u64]| {
            let mut tally = VersionTally::default();
            for &label in labels {
                tally.add_match(&[version(label)], label.is_multiple_of(2));
            }
            tally
        };
        let ordered = tally(&labels);
        assert_eq!(ordered.played_versions().len(), MAX_VERSIONS);
        assert!(ordered.played_versions().iter().all(|played| played.matches == 3));
        SeededDraw::from_numbers([7]).shuffle(&mut labels);
        assert_eq!(tally(&labels), ordered);
        assert_eq!(decode_state(&encode_state(&ordered)), Ok(ordered));
    }
}
