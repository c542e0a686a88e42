//! What bots have heard of: the ends of matches up to one, and those of single tournaments.

use super::fault;
use crate::game::{BotName, MatchId, TournamentId};
use crate::referee::Timestamp;
use crate::store::batch::Batch;
use crate::store::columns::integer;
use crate::store::rows::{self, UnheardEndRow};
use crate::store::{MAX_COUNTED_ENDS, StoreError, UnheardMatches};
use crate::tournament::TournamentEnd;
use sqlx::{PgConnection, PgPool};

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Writes of which ends bots have heard.
pub(super) async fn write(connection: &mut PgConnection, batch: &Batch<'_>) -> Result<(), StoreError> {
    if !batch.heard.is_empty() {
        let bots: Vec<&str> = batch.heard.keys().map(|bot| bot.as_str()).collect();
        let through: Vec<String> = batch.heard.values().map(ToString::to_string).collect();
        sqlx::query(
            "UPDATE bots SET ends_heard = greatest(ends_heard, now.through)
            FROM unnest($1::text[], $2::text[]::uuid[]) AS now (bot, through) WHERE name = now.bot",
        )
        .bind(bots)
        .bind(through)
        .execute(&mut *connection)
        .await
        .map_err(fault)?;
    }
    for (bot, id) in &batch.tournament_ends_heard {
        sqlx::query("DELETE FROM unheard_tournament_ends WHERE bot = $1 AND tournament_id = $2::uuid")
            .bind(bot.as_str())
            .bind(String::from(*id))
            .execute(&mut *connection)
            .await
            .map_err(fault)?;
    }
    Ok(())
}

/// Notes that all bots in the last standings of a tournament are to hear of its end.
pub(super) async fn tell_all(connection: &mut PgConnection, id: TournamentId) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO unheard_tournament_ends (bot, tournament_id, position)
        SELECT bot, tournament_id, position FROM standings WHERE tournament_id = $1::uuid
        ON CONFLICT DO NOTHING",
    )
    .bind(String::from(id))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

pub(super) async fn unheard_matches(
    readers: &PgPool,
    bot: &BotName,
    from: MatchId,
    most: usize,
) -> Result<UnheardMatches, StoreError> {
    let newest: Vec<String> = sqlx::query_scalar(
        "SELECT match_id::text FROM seats JOIN matches ON id = match_id
        WHERE bot = $1 AND match_id >= $2::uuid AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), '00000000-0000-0000-0000-000000000000') AND over_at_us IS NOT NULL
        ORDER BY seats.match_id DESC LIMIT $3",
    )
    .bind(bot.as_str())
    .bind(String::from(from))
    .bind(limit(most))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    let newest = newest.iter().map(|id| rows::match_id(id)).collect::<Result<Vec<_>, _>>()?;
    let Some(oldest) = newest.last().filter(|_| newest.len() == most) else {
        return Ok(UnheardMatches { newest, more: 0 });
    };
    let more: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (
            SELECT 1 FROM seats JOIN matches ON id = match_id
            WHERE bot = $1 AND match_id >= $2::uuid AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), '00000000-0000-0000-0000-000000000000') AND over_at_us IS NOT NULL
                AND match_id < $4::uuid LIMIT $3) AS older",
    )
    .bind(bot.as_str())
    .bind(String::from(from))
    .bind(limit(MAX_COUNTED_ENDS))
    .bind(String::from(*oldest))
    .fetch_one(readers)
    .await
    .map_err(fault)?;
    Ok(UnheardMatches { newest, more: rows::count(more)? })
}

pub(super) async fn unheard_tournament_ends(
    readers: &PgPool,
    bot: &BotName,
    since: Timestamp,
    most: usize,
) -> Result<Vec<TournamentEnd>, StoreError> {
    let mut found: Vec<UnheardEndRow> = sqlx::query_as(
        "SELECT place, line.bot, points, matches, wins, satisfaction, accuracy, regret_per_match, luck_per_match, forfeits,
            no_shows, rating, rating_low, rating_high, rating_island, elo, skill, skill_low, skill_high,
            id::text, title, state, (SELECT (max(position) + 1)::bigint FROM standings AS every WHERE every.tournament_id = ended.tournament_id)
        FROM unheard_tournament_ends AS ended
            JOIN tournaments ON id = ended.tournament_id
            JOIN standings AS line ON line.tournament_id = ended.tournament_id AND line.position = ended.position
        WHERE ended.bot = $1 AND over_at_us >= $2 ORDER BY ended.tournament_id DESC LIMIT $3",
    )
    .bind(bot.as_str())
    .bind(integer("a time", since.as_micros())?)
    .bind(limit(most))
    .fetch_all(readers)
    .await
    .map_err(fault)?;
    found.reverse();
    found.into_iter().map(rows::tournament_end).collect()
}
