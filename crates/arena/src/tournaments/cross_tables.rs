//! Computes and stores cross-tables, which compare the bots of a tournament in pairs.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::cross_table_queue::{CrossTableResult, CrossTableSender};
use crate::tournaments::live_standings::Comparison;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use lastnim_store::{Change, StoredResult};
use lastnim_tournament::{
    BotComparison, BoundedCrossTable, Checkpoint, CrossTable, MatchResult, RatingEvidence, Rulings,
    SchedulingMode,
};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// The maximum number of matches in a tournament whose cross-table is computed from all results.
const MAX_MATCHES: u64 = 1_000_000;
/// The maximum number of callers that may wait for cross-tables at the same time.
const MAX_WAITING: usize = 256;
/// The number of results per read from the store. After each read, the computation stops if no caller is waiting any
/// more.
const PAGE_SIZE: usize = 10_000;

/// A comparison of a tournament's bots, computed from stored results.
#[derive(Debug)]
pub(crate) struct ComparedResults {
    pub(crate) compared: Arc<Vec<BotComparison>>,
    /// Whether the tournament was over before the first read, so that no result is missing.
    pub(crate) is_final: bool,
}

impl Arena {
    /// Compares each pair of a tournament's bots by the matches that both have played and that count: how many each bot
    /// won, and which bot is better.
    ///
    /// While a tournament runs, common matches are counted as they end, and the current ratings are used. The final
    /// comparison is stored. If it is missing or damaged, the first request for it computes it again from all results,
    /// and stores it. Only one tournament is compared at a time, all callers share the result, and the computation
    /// stops when none of them is waiting any more.
    ///
    /// # Errors
    /// If no tournament has this id, the tournament is too large, too many callers are waiting, or the store cannot be
    /// read.
    pub async fn cross_table(&self, id: TournamentId) -> Result<Arc<Vec<BotComparison>>, ArenaError> {
        let view = self.tournament(id).await?;
        let (bots, matches) = (view.stored.field.len(), view.played);
        let max_bots = BoundedCrossTable::MAX_BOTS;
        let too_large = || ArenaError::CrossTable { bots, matches, max_bots, max_matches: MAX_MATCHES };
        if bots > max_bots {
            return Err(too_large());
        }
        if let Some(known) = self.known_comparison(id).await? {
            return Ok(known);
        }
        if matches > MAX_MATCHES {
            return Err(too_large());
        }
        let mut answer = self.request_cross_table(id)?;
        let answered = answer.wait_for(Option::is_some).await;
        answered.ok().and_then(|answered| answered.clone()).unwrap_or(Err(ArenaError::Stopping))
    }

    /// Returns the comparison of a tournament's bots if no results have to be read from the store for it.
    async fn known_comparison(
        &self,
        id: TournamentId,
    ) -> Result<Option<Arc<Vec<BotComparison>>>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(self.compare_live_bots(&handle).await);
        }
        match self.ended_tournament(id).await? {
            Some(ended) => self.cached_comparison(&ended).await,
            None => Ok(None),
        }
    }

    /// Compares the bots of an unfinished tournament by their current ratings; returns `None` if they are not rated
    /// yet, or there are too many of them.
    async fn compare_live_bots(&self, handle: &Arc<TournamentHandle>) -> Option<Arc<Vec<BotComparison>>> {
        let asked = match handle.comparison()? {
            Comparison::Known(compared) => return Some(compared),
            Comparison::Outdated { changes, .. } => changes,
        };
        // Comparisons run one at a time, so a caller that had to wait may be able to use the previous caller's result.
        let turn = handle.lock_comparison().await;
        if let Some(compared) = handle.comparison_since(asked) {
            return Some(compared);
        }
        let shown = Arc::clone(handle);
        let compare = move || {
            // The lock is held until the comparison is complete, even if the caller is gone.
            let _turn = turn;
            match shown.comparison()? {
                Comparison::Known(compared) => Some(compared),
                Comparison::Outdated { table, appraisal, changes } => {
                    let compared = Arc::new(BotComparison::compare_all(&table, &appraisal));
                    shown.set_comparison(&compared, changes);
                    Some(compared)
                }
            }
        };
        self.inner.environment.spawn_computation(compare).await.unwrap_or_else(|error| {
            tracing::error!(%error, tournament = %handle.view().stored.id, "the comparison of a tournament's bots panicked");
            None
        })
    }

    /// Returns the change that stores the final comparison of a tournament whose last match is over; `None` if the
    /// final ratings are missing, or there are too many bots.
    pub(crate) async fn final_comparison(
        &self,
        handle: &Arc<TournamentHandle>,
        id: TournamentId,
    ) -> Option<Change> {
        if !handle.has_final_ratings() {
            return None;
        }
        let compared = self.compare_live_bots(handle).await?;
        comparison_change(id, handle.view().played, &compared)
    }

    /// Stores the comparison of a finished tournament's bots, without waiting for the write. Does nothing for an
    /// unfinished tournament, whose comparison is stored when it ends.
    async fn store_comparison(&self, id: TournamentId, found: &ComparedResults) {
        if !found.is_final {
            return;
        }
        let Ok(Some(ended)) = self.ended_tournament(id).await else { return };
        let compared = self.cache_comparison(&ended, Arc::clone(&found.compared));
        let played = ended.stored.over.as_ref().map_or(0, |over| over.played);
        let Some(change) = comparison_change(id, played, &compared) else { return };
        let arena = self.clone();
        self.inner.tasks.spawn(async move {
            match arena.inner.context.commits.commit(vec![change]).await {
                Ok(()) => tracing::debug!(tournament = %id, "the comparison of a tournament's bots was stored"),
                Err(error) => {
                    tracing::warn!(%error, tournament = %id, "the comparison of a tournament's bots was not stored");
                }
            }
        });
    }

    /// Requests a cross-table, and returns the receiver of the result. Starts the computation unless another caller has
    /// already requested the same cross-table.
    fn request_cross_table(
        &self,
        id: TournamentId,
    ) -> Result<watch::Receiver<Option<CrossTableResult>>, ArenaError> {
        let mut wanted = self.inner.cross_tables.lock();
        let waiting: usize = wanted.values().map(|wanted| wanted.receiver_count()).sum();
        if waiting >= MAX_WAITING {
            return Err(ArenaError::Full { what: "callers waiting for cross-tables", limit: MAX_WAITING });
        }
        if let Some(wanted) = wanted.get(&id) {
            return Ok(wanted.subscribe());
        }
        let (sender, answer) = watch::channel(None);
        let sender = Arc::new(sender);
        wanted.insert(id, Arc::clone(&sender));
        tokio::spawn(self.clone().compute_cross_table(id, sender));
        Ok(answer)
    }

    /// Computes a cross-table and sends it to its callers. Stops early once no caller is waiting any more.
    async fn compute_cross_table(self, id: TournamentId, wanted: CrossTableSender) {
        let tables = &self.inner.cross_tables;
        let is_unwanted = async {
            loop {
                wanted.closed().await;
                if tables.remove_if_unwanted(id) {
                    return;
                }
            }
        };
        let turn = tokio::select! {
            biased;
            () = is_unwanted => return,
            turn = Arc::clone(&tables.turn).lock_owned() => turn,
        };
        loop {
            let (arena, of, runtime) = (self.clone(), Arc::clone(&wanted), Handle::current());
            let is_wanted = move || of.receiver_count() > 0 && !arena.is_stopped();
            let arena = self.clone();
            // The whole computation, including the decoding of results, runs on a blocking thread.
            let compared =
                spawn_blocking(move || runtime.block_on(arena.compare_by_results(id, &is_wanted))).await;
            match compared {
                // If the tournament has ended in the meantime, the cross-table is computed again, because new callers
                // need the final state.
                Ok(Ok(Some(found))) if !found.is_final && self.is_ended(id).await => {
                    if let Ok(Some(known)) = self.known_comparison(id).await {
                        return tables.send_result(id, Ok(known));
                    }
                }
                Ok(Ok(Some(found))) => {
                    self.store_comparison(id, &found).await;
                    return tables.send_result(id, Ok(found.compared));
                }
                Ok(Err(error)) => return tables.send_result(id, Err(error)),
                // The computation stopped early. Unless the server is stopping, it is repeated if a new caller has
                // joined in the meantime.
                Ok(Ok(None)) if self.is_stopped() => {
                    return tables.send_result(id, Err(ArenaError::Stopping));
                }
                Ok(Ok(None)) if tables.remove_if_unwanted(id) => break,
                Ok(Ok(None)) => {}
                Err(error) => {
                    tracing::error!(%error, tournament = %id, "the computation of a cross-table panicked");
                    // Dropping the sender tells the callers that there is no result.
                    tables.lock().remove(&id);
                    break;
                }
            }
        }
        drop(turn);
    }

    /// Compares a tournament's bots by all results in the store; returns `None` once no caller is waiting any more.
    pub(crate) async fn compare_by_results(
        &self,
        id: TournamentId,
        is_wanted: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Option<ComparedResults>, ArenaError> {
        let view = self.tournament(id).await?;
        let (settings, is_final) = (&view.stored.settings, view.stored.over.is_some());
        let settled = match (self.live_tournament(id), settings.format.profile().scheduling) {
            (Some(handle), _) => handle.settled_below(),
            // In a sequential test, matches after the decision do not count.
            (None, SchedulingMode::UntilDecided) => view.total,
            (None, _) => u64::MAX,
        };
        let events = self.tournament_events(id).await?;
        let rulings = Rulings::of(events.iter().map(|timed| &timed.event));
        let (mut table, mut evidence, mut from) = (CrossTable::new(), RatingEvidence::new(settings), 0);
        while from < settled {
            if !is_wanted() {
                return Ok(None);
            }
            let page = self.inner.store.match_results(id, from, PAGE_SIZE).await?;
            let Some(last) = page.last() else { break };
            from = last.number + 1;
            for StoredResult { number, group, bots, outcome, .. } in page {
                let result = MatchResult { number, group, bots, outcome };
                if result.number < settled {
                    let result = rulings.counted(&result);
                    table.add_result(&result);
                    evidence.add_result(&result);
                }
            }
        }
        // The appraisal stops early only when no caller is waiting any more.
        let appraisal = evidence.final_appraisal(&is_wanted);
        Ok(appraisal.ok().map(|appraisal| {
            let compared = Arc::new(BotComparison::compare_all(&table, &appraisal));
            ComparedResults { compared, is_final }
        }))
    }
}

fn comparison_change(id: TournamentId, played: u64, compared: &[BotComparison]) -> Option<Change> {
    let checkpoint = Checkpoint::of_comparisons(id, played, compared)?;
    Some(Change::BotComparisons { id, checkpoint: Arc::new(checkpoint) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewTournament;
    use crate::tests::fixture::{arena, with_timeout};
    use lastnim_core::referee::Terms;
    use lastnim_tournament::{AllianceSource, testing};
    use tokio::task::JoinSet;

    async fn tournament(arena: &Arena) -> TournamentId {
        let settings = testing::settings(2, 1, AllianceSource::Standard);
        let new = NewTournament { settings, terms: Terms::default() };
        arena.create_tournament(new).await.unwrap().stored.id
    }

    fn request_result(arena: &Arena, id: TournamentId) -> impl Future<Output = CrossTableResult> + use<> {
        let arena = arena.clone();
        async move { arena.cross_table(id).await }
    }

    fn waiting_count(arena: &Arena, id: TournamentId) -> usize {
        arena.inner.cross_tables.lock().get(&id).map_or(0, |wanted| wanted.receiver_count())
    }

    async fn wait_until(settled: impl Fn() -> bool) {
        let looking = async {
            while !settled() {
                tokio::task::yield_now().await;
            }
        };
        with_timeout("the expected state", looking).await;
    }

    #[tokio::test]
    async fn a_cross_table_is_computed_once_for_all_callers() {
        let arena = arena().await;
        let ids = [tournament(&arena).await, tournament(&arena).await];
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let mut calls = JoinSet::new();
        for id in [ids[0], ids[0], ids[0], ids[1]] {
            calls.spawn(request_result(&arena, id));
        }
        wait_until(|| (waiting_count(&arena, ids[0]), waiting_count(&arena, ids[1])) == (3, 1)).await;
        drop(turn);
        let answers: Vec<_> = calls.join_all().await.into_iter().map(Result::unwrap).collect();
        let shared = answers.iter().map(|one| answers.iter().filter(|other| Arc::ptr_eq(one, other)).count());
        let mut shared: Vec<_> = shared.collect();
        shared.sort_unstable();
        assert_eq!(shared, [1, 3, 3, 3]);
        assert!(arena.inner.cross_tables.lock().is_empty());
    }

    #[tokio::test]
    async fn a_cross_table_without_callers_is_abandoned() {
        let arena = arena().await;
        let id = tournament(&arena).await;
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let [one, other] = [(); 2].map(|()| tokio::spawn(request_result(&arena, id)));
        wait_until(|| waiting_count(&arena, id) == 2).await;
        one.abort();
        wait_until(|| waiting_count(&arena, id) == 1).await;
        other.abort();
        wait_until(|| arena.inner.cross_tables.lock().is_empty()).await;
        drop(turn);
        assert!(
            matches!(arena.compare_by_results(id, &|| false).await, Ok(None)),
            "a computation that has begun is abandoned too"
        );
        request_result(&arena, id).await.unwrap();
    }

    #[tokio::test]
    async fn waiting_callers_are_limited() {
        let arena = arena().await;
        let id = tournament(&arena).await;
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let mut calls = JoinSet::new();
        for _ in 0..MAX_WAITING {
            calls.spawn(request_result(&arena, id));
        }
        wait_until(|| waiting_count(&arena, id) == MAX_WAITING).await;
        let refused = request_result(&arena, id).await.unwrap_err();
        assert!(matches!(refused, ArenaError::Full { limit: MAX_WAITING, .. }), "{refused:?}");
        drop(turn);
        assert!(calls.join_all().await.iter().all(Result::is_ok));
    }
}
