//! What is read from the tables.

use super::fault;
use crate::game::{BotName, MatchId, TournamentId};
use crate::store::decoded::Decoded;
use crate::store::rows::{
    self, BotRow, CheckpointRow, EntrantRow, EventRow, FieldChangeRow, MatchRow, MovementRow, ResultRow,
    StandingRow, SummaryRow, TournamentRow,
};
use crate::store::{
    FieldHistory, MatchFilter, MatchSummary, StoreError, StoredBot, StoredMatch, StoredResult,
    StoredTournament,
};
use crate::tournament::{Checkpoint, Standing};
use sqlx::PgPool;

/// Larger than any id, for pages that begin with the newest.
const BEHIND_ALL: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

pub(super) async fn bot(readers: &PgPool, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
    let row: Option<BotRow> =
        sqlx::query_as("SELECT name, registered_at_us, token_hash FROM bots WHERE name = $1")
            .bind(name.as_str())
            .fetch_optional(readers)
            .await
            .map_err(fault)?;
    row.map(rows::bot).transpose()
}

pub(super) async fn bots(
    readers: &PgPool,
    after: Option<&BotName>,
    most: usize,
) -> Result<Vec<StoredBot>, StoreError> {
    let found: Vec<BotRow> = sqlx::query_as(
        "SELECT name, registered_at_us, token_hash FROM bots WHERE name > $1 ORDER BY name LIMIT $2",
    )
    .bind(after.map_or("", BotName::as_str))
    .bind(limit(most))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    found.into_iter().map(rows::bot).collect()
}

pub(super) async fn has_played(readers: &PgPool, name: &BotName) -> Result<bool, StoreError> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM seats WHERE bot = $1)
            OR EXISTS (SELECT 1 FROM standings WHERE bot = $1 AND matches > 0)",
    )
    .bind(name.as_str())
    .fetch_one(readers)
    .await
    .map_err(fault)
}

pub(super) async fn tournament(
    readers: &PgPool,
    decoded: &Decoded,
    id: TournamentId,
) -> Result<Option<StoredTournament>, StoreError> {
    let found: Option<TournamentRow> = sqlx::query_as(
        "SELECT id::text, created_at_us, state, settings::text, over_at_us, played, total,
            verdict::text FROM tournaments WHERE id = $1::uuid",
    )
    .bind(String::from(id))
    .fetch_optional(readers)
    .await
    .map_err(fault)?;
    Ok(with_fields(readers, decoded, found.into_iter().collect()).await?.pop())
}

pub(super) async fn tournaments(
    readers: &PgPool,
    decoded: &Decoded,
    before: Option<TournamentId>,
    most: usize,
) -> Result<Vec<StoredTournament>, StoreError> {
    let found = sqlx::query_as(
        "SELECT id::text, created_at_us, state, settings::text, over_at_us, played, total,
            verdict::text FROM tournaments
        WHERE id < $1::uuid ORDER BY tournaments.id DESC LIMIT $2",
    )
    .bind(before.map_or_else(|| BEHIND_ALL.to_owned(), String::from))
    .bind(limit(most))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    with_fields(readers, decoded, found).await
}

pub(super) async fn unfinished_tournaments(
    readers: &PgPool,
    decoded: &Decoded,
) -> Result<Vec<StoredTournament>, StoreError> {
    let found = sqlx::query_as(
        "SELECT id::text, created_at_us, state, settings::text, over_at_us, played, total,
            verdict::text FROM tournaments
        WHERE over_at_us IS NULL ORDER BY tournaments.id",
    )
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    with_fields(readers, decoded, found).await
}

async fn with_fields(
    readers: &PgPool,
    decoded: &Decoded,
    found: Vec<TournamentRow>,
) -> Result<Vec<StoredTournament>, StoreError> {
    let ids: Vec<&str> = found.iter().map(|row| row.0.as_str()).collect();
    let entrants: Vec<EntrantRow> = sqlx::query_as(
        "SELECT tournament_id::text, bot FROM entrants WHERE tournament_id = ANY ($1::text[]::uuid[])
        ORDER BY tournament_id, place",
    )
    .bind(&ids)
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    let movements: Vec<MovementRow> = sqlx::query_as(
        "SELECT tournament_id::text, bot, movement
        FROM (SELECT *, max(seq) OVER (PARTITION BY tournament_id, bot) AS last FROM field_changes
            WHERE tournament_id = ANY ($1::text[]::uuid[])) AS changes
        WHERE seq = last ORDER BY changes.tournament_id, seq",
    )
    .bind(&ids)
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    rows::tournaments(found, entrants, movements, decoded)
}

pub(super) async fn field_history(readers: &PgPool, id: TournamentId) -> Result<FieldHistory, StoreError> {
    // Both queries see the same moment.
    let mut moment = readers.begin().await.map_err(fault)?;
    let entrants: Vec<(String,)> =
        sqlx::query_as("SELECT bot FROM entrants WHERE tournament_id = $1::uuid ORDER BY place")
            .bind(String::from(id))
            .fetch_all(&mut *moment)
            .await
            .map_err(fault)?;
    let changes: Vec<FieldChangeRow> = sqlx::query_as(
        "SELECT round, bot, movement FROM field_changes WHERE tournament_id = $1::uuid ORDER BY seq",
    )
    .bind(String::from(id))
    .fetch_all(&mut *moment)
    .await
    .map_err(fault)?;
    moment.rollback().await.map_err(fault)?;
    rows::field_history(id, &entrants, changes)
}

pub(super) async fn standings(readers: &PgPool, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
    let found: Vec<StandingRow> = sqlx::query_as(
        "SELECT place, bot, points, matches, wins, satisfaction, accuracy, regret_per_match, luck_per_match, forfeits,
            no_shows, rating, rating_low, rating_high, rating_island, elo, skill, skill_low, skill_high
        FROM standings WHERE tournament_id = $1::uuid ORDER BY position",
    )
    .bind(String::from(id))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    found.into_iter().map(|row| rows::standing(id, row)).collect()
}

pub(super) async fn checkpoint(readers: &PgPool, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
    let row: Option<CheckpointRow> =
        sqlx::query_as("SELECT version, upto, state, hash FROM checkpoints WHERE tournament_id = $1::uuid")
            .bind(String::from(id))
            .fetch_optional(readers)
            .await
            .map_err(fault)?;
    row.map(|row| rows::checkpoint(id, row)).transpose()
}

pub(super) async fn results(
    readers: &PgPool,
    id: TournamentId,
    from: u64,
    most: usize,
) -> Result<Vec<StoredResult>, StoreError> {
    let found: Vec<ResultRow> = sqlx::query_as(
        "SELECT number, group_number, id::text, winner::bigint, bot, lost, rank_actual, regret, luck, seats.plies, optimal_plies
        FROM (SELECT number, group_number, id, CASE WHEN damage IS NULL THEN winner END AS winner FROM matches
            WHERE tournament_id = $1::uuid AND number >= $2 AND (signature IS NOT NULL OR damage IS NOT NULL)
            ORDER BY number LIMIT $3) AS page
        JOIN seats ON match_id = id ORDER BY number, seat",
    )
    .bind(String::from(id))
    .bind(i64::try_from(from).unwrap_or(i64::MAX))
    .bind(limit(most))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    rows::results(&found)
}

pub(super) async fn unfinished_matches(readers: &PgPool) -> Result<Vec<MatchId>, StoreError> {
    let found: Vec<String> =
        sqlx::query_scalar("SELECT id::text FROM matches WHERE over_at_us IS NULL ORDER BY matches.id")
            .fetch_all(readers)
            .await
            .map_err(fault)?;
    found.iter().map(|id| rows::match_id(id)).collect()
}

pub(super) async fn summaries(
    readers: &PgPool,
    decoded: &Decoded,
    filter: &MatchFilter,
    before: Option<MatchId>,
    most: usize,
) -> Result<Vec<MatchSummary>, StoreError> {
    let statement = match (filter.tournament, &filter.bot) {
        (None, None) => {
            "SELECT id::text, setup::text, plies::bigint, reason, winner::bigint, damage FROM matches
            WHERE id < $1::uuid AND over_at_us IS NOT NULL ORDER BY matches.id DESC LIMIT $2"
        }
        (Some(_), None) => {
            "SELECT id::text, setup::text, plies::bigint, reason, winner::bigint, damage FROM matches
            WHERE tournament_id = $3::uuid AND id < $1::uuid AND over_at_us IS NOT NULL ORDER BY matches.id DESC LIMIT $2"
        }
        (None, Some(_)) => {
            "SELECT id::text, setup::text, matches.plies::bigint, reason, winner::bigint, damage FROM seats JOIN matches ON id = match_id
            WHERE bot = $4 AND match_id < $1::uuid AND over_at_us IS NOT NULL ORDER BY match_id DESC LIMIT $2"
        }
        // Ids rise with time: those of a tournament lie between its first and its last.
        (Some(_), Some(_)) => {
            "SELECT id::text, setup::text, matches.plies::bigint, reason, winner::bigint, damage FROM seats JOIN matches ON id = match_id
            WHERE bot = $4 AND match_id < $1::uuid AND over_at_us IS NOT NULL AND tournament_id = $3::uuid
                AND match_id >= (SELECT id FROM matches WHERE tournament_id = $3::uuid ORDER BY id LIMIT 1)
                AND match_id <= (SELECT id FROM matches WHERE tournament_id = $3::uuid ORDER BY id DESC LIMIT 1)
            ORDER BY match_id DESC LIMIT $2"
        }
    };
    let found: Vec<SummaryRow> = sqlx::query_as(statement)
        .bind(before.map_or_else(|| BEHIND_ALL.to_owned(), String::from))
        .bind(limit(most))
        .bind(filter.tournament.map(String::from))
        .bind(filter.bot.as_ref().map(BotName::as_str))
        .fetch_all(readers)
        .await
        .map_err(fault)?;
    found.into_iter().map(|row| rows::summary(row, decoded)).collect()
}

pub(super) async fn summary(
    readers: &PgPool,
    decoded: &Decoded,
    id: MatchId,
) -> Result<Option<MatchSummary>, StoreError> {
    let found: Option<SummaryRow> = sqlx::query_as(
        "SELECT id::text, setup::text, plies::bigint, reason, winner::bigint, damage FROM matches
        WHERE id = $1::uuid AND over_at_us IS NOT NULL",
    )
    .bind(String::from(id))
    .fetch_optional(readers)
    .await
    .map_err(fault)?;
    found.map(|row| rows::summary(row, decoded)).transpose()
}

pub(super) async fn record(readers: &PgPool, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
    // Both queries see the same moment.
    let mut moment =
        readers.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await.map_err(fault)?;
    let row: Option<MatchRow> = sqlx::query_as(
        "SELECT setup::text, plies::bigint, reason, winner::bigint, head_hash, signer, signature, damage FROM matches WHERE id = $1::uuid",
    )
    .bind(String::from(id))
    .fetch_optional(&mut *moment)
    .await
    .map_err(fault)?;
    let Some(row) = row else { return Ok(None) };
    let events: Vec<EventRow> = sqlx::query_as(
        "SELECT seq::bigint, at_us, kind, seat::bigint, ply, take, steward, charged_us, lag_us, reason, winner::bigint,
            detail::text, hash
        FROM events WHERE match_id = $1::uuid ORDER BY events.seq",
    )
    .bind(String::from(id))
    .fetch_all(&mut *moment)
    .await
    .map_err(fault)?;
    moment.rollback().await.map_err(fault)?;
    rows::whole(id, row, events).map(Some)
}
