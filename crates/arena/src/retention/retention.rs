//! Keeps no more records of a tournament than its settings say.

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

/// Tournaments that are read from the store in one go.
const PAGE: usize = 100;
/// The pause after each few records that are removed, in times of what that took: matches have the store meanwhile.
const REST_RATIO: u32 = 4;
const DAY: Duration = Duration::from_hours(24);

/// The tournaments that do not keep all records, those among them that are over as long as they have records left to lose.
#[derive(Debug, Default)]
pub(crate) struct RetainedTournaments {
    by_id: BTreeMap<TournamentId, Retention>,
    /// Whether those that were over before the server started are among them.
    has_older: bool,
}

impl Arena {
    /// Removes, for as long as the server runs, the records that tournaments no longer keep.
    pub async fn apply_retention(&self) -> Infallible {
        let mut tournaments = RetainedTournaments::default();
        loop {
            sleep(self.limits().retention_interval).await;
            // A store that cannot be used is reported by those that play.
            if let Err(error) = self.prune_by_retention(&mut tournaments).await {
                tracing::debug!(%error, "records are kept for longer than tournaments want");
            }
        }
    }

    /// Removes once what tournaments no longer keep.
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
            if self.live_tournament(id).is_none() && !self.has_more_to_lose(id, retention).await? {
                tournaments.by_id.remove(&id);
            }
        }
        Ok(())
    }

    /// Adds the tournaments of the store that do not keep all records.
    async fn add_stored_tournaments(&self, tournaments: &mut RetainedTournaments) -> Result<(), ArenaError> {
        let mut before = None;
        loop {
            let page = self.inner.store.tournaments(before, PAGE).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            let retained = page.iter().filter_map(|stored| Some((stored.id, stored.settings.retention?)));
            tournaments.by_id.extend(retained);
        }
        tournaments.has_older = true;
        Ok(())
    }

    /// Removes a few records of each tournament by turns until none has more to lose, or it is time to look for others.
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
            tracing::debug!(matches = pruned, took = ?began.elapsed(), "records pruned that tournaments do not keep");
        }
        Ok(())
    }

    /// Returns whether a tournament that is over has records that it will not keep for ever.
    async fn has_more_to_lose(&self, id: TournamentId, retention: Retention) -> Result<bool, ArenaError> {
        let some_day = Timestamp::from_micros(i64::MAX as u64);
        let filter = PruneFilter { over_before: some_day, ..expired_records(id, retention, self.now()) };
        let left = self.inner.store.prunable_matches(&PrunePage { filter, after: None, most: 1 }).await?;
        Ok(!left.is_empty())
    }
}

/// Returns which records of a tournament are not kept any more.
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
    fn a_record_is_kept_as_long_as_either_part_says_so() {
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
        assert_eq!(filter(7, 3), (7, 7), "only what is neither young nor among the newest goes");
        assert_eq!(filter(0, 36_500), (0, 0), "nothing is that old");
    }
}
