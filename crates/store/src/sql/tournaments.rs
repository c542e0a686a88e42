//! Writes bots and tournaments, which are few compared with matches.

use super::acknowledged_ends::{add_unacknowledged_end, remove_unacknowledged_end, write_acknowledged_ends};
use super::columns::{
    played_versions_json, settings_json, small_number, to_column_integer, tournament_event_json, verdict_json,
};
use super::dialect::{Dialect, Statement};
use super::keywords::StoredKeyword;
use super::multi_row::MultiRow;
use super::versions::add_seen_version;
use crate::{Change, StoreError, StoredBot, StoredEntryCode, StoredTournament, TournamentResult};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::{pb, tournament_event::TimedTournamentEvent};
use lastnim_tournament::{Checkpoint, FieldChange, Standing, TournamentState};

/// Builds the statement that stores the checkpoint of a tournament if the tournament is unfinished (`IS NULL`) or
/// finished (`IS NOT NULL`).
macro_rules! keep_checkpoint {
    ($over_at:literal) => {
        concat!(
            "INSERT INTO checkpoints (tournament_id, version, upto, state, hash)
            SELECT id, $2, $3, $4, $5 FROM tournaments WHERE id = $1::uuid AND over_at_us ",
            $over_at,
            " ON CONFLICT (tournament_id) DO UPDATE SET version = excluded.version, upto = excluded.upto,
                state = excluded.state, hash = excluded.hash"
        )
    };
}

/// Writes the changes to bots and tournaments, in order.
pub(super) async fn write_tournaments<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Bot(bot) => register_bot::<D>(connection, bot).await?,
            Change::BotRemoved { name } => remove_bot::<D>(connection, name).await?,
            Change::TournamentCreated(stored) => {
                create_tournament::<D>(connection, stored).await?;
                add_entrants::<D>(connection, stored.id, 0, &stored.field).await?;
            }
            Change::TournamentJoined { id, place, bot } => {
                add_entrants::<D>(connection, *id, *place, std::slice::from_ref(bot)).await?;
            }
            Change::TournamentLeft { id, field } => {
                Statement::<D>::new("DELETE FROM entrants WHERE tournament_id = $1::uuid")
                    .bind(String::from(*id))
                    .execute(connection)
                    .await?;
                add_entrants::<D>(connection, *id, 0, field).await?;
            }
            Change::EntryCode { id, code } => set_entry_code::<D>(connection, *id, code.as_ref()).await?,
            Change::FieldChanged { id, seq, change } => {
                add_field_change::<D>(connection, *id, *seq, change).await?;
            }
            Change::TournamentEvent { id, seq, event } => {
                add_event::<D>(connection, *id, *seq, event).await?;
            }
            Change::TournamentState { id, state } => set_state::<D>(connection, *id, *state).await?,
            Change::Checkpoint { id, checkpoint } => {
                // The tournament may have ended before this is written.
                write_checkpoint::<D>(connection, keep_checkpoint!("IS NULL"), *id, checkpoint).await?;
            }
            Change::BotComparisons { id, checkpoint } => {
                write_checkpoint::<D>(connection, keep_checkpoint!("IS NOT NULL"), *id, checkpoint).await?;
            }
            Change::TournamentOver { id, state, over, standings } => {
                end_tournament::<D>(connection, *id, *state, over).await?;
                write_standings::<D>(connection, *id, standings).await?;
                add_unacknowledged_end::<D>(connection, *id).await?;
            }
            Change::TournamentEndAcknowledged { bot, id } => {
                remove_unacknowledged_end::<D>(connection, bot, *id).await?;
            }
            Change::VersionSeen { bot, version, at } => {
                add_seen_version::<D>(connection, bot, version, *at).await?;
            }
            // These changes are written elsewhere: acknowledged ends together at the end of this function, and all
            // others by other modules.
            Change::EndsAcknowledged { .. }
            | Change::MatchVoided { .. }
            | Change::SeatVersions { .. }
            | Change::MatchEvents { .. }
            | Change::MatchOver(_)
            | Change::TranscriptPublished(_)
            | Change::TranscriptRemoved { .. }
            | Change::RecordsPruned { .. }
            | Change::RequestDone(_)
            | Change::ClockSeen { .. }
            | Change::ClockRepaired { .. }
            | Change::MatchQuarantined { .. } => {}
        }
    }
    write_acknowledged_ends::<D>(connection, changes).await
}

async fn register_bot<D: Dialect>(connection: &mut D::Connection, bot: &StoredBot) -> Result<(), StoreError> {
    let pb::BotProfile { team, author, link } = (&bot.profile).into();
    Statement::<D>::new(
        "INSERT INTO bots (name, registered_at_us, token_hash, team, author, link) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (name) DO UPDATE SET registered_at_us = excluded.registered_at_us, token_hash = excluded.token_hash,
        team = excluded.team, author = excluded.author, link = excluded.link",
    )
    .bind(bot.name.as_str())
    .bind(to_column_integer("a time", bot.registered_at.as_micros())?)
    .bind(bot.token.as_bytes().as_slice())
    .bind(team)
    .bind(author)
    .bind(link)
    .execute(connection)
    .await
}

async fn remove_bot<D: Dialect>(connection: &mut D::Connection, name: &BotName) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM bots WHERE name = $1",
        "DELETE FROM bot_versions WHERE bot = $1",
        "DELETE FROM entrants WHERE bot = $1",
        "DELETE FROM field_changes WHERE bot = $1",
        "DELETE FROM standings WHERE bot = $1",
        "DELETE FROM unheard_tournament_ends WHERE bot = $1",
        "DELETE FROM requests WHERE caller = $1",
    ] {
        Statement::<D>::new(statement).bind(name.as_str()).execute(connection).await?;
    }
    Ok(())
}

async fn create_tournament<D: Dialect>(
    connection: &mut D::Connection,
    stored: &StoredTournament,
) -> Result<(), StoreError> {
    let result = stored.over.as_ref();
    Statement::<D>::new(
        "INSERT INTO tournaments (id, created_at_us, title, seed, state, settings, over_at_us, played, total, verdict,
            deal_secret, entry_code_hash, entry_code_uses)
        VALUES ($1::uuid, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10::jsonb, $11, $12, $13) ON CONFLICT (id) DO NOTHING",
    )
    .bind(String::from(stored.id))
    .bind(to_column_integer("a time", stored.created_at.as_micros())?)
    .bind(stored.settings.title.to_string())
    .bind(stored.settings.seed.to_string())
    .bind(stored.state.as_keyword())
    .bind(settings_json(stored)?)
    .bind(result.map(|result| to_column_integer("a time", result.at.as_micros())).transpose()?)
    .bind(result.map(|result| to_column_integer("a count", result.played)).transpose()?)
    .bind(result.map(|result| to_column_integer("a count", result.total)).transpose()?)
    .bind(result.map(|result| verdict_json(&result.verdict)).transpose()?.flatten())
    .bind(stored.deal_secret.as_ref().map(|secret| secret.as_bytes().as_slice()))
    .bind(stored.entry_code.as_ref().map(|code| code.hash.as_bytes().as_slice()))
    .bind(stored.entry_code.map(|code| i64::from(code.uses_left)))
    .execute(connection)
    .await
}

/// Adds bots to the field of a tournament, from index `place` on.
async fn add_entrants<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    place: usize,
    field: &[BotName],
) -> Result<(), StoreError> {
    let first = to_column_integer("a place", place)?;
    let entrants: Vec<_> = (first..).zip(field).collect();
    let added = MultiRow::new(
        "INSERT INTO entrants (tournament_id, place, bot) SELECT column1::uuid, column2, column3 FROM {rows}
        WHERE true ON CONFLICT DO NOTHING",
        &entrants,
    )
    .text(|_| String::from(id))
    .integer(|&(place, _)| place)
    .text(|(_, bot)| bot.to_string())
    .run::<D>(connection);
    added.await.map(drop)
}

async fn add_field_change<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    seq: usize,
    change: &FieldChange,
) -> Result<(), StoreError> {
    Statement::<D>::new(
        "INSERT INTO field_changes (tournament_id, seq, round, bot, movement) VALUES ($1::uuid, $2, $3, $4, $5)
        ON CONFLICT (tournament_id, seq) DO NOTHING",
    )
    .bind(String::from(id))
    .bind(to_column_integer("a number of changes", seq)?)
    .bind(to_column_integer("a round", change.round)?)
    .bind(change.bot.as_str())
    .bind(change.movement.as_keyword())
    .execute(connection)
    .await
}

async fn add_event<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    seq: usize,
    event: &TimedTournamentEvent,
) -> Result<(), StoreError> {
    Statement::<D>::new(
        "INSERT INTO tournament_events (tournament_id, seq, event) VALUES ($1::uuid, $2, $3::jsonb)
        ON CONFLICT (tournament_id, seq) DO NOTHING",
    )
    .bind(String::from(id))
    .bind(to_column_integer("a number of events", seq)?)
    .bind(tournament_event_json(event)?)
    .execute(connection)
    .await
}

async fn set_entry_code<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    code: Option<&StoredEntryCode>,
) -> Result<(), StoreError> {
    let changed = Statement::<D>::new(
        "UPDATE tournaments SET entry_code_hash = $2, entry_code_uses = $3 WHERE id = $1::uuid RETURNING 1",
    )
    .bind(String::from(id))
    .bind(code.map(|code| code.hash.as_bytes().as_slice()))
    .bind(code.map(|code| i64::from(code.uses_left)))
    .count_rows(connection)
    .await?;
    check_changed(id, changed)
}

async fn set_state<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    state: TournamentState,
) -> Result<(), StoreError> {
    let statement = Statement::<D>::new("UPDATE tournaments SET state = $2 WHERE id = $1::uuid RETURNING 1");
    let changed = statement.bind(String::from(id)).bind(state.as_keyword()).count_rows(connection).await?;
    check_changed(id, changed)
}

async fn write_checkpoint<D: Dialect>(
    connection: &mut D::Connection,
    statement: &'static str,
    id: TournamentId,
    checkpoint: &Checkpoint,
) -> Result<(), StoreError> {
    Statement::<D>::new(statement)
        .bind(String::from(id))
        .bind(i64::from(checkpoint.version))
        .bind(to_column_integer("a number", checkpoint.upto)?)
        .bind(checkpoint.state.as_slice())
        .bind(checkpoint.hash.as_slice())
        .execute(connection)
        .await
}

async fn end_tournament<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    state: TournamentState,
    over: &TournamentResult,
) -> Result<(), StoreError> {
    let changed = Statement::<D>::new(
        "UPDATE tournaments SET state = $2, over_at_us = $3, played = $4, total = $5, verdict = $6::jsonb
        WHERE id = $1::uuid RETURNING 1",
    )
    .bind(String::from(id))
    .bind(state.as_keyword())
    .bind(to_column_integer("a time", over.at.as_micros())?)
    .bind(to_column_integer("a count", over.played)?)
    .bind(to_column_integer("a count", over.total)?)
    .bind(verdict_json(&over.verdict)?)
    .count_rows(connection)
    .await?;
    check_changed(id, changed)?;
    Statement::<D>::new("DELETE FROM checkpoints WHERE tournament_id = $1::uuid")
        .bind(String::from(id))
        .execute(connection)
        .await
}

async fn write_standings<D: Dialect>(
    connection: &mut D::Connection,
    id: TournamentId,
    standings: &[Standing],
) -> Result<(), StoreError> {
    Statement::<D>::new("DELETE FROM standings WHERE tournament_id = $1::uuid")
        .bind(String::from(id))
        .execute(connection)
        .await?;
    let versions = standings.iter().map(|standing| played_versions_json(&standing.versions));
    let versions = versions.collect::<Result<Vec<_>, _>>()?;
    let lines: Vec<_> =
        (0..).zip(standings).zip(&versions).map(|((at, line), versions)| (at, line, versions)).collect();
    let skill_interval = |line: &Standing| line.skill.and_then(|skill| skill.interval);
    let written = MultiRow::new(
        "INSERT INTO standings (tournament_id, position, place, place_best, place_worst, tie_break, bot, points, matches, wins, satisfaction,
            relative_satisfaction, accuracy, regret_per_match, luck_per_match, forfeits, no_shows, rating, rating_low, rating_high, rating_island,
            rating_measure, elo, skill, skill_low, skill_high, versions, disqualified, withdrawn)
        SELECT column1::uuid, column2, column3, column4, column5, column6, column7, column8, column9, column10, column11,
            column12, column13, column14, column15, column16, column17, column18, column19, column20, column21, column22,
            column23, column24, column25, column26, column27::jsonb, column28, column29 FROM {rows}",
        &lines,
    )
    .text(|_| String::from(id))
    .integer(|&(position, ..)| position)
    .integer(|(_, line, _)| small_number(line.place))
    .integer(|(_, line, _)| line.place_range.map(|range| small_number(range.best)))
    .integer(|(_, line, _)| line.place_range.map(|range| small_number(range.worst)))
    .text(|(_, line, _)| line.tie_break.map(|tie_break| tie_break.as_keyword().to_owned()))
    .text(|(_, line, _)| line.bot.to_string())
    .float(|(_, line, _)| line.points)
    .integer(|(_, line, _)| small_number(line.matches))
    .integer(|(_, line, _)| small_number(line.wins))
    .float(|(_, line, _)| line.satisfaction)
    .float(|(_, line, _)| line.relative_satisfaction)
    .float(|(_, line, _)| line.accuracy)
    .float(|(_, line, _)| line.regret_per_match)
    .float(|(_, line, _)| line.luck_per_match)
    .integer(|(_, line, _)| small_number(line.forfeits))
    .integer(|(_, line, _)| small_number(line.no_shows))
    .float(|(_, line, _)| line.rating.map(|rating| rating.points))
    .float(|(_, line, _)| line.rating.map(|rating| rating.interval.low))
    .float(|(_, line, _)| line.rating.map(|rating| rating.interval.high))
    .integer(|(_, line, _)| line.rating.map(|rating| small_number(rating.island)))
    .text(|(_, line, _)| line.rating.map(|rating| rating.measure.as_keyword().to_owned()))
    .float(|(_, line, _)| line.elo)
    .float(|(_, line, _)| line.skill.map(|skill| skill.mean))
    .float(|(_, line, _)| skill_interval(line).map(|interval| interval.low))
    .float(|(_, line, _)| skill_interval(line).map(|interval| interval.high))
    .text(|(.., versions)| (*versions).clone())
    .integer(|(_, line, _)| i64::from(line.is_disqualified))
    .integer(|(_, line, _)| i64::from(line.is_withdrawn))
    .run::<D>(connection);
    written.await.map(drop)
}

fn check_changed(id: TournamentId, changed: usize) -> Result<(), StoreError> {
    match changed {
        0 => Err(StoreError::Refused(format!("there is no tournament {id} to change"))),
        _ => Ok(()),
    }
}
