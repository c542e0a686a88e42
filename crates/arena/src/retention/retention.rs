//! Removes the records that tournaments no longer keep.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_store::{PruneFilter, PrunePage};
use lastnim_tournament::{KeptMatches, Retention};
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Tournaments per read.
const PAGE_SIZE: usize = 100;
/// The pause after each removal, as a multiple of its duration, to leave the store to the matches.
const REST_RATIO: u32 = 4;
const DAY: Duration = Duration::from_hours(24);

/// The tournaments with a limited retention; finished ones while they have records left to remove.
#[derive(Debug, Default)]
pub(crate) struct RetainedTournaments {
    by_id: BTreeMap<TournamentId, Retention>,
    /// Whether it includes tournaments that were over before the server started.
    has_older: bool,
}

impl Arena {
    /// Removes records that tournaments no longer keep, for as long as the server runs.
    pub async fn apply_retention(&self) -> Infallible {
        let mut tournaments = RetainedTournaments::default();
        loop {
            sleep(self.limits().retention_interval).await;
            // Matches report an unusable store.
            if let Err(error) = self.prune_by_retention(&mut tournaments).await {
                tracing::debug!(%error, "records could not be removed on time");
            }
        }
    }

    /// Removes the expired records once.
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
        self.prune_by_turns(&tournaments.by_id).await?;
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

    /// Removes a few records of each tournament in turn until no tournament has expired records, or it is time to
    /// look for new ones.
    async fn prune_by_turns(
        &self,
        tournaments: &BTreeMap<TournamentId, Retention>,
    ) -> Result<(), ArenaError> {
        let (began, now) = (Instant::now(), self.now());
        let mut due: VecDeque<(PruneFilter, Option<MatchId>)> =
            tournaments.iter().map(|(&id, &retention)| (expired_records(id, retention, now), None)).collect();
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
                sleep(turn_began.elapsed() * REST_RATIO).await;
            }
        }
        if pruned > 0 {
            tracing::debug!(matches = pruned, took = ?began.elapsed(), "expired records pruned");
        }
        Ok(())
    }

    /// Returns whether a finished tournament has records that will expire.
    async fn has_expiring_records(&self, id: TournamentId, retention: Retention) -> Result<bool, ArenaError> {
        let some_day = Timestamp::from_micros(i64::MAX as u64);
        let filter = PruneFilter { over_before: some_day, ..expired_records(id, retention, self.now()) };
        let left = self.inner.store.prunable_matches(&PrunePage { filter, after: None, limit: 1 }).await?;
        Ok(!left.is_empty())
    }
}

/// Returns the expired records of a tournament.
fn expired_records(id: TournamentId, retention: Retention, now: Timestamp) -> PruneFilter {
    let over_before = match retention.days() {
        None => Timestamp::from_micros(i64::MAX as u64),
        Some(days) => {
            let age = DAY.as_micros() as u64 * days.get();
            Timestamp::from_micros(now.as_micros().saturating_sub(age))
        }
    };
    let keep_newest = retention.matches().map_or(0, KeptMatches::get);
    PruneFilter { tournament: Some(id), over_before, keep_newest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_tournament::KeptDays;

    #[test]
    fn a_record_is_kept_while_either_condition_keeps_it() {
        let id = TournamentId::new(1, &[0; 10]);
        let now = Timestamp::from_micros(10 * DAY.as_micros() as u64);
        let filter = |matches: u64, days: u64| {
            let retention = Retention::new(KeptMatches::new(matches).ok(), KeptDays::new(days).ok()).unwrap();
            let PruneFilter { tournament, over_before, keep_newest } = expired_records(id, retention, now);
            assert_eq!(tournament, Some(id));
            (over_before.as_micros() / DAY.as_micros() as u64, keep_newest)
        };
        let never = i64::MAX as u64 / DAY.as_micros() as u64;
        assert_eq!(filter(7, 0), (never, 7));
        assert_eq!(filter(0, 3), (7, 0));
        assert_eq!(filter(7, 3), (7, 7), "only records that are neither young nor among the newest expire");
        assert_eq!(filter(0, 36_500), (0, 0), "no record is that old");
    }
}
