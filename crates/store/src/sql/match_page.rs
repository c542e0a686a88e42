//! Lists of finished matches.

use super::dialect::{Dialect, Statement};
use super::keywords::StoredKeyword;
use super::matches::json_keys;
use super::sql_store::sql_limit;
use crate::MatchFilter;
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::EndReason;
use lastnim_proto::ListedState;

/// Builds the statement that reads the finished matches that pass all conditions of the filter. The arguments are the
/// tables to search and the column with the match ids in these tables. They decide which index the database scans,
/// starting at the newest match.
macro_rules! summaries {
    ($search_index:literal, $id:literal) => {
        concat!(
            "SELECT matches.id::text, setup::text, matches.plies, reason, winner, damage, void_reason,
                seat_versions::text
            FROM ",
            $search_index,
            " AND ",
            $id,
            " >= $1::uuid AND ",
            $id,
            " <= $2::uuid AND ",
            $id,
            " <> $3::uuid AND over_at_us IS NOT NULL
                AND ($5::text IS NULL OR tournament_id = $5::uuid)
                AND ($6::bigint = 0 OR $6::bigint = (SELECT count(*) FROM seats AS wanted
                    WHERE wanted.match_id = matches.id AND wanted.bot IN (SELECT key FROM json_each($7::json))))
                AND ($9::text IS NULL OR reason = $9::text)
                AND ($10::bigint IS NULL OR $10::bigint = CASE WHEN void_reason IS NULL THEN 0 ELSE 1 END)
                AND ($11::bigint IS NULL OR $11::bigint = CASE WHEN damage IS NULL THEN 0 ELSE 1 END)
            ORDER BY ",
            $id,
            " DESC LIMIT $4"
        )
    };
}

/// A page of finished matches.
#[derive(Debug)]
pub(super) struct MatchPage<'a> {
    filter: &'a MatchFilter,
    /// The first and last match id of the search, inclusive.
    ids: (MatchId, MatchId),
    /// The page ends before this match.
    before: MatchId,
    limit: usize,
}

/// The index that the search uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchIndex {
    Voided,
    Quarantined,
    ByReason,
    ByBot,
    ByTournament,
    All,
}

impl<'a> MatchPage<'a> {
    pub(super) fn new(filter: &'a MatchFilter, before: Option<MatchId>, limit: usize) -> Self {
        let before = before.unwrap_or(MatchId::greatest());
        Self { filter, ids: (MatchId::least(), before), before, limit }
    }

    /// Returns the index that is expected to select the fewest matches.
    fn search_index(&self) -> SearchIndex {
        let filter = self.filter;
        match (filter.state, filter.reason) {
            (Some(ListedState::Voided), _) => SearchIndex::Voided,
            (Some(ListedState::Quarantined), _) => SearchIndex::Quarantined,
            // Most matches end as finished, so this reason selects more of them than a bot or a tournament does.
            (_, Some(reason)) if reason != EndReason::Finished => SearchIndex::ByReason,
            _ if !filter.bots.is_empty() => SearchIndex::ByBot,
            _ if filter.tournament.is_some() => SearchIndex::ByTournament,
            (_, Some(_)) => SearchIndex::ByReason,
            _ => SearchIndex::All,
        }
    }

    /// Returns the statement that reads the first and last match id of the tournament, or `None` if the search does not
    /// need them. They bound the search, because match ids increase with time.
    pub(super) fn bounds_statement<D: Dialect>(&self) -> Option<Statement<D>> {
        let tournament =
            self.filter.tournament.filter(|_| self.search_index() != SearchIndex::ByTournament)?;
        let bounds = Statement::new(
            "SELECT id::text FROM (SELECT id FROM matches WHERE tournament_id = $1::uuid ORDER BY id LIMIT 1) AS oldest
            UNION ALL
            SELECT id::text FROM (SELECT id FROM matches WHERE tournament_id = $1::uuid ORDER BY id DESC LIMIT 1) AS newest",
        );
        Some(bounds.bind(String::from(tournament)))
    }

    /// Limits the page to ids from `first` to `last`.
    pub(super) fn narrow(&mut self, first: MatchId, last: MatchId) {
        self.ids = (first, last.min(self.before));
    }

    /// Returns the statement for the page.
    pub(super) fn statement<D: Dialect>(&self) -> Statement<D> {
        // SQLite reads the tables of a CROSS JOIN in the given order. `seats` is first, because a bot has fewer seats
        // than there are matches.
        let text = match self.search_index() {
            SearchIndex::Voided => summaries!("matches WHERE void_reason IS NOT NULL", "matches.id"),
            SearchIndex::Quarantined => summaries!("matches WHERE damage IS NOT NULL", "matches.id"),
            SearchIndex::ByReason => summaries!("matches WHERE reason = $9::text", "matches.id"),
            SearchIndex::ByBot => summaries!(
                "seats CROSS JOIN matches WHERE matches.id = seats.match_id AND seats.bot = $8",
                "seats.match_id"
            ),
            SearchIndex::ByTournament => summaries!("matches WHERE tournament_id = $5::uuid", "matches.id"),
            SearchIndex::All => summaries!("matches WHERE over_at_us IS NOT NULL", "matches.id"),
        };
        let filter = self.filter;
        let bots: Vec<&BotName> = filter.bots.iter().collect();
        let (voided, damaged): (Option<i64>, Option<i64>) = match filter.state {
            None | Some(ListedState::Open) => (None, None),
            Some(ListedState::Over) => (Some(0), Some(0)),
            Some(ListedState::Voided) => (Some(1), None),
            Some(ListedState::Quarantined) => (Some(0), Some(1)),
        };
        Statement::new(text)
            .bind(String::from(self.ids.0))
            .bind(String::from(self.ids.1))
            .bind(String::from(self.before))
            .bind(sql_limit(self.limit))
            .bind(filter.tournament.map(String::from))
            .bind(sql_limit(bots.len()))
            .bind(json_keys(&bots))
            .bind(bots.first().map(|bot| bot.as_str()))
            .bind(filter.reason.map(StoredKeyword::as_keyword))
            .bind(voided)
            .bind(damaged)
    }
}
