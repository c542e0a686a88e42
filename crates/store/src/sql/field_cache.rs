//! A cache of the bots of finished tournaments, which lists read often.

use lastnim_core::game::{BotName, TournamentId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of bots in all cached tournaments together.
const MAX_BOTS: usize = 100_000;

/// Caches the fields of finished tournaments, which are lists of their bots.
#[derive(Debug, Default)]
pub(super) struct FieldCache {
    cached: Mutex<FieldTable>,
}

#[derive(Debug, Default)]
struct FieldTable {
    fields: HashMap<TournamentId, Arc<Vec<BotName>>>,
    bots: usize,
    /// The number of bot removals so far.
    removals: u64,
}

impl FieldCache {
    fn lock(&self) -> MutexGuard<'_, FieldTable> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of bot removals so far. Call this before reading a field that will be passed to
    /// [`Self::insert`].
    pub(super) fn removal_count(&self) -> u64 {
        self.lock().removals
    }

    /// Returns the cached field of a finished tournament.
    pub(super) fn find(&self, id: TournamentId) -> Option<Arc<Vec<BotName>>> {
        self.lock().fields.get(&id).cloned()
    }

    /// Caches the field of a finished tournament, unless a bot was removed after the field was read. `removals` is the
    /// number of bot removals before that read.
    pub(super) fn insert(&self, id: TournamentId, field: &Arc<Vec<BotName>>, removals: u64) {
        let mut cached = self.lock();
        if cached.removals != removals || field.len() > MAX_BOTS / 8 {
            return;
        }
        // An arbitrary entry is evicted. If it were always the oldest, reading a list slightly longer than the cache
        // would miss every time.
        while cached.bots + field.len() > MAX_BOTS
            && let Some(&victim) = cached.fields.keys().next()
        {
            cached.bots -= cached.fields.remove(&victim).map_or(0, |field| field.len());
        }
        let before = cached.fields.insert(id, Arc::clone(field));
        cached.bots = cached.bots + field.len() - before.map_or(0, |before| before.len());
    }

    /// Empties the cache after a bot was removed.
    pub(super) fn clear(&self) {
        let mut cached = self.lock();
        *cached = FieldTable { removals: cached.removals + 1, ..FieldTable::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(bots: usize) -> Arc<Vec<BotName>> {
        Arc::new((0..bots).map(|bot| format!("bot-{bot}").parse().unwrap()).collect())
    }

    #[test]
    fn a_field_read_before_a_removal_is_not_cached() {
        let (cached, id) = (FieldCache::default(), TournamentId::new(1, &[1; 10]));
        let before = cached.removal_count();
        cached.insert(id, &field(3), before);
        assert_eq!(cached.find(id), Some(field(3)));
        cached.clear();
        assert_eq!(cached.find(id), None);
        cached.insert(id, &field(3), before);
        assert_eq!(cached.find(id), None, "it was read before the removal");
        cached.insert(id, &field(2), cached.removal_count());
        assert_eq!(cached.find(id), Some(field(2)));
    }

    #[test]
    fn the_cache_stays_within_its_limit() {
        let (cached, field) = (FieldCache::default(), field(MAX_BOTS / 10));
        for number in 0..40 {
            cached.insert(TournamentId::new(number % 30, &[1; 10]), &field, 0);
            let table = cached.lock();
            assert_eq!(table.bots, table.fields.len() * field.len());
            assert!(table.bots <= MAX_BOTS);
        }
        assert!(cached.lock().fields.len() >= 9);
    }
}
