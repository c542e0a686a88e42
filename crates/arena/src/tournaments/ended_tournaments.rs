//! A cache of finished tournaments.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::TournamentId;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::StoredTournament;
use lastnim_tournament::{BotComparison, FormatVerdict, Positions, Standing, TournamentEvent};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The maximum number of cached tournaments.
const MAX_TOURNAMENTS: usize = 1_000;
/// The maximum number of cached parts in all tournaments together. A part takes about 100 bytes: it is a bot, a listed
/// position, a line of the standings or the verdict, a version, an event, a voided match or a pair of bots.
const MAX_PARTS: usize = 100_000;
/// The number of piles in a listed position that count as one part.
const PILES_PER_PART: usize = 12;

/// A cached finished tournament.
#[derive(Debug)]
pub(crate) struct EndedTournament {
    pub(crate) stored: StoredTournament,
    /// The standings by place, read when they are first requested. The standings, events and comparison are read
    /// separately, so that damage to one does not affect the others.
    standings: OnceLock<Arc<Vec<Standing>>>,
    /// The interventions, read when they are first requested.
    events: OnceLock<Arc<Vec<TimedTournamentEvent>>>,
    /// The comparison of the tournament's bots, read when it is first requested.
    comparison: OnceLock<Arc<Vec<BotComparison>>>,
    /// The number of cached parts in this tournament. It grows only while the cache is locked.
    parts: AtomicUsize,
}

/// The cache of finished tournaments.
#[derive(Debug, Default)]
pub(crate) struct EndedTournaments {
    cached: Mutex<CachedTournaments>,
}

#[derive(Debug, Default)]
struct CachedTournaments {
    /// The tournaments, each with the time of its last use.
    tournaments: HashMap<TournamentId, (u64, Arc<EndedTournament>)>,
    /// The number of uses so far, which serves as the current time.
    uses: u64,
    /// The number of times that finished tournaments have changed.
    changes: u64,
    max_parts: Option<usize>,
}

/// A cached value that knows how many parts it has.
trait CachedPart {
    fn part_count(&self) -> usize;
}

impl CachedPart for Standing {
    fn part_count(&self) -> usize {
        1 + self.versions.len()
    }
}

impl CachedPart for TimedTournamentEvent {
    fn part_count(&self) -> usize {
        match &self.event {
            TournamentEvent::Voided { matches, .. } => 1 + matches.len(),
            _ => 1,
        }
    }
}

impl CachedPart for BotComparison {
    fn part_count(&self) -> usize {
        1
    }
}

impl EndedTournament {
    fn new(stored: StoredTournament) -> Self {
        let positions = match &stored.settings.positions {
            Positions::Listed(listed) => {
                listed.as_slice().iter().map(|piles| piles.len().div_ceil(PILES_PER_PART)).sum()
            }
            Positions::Drawn(_) | Positions::Paper => 0,
        };
        let verdict = stored.over.as_ref().map_or(0, |over| match &*over.verdict {
            FormatVerdict::Standings | FormatVerdict::Sprt(_) => 0,
            FormatVerdict::Byes(byes) => byes.len(),
            FormatVerdict::Knockout(bots) => bots.len(),
            FormatVerdict::Suspended(suspended) => suspended.len(),
        });
        let parts = AtomicUsize::new(1 + stored.field.len() + positions + verdict);
        let (standings, events, comparison) = Default::default();
        Self { stored, standings, events, comparison, parts }
    }

    fn part_count(&self) -> usize {
        self.parts.load(Ordering::Relaxed)
    }
}

impl EndedTournaments {
    fn lock(&self) -> MutexGuard<'_, CachedTournaments> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Caches a value for as long as its tournament is cached, unless another caller has cached one first; returns the
    /// cached value.
    fn cache_part<T: CachedPart>(
        &self,
        ended: &EndedTournament,
        place: &OnceLock<Arc<Vec<T>>>,
        read: Arc<Vec<T>>,
    ) -> Arc<Vec<T>> {
        // While the cache is locked, no other caller can add parts.
        let mut cached = self.lock();
        if place.set(Arc::clone(&read)).is_ok() {
            ended.parts.fetch_add(read.iter().map(CachedPart::part_count).sum(), Ordering::Relaxed);
            cached.shrink();
        }
        place.get().map_or(read, Arc::clone)
    }

    /// Empties the cache. This is needed when a bot is removed, because it then also leaves the standings of finished
    /// tournaments.
    pub(crate) fn clear(&self) {
        let mut cached = self.lock();
        cached.tournaments.clear();
        cached.changes += 1;
    }
}

impl CachedTournaments {
    fn find(&mut self, id: TournamentId) -> Option<Arc<EndedTournament>> {
        self.uses += 1;
        let (last_used, found) = self.tournaments.get_mut(&id)?;
        *last_used = self.uses;
        Some(Arc::clone(found))
    }

    /// Caches a tournament, unless finished tournaments have changed since it was read. Evicts the least recently used
    /// tournaments while the cache is too large.
    fn insert(&mut self, ended: &Arc<EndedTournament>, changes: u64) {
        if self.changes != changes {
            return;
        }
        self.uses += 1;
        self.tournaments.insert(ended.stored.id, (self.uses, Arc::clone(ended)));
        self.shrink();
    }

    fn shrink(&mut self) {
        let max_parts = self.max_parts.unwrap_or(MAX_PARTS);
        let mut parts: usize = self.tournaments.values().map(|(_, ended)| ended.part_count()).sum();
        while (parts > max_parts || self.tournaments.len() > MAX_TOURNAMENTS)
            && let Some(oldest) = self.tournaments.iter().min_by_key(|(_, (last_used, _))| *last_used)
        {
            let id = *oldest.0;
            if let Some((_, ended)) = self.tournaments.remove(&id) {
                parts -= ended.part_count();
            }
        }
    }
}

impl Arena {
    /// Returns whether a tournament is over.
    pub async fn is_ended(&self, id: TournamentId) -> bool {
        self.live_tournament(id).is_none() && matches!(self.ended_tournament(id).await, Ok(Some(_)))
    }

    /// Returns a finished tournament; `None` if the tournament is not over.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub(crate) async fn ended_tournament(
        &self,
        id: TournamentId,
    ) -> Result<Option<Arc<EndedTournament>>, ArenaError> {
        let changes = {
            let mut cached = self.inner.ended_tournaments.lock();
            if let Some(found) = cached.find(id) {
                return Ok(Some(found));
            }
            cached.changes
        };
        let stored = self.tournament_from_store(id).await?;
        if stored.over.is_none() {
            return Ok(None);
        }
        let ended = Arc::new(EndedTournament::new(stored));
        // With an in-memory store, nothing is cached: the store is as fast as the cache, and it drops old tournaments.
        if self.inner.store.is_durable() {
            self.inner.ended_tournaments.lock().insert(&ended, changes);
        }
        Ok(Some(ended))
    }

    /// Returns the standings of a finished tournament, by place.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn ended_standings(
        &self,
        ended: &EndedTournament,
    ) -> Result<Arc<Vec<Standing>>, ArenaError> {
        if let Some(standings) = ended.standings.get() {
            return Ok(Arc::clone(standings));
        }
        let standings = Arc::new(self.inner.store.standings(ended.stored.id).await?);
        Ok(self.inner.ended_tournaments.cache_part(ended, &ended.standings, standings))
    }

    /// Returns the interventions in a finished tournament.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn ended_events(
        &self,
        ended: &EndedTournament,
    ) -> Result<Arc<Vec<TimedTournamentEvent>>, ArenaError> {
        if let Some(events) = ended.events.get() {
            return Ok(Arc::clone(events));
        }
        let events = Arc::new(self.inner.store.tournament_events(ended.stored.id).await?);
        Ok(self.inner.ended_tournaments.cache_part(ended, &ended.events, events))
    }

    /// Returns the stored comparison of a finished tournament's bots, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn cached_comparison(
        &self,
        ended: &EndedTournament,
    ) -> Result<Option<Arc<Vec<BotComparison>>>, ArenaError> {
        if let Some(comparisons) = ended.comparison.get() {
            return Ok(Some(Arc::clone(comparisons)));
        }
        let id = ended.stored.id;
        let Some(checkpoint) = self.usable_checkpoint(id).await? else { return Ok(None) };
        match checkpoint.comparisons(id) {
            Ok(comparisons) => Ok(Some(self.cache_comparison(ended, Arc::new(comparisons)))),
            Err(error) => {
                tracing::warn!(tournament = %id, %error, "a tournament's stored comparison of bots cannot be used: comparing them again");
                Ok(None)
            }
        }
    }

    /// Caches the comparison of a finished tournament's bots for as long as the tournament is cached.
    pub(crate) fn cache_comparison(
        &self,
        ended: &EndedTournament,
        comparisons: Arc<Vec<BotComparison>>,
    ) -> Arc<Vec<BotComparison>> {
        self.inner.ended_tournaments.cache_part(ended, &ended.comparison, comparisons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixture::{name, shaky_arena};
    use crate::{Intervention, NewTournament};
    use lastnim_core::game::{BotVersion, Piles};
    use lastnim_core::referee::Terms;
    use lastnim_store::Change;
    use lastnim_tournament::{
        AllianceSource, Checkpoint, KnockoutBot, PlayedVersion, Settings, SettingsDraft, testing,
    };

    /// Creates a tournament with a bot that never plays, and cancels it.
    async fn ended(arena: &Arena, bot: &str) -> TournamentId {
        let settings = testing::settings(2, 1, AllianceSource::Standard);
        let id = arena.create_tournament(NewTournament { settings, terms: Terms::default() }).await.unwrap();
        let id = id.stored.id;
        arena.join_tournament(id, &name(bot)).await.unwrap();
        arena.cancel_tournament(id).await.unwrap();
        id
    }

    #[tokio::test]
    async fn a_removed_bot_leaves_the_cache() {
        let (_store, arena) = shaky_arena().await;
        for bot in ["one", "two"] {
            arena.register_bot(name(bot)).await.unwrap();
        }
        let id = ended(&arena, "one").await;
        let field = |arena: Arena| async move { arena.tournament(id).await.unwrap().stored.field.len() };
        assert_eq!((field(arena.clone()).await, arena.standings(id).await.unwrap().len()), (1, 1));
        let cached = arena.ended_tournament(id).await.unwrap().unwrap();
        assert!(
            Arc::ptr_eq(&cached, &arena.ended_tournament(id).await.unwrap().unwrap()),
            "the tournament is read once"
        );
        let before = arena.inner.ended_tournaments.lock().changes;
        arena.remove_bot(&name("one")).await.unwrap();
        assert_eq!((field(arena.clone()).await, arena.standings(id).await.unwrap().len()), (0, 0));
        // A reader that started before the bot was removed has outdated data.
        arena.inner.ended_tournaments.lock().insert(&cached, before);
        assert_eq!(field(arena.clone()).await, 0);
        assert!(arena.intervene(id, Intervention::Resume).await.is_err());
    }

    #[tokio::test]
    async fn damage_to_one_part_of_a_tournament_does_not_hide_the_others() {
        let (store, arena) = shaky_arena().await;
        let id = ended(&arena, "first").await;
        store.damage_tournaments();
        assert_eq!(arena.tournament(id).await.unwrap().stored.field.len(), 1);
        assert_eq!(*arena.format_verdict(id).await.unwrap(), FormatVerdict::Standings);
        assert!(arena.cross_table(id).await.is_err(), "the cross-table depends on the events");
        let assert_damaged = |what: ArenaError| assert!(what.to_string().contains("damaged"), "{what}");
        assert_damaged(arena.standings(id).await.unwrap_err());
        assert_damaged(arena.tournament_events(id).await.unwrap_err());
        let checkpoint = Checkpoint::of_comparisons(id, 0, &[]).unwrap();
        store.keep(Change::BotComparisons { id, checkpoint: Arc::new(checkpoint) }).await;
        assert_eq!(*arena.cross_table(id).await.unwrap(), []);
    }

    #[tokio::test]
    async fn every_cached_part_is_counted() {
        let (_store, arena) = shaky_arena().await;
        let id = ended(&arena, "first").await;
        let cached = arena.ended_tournament(id).await.unwrap().unwrap();
        let before = cached.part_count();
        let lines = arena.standings(id).await.unwrap();
        arena.standings(id).await.unwrap();
        assert_eq!(cached.part_count(), before + 1, "one line without versions, counted once");
        let mut line = lines[0].clone();
        line.versions = vec![PlayedVersion { version: BotVersion::default(), matches: 1, wins: 0 }; 3];
        assert_eq!(line.part_count(), 4);
        let mut stored = cached.stored.clone();
        let piles = [1, 12, 13].map(|count| Piles::parse(&vec![1; count]).unwrap()).to_vec();
        let positions = Positions::listed(piles).unwrap();
        let draft = SettingsDraft { positions, ..(**stored.settings).clone() };
        stored.settings = Arc::new(Settings::new(draft).unwrap());
        let bots = vec![KnockoutBot { bot: name("first"), lucky_in: Vec::new(), exit: None }; 5];
        stored.over.as_mut().unwrap().verdict = Arc::new(FormatVerdict::Knockout(bots));
        assert_eq!(EndedTournament::new(stored).part_count(), 1 + 1 + (1 + 1 + 2) + 5);
    }

    #[tokio::test]
    async fn the_cache_stays_within_its_limits() {
        let (_store, arena) = shaky_arena().await;
        arena.register_bot(name("one")).await.unwrap();
        arena.inner.ended_tournaments.lock().max_parts = Some(9);
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(ended(&arena, "one").await);
        }
        for id in [ids[0], ids[1], ids[0], ids[2]] {
            arena.standings(id).await.unwrap();
        }
        let cached = arena.inner.ended_tournaments.lock();
        let parts: usize = cached.tournaments.values().map(|(_, ended)| ended.part_count()).sum();
        assert_eq!((cached.tournaments.len(), parts), (2, 8));
        assert!(!cached.tournaments.contains_key(&ids[1]), "this tournament was the least recently used");
    }
}
