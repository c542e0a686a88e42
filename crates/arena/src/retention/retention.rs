//! Removes the records that tournaments no longer keep.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_store::{PruneFilter, PrunePage};
use lastnim_tournament::{RetainedMatchCount, Retention};
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The number of tournaments that are read from the store at a time.
const PAGE_SIZE: usize = 100;
/// The pause after each removal, as a multiple of the removal's duration, so that matches can use the store.
const PAUSE_RATIO: u32 = 4;
const DAY: Duration = Duration::from_hours(24);
/// A time that is later than the end of every match.
const NEVER: Timestamp = Timestamp::from_micros(i64::MAX as u64);

/// The tournaments with a limited retention. A finished tournament is dropped when it has no records left to remove.
#[derive(Debug, Default)]
pub(crate) struct RetainedTournaments {
    by_id: BTreeMap<TournamentId, Retention>,
    /// Whether `by_id` includes the tournaments that were over before the server started.
    has_older: bool,
}

impl Arena {
    /// Regularly removes the records that tournaments no longer keep, for as long as the server runs.
    pub async fn apply_retention(&self) -> Infallible {
        let mut tournaments = RetainedTournaments::default();
        loop {
            sleep(self.limits().retention_interval).await;
            // This is logged at the debug level only, because matches also report a store that cannot be used.
            if let Err(error) = self.prune_by_retention(&mut tournaments).await {
                tracing::debug!(%error, "expired records could not be removed");
            }
        }
    }

    /// Removes expired records in a single pass over all tournaments.
    pub(crate) async fn prune_by_retention(
        &self,
        tournaments: &mut RetainedTournaments,
    ) -> Result<(), ArenaError> {
        if !tournaments.has_older {
            self.add_stored_tournaments(tournaments).await?;
        }
        {
            let live = self.inner.tournaments.read();
            for (&id, handle) in live.iter() {
                if let Some(retention) = handle.borrow_view().stored.settings.retention {
                    tournaments.by_id.insert(id, retention);
                }
            }
        }
        self.prune_in_rotation(&tournaments.by_id).await?;
        for (id, retention) in tournaments.by_id.clone() {
            if self.live_tournament(id).is_none() && !self.has_expiring_records(id, retention).await? {
                tournaments.by_id.remove(&id);
            }
        }
        Ok(())
    }

    /// Adds the stored tournaments with a limited retention.
    async fn add_stored_tournaments(&self, tournaments: &mut RetainedTournaments) -> Result<(), ArenaError> {
        let mut before = None;
        loop {
            let page = self.inner.store.tournaments(before, PAGE_SIZE).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            let retained = page.iter().filter_map(|stored| Some((stored.id, stored.settings.retention?)));
            tournaments.by_id.extend(retained);
        }
        tournaments.has_older = true;
        Ok(())
    }

    /// Removes a few records of each tournament in turn until no tournament has expired records left, or it is time to
    /// look for newly expired ones.
    async fn prune_in_rotation(
        &self,
        tournaments: &BTreeMap<TournamentId, Retention>,
    ) -> Result<(), ArenaError> {
        let (began, now) = (Instant::now(), self.now());
        let expired_in = |(&id, &retention)| Some((self.expired_records(id, retention, now)?, None));
        let mut due: VecDeque<(PruneFilter, Option<MatchId>)> =
            tournaments.iter().filter_map(expired_in).collect();
        let mut pruned = 0;
        while began.elapsed() < self.limits().retention_interval
            && let Some((filter, after)) = due.pop_front()
        {
            let turn_began = Instant::now();
            if let Some((matches, last)) = self.prune_page(filter, after).await? {
                pruned += matches;
                due.push_back((filter, Some(last)));
            }
            if self.open_match_count() > 0 {
                sleep(turn_began.elapsed() * PAUSE_RATIO).await;
            }
        }
        if pruned > 0 {
            tracing::debug!(matches = pruned, took = ?began.elapsed(), "expired records pruned");
        }
        Ok(())
    }

    /// Returns whether a finished tournament has records that will expire.
    async fn has_expiring_records(&self, id: TournamentId, retention: Retention) -> Result<bool, ArenaError> {
        let filter = expired_before(id, retention, NEVER);
        let left = self.inner.store.prunable_matches(&PrunePage { filter, after: None, limit: 1 }).await?;
        Ok(!left.is_empty())
    }

    /// Returns a filter that selects the expired records of a tournament; `None` while the ages of its records are
    /// unknown.
    fn expired_records(&self, id: TournamentId, retention: Retention, now: Timestamp) -> Option<PruneFilter> {
        let over_before = match retention.days() {
            None => NEVER,
            Some(days) => {
                let age = Duration::from_secs(DAY.as_secs().saturating_mul(days.get()));
                self.inner.start_clock.time_ago(now, age)?
            }
        };
        Some(expired_before(id, retention, over_before))
    }
}

/// Returns a filter that selects the records of a tournament's matches that ended before `over_before`, except the
/// newest ones, which the tournament keeps.
fn expired_before(id: TournamentId, retention: Retention, over_before: Timestamp) -> PruneFilter {
    let keep_newest = retention.matches().map_or(0, RetainedMatchCount::get);
    PruneFilter { tournament: Some(id), over_before, keep_newest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::environment::Environment;
    use crate::limits::Limits;
    use crate::tests::shaky_store::{ShakyStore, shaky_store};
    use lastnim_store::Change;
    use lastnim_tournament::RetentionDays;
    use std::sync::Arc;
    use std::time::{SystemTime, UNIX_EPOCH};

    const TODAY: u64 = 20_000;

    fn day(number: u64) -> Timestamp {
        Timestamp::from_micros(number * DAY.as_micros() as u64)
    }

    /// Starts a server on the given store, with the clock set to the given day.
    async fn start_on(store: &Arc<ShakyStore>, day: u64) -> Arena {
        let date = move || -> SystemTime { UNIX_EPOCH + DAY * day as u32 };
        let environment = Environment::new(date, |bytes| getrandom::fill(bytes).unwrap());
        let backend = Backend { store: store.clone(), environment, ..Backend::in_memory() };
        let arena = Arena::open(Limits::default(), backend, []).await.unwrap();
        arena.note_time().await.unwrap();
        arena
    }

    fn retention(matches: u64, days: u64) -> Retention {
        Retention::new(RetainedMatchCount::new(matches).ok(), RetentionDays::new(days).ok()).unwrap()
    }

    /// Returns the day before which records have expired, and the number of newest records that are kept regardless.
    fn expired_counts(arena: &Arena, matches: u64, days: u64) -> Option<(u64, u64)> {
        expired_after(arena, 0, matches, days)
    }

    /// Returns what [`expired_counts`] returns after the server has run for `after` more days.
    fn expired_after(arena: &Arena, after: u32, matches: u64, days: u64) -> Option<(u64, u64)> {
        let id = TournamentId::new(1, &[0; 10]);
        let filter = arena.expired_records(id, retention(matches, days), arena.now() + DAY * after)?;
        assert_eq!(filter.tournament, Some(id));
        // The time is rounded down to a day, because the clock has advanced a little since midnight.
        Some((filter.over_before.as_micros() / DAY.as_micros() as u64, filter.keep_newest))
    }

    #[tokio::test(start_paused = true)]
    async fn only_records_that_are_old_and_not_among_the_newest_expire() {
        let arena = start_on(&shaky_store(), TODAY).await;
        let never = NEVER.as_micros() / DAY.as_micros() as u64;
        assert_eq!(expired_counts(&arena, 7, 0), Some((never, 7)));
        assert_eq!(expired_counts(&arena, 0, 3), Some((TODAY - 3, 0)));
        assert_eq!(
            expired_counts(&arena, 7, 3),
            Some((TODAY - 3, 7)),
            "only records that are neither young nor among the newest expire"
        );
        assert_eq!(expired_counts(&arena, 0, 36_500), Some((0, 0)), "no record is that old");
    }

    #[tokio::test(start_paused = true)]
    async fn a_wrong_clock_at_start_expires_no_records() {
        let store = shaky_store();
        start_on(&store, TODAY).await;
        for _ in 0..2 {
            let ahead = start_on(&store, TODAY + 100).await;
            assert_eq!(expired_counts(&ahead, 0, 30), Some((TODAY - 30, 0)), "as before the jump");
            assert_eq!(expired_after(&ahead, 10, 0, 30), Some((TODAY - 20, 0)));
            assert_eq!(
                expired_after(&ahead, 31, 0, 30),
                Some((TODAY + 101, 0)),
                "the limit falls after the jump"
            );
        }
        let right = start_on(&store, TODAY).await;
        assert_eq!(expired_counts(&right, 0, 30), None, "the latest time is ahead of the clock");
        assert_eq!(expired_counts(&right, 5, 30), None, "ages are not known");
        assert!(expired_counts(&right, 5, 0).is_some(), "keeping the newest needs no clock");
        assert_eq!(expired_after(&right, 99, 0, 30), None);
        assert_eq!(expired_after(&right, 101, 0, 30), Some((TODAY - 29, 0)));
        // At this point, an operator confirms that the clock is right.
        store.keep(Change::ClockRepaired { at: day(TODAY) }).await;
        let repaired = start_on(&store, TODAY).await;
        assert_eq!(expired_counts(&repaired, 0, 30), Some((TODAY - 30, 0)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_corrected_clock_expires_no_records() {
        let store = shaky_store();
        // A machine without a clock battery starts in 1970.
        start_on(&store, 0).await;
        let right = start_on(&store, TODAY).await;
        assert_eq!(expired_counts(&right, 0, 30), Some((0, 0)), "records from 1970 have become no older");
        assert_eq!(expired_after(&right, 31, 0, 30), Some((TODAY + 1, 0)));
    }
}
