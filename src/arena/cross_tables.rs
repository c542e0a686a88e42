//! Who wins at whose tables, worked out from the store when somebody asks.

use super::arena::Arena;
use super::error::ArenaError;
use crate::game::TournamentId;
use crate::tournament::{CrossTable, Format};

/// The most bots of a field whose cross-table is worked out.
const MAX_BOTS: usize = 200;
/// The most matches of a tournament whose cross-table is worked out.
const MAX_MATCHES: u64 = 1_000_000;
/// Results that are read from the store in one go.
const PAGE: usize = 10_000;

impl Arena {
    /// Works out who wins at whose tables in a tournament, from the matches that are over and count.
    ///
    /// Nothing is kept for it, so that tournaments cost no memory that nobody asks about. One is worked out at a time.
    ///
    /// # Errors
    /// If there is no tournament of that id, it is too large, or the store cannot be read.
    pub async fn cross_table(&self, id: TournamentId) -> Result<CrossTable, ArenaError> {
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
        let settled = match (self.live_tournament(id), &view.stored.settings.format) {
            (Some(handle), _) => handle.settled(),
            // Those that were played beyond the answer do not count.
            (None, Format::Sprt(_)) => view.total,
            (None, _) => u64::MAX,
        };
        let Ok(_turn) = self.inner.cross_tables.acquire().await else { return Err(ArenaError::Stopping) };
        let (mut table, mut from) = (CrossTable::new(), 0);
        while from < settled {
            let page = self.inner.store.results(id, from, PAGE).await?;
            let Some(last) = page.last() else { break };
            from = last.number + 1;
            for result in page.iter().filter(|result| result.number < settled) {
                if let Some(outcome) = &result.outcome {
                    table.add_outcome(&result.bots, outcome);
                }
            }
        }
        Ok(table)
    }
}
