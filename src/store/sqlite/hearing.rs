//! What bots have heard of: the ends of matches up to one, and those of single tournaments.

use super::fault;
use crate::game::{BotName, MatchId, TournamentId};
use crate::referee::Timestamp;
use crate::store::batch::Batch;
use crate::store::columns::integer;
use crate::store::rows::{self, UnheardEndRow};
use crate::store::{MAX_COUNTED_ENDS, StoreError, UnheardMatches};
use crate::tournament::TournamentEnd;
use sqlx::{SqliteConnection, SqlitePool};

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Writes of which ends bots have heard.
pub(super) async fn write(connection: &mut SqliteConnection, batch: &Batch<'_>) -> Result<(), StoreError> {
    if !batch.heard.is_empty() {
        let heard: serde_json::Map<String, serde_json::Value> =
            batch.heard.iter().map(|(bot, through)| (bot.to_string(), through.to_string().into())).collect();
        sqlx::query(
            "UPDATE bots SET ends_heard = now.value FROM json_each($1) AS now
            WHERE name = now.key AND (ends_heard IS NULL OR ends_heard < now.value)",
        )
        .bind(serde_json::Value::Object(heard).to_string())
        .execute(&mut *connection)
        .await
        .map_err(fault)?;
    }
    for (bot, id) in &batch.tournament_ends_heard {
        sqlx::query("DELETE FROM unheard_tournament_ends WHERE bot = $1 AND tournament_id = $2")
            .bind(bot.as_str())
            .bind(String::from(*id))
            .execute(&mut *connection)
            .await
            .map_err(fault)?;
    }
    Ok(())
}

/// Notes that all bots in the last standings of a tournament are to hear of its end.
pub(super) async fn tell_all(connection: &mut SqliteConnection, id: TournamentId) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO unheard_tournament_ends (bot, tournament_id, position)
        SELECT bot, tournament_id, position FROM standings WHERE tournament_id = $1
        ON CONFLICT DO NOTHING",
    )
    .bind(String::from(id))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

pub(super) async fn unheard_matches(
    readers: &SqlitePool,
    bot: &BotName,
    from: MatchId,
    most: usize,
) -> Result<UnheardMatches, StoreError> {
    let newest: Vec<String> = sqlx::query_scalar(
        "SELECT match_id FROM seats CROSS JOIN matches ON id = match_id
        WHERE bot = $1 AND match_id >= $2 AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), '') AND over_at_us IS NOT NULL
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
            SELECT 1 FROM seats CROSS JOIN matches ON id = match_id
            WHERE bot = $1 AND match_id >= $2 AND match_id > coalesce((SELECT ends_heard FROM bots WHERE name = $1), '') AND over_at_us IS NOT NULL
                AND match_id < $4 LIMIT $3) AS older",
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
    readers: &SqlitePool,
    bot: &BotName,
    since: Timestamp,
    most: usize,
) -> Result<Vec<TournamentEnd>, StoreError> {
    let mut found: Vec<UnheardEndRow> = sqlx::query_as(
        "SELECT place, line.bot, points, matches, wins, satisfaction, accuracy, regret_per_match, luck_per_match, forfeits,
            no_shows, rating, rating_low, rating_high, rating_island, elo, skill, skill_low, skill_high,
            id, title, state, (SELECT max(position) + 1 FROM standings AS every WHERE every.tournament_id = ended.tournament_id)
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
