//! Stores the versions that bots report.

use crate::arena::Arena;
use crate::sessions::roster::Presence;
use lastnim_core::game::{BotName, BotVersion};
use lastnim_core::referee::Timestamp;
use lastnim_store::Change;
use std::sync::Arc;
use std::time::Duration;

/// The minimum time between two writes to a bot's history. A version that is replaced before it is written is missing
/// from the history, but is still named in the matches that it played.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// The minimum time between two writes of the same version.
const SAME_VERSION_INTERVAL: Duration = Duration::from_mins(1);

/// The last write to a bot's history.
#[derive(Debug)]
pub(crate) struct LastVersionWrite {
    version: BotVersion,
    at: Timestamp,
}

/// When to write a version to a bot's history.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum VersionWrite {
    Now,
    After(Duration),
    /// The history is up to date.
    Never,
}

impl LastVersionWrite {
    /// Returns when to write a version. If the caller must write it now, it is recorded as written.
    pub(crate) fn claim(last: &mut Option<Self>, version: &BotVersion, now: Timestamp) -> VersionWrite {
        if let Some(last) = last {
            let passed = now.since(last.at);
            if last.version == *version && passed < SAME_VERSION_INTERVAL {
                return VersionWrite::Never;
            }
            if passed < WRITE_INTERVAL {
                return VersionWrite::After(WRITE_INTERVAL.saturating_sub(passed));
            }
        }
        *last = Some(Self { version: version.clone(), at: now });
        VersionWrite::Now
    }
}

/// Writes a session's version to its bot's history as soon as the minimum times between writes have passed.
pub(crate) async fn write_seen_version(
    arena: Arena,
    bot: BotName,
    presence: Arc<Presence>,
    version: Arc<BotVersion>,
) {
    let opened_at = arena.now();
    loop {
        match presence.claim_version_write(&version, arena.now()) {
            VersionWrite::Never => return,
            VersionWrite::After(wait) => tokio::time::sleep(wait).await,
            VersionWrite::Now => break,
        }
    }
    let seen = Change::VersionSeen { bot: bot.clone(), version: BotVersion::clone(&version), at: opened_at };
    if let Err(error) = arena.inner.context.commits.commit(vec![seen]).await {
        tracing::debug!(%error, %bot, "a session's bot version was not stored");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_writes_are_limited() {
        let version = |label: &str| BotVersion { label: label.parse().ok(), config_hash: None };
        let mut last = None;
        let mut claim = |label, seconds: f64| {
            let now = Timestamp::from_micros(1_000_000) + Duration::from_secs_f64(seconds);
            LastVersionWrite::claim(&mut last, &version(label), now)
        };
        assert_eq!(claim("1", 0.0), VersionWrite::Now);
        assert_eq!(claim("1", 59.0), VersionWrite::Never);
        assert_eq!(claim("1", 60.0), VersionWrite::Now);
        assert_eq!(claim("2", 60.25), VersionWrite::After(Duration::from_millis(750)));
        assert_eq!(claim("1", 60.5), VersionWrite::Never, "no other version was written in between");
        assert_eq!(claim("2", 61.0), VersionWrite::Now);
    }
}
