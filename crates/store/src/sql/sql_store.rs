//! A store in an SQL database, and its reads.

use super::backend::WriteBackend;
use super::clock;
use super::columns::to_column_integer;
use super::decode_cache::DecodeCaches;
use super::dialect::{Dialect, Statement};
use super::field_cache::FieldCache;
use super::match_page::MatchPage;
use super::matches::json_keys;
use super::prune::prunable_statement;
use super::replay::RecordReplay;
use super::requests;
use super::rows::{self, ReadHead};
use super::stored_events::{read_losses, replay_stored_events};
use super::transcripts;
use crate::{
    Change, FieldHistory, HeadsPage, LaterTimes, LostSeat, MAX_COUNTED_ENDS, MatchFilter, MatchHead,
    MatchSummary, NewestIds, PrunePage, QuestionPlace, SeenVersion, Store, StoreError, StoredBot,
    StoredClock, StoredMatch, StoredRequest, StoredResult, StoredTournament, StoredTranscript,
    TranscriptHead, UnacknowledgedMatches,
};
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::manifest::ListedRecord;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, Standing, TournamentEnd};
use sqlx::Pool;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Builds a statement that reads tournaments.
macro_rules! tournaments {
    ($which:literal) => {
        concat!(
            "SELECT id::text, created_at_us, state, settings::text, over_at_us, played, total, verdict::text,
                deal_secret, entry_code_hash, entry_code_uses
            FROM tournaments ",
            $which
        )
    };
}

/// Builds a statement that reads standings (the table alias is `line`) and the columns in `beside`.
macro_rules! standings {
    ($beside:literal, $which:literal) => {
        concat!(
            "SELECT line.tournament_id::text, place, place_best, place_worst, tie_break, line.bot, points, matches, wins, satisfaction,
                relative_satisfaction, accuracy,
                regret_per_match, luck_per_match, forfeits, no_shows, rating, rating_low, rating_high, rating_island,
                elo, skill, skill_low, skill_high, line.versions::text, disqualified, withdrawn, rating_measure",
            $beside,
            " FROM ",
            $which
        )
    };
}

/// A store in an SQL database.
#[derive(Debug)]
pub(super) struct SqlStore<D: Dialect> {
    backend: Box<dyn WriteBackend>,
    readers: Pool<D>,
    decoded: DecodeCaches,
    fields: FieldCache,
}

/// Fails if a call takes too long, since a peer that was lost silently never answers.
pub(super) async fn within_deadline<T>(
    patience: Duration,
    act: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(patience, act).await.unwrap_or_else(|_| {
        Err(StoreError::Unavailable(format!(
            "the database did not answer within {} seconds",
            patience.as_secs()
        )))
    })
}

pub(super) fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl<D: Dialect> SqlStore<D> {
    /// Creates a store that writes with this backend and reads with separate connections.
    pub(super) fn new(backend: impl WriteBackend + 'static, readers: Pool<D>) -> Self {
        let (decoded, fields) = Default::default();
        Self { backend: Box::new(backend), readers, decoded, fields }
    }

    pub(super) fn readers(&self) -> &Pool<D> {
        &self.readers
    }

    async fn within_read_deadline<T>(
        &self,
        read: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match D::READ_TIMEOUT {
            None => read.await,
            Some(timeout) => within_deadline(timeout, read).await,
        }
    }

    async fn read_rows<T>(
        &self,
        statement: Statement<D>,
        read: impl FnMut(&D::Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.within_read_deadline(async {
            let mut reader = self.readers.acquire().await.map_err(D::store_error)?;
            statement.fetch(&mut reader, read).await
        })
        .await
    }

    async fn read_tournaments(&self, statement: Statement<D>) -> Result<Vec<StoredTournament>, StoreError> {
        let removals = self.fields.removal_count();
        let mut found = self.read_rows(statement, |row| rows::read_tournament(row, &self.decoded)).await?;
        let mut unknown = Vec::new();
        for tournament in &mut found {
            match self.fields.find(tournament.id).filter(|_| tournament.over.is_some()) {
                Some(field) => tournament.field = field,
                None => unknown.push(tournament.id),
            }
        }
        if unknown.is_empty() {
            return Ok(found);
        }
        let ids = json_keys(&unknown);
        let entrants = Statement::new(
            "SELECT tournament_id::text, bot FROM entrants
            WHERE tournament_id IN (SELECT key::uuid FROM json_each($1::json)) ORDER BY tournament_id, place",
        );
        // The last change of each bot shows whether it is in the tournament.
        let movements = Statement::new(
            "SELECT tournament_id::text, bot, movement
            FROM (SELECT *, max(seq) OVER (PARTITION BY tournament_id, bot) AS last FROM field_changes
                WHERE tournament_id IN (SELECT key::uuid FROM json_each($1::json))) AS changes
            WHERE seq = last ORDER BY changes.tournament_id, seq",
        );
        let mut fields: HashMap<TournamentId, Vec<BotName>> = HashMap::new();
        for (id, bot) in self.read_rows(entrants.bind(ids.as_str()), rows::read_entrant).await? {
            fields.entry(id).or_default().push(bot);
        }
        for (id, bot, movement) in self.read_rows(movements.bind(ids.as_str()), rows::read_movement).await? {
            movement.apply_to_field(&bot, fields.entry(id).or_default());
        }
        for tournament in found.iter_mut().filter(|tournament| unknown.contains(&tournament.id)) {
            tournament.field = Arc::new(fields.remove(&tournament.id).unwrap_or_default());
            if tournament.over.is_some() {
                self.fields.insert(tournament.id, &tournament.field, removals);
            }
        }
        Ok(found)
    }
}

impl<D: Dialect> SqlStore<D> {
    /// Reads the record of a cancelled match without takes to find out whether its rows were revealed, and sets its
    /// hash accordingly. A damaged record is not an error here, because the match does not count.
    async fn cancelled_match_head(&self, mut head: MatchHead) -> Result<MatchHead, StoreError> {
        match self.match_record(head.id).await {
            Ok(Some(stored)) => {
                if let Some(public_head) = stored.record.public_head() {
                    head.record = ListedRecord::Unrevealed { public_head };
                }
            }
            Ok(None) | Err(StoreError::Damaged { .. } | StoreError::Pruned(_)) => {
                head.record = ListedRecord::Unrecorded;
            }
            Err(error) => return Err(error),
        }
        Ok(head)
    }
}

#[async_trait]
impl<D: Dialect> Store for SqlStore<D> {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let written = self.backend.write(changes).await;
        // The cache is cleared even after a failure, because the bot may have been removed.
        if changes.iter().any(|change| matches!(change, Change::BotRemoved { .. })) {
            self.fields.clear();
        }
        written
    }

    async fn check_intact(&self) -> Result<(), StoreError> {
        self.backend.check().await
    }

    fn time_since_confirmed(&self) -> Option<Duration> {
        self.backend.time_since_confirmed()
    }

    async fn set_holder_description(&self, holder: &str) -> Result<(), StoreError> {
        self.backend.set_holder_description(holder).await
    }

    async fn standby_servers(&self) -> Result<Vec<String>, StoreError> {
        self.backend.standby_servers().await
    }

    async fn close(&self) {
        self.readers.close().await;
        self.backend.close().await;
    }

    async fn clock(&self) -> Result<StoredClock, StoreError> {
        let latest = self.read_rows(clock::latest_time_statement(), clock::read_latest_time).await?.pop();
        Ok(StoredClock {
            latest,
            jumps: self.read_rows(clock::clock_jumps_statement(), clock::read_clock_jump).await?,
        })
    }

    async fn newest_ids(&self) -> Result<NewestIds, StoreError> {
        Ok(self
            .read_rows(clock::newest_ids_statement(), clock::read_newest_ids)
            .await?
            .pop()
            .unwrap_or_default())
    }

    async fn later_times(&self, at: Timestamp) -> Result<LaterTimes, StoreError> {
        Ok(self
            .read_rows(clock::later_times_statement(at), clock::read_later_times)
            .await?
            .pop()
            .unwrap_or_default())
    }

    async fn requests(&self) -> Result<Vec<StoredRequest>, StoreError> {
        self.read_rows(requests::requests_statement(), requests::read_request).await
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        let statement = Statement::new(
            "SELECT name, registered_at_us, token_hash, team, author, link FROM bots WHERE name = $1",
        );
        Ok(self.read_rows(statement.bind(name.as_str()), rows::read_bot).await?.pop())
    }

    async fn bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<StoredBot>, StoreError> {
        let statement = Statement::new(
            "SELECT name, registered_at_us, token_hash, team, author, link FROM bots WHERE name > $1
            ORDER BY name LIMIT $2",
        );
        self.read_rows(
            statement.bind(after.map_or("", BotName::as_str)).bind(sql_limit(limit)),
            rows::read_bot,
        )
        .await
    }

    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError> {
        let statement = Statement::new(
            "SELECT bot, version, config_hash, first_seen_at_us, last_seen_at_us FROM bot_versions WHERE bot = $1
            ORDER BY seen DESC",
        );
        self.read_rows(statement.bind(name.as_str()), rows::read_seen_version).await
    }

    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, StoreError> {
        let found = Statement::<D>::new(
            "SELECT match_id::text, tournament_id::text, seat FROM seats CROSS JOIN matches
            WHERE matches.id = match_id AND bot = $1 AND lost IS NOT NULL AND match_id < $2::uuid
                AND ($4::uuid IS NULL OR tournament_id = $4::uuid)
            ORDER BY seats.match_id DESC LIMIT $3",
        );
        let found = found
            .bind(bot.as_str())
            .bind(String::from(before.unwrap_or(MatchId::greatest())))
            .bind(sql_limit(limit))
            .bind(tournament.map(String::from));
        self.within_read_deadline(async {
            let mut reader = self.readers.acquire().await.map_err(D::store_error)?;
            let mut found = found.fetch(&mut reader, rows::read_lost_seat).await?;
            for lost in &mut found {
                read_losses::<D>(&mut reader, lost).await?;
            }
            Ok(found)
        })
        .await
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        let statement = Statement::new(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM seats WHERE bot = $1)
                OR EXISTS (SELECT 1 FROM standings WHERE bot = $1 AND matches > 0)",
        );
        Ok(!self.read_rows(statement.bind(name.as_str()), |_| Ok(())).await?.is_empty())
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        let statement = Statement::new(tournaments!("WHERE id = $1::uuid"));
        Ok(self.read_tournaments(statement.bind(String::from(id))).await?.pop())
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        let statement =
            Statement::new(tournaments!("WHERE id < $1::uuid ORDER BY tournaments.id DESC LIMIT $2"));
        let before = String::from(before.unwrap_or(TournamentId::greatest()));
        self.read_tournaments(statement.bind(before).bind(sql_limit(limit))).await
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        let statement = Statement::new(tournaments!("WHERE over_at_us IS NULL ORDER BY tournaments.id"));
        self.read_tournaments(statement).await
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        let entrants = Statement::<D>::new(
            "SELECT tournament_id::text, bot FROM entrants WHERE tournament_id = $1::uuid ORDER BY place",
        );
        let changes = Statement::<D>::new(
            "SELECT tournament_id::text, round, bot, movement FROM field_changes WHERE tournament_id = $1::uuid
            ORDER BY seq",
        );
        self.within_read_deadline(async {
            let mut snapshot = self.readers.begin_with(D::BEGIN_SNAPSHOT).await.map_err(D::store_error)?;
            let entrant = |row: &D::Row| Ok(rows::read_entrant(row)?.1);
            let start = entrants.bind(String::from(id)).fetch(&mut snapshot, entrant).await?;
            let changes =
                changes.bind(String::from(id)).fetch(&mut snapshot, rows::read_field_change).await?;
            snapshot.rollback().await.map_err(D::store_error)?;
            Ok(FieldHistory { start, changes })
        })
        .await
    }

    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError> {
        let statement = Statement::new(
            "SELECT tournament_id::text, event::text FROM tournament_events WHERE tournament_id = $1::uuid ORDER BY seq",
        );
        self.read_rows(statement.bind(String::from(id)), rows::read_tournament_event).await
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        let statement = Statement::new(standings!(
            "",
            "standings AS line WHERE tournament_id = $1::uuid ORDER BY position"
        ));
        self.read_rows(statement.bind(String::from(id)), rows::read_standing).await
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        let statement = Statement::new(
            "SELECT version, upto, state, hash FROM checkpoints WHERE tournament_id = $1::uuid",
        );
        Ok(self
            .read_rows(statement.bind(String::from(id)), |row| rows::read_checkpoint(row, id))
            .await?
            .pop())
    }

    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        let statement = Statement::new(
            "SELECT number, group_number, id::text, winner, bot, lost, rank_actual, rank_honest, regret, luck,
                seats.plies, optimal_plies, seat_versions::text
            FROM (SELECT number, group_number, id, CASE WHEN damage IS NULL THEN winner END AS winner, seat_versions
                FROM matches
                WHERE tournament_id = $1::uuid AND number >= $2 AND (signature IS NOT NULL OR damage IS NOT NULL)
                ORDER BY number LIMIT $3) AS page
            JOIN seats ON match_id = id ORDER BY number, seat",
        );
        let statement = statement
            .bind(String::from(id))
            .bind(i64::try_from(from).unwrap_or(i64::MAX))
            .bind(sql_limit(limit));
        rows::read_results(&self.read_rows(statement, rows::read_result_seat).await?)
    }

    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError> {
        let statement = Statement::new(
            "SELECT id::text FROM matches
            WHERE id IN (SELECT key::uuid FROM json_each($1::json)) AND void_reason IS NULL",
        );
        self.read_rows(statement.bind(json_keys(ids)), rows::read_match_id).await
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        let statement =
            Statement::new("SELECT id::text FROM matches WHERE over_at_us IS NULL ORDER BY matches.id");
        self.read_rows(statement, rows::read_match_id).await
    }

    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        if !filter.admits_finished_matches() {
            return Ok(Vec::new());
        }
        let mut page = MatchPage::new(filter, before, limit);
        self.within_read_deadline(async {
            let mut reader = self.readers.acquire().await.map_err(D::store_error)?;
            if let Some(bounds) = page.bounds_statement::<D>() {
                let ids = bounds.fetch(&mut reader, rows::read_match_id).await?;
                let [first, last] = ids[..] else { return Ok(Vec::new()) };
                page.narrow(first, last);
            }
            page.statement::<D>().fetch(&mut reader, |row| rows::read_summary(row, &self.decoded)).await
        })
        .await
    }

    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        let statement = Statement::new(
            "SELECT id::text, setup::text, plies, reason, winner, damage, void_reason, seat_versions::text
            FROM matches WHERE id = $1::uuid AND over_at_us IS NOT NULL",
        );
        let statement = statement.bind(String::from(id));
        Ok(self.read_rows(statement, |row| rows::read_summary(row, &self.decoded)).await?.pop())
    }

    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        let found = Statement::<D>::new(
            "SELECT setup::text, plies, reason, winner, head_hash, signer, signature, damage,
                seat_versions::text, pruned_at_us, over_at_us, journal_from
            FROM matches WHERE id = $1::uuid",
        );
        let journal = Statement::<D>::new("SELECT id, events FROM journal WHERE id >= $1 ORDER BY id");
        self.within_read_deadline(async {
            let mut snapshot = self.readers.begin_with(D::BEGIN_SNAPSHOT).await.map_err(D::store_error)?;
            let begin = |row: &D::Row| RecordReplay::begin(id, row);
            let mut found = found.bind(String::from(id)).fetch(&mut snapshot, begin).await?;
            let Some(mut replay) = found.pop() else { return Ok(None) };
            replay_stored_events::<D>(&mut snapshot, id, &mut replay).await?;
            if let Some(from) = replay.journal_from() {
                journal.bind(from).fetch(&mut snapshot, |row| replay.push_journal_row(row)).await?;
            }
            snapshot.rollback().await.map_err(D::store_error)?;
            replay.finish().map(Some)
        })
        .await
    }

    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError> {
        let &HeadsPage { tournament, after, before, limit } = page;
        let statement = Statement::new(
            "SELECT id::text, number, (CASE WHEN number IS NULL THEN setup END)::text AS setup, reason, plies,
                head_hash, signer, damage
            FROM matches
            WHERE tournament_id = $1::uuid AND id > $2::uuid AND id < $3::uuid
                AND (signature IS NOT NULL OR damage IS NOT NULL)
            ORDER BY matches.id LIMIT $4",
        );
        let statement = statement
            .bind(String::from(tournament))
            .bind(String::from(after.unwrap_or(MatchId::least())))
            .bind(String::from(before))
            .bind(sql_limit(limit));
        let mut heads = Vec::new();
        for read in self.read_rows(statement, rows::read_match_head).await? {
            heads.push(match read {
                ReadHead::Known(head) => head,
                ReadHead::PossiblyUnrevealed(head) => self.cancelled_match_head(head).await?,
            });
        }
        Ok(heads)
    }

    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError> {
        self.read_rows(transcripts::heads_statement(id), transcripts::read_head).await
    }

    async fn other_transcript_bytes(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError> {
        let statement = transcripts::bytes_statement(id, place);
        Ok(self.read_rows(statement, |row| transcripts::read_bytes(id, row)).await?.pop().unwrap_or_default())
    }

    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError> {
        let statement = transcripts::transcript_statement(id, place);
        Ok(self.read_rows(statement, transcripts::read_transcript).await?.pop())
    }

    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError> {
        self.read_rows(prunable_statement(page), rows::read_match_id).await
    }

    async fn unacknowledged_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        limit: usize,
    ) -> Result<UnacknowledgedMatches, StoreError> {
        let newest = Statement::new(
            "SELECT match_id::text AS id FROM seats CROSS JOIN matches
            WHERE matches.id = match_id AND bot = $1 AND match_id >= $2::uuid AND over_at_us IS NOT NULL
                AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), $4::uuid)
            ORDER BY seats.match_id DESC LIMIT $3",
        );
        let older = Statement::new(
            "SELECT count(*) AS count FROM (
                SELECT 1 FROM seats CROSS JOIN matches
                WHERE matches.id = match_id AND bot = $1 AND match_id >= $2::uuid AND over_at_us IS NOT NULL
                    AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), $4::uuid)
                    AND match_id < $5::uuid LIMIT $3) AS older",
        );
        let bounds = |statement: Statement<D>, limit| {
            let least = String::from(MatchId::least());
            statement.bind(bot.as_str()).bind(String::from(from)).bind(sql_limit(limit)).bind(least)
        };
        let newest = self.read_rows(bounds(newest, limit), rows::read_match_id).await?;
        let Some(oldest) = newest.last().filter(|_| newest.len() == limit) else {
            return Ok(UnacknowledgedMatches { newest, more: 0 });
        };
        let older = bounds(older, MAX_COUNTED_ENDS).bind(String::from(*oldest));
        let more = self.read_rows(older, rows::read_count).await?.pop().unwrap_or_default();
        Ok(UnacknowledgedMatches { newest, more })
    }

    async fn unacknowledged_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        let statement = Statement::new(
            standings!(
                ", title, state, (SELECT max(position) + 1 FROM standings AS every
                    WHERE every.tournament_id = ended.tournament_id) AS bots",
                "unheard_tournament_ends AS ended
                JOIN tournaments ON id = ended.tournament_id
                JOIN standings AS line ON line.tournament_id = ended.tournament_id AND line.position = ended.position
            WHERE ended.bot = $1 AND over_at_us >= $2 ORDER BY ended.tournament_id DESC LIMIT $3"
            ),
        );
        let statement = statement
            .bind(bot.as_str())
            .bind(to_column_integer("a time", since.as_micros())?)
            .bind(sql_limit(limit));
        let mut ends = self.read_rows(statement, rows::read_tournament_end).await?;
        ends.reverse();
        Ok(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_database_call_without_an_answer_times_out() {
        let patience = Duration::from_secs(10);
        let reading =
            tokio::time::timeout(patience * 2, within_deadline::<()>(patience, std::future::pending()));
        assert!(matches!(reading.await, Ok(Err(StoreError::Unavailable(_)))));
    }
}
