//! The tables of bots and tournaments.

use super::{fault, hearing};
use crate::game::{BotName, TournamentId};
use crate::store::batch::{
    Batch, BotWrite, EndedTournament, Entrant, FieldWrite, NewCheckpoint, StoredFieldChange,
};
use crate::store::columns::{integer, settings_json, small, verdict_json};
use crate::store::words::Word;
use crate::store::{StoreError, StoredBot, StoredTournament};
use crate::tournament::{Standing, State};
use sqlx::PgConnection;

/// Writes what there is of bots and tournaments in a batch. These are few.
pub(super) async fn write(connection: &mut PgConnection, batch: &Batch<'_>) -> Result<(), StoreError> {
    for bot in &batch.bots {
        match bot {
            BotWrite::Kept(bot) => register(connection, bot).await?,
            BotWrite::Removed(name) => remove(connection, name).await?,
        }
    }
    for stored in &batch.tournaments {
        create(connection, stored).await?;
    }
    for write in &batch.fields {
        write_field(connection, write).await?;
    }
    for &(id, state) in &batch.states {
        set_state(connection, id, state).await?;
    }
    for checkpoint in &batch.checkpoints {
        keep(connection, checkpoint).await?;
    }
    for ended in &batch.tournaments_over {
        end(connection, ended).await?;
    }
    hearing::write(connection, batch).await?;
    Ok(())
}

async fn register(connection: &mut PgConnection, bot: &StoredBot) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO bots (name, registered_at_us, token_hash) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET registered_at_us = excluded.registered_at_us, token_hash = excluded.token_hash",
    )
    .bind(bot.name.as_str())
    .bind(integer("a time", bot.registered_at.as_micros())?)
    .bind(bot.token.as_bytes().as_slice())
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

async fn remove(connection: &mut PgConnection, name: &BotName) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM bots WHERE name = $1",
        "DELETE FROM entrants WHERE bot = $1",
        "DELETE FROM field_changes WHERE bot = $1",
        "DELETE FROM standings WHERE bot = $1",
        "DELETE FROM unheard_tournament_ends WHERE bot = $1",
    ] {
        sqlx::query(statement).bind(name.as_str()).execute(&mut *connection).await.map_err(fault)?;
    }
    Ok(())
}

async fn create(connection: &mut PgConnection, stored: &StoredTournament) -> Result<(), StoreError> {
    let over = stored.over.as_ref();
    sqlx::query(
        "INSERT INTO tournaments (id, created_at_us, title, seed, state, settings, over_at_us, played, total, verdict)
        VALUES ($1::uuid, $2, $3, $4::numeric, $5, $6::jsonb, $7, $8, $9, $10::jsonb) ON CONFLICT (id) DO NOTHING",
    )
    .bind(String::from(stored.id))
    .bind(integer("a time", stored.created_at.as_micros())?)
    .bind(stored.settings.title.to_string())
    .bind(stored.settings.seed.to_string())
    .bind(stored.state.word())
    .bind(settings_json(stored)?)
    .bind(over.map(|over| integer("a time", over.at.as_micros())).transpose()?)
    .bind(over.map(|over| integer("a count", over.played)).transpose()?)
    .bind(over.map(|over| integer("a count", over.total)).transpose()?)
    .bind(over.map(|over| verdict_json(&over.verdict)).transpose()?.flatten())
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

async fn write_field(connection: &mut PgConnection, write: &FieldWrite<'_>) -> Result<(), StoreError> {
    match write {
        FieldWrite::Joined(entrant) => enter(connection, entrant).await,
        FieldWrite::Left { tournament, entrants } => {
            sqlx::query("DELETE FROM entrants WHERE tournament_id = $1::uuid")
                .bind(String::from(*tournament))
                .execute(&mut *connection)
                .await
                .map_err(fault)?;
            for entrant in entrants {
                enter(connection, entrant).await?;
            }
            Ok(())
        }
        FieldWrite::Changed(change) => change_field(connection, change).await,
    }
}

async fn change_field(
    connection: &mut PgConnection,
    change: &StoredFieldChange<'_>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO field_changes (tournament_id, seq, round, bot, movement) VALUES ($1::uuid, $2, $3, $4, $5)
        ON CONFLICT (tournament_id, seq) DO NOTHING",
    )
    .bind(String::from(change.tournament))
    .bind(change.seq)
    .bind(change.round)
    .bind(change.bot.as_str())
    .bind(change.movement.word())
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

async fn enter(connection: &mut PgConnection, entrant: &Entrant<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO entrants (tournament_id, place, bot) VALUES ($1::uuid, $2, $3)
        ON CONFLICT DO NOTHING",
    )
    .bind(String::from(entrant.tournament))
    .bind(entrant.place)
    .bind(entrant.bot.as_str())
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

async fn set_state(connection: &mut PgConnection, id: TournamentId, state: State) -> Result<(), StoreError> {
    let done = sqlx::query("UPDATE tournaments SET state = $2 WHERE id = $1::uuid")
        .bind(String::from(id))
        .bind(state.word())
        .execute(connection)
        .await
        .map_err(fault)?;
    found(id, done.rows_affected())
}

/// Keeps a checkpoint, unless the tournament is over: it may have ended before this was written.
async fn keep(connection: &mut PgConnection, new: &NewCheckpoint<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO checkpoints (tournament_id, version, upto, state, hash)
        SELECT id, $2, $3, $4, $5 FROM tournaments WHERE id = $1::uuid AND over_at_us IS NULL
        ON CONFLICT (tournament_id) DO UPDATE SET version = excluded.version, upto = excluded.upto,
            state = excluded.state, hash = excluded.hash",
    )
    .bind(String::from(new.tournament))
    .bind(i64::from(new.checkpoint.version))
    .bind(new.upto)
    .bind(new.checkpoint.state.as_slice())
    .bind(new.checkpoint.hash.as_slice())
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

async fn end(connection: &mut PgConnection, ended: &EndedTournament<'_>) -> Result<(), StoreError> {
    let done = sqlx::query(
        "UPDATE tournaments SET state = $2, over_at_us = $3, played = $4, total = $5, verdict = $6::jsonb
        WHERE id = $1::uuid",
    )
    .bind(String::from(ended.id))
    .bind(ended.state.word())
    .bind(integer("a time", ended.over.at.as_micros())?)
    .bind(integer("a count", ended.over.played)?)
    .bind(integer("a count", ended.over.total)?)
    .bind(verdict_json(&ended.over.verdict)?)
    .execute(&mut *connection)
    .await
    .map_err(fault)?;
    found(ended.id, done.rows_affected())?;
    sqlx::query("DELETE FROM checkpoints WHERE tournament_id = $1::uuid")
        .bind(String::from(ended.id))
        .execute(&mut *connection)
        .await
        .map_err(fault)?;
    sqlx::query("DELETE FROM standings WHERE tournament_id = $1::uuid")
        .bind(String::from(ended.id))
        .execute(&mut *connection)
        .await
        .map_err(fault)?;
    for (position, standing) in (0..).zip(ended.standings) {
        add_standing(connection, ended.id, position, standing).await?;
    }
    hearing::tell_all(connection, ended.id).await
}

async fn add_standing(
    connection: &mut PgConnection,
    id: TournamentId,
    position: i64,
    standing: &Standing,
) -> Result<(), StoreError> {
    let skill_interval = standing.skill.and_then(|skill| skill.interval);
    sqlx::query(
        "INSERT INTO standings (tournament_id, position, place, bot, points, matches, wins, satisfaction, accuracy,
            regret_per_match, luck_per_match, forfeits, no_shows, rating, rating_low, rating_high, rating_island,
            elo, skill, skill_low, skill_high)
        VALUES ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)",
    )
    .bind(String::from(id))
    .bind(position)
    .bind(small(standing.place))
    .bind(standing.bot.as_str())
    .bind(standing.points)
    .bind(small(standing.matches))
    .bind(small(standing.wins))
    .bind(standing.satisfaction)
    .bind(standing.accuracy)
    .bind(standing.regret_per_match)
    .bind(standing.luck_per_match)
    .bind(small(standing.forfeits))
    .bind(small(standing.no_shows))
    .bind(standing.rating.map(|rating| rating.points))
    .bind(standing.rating.map(|rating| rating.interval.low))
    .bind(standing.rating.map(|rating| rating.interval.high))
    .bind(standing.rating.map(|rating| small(rating.island)))
    .bind(standing.elo)
    .bind(standing.skill.map(|skill| skill.mean))
    .bind(skill_interval.map(|interval| interval.low))
    .bind(skill_interval.map(|interval| interval.high))
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}

fn found(id: TournamentId, changed: u64) -> Result<(), StoreError> {
    match changed {
        0 => Err(StoreError::Refused(format!("there is no tournament {id} to change"))),
        _ => Ok(()),
    }
}
