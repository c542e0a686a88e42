//! Who wins at whose tables and who is better than whom.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::cross_table_queue::{CrossTableResult, CrossTableSender};
use crate::tournaments::live_standings::ComparedBots;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use lastnim_store::{Change, StoredResult};
use lastnim_tournament::{
    BotComparison, BoundedCrossTable, Checkpoint, CrossTable, FormatCourse, MatchResult, RatingEvidence,
    Rulings,
};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// The most matches of a tournament whose cross-table is worked out from all of its results.
const MAX_MATCHES: u64 = 1_000_000;
/// The most that wait for cross-tables at once.
const MAX_WAITING: usize = 256;
/// Results that are read from the store in one go. Between two looks are so many whether anybody still waits.
const PAGE: usize = 10_000;

/// How the bots of a tournament compare by the results in the store.
#[derive(Debug)]
pub(crate) struct ComparedResults {
    pub(crate) compared: Arc<Vec<BotComparison>>,
    /// Whether it was over before the first result was read, so that none is missing.
    pub(crate) is_final: bool,
}

impl Arena {
    /// Compares the bots of a tournament two by two: who wins at whose tables, and who is better than whom, from the matches that
    /// are over and count.
    ///
    /// While a tournament is played, meetings are counted as its matches end, and its bots are compared by the ratings that are
    /// shown. At its end that is done for the last time, and the comparison is kept. Where none is kept, or
    /// it is damaged, it is worked out from all results at the first request, and kept then: one tournament at a time, for all
    /// who wait for it, and only while somebody does.
    ///
    /// # Errors
    /// If there is no tournament of that id, it is too large, too many wait already, or the store cannot be read.
    pub async fn cross_table(&self, id: TournamentId) -> Result<Arc<Vec<BotComparison>>, ArenaError> {
        let view = self.tournament(id).await?;
        let (bots, matches) = (view.stored.field.len(), view.played);
        let most_bots = BoundedCrossTable::MAX_BOTS;
        let too_large = || ArenaError::CrossTable { bots, matches, most_bots, most_matches: MAX_MATCHES };
        if bots > most_bots {
            return Err(too_large());
        }
        if let Some(known) = self.known_comparison(id).await? {
            return Ok(known);
        }
        if matches > MAX_MATCHES {
            return Err(too_large());
        }
        let mut answer = self.request_cross_table(id)?;
        let told = answer.wait_for(Option::is_some).await;
        told.ok().and_then(|told| told.clone()).unwrap_or(Err(ArenaError::Stopping))
    }

    /// Returns how bots compare, if no result has to be read for that.
    async fn known_comparison(
        &self,
        id: TournamentId,
    ) -> Result<Option<Arc<Vec<BotComparison>>>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(self.compare_live_bots(&handle).await);
        }
        match self.ended_tournament(id).await? {
            Some(ended) => self.kept_comparison(&ended).await,
            None => Ok(None),
        }
    }

    /// Compares the bots of a tournament that is not over, by the ratings that are shown; `None` if they are not rated yet, or too
    /// many.
    async fn compare_live_bots(&self, handle: &Arc<TournamentHandle>) -> Option<Arc<Vec<BotComparison>>> {
        let asked = match handle.compared_bots()? {
            ComparedBots::Known(compared) => return Some(compared),
            ComparedBots::Uncompared { changes, .. } => changes,
        };
        // One after the other, and whoever waited takes what another has worked out meanwhile.
        let turn = handle.turn_to_compare().await;
        if let Some(compared) = handle.comparison_since(asked) {
            return Some(compared);
        }
        let shown = Arc::clone(handle);
        let compare = move || {
            // For as long as it takes, also if nobody waits for it any more.
            let _turn = turn;
            match shown.compared_bots()? {
                ComparedBots::Known(compared) => Some(compared),
                ComparedBots::Uncompared { table, appraisal, changes } => {
                    let compared = Arc::new(BotComparison::compare_all(&table, &appraisal));
                    shown.show_comparison(&compared, changes);
                    Some(compared)
                }
            }
        };
        self.inner.environment.spawn_work(compare).await.unwrap_or_else(|error| {
            tracing::error!(%error, "the comparison of bots broke down");
            None
        })
    }

    /// Returns what is kept of how the bots of a tournament compare whose last match is over; nothing if they are not rated for the
    /// last time, or too many.
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

    /// Keeps what was worked out of a tournament that is over; nothing of one that was not over when that began, which is
    /// compared at its end. Nobody waits until it is written.
    async fn keep_worked_out(&self, id: TournamentId, found: &ComparedResults) {
        if !found.is_final {
            return;
        }
        let Ok(Some(ended)) = self.ended_tournament(id).await else { return };
        let compared = self.keep_comparison(&ended, Arc::clone(&found.compared));
        let played = ended.stored.over.as_ref().map_or(0, |over| over.played);
        let Some(change) = comparison_change(id, played, &compared) else { return };
        let arena = self.clone();
        self.inner.tasks.spawn(async move {
            match arena.inner.context.commits.commit(vec![change]).await {
                Ok(()) => tracing::debug!(tournament = %id, "how its bots compare is kept"),
                Err(error) => tracing::warn!(%error, tournament = %id, "how its bots compare is not kept"),
            }
        });
    }

    /// Waits with others for a cross-table, or has it worked out.
    fn request_cross_table(
        &self,
        id: TournamentId,
    ) -> Result<watch::Receiver<Option<CrossTableResult>>, ArenaError> {
        let mut wanted = self.inner.cross_tables.lock();
        let waiting: usize = wanted.values().map(|wanted| wanted.receiver_count()).sum();
        if waiting >= MAX_WAITING {
            return Err(ArenaError::Full { what: "callers that wait for cross-tables", limit: MAX_WAITING });
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

    /// Works a cross-table out and tells it, unless nobody waits for it any more.
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
            // All of it away from the threads that carry messages, the decoding of results as well.
            let compared =
                spawn_blocking(move || runtime.block_on(arena.compare_by_results(id, &is_wanted))).await;
            match compared {
                // Who has asked since it ended is not told what was so before.
                Ok(Ok(Some(found))) if !found.is_final && self.is_ended(id).await => {
                    if let Ok(Some(known)) = self.known_comparison(id).await {
                        return tables.send_result(id, Ok(known));
                    }
                }
                Ok(Ok(Some(found))) => {
                    self.keep_worked_out(id, &found).await;
                    return tables.send_result(id, Ok(found.compared));
                }
                Ok(Err(error)) => return tables.send_result(id, Err(error)),
                // Whoever came in just this moment has it worked out anew.
                Ok(Ok(None)) if self.is_stopped() => {
                    return tables.send_result(id, Err(ArenaError::Stopping));
                }
                Ok(Ok(None)) if tables.remove_if_unwanted(id) => break,
                Ok(Ok(None)) => {}
                Err(error) => {
                    tracing::error!(%error, tournament = %id, "a cross-table broke down");
                    // Those who wait hear it from the sender that is gone.
                    tables.lock().remove(&id);
                    break;
                }
            }
        }
        drop(turn);
    }

    /// Compares bots by all results in the store, as long as that is wanted; none if it is not any more.
    pub(crate) async fn compare_by_results(
        &self,
        id: TournamentId,
        is_wanted: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Option<ComparedResults>, ArenaError> {
        let view = self.tournament(id).await?;
        let (settings, is_final) = (&view.stored.settings, view.stored.over.is_some());
        let settled = match (self.live_tournament(id), settings.format.profile().course) {
            (Some(handle), _) => handle.settled_below(),
            // Those that were played beyond the answer do not count.
            (None, FormatCourse::UntilDecided) => view.total,
            (None, _) => u64::MAX,
        };
        let events = self.tournament_events(id).await?;
        let rulings = Rulings::of(events.iter().map(|timed| &timed.event));
        let (mut table, mut evidence, mut from) = (CrossTable::new(), RatingEvidence::new(settings), 0);
        while from < settled {
            if !is_wanted() {
                return Ok(None);
            }
            let page = self.inner.store.match_results(id, from, PAGE).await?;
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
        // Nothing but that it is not wanted keeps it from an end.
        let appraisal = evidence.appraise_finally(&is_wanted);
        Ok(appraisal.ok().map(|appraisal| {
            let compared = Arc::new(BotComparison::compare_all(&table, &appraisal));
            ComparedResults { compared, is_final }
        }))
    }
}

fn comparison_change(id: TournamentId, played: u64, compared: &[BotComparison]) -> Option<Change> {
    let checkpoint = Checkpoint::of_comparisons(id, played, compared)?;
    Some(Change::Compared { id, checkpoint: Arc::new(checkpoint) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewTournament;
    use crate::tests::fixture::{arena, soon};
    use lastnim_core::referee::Terms;
    use lastnim_tournament::{AllianceSource, testing};
    use tokio::task::JoinSet;

    async fn tournament(arena: &Arena) -> TournamentId {
        let settings = testing::settings(2, 1, AllianceSource::Standard);
        let new = NewTournament { settings, terms: Terms::default() };
        arena.create_tournament(new).await.unwrap().stored.id
    }

    fn asking(arena: &Arena, id: TournamentId) -> impl Future<Output = CrossTableResult> + use<> {
        let arena = arena.clone();
        async move { arena.cross_table(id).await }
    }

    fn waiting(arena: &Arena, id: TournamentId) -> usize {
        arena.inner.cross_tables.lock().get(&id).map_or(0, |wanted| wanted.receiver_count())
    }

    async fn until(settled: impl Fn() -> bool) {
        let looking = async {
            while !settled() {
                tokio::task::yield_now().await;
            }
        };
        soon("that it is settled", looking).await;
    }

    #[tokio::test]
    async fn one_is_worked_out_for_all_who_wait_for_it() {
        let arena = arena().await;
        let ids = [tournament(&arena).await, tournament(&arena).await];
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let mut calls = JoinSet::new();
        for id in [ids[0], ids[0], ids[0], ids[1]] {
            calls.spawn(asking(&arena, id));
        }
        until(|| (waiting(&arena, ids[0]), waiting(&arena, ids[1])) == (3, 1)).await;
        drop(turn);
        let answers: Vec<_> = calls.join_all().await.into_iter().map(Result::unwrap).collect();
        let shared = answers.iter().map(|one| answers.iter().filter(|other| Arc::ptr_eq(one, other)).count());
        let mut shared: Vec<_> = shared.collect();
        shared.sort_unstable();
        assert_eq!(shared, [1, 3, 3, 3]);
        assert!(arena.inner.cross_tables.lock().is_empty());
    }

    #[tokio::test]
    async fn one_that_nobody_waits_for_any_more_is_given_up() {
        let arena = arena().await;
        let id = tournament(&arena).await;
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let [one, other] = [(); 2].map(|()| tokio::spawn(asking(&arena, id)));
        until(|| waiting(&arena, id) == 2).await;
        one.abort();
        until(|| waiting(&arena, id) == 1).await;
        other.abort();
        until(|| arena.inner.cross_tables.lock().is_empty()).await;
        drop(turn);
        assert!(
            matches!(arena.compare_by_results(id, &|| false).await, Ok(None)),
            "nor is one that has begun"
        );
        asking(&arena, id).await.unwrap();
    }

    #[tokio::test]
    async fn so_many_wait_and_no_more() {
        let arena = arena().await;
        let id = tournament(&arena).await;
        let turn = Arc::clone(&arena.inner.cross_tables.turn).lock_owned().await;
        let mut calls = JoinSet::new();
        for _ in 0..MAX_WAITING {
            calls.spawn(asking(&arena, id));
        }
        until(|| waiting(&arena, id) == MAX_WAITING).await;
        let refused = asking(&arena, id).await.unwrap_err();
        assert!(matches!(refused, ArenaError::Full { limit: MAX_WAITING, .. }), "{refused:?}");
        drop(turn);
        assert!(calls.join_all().await.iter().all(Result::is_ok));
    }
}
