//! Who wins at whose tables and who is better than whom, worked out from the store when somebody asks.

use super::arena::Arena;
use super::error::ArenaError;
use crate::game::TournamentId;
use crate::oracle::Halt;
use crate::store::StoredResult;
use crate::tournament::{Comparison, CrossTable, Evidence, Format, MatchResult};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// The most bots of a field whose cross-table is worked out.
const MAX_BOTS: usize = 200;
/// The most matches of a tournament whose cross-table is worked out.
const MAX_MATCHES: u64 = 1_000_000;
/// Results that are read from the store in one go.
const PAGE: usize = 10_000;

impl Arena {
    /// Compares the bots of a tournament two by two: who wins at whose tables, and who is better than whom, from the matches that
    /// are over and count.
    ///
    /// Nothing is kept for it, so that tournaments cost no memory that nobody asks about. One is worked out at a time.
    ///
    /// # Errors
    /// If there is no tournament of that id, it is too large, or the store cannot be read.
    pub async fn cross_table(&self, id: TournamentId) -> Result<Vec<Comparison>, ArenaError> {
        let view = self.tournament(id).await?;
        let (bots, matches) = (view.stored.field.len(), view.played);
        if bots > MAX_BOTS || matches > MAX_MATCHES {
            return Err(ArenaError::CrossTable {
                bots,
                matches,
                most_bots: MAX_BOTS,
                most_matches: MAX_MATCHES,
            });
        }
        let settings = &view.stored.settings;
        let settled = match (self.live_tournament(id), &settings.format) {
            (Some(handle), _) => handle.settled(),
            // Those that were played beyond the answer do not count.
            (None, Format::Sprt(_)) => view.total,
            (None, _) => u64::MAX,
        };
        let turn = Arc::clone(&self.inner.cross_tables).acquire_owned();
        let Ok(turn) = turn.await else { return Err(ArenaError::Stopping) };
        let (mut table, mut evidence, mut from) = (CrossTable::new(), Evidence::new(settings), 0);
        while from < settled {
            let page = self.inner.store.results(id, from, PAGE).await?;
            let Some(last) = page.last() else { break };
            from = last.number + 1;
            for StoredResult { number, group, bots, outcome, .. } in page {
                let result = MatchResult { number, group, bots, outcome };
                if result.number < settled {
                    table.add(&result);
                    evidence.add(&result);
                }
            }
        }
        let arena = self.clone();
        let compared = spawn_blocking(move || {
            let _turn = turn;
            let appraisal = evidence.appraise_finally(&|| !arena.is_stopped())?;
            Ok::<_, Halt>(Comparison::all(&table, &appraisal))
        });
        match compared.await {
            Ok(Ok(compared)) => Ok(compared),
            // Nothing but a stop keeps it from an end.
            Ok(Err(_)) => Err(ArenaError::Stopping),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(ArenaError::Stopping),
            },
        }
    }
}
