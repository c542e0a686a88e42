//! Tracks the commits that the database has confirmed to this server, so that the server notices if the database has
//! lost some of them.
//!
//! The only row of the table `server` contains the number of the newest commit, and every write transaction raises this
//! number by one. PostgreSQL replays commits in order: a replica that has commit N also has all earlier commits, and a
//! replica that was promoted without commit N has a lower number.

use crate::boot_clock::time_since_boot;
use crate::{Change, StoreError};
use lastnim_core::game::MatchId;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of recent commits whose contents are kept, to describe a loss.
const MAX_REMEMBERED_COMMITS: usize = 1_024;
/// The maximum number of matches that the description of a loss names.
const MAX_NAMED_MATCHES: usize = 20;

/// The only row of the table `server`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerRow {
    /// The epoch of the database's owner.
    pub(super) epoch: i64,
    /// The number of the newest commit.
    pub(super) commit: i64,
}

/// The state of this server's commits, as far as the server knows it.
#[derive(Debug)]
pub(super) struct Commits {
    /// This server's epoch.
    epoch: i64,
    known: Mutex<KnownCommits>,
}

#[derive(Debug)]
struct KnownCommits {
    /// The number of the newest confirmed commit. Its contents may have been announced.
    confirmed: i64,
    /// The number of the newest attempted commit. If the connection was lost, it is unknown whether the database has
    /// this commit.
    tried: i64,
    /// PostgreSQL's timeline. `None` if unknown.
    timeline: Option<u32>,
    /// When this server sent the latest query that confirmed its ownership of the database, as the time since the
    /// machine started.
    last_owned_at: Duration,
    recent: VecDeque<CommitContents>,
}

/// A summary of the changes in a commit.
#[derive(Debug)]
struct CommitContents {
    number: i64,
    events: usize,
    matches: Vec<MatchId>,
    ended: Vec<MatchId>,
    others: usize,
}

impl CommitContents {
    fn of_changes(number: i64, changes: &[Change]) -> Self {
        let mut contents = Self { number, events: 0, matches: Vec::new(), ended: Vec::new(), others: 0 };
        for change in changes {
            match change {
                Change::MatchEvents { id, events, .. } => {
                    contents.events += events.len();
                    contents.matches.push(*id);
                }
                Change::MatchOver(over) => contents.ended.push(over.id),
                _ => contents.others += 1,
            }
        }
        contents
    }
}

impl Commits {
    /// Creates the state from the row of the table `server`, after this server has taken over the database.
    pub(super) fn new(row: ServerRow, timeline: Option<u32>) -> Self {
        let known = KnownCommits {
            confirmed: row.commit,
            tried: row.commit,
            timeline,
            last_owned_at: time_since_boot(),
            recent: VecDeque::new(),
        };
        Self { epoch: row.epoch, known: Mutex::new(known) }
    }

    /// Returns this server's epoch.
    pub(super) fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Returns the number of the newest commit that the database has confirmed.
    pub(super) fn confirmed(&self) -> i64 {
        self.lock().confirmed
    }

    /// Notes that the database still belonged to this server, according to the answer to a query sent at `asked_at`,
    /// which is a time since the machine started.
    pub(super) fn note_ownership(&self, asked_at: Duration) {
        let mut known = self.lock();
        known.last_owned_at = known.last_owned_at.max(asked_at);
    }

    /// Returns how long ago the database last confirmed that it belongs to this server.
    pub(super) fn time_since_confirmed(&self) -> Duration {
        time_since_boot().saturating_sub(self.lock().last_owned_at)
    }

    /// Notes an attempt to commit.
    pub(super) fn note_try(&self, number: i64) {
        let mut known = self.lock();
        known.tried = known.tried.max(number);
    }

    /// Notes that the database has confirmed a commit.
    pub(super) fn note_confirmed(&self, number: i64, changes: &[Change]) {
        let mut known = self.lock();
        known.confirmed = number;
        if known.recent.len() == MAX_REMEMBERED_COMMITS {
            known.recent.pop_front();
        }
        known.recent.push_back(CommitContents::of_changes(number, changes));
    }

    /// Checks that the database belongs to this server and has every commit that it has confirmed.
    ///
    /// # Errors
    /// [`StoreError::LostCommits`] if commits are missing, and [`StoreError::Taken`] if another server has written to
    /// it.
    pub(super) fn check(&self, found: Option<ServerRow>) -> Result<(), StoreError> {
        let known = self.lock();
        let Some(found) = found else {
            return Err(StoreError::LostCommits(format!(
                "it has no tables, although it confirmed commit {} to this server: {}",
                known.confirmed,
                known.describe_loss(None)
            )));
        };
        if found.epoch < self.epoch {
            return Err(StoreError::LostCommits(format!(
                "it does not know this server, although it confirmed commit {} to this server: {}",
                known.confirmed,
                known.describe_loss(None)
            )));
        }
        if found.epoch > self.epoch {
            return Err(crate::sql::epoch::lost_database_error(Some(found.epoch)));
        }
        if found.commit < known.confirmed {
            return Err(StoreError::LostCommits(format!(
                "its newest commit is {}, although it confirmed commit {} to this server: {}",
                found.commit,
                known.confirmed,
                known.describe_loss(Some(found.commit))
            )));
        }
        if found.commit > known.tried {
            return Err(StoreError::Taken(format!(
                "it has commit {}, but the newest commit of this server is {}",
                found.commit, known.tried
            )));
        }
        Ok(())
    }

    /// Checks that the database is not on an older timeline than before. A newer timeline means that a replica was
    /// promoted.
    ///
    /// # Errors
    /// [`StoreError::LostCommits`] if a former primary is in use again.
    pub(super) fn check_timeline(&self, found: Option<u32>) -> Result<(), StoreError> {
        let mut known = self.lock();
        let (Some(before), Some(now)) = (known.timeline, found) else {
            known.timeline = found.or(known.timeline);
            return Ok(());
        };
        if now < before {
            return Err(StoreError::LostCommits(format!(
                "it is on timeline {now}, but this server has written to timeline {before}: an old primary is in use again"
            )));
        }
        if now > before {
            tracing::warn!(
                before,
                now,
                commit = known.confirmed,
                "PostgreSQL has failed over to another timeline; no confirmed commit is missing"
            );
            known.timeline = Some(now);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, KnownCommits> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownCommits {
    /// Describes the changes in the commits after `newest_kept`, or in all commits of this server if that is `None`.
    fn describe_loss(&self, newest_kept: Option<i64>) -> String {
        let is_lost = |contents: &&CommitContents| newest_kept.is_none_or(|kept| contents.number > kept);
        let lost: Vec<_> = self.recent.iter().filter(is_lost).collect();
        let events: usize = lost.iter().map(|contents| contents.events).sum();
        let matches: BTreeSet<_> = lost.iter().flat_map(|contents| &contents.matches).collect();
        let ended: BTreeSet<_> = lost.iter().flat_map(|contents| &contents.ended).collect();
        let others: usize = lost.iter().map(|contents| contents.others).sum();
        let is_complete = match newest_kept {
            Some(kept) => usize::try_from(self.confirmed - kept) == Ok(lost.len()),
            None => self.recent.len() < MAX_REMEMBERED_COMMITS,
        };
        let qualifier = if is_complete { "" } else { "at least " };
        let mut text = format!(
            "lost commits: {qualifier}{}, events: {events}, matches with events: {}, match ends: {}, other changes: {others}",
            lost.len(),
            matches.len(),
            ended.len()
        );
        if !ended.is_empty() {
            let names: Vec<_> = ended.iter().take(MAX_NAMED_MATCHES).map(ToString::to_string).collect();
            let more = if ended.len() > MAX_NAMED_MATCHES { ", ..." } else { "" };
            text = format!("{text} (ended: {}{more})", names.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits() -> Commits {
        let commits = Commits::new(ServerRow { epoch: 7, commit: 40 }, Some(3));
        for number in 41..=45 {
            commits.note_try(number);
            commits.note_confirmed(number, &[Change::BotRemoved { name: "anna".parse().unwrap() }]);
        }
        commits.note_try(46);
        commits
    }

    const fn row(epoch: i64, commit: i64) -> ServerRow {
        ServerRow { epoch, commit }
    }

    #[test]
    fn a_database_that_lacks_a_confirmed_commit_has_lost_commits() {
        let commits = commits();
        // The last attempted commit may or may not be in the database.
        assert_eq!(commits.check(Some(row(7, 45))), Ok(()));
        assert_eq!(commits.check(Some(row(7, 46))), Ok(()));
        let Err(StoreError::LostCommits(why)) = commits.check(Some(row(7, 42))) else { panic!() };
        assert!(why.contains("newest commit is 42, although it confirmed commit 45"), "{why}");
        assert!(why.contains("lost commits: 3,") && why.contains("other changes: 3"), "{why}");
        for older in [Some(row(6, 99)), None] {
            let Err(StoreError::LostCommits(why)) = commits.check(older) else { panic!("{older:?}") };
            assert!(why.contains("lost commits: 5,"), "{why}");
        }
    }

    #[test]
    fn a_database_with_commits_of_another_server_is_taken_over() {
        for other in [row(8, 45), row(7, 47)] {
            assert!(matches!(commits().check(Some(other)), Err(StoreError::Taken(_))), "{other:?}");
        }
    }

    #[test]
    fn a_lower_timeline_means_lost_commits() {
        let commits = commits();
        assert_eq!(commits.check_timeline(None), Ok(()));
        assert_eq!(commits.check_timeline(Some(3)), Ok(()));
        assert_eq!(commits.check_timeline(Some(5)), Ok(()));
        assert!(matches!(commits.check_timeline(Some(3)), Err(StoreError::LostCommits(_))));
    }
}
