//! An index of finished matches by the conditions of a filter.

use crate::MatchFilter;
use crate::memory_match::MemoryMatch;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::EndReason;
use lastnim_proto::ListedState;
use std::collections::{BTreeSet, HashMap, btree_set};
use std::ops::RangeBounds;

/// A condition of a [`MatchFilter`] other than the tournament. Finished matches are indexed by these terms.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum MatchTerm {
    Any,
    Bot(BotName),
    State(ListedState),
    Reason(EndReason),
}

/// The ids of finished matches by term, both across all tournaments and for each tournament.
#[derive(Debug, Default)]
pub(super) struct MatchIndex {
    ids: HashMap<(Option<TournamentId>, MatchTerm), BTreeSet<MatchId>>,
    /// The ids for a term that no match has; always empty.
    no_ids: BTreeSet<MatchId>,
}

impl MatchIndex {
    pub(super) fn insert(&mut self, id: MatchId, found: &MemoryMatch) {
        for key in all_keys(found) {
            self.ids.entry(key).or_default().insert(id);
        }
    }

    /// Removes a match, which must not have changed since it was added.
    pub(super) fn remove(&mut self, id: MatchId, found: &MemoryMatch) {
        for key in all_keys(found) {
            if let Some(ids) = self.ids.get_mut(&key) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.ids.remove(&key);
                }
            }
        }
    }

    /// Returns the number of id sets, none of which is empty.
    #[cfg(test)]
    pub(super) fn key_count(&self) -> usize {
        self.ids.len()
    }

    /// Returns the ids, within a range, of the matches for the rarest term of the filter. They include every match in
    /// the range that passes the filter.
    pub(super) fn candidates(
        &self,
        filter: &MatchFilter,
        range: impl RangeBounds<MatchId>,
    ) -> btree_set::Range<'_, MatchId> {
        let bots = filter.bots.iter().cloned().map(MatchTerm::Bot);
        let (state, reason) = (filter.state.map(MatchTerm::State), filter.reason.map(MatchTerm::Reason));
        let terms = std::iter::once(MatchTerm::Any).chain(bots).chain(state).chain(reason);
        let admitted = terms.map(|term| self.ids.get(&(filter.tournament, term)).unwrap_or(&self.no_ids));
        admitted.min_by_key(|ids| ids.len()).unwrap_or(&self.no_ids).range(range)
    }
}

/// Returns all keys under which a finished match is indexed.
fn all_keys(found: &MemoryMatch) -> impl Iterator<Item = (Option<TournamentId>, MatchTerm)> {
    let tournament = found.setup().origin.as_ref().map(|origin| origin.tournament);
    let tournaments = [Some(None), tournament.map(Some)].into_iter().flatten();
    let terms = move || {
        let bots = found.setup().bots.iter().cloned().map(MatchTerm::Bot);
        let state = MatchTerm::State(found.listed_state());
        let reason = found.end_reason().map(MatchTerm::Reason);
        [MatchTerm::Any, state].into_iter().chain(bots).chain(reason)
    };
    tournaments.flat_map(move |tournament| terms().map(move |term| (tournament, term)))
}
