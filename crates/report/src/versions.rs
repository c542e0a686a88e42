//! The versions of bots, as text.

use super::words::count_with_noun;
use lastnim_proto::pb;

/// How many characters of a config hash are shown.
const SHOWN_HASH_CHARS: usize = 8;

/// Describes the version that a session declared.
pub(super) fn version_text(version: &pb::BotVersion) -> String {
    let label = (!version.version.is_empty()).then(|| version.version.clone());
    let hash = config_hash_text(version).map(|mut hash| {
        hash.truncate(SHOWN_HASH_CHARS);
        format!("config {hash}...")
    });
    let parts: Vec<_> = label.into_iter().chain(hash).collect();
    if parts.is_empty() { "no version".to_owned() } else { parts.join(" ") }
}

/// Returns the config hash of a version in base64, if it has one.
pub fn config_hash_text(version: &pb::BotVersion) -> Option<String> {
    let hash = lastnim_core::game::ConfigHash::try_from(&version.config_hash[..]).ok()?;
    Some(hash.to_string())
}

/// Lists the versions that a bot played as, if there were several.
pub fn versions_note(bot: &str, played: &[pb::PlayedVersion]) -> Option<String> {
    let version_entry = |played: &pb::PlayedVersion| {
        let version = version_text(&played.version.clone().unwrap_or_default());
        let matches = count_with_noun(played.matches, "match", "matches");
        format!("{version} ({matches}, {} won)", played.wins)
    };
    let versions: Vec<_> = played.iter().map(version_entry).collect();
    (played.len() > 1).then(|| format!("{bot} played as {} versions: {}", played.len(), versions.join("; ")))
}

/// Lists the versions at each seat, if any bot declared one.
pub fn seat_versions_line(seats: &[pb::SeatVersions]) -> Option<String> {
    let declared = seats.iter().enumerate().filter(|(_, seat)| !seat.versions.is_empty());
    let entries = declared.map(|(number, seat)| {
        let versions: Vec<_> = seat.versions.iter().map(version_text).collect();
        format!("seat {number}: {}", versions.join(", "))
    });
    let entries: Vec<_> = entries.collect();
    (!entries.is_empty()).then(|| entries.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(label: &str, config_hash: &[u8]) -> pb::BotVersion {
        pb::BotVersion { version: label.into(), config_hash: config_hash.into() }
    }

    #[test]
    fn versions_of_a_bot_are_listed() {
        let played_version =
            |version, matches, wins| pb::PlayedVersion { version: Some(version), matches, wins };
        let mut versions = vec![played_version(version("1.0", &[]), 12, 3)];
        assert_eq!(versions_note("ann", &versions), None);
        versions
            .extend([played_version(version("1.1", &[0; 32]), 1, 0), played_version(version("", &[]), 2, 2)]);
        assert_eq!(
            versions_note("ann", &versions).unwrap(),
            "ann played as 3 versions: 1.0 (12 matches, 3 won); 1.1 config AAAAAAAA... (1 match, 0 won); \
             no version (2 matches, 2 won)"
        );
    }

    #[test]
    fn seats_with_versions_are_named() {
        let seats = [vec![], vec![version("1.0", &[]), version("", &[4; 32])]];
        let seats = seats.map(|versions| pb::SeatVersions { versions });
        assert_eq!(seat_versions_line(&seats).unwrap(), "seat 1: 1.0, config BAQEBAQE...");
        assert_eq!(seat_versions_line(&seats[..1]), None);
        assert_eq!(seat_versions_line(&[]), None);
    }
}
