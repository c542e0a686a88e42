//! Decodes rows into domain types.

use super::decode_cache::DecodeCaches;
use super::row::{DamageReason, RowColumns};
use crate::{
    LostSeat, MatchHead, MatchSummary, SeenVersion, StoreError, StoredBot, StoredEntryCode, StoredResult,
    StoredTournament, TokenHash, TournamentResult,
};
use lastnim_core::game::{
    BotName, BotProfile, BotVersion, MAX_SEATS, MatchId, Seat, SeatCount, SeatCountError, SeatVersions,
    TournamentId,
};
use lastnim_core::referee::{
    DealSecret, EndReason, EventHash, MatchPhase, MatchSetup, PublicKey, Seal, Signature,
};
use lastnim_proto::{
    RequestField,
    bot_version::parse_seat_versions,
    json::message_from_proto3_json,
    manifest::ListedRecord,
    parse_request, pb,
    setup::parse_recorded_setup,
    tournament::parse_settings_and_terms,
    tournament_event::{TimedTournamentEvent, parse_tournament_event},
    verdict::parse_verdict,
};
use lastnim_tournament::{
    Checkpoint, ConfidenceInterval, FieldChange, FieldMovement, FormatVerdict, MatchOutcome, MeanEstimate,
    PlaceRange, PlayedVersion, SeatResult, Standing, StandingRating, TournamentEnd,
};
use prost::Name;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Converts the reason for a failed read to an error that names the damaged data.
pub(super) fn with_damage_context<T>(
    what: impl fmt::Display,
    read: Result<T, DamageReason>,
) -> Result<T, StoreError> {
    read.map_err(|why| StoreError::Damaged { what: what.to_string(), why })
}

pub(super) fn read_bot(row: &impl RowColumns) -> Result<StoredBot, StoreError> {
    let read = || {
        let (team, author, link) = (row.get("team")?, row.get("author")?, row.get("link")?);
        let said = pb::BotProfile { team, author, link };
        Ok(StoredBot {
            name: row.parse_text("name")?,
            registered_at: row.time("registered_at_us")?,
            token: TokenHash::from_bytes(row.bytes("token_hash")?),
            profile: BotProfile::try_from(&said)?,
        })
    };
    with_damage_context(format_args!("bot \"{}\"", row.label("name")), read())
}

/// Reads a version that a bot reported.
pub(super) fn read_seen_version(row: &impl RowColumns) -> Result<SeenVersion, StoreError> {
    let read = || {
        let (label, hash): (String, Vec<u8>) = (row.get("version")?, row.get("config_hash")?);
        let said = pb::BotVersion { version: label, config_hash: hash };
        Ok(SeenVersion {
            version: BotVersion::try_from(&said)?,
            first_seen: row.time("first_seen_at_us")?,
            last_seen: row.time("last_seen_at_us")?,
        })
    };
    with_damage_context(format_args!("a version of bot \"{}\"", row.label("bot")), read())
}

/// Reads a seat that a bot lost, without its strikes.
pub(super) fn read_lost_seat(row: &impl RowColumns) -> Result<LostSeat, StoreError> {
    let read = || {
        let max_seats = SeatCount::new(MAX_SEATS).map_err(|error| error.to_string())?;
        let tournament = row.nullable::<String>("tournament_id")?.map(|_| row.parse_text("tournament_id"));
        let seat = read_seat("seat", row.get("seat")?, max_seats)?;
        Ok(LostSeat::new(row.parse_text("match_id")?, tournament.transpose()?, seat))
    };
    with_damage_context(format_args!("a seat of match {}", row.label("match_id")), read())
}

/// Reads the versions of the bot in each seat of a match.
pub(super) fn read_seat_versions(json: Option<String>) -> Result<Vec<SeatVersions>, DamageReason> {
    let Some(json) = json else { return Ok(Vec::new()) };
    parse_seat_versions(&parse_messages_json::<pb::SeatVersions>("seat_versions", &json)?)
}

fn read_played_versions(json: Option<String>) -> Result<Vec<PlayedVersion>, DamageReason> {
    let Some(json) = json else { return Ok(Vec::new()) };
    parse_messages_json::<pb::PlayedVersion>("versions", &json)?.iter().map(TryInto::try_into).collect()
}

/// Reads a tournament without its bots.
pub(super) fn read_tournament(
    row: &impl RowColumns,
    decoded: &DecodeCaches,
) -> Result<StoredTournament, StoreError> {
    let read = || {
        let (settings, terms) =
            decoded.settings.get_or_decode(&row.get::<String>("settings")?, |settings| {
                let parsed = parse_message_json::<pb::TournamentSettings, _>(
                    "settings",
                    settings,
                    parse_settings_and_terms,
                );
                parsed.map(|(settings, terms)| (Arc::new(settings), terms))
            })?;
        Ok(StoredTournament {
            id: row.parse_text("id")?,
            created_at: row.time("created_at_us")?,
            settings,
            terms,
            field: Arc::default(),
            state: row.keyword("state")?,
            over: read_finished_tournament(row)?,
            deal_secret: row.nullable_bytes("deal_secret")?.map(DealSecret::from_bytes),
            entry_code: read_entry_code(row)?,
        })
    };
    with_damage_context(format_args!("tournament {}", row.label("id")), read())
}

fn read_entry_code(row: &impl RowColumns) -> Result<Option<StoredEntryCode>, DamageReason> {
    let Some(hash) = row.nullable_bytes("entry_code_hash")? else { return Ok(None) };
    let hash = TokenHash::from_bytes(hash);
    Ok(Some(StoredEntryCode { hash, uses_left: row.number("entry_code_uses")? }))
}

fn read_finished_tournament(row: &impl RowColumns) -> Result<Option<TournamentResult>, DamageReason> {
    let figures: [Option<i64>; 3] =
        [row.nullable("over_at_us")?, row.nullable("played")?, row.nullable("total")?];
    if figures == [None; 3] {
        return Ok(None);
    }
    let verdict = match row.nullable::<String>("verdict")? {
        None => FormatVerdict::Standings,
        Some(verdict) => parse_message_json::<pb::Verdict, _>("verdict", &verdict, parse_verdict)?,
    };
    Ok(Some(TournamentResult {
        at: row.time("over_at_us")?,
        played: row.number("played")?,
        total: row.number("total")?,
        verdict: Arc::new(verdict),
    }))
}

/// Reads a bot that was in a tournament at its start.
pub(super) fn read_entrant(row: &impl RowColumns) -> Result<(TournamentId, BotName), StoreError> {
    let read = || Ok((row.parse_text("tournament_id")?, row.parse_text("bot")?));
    with_damage_context(format_args!("the field of tournament {}", row.label("tournament_id")), read())
}

/// Reads whether a bot entered or left a tournament.
pub(super) fn read_movement(
    row: &impl RowColumns,
) -> Result<(TournamentId, BotName, FieldMovement), StoreError> {
    let (id, bot) = read_entrant(row)?;
    let movement =
        with_damage_context(format_args!("the field of tournament {id}"), row.keyword("movement"))?;
    Ok((id, bot, movement))
}

/// Reads how a bot entered or left a tournament, and in which round.
pub(super) fn read_field_change(row: &impl RowColumns) -> Result<FieldChange, StoreError> {
    let (id, bot, movement) = read_movement(row)?;
    let round = with_damage_context(format_args!("the field of tournament {id}"), row.number("round"))?;
    Ok(FieldChange { round, bot, movement })
}

/// Reads an organiser's intervention.
pub(super) fn read_tournament_event(row: &impl RowColumns) -> Result<TimedTournamentEvent, StoreError> {
    let read = || {
        parse_message_json::<pb::TournamentEvent, _>(
            "event",
            &row.get::<String>("event")?,
            parse_tournament_event,
        )
    };
    with_damage_context(format_args!("an event of tournament {}", row.label("tournament_id")), read())
}

/// Reads a line of standings.
pub(super) fn read_standing(row: &impl RowColumns) -> Result<Standing, StoreError> {
    let read = || {
        Ok(Standing {
            place: row.number("place")?,
            place_range: read_place_range(row)?,
            tie_break: row.nullable_keyword("tie_break")?,
            bot: row.parse_text("bot")?,
            points: row.get("points")?,
            matches: row.number("matches")?,
            wins: row.number("wins")?,
            satisfaction: row.nullable("satisfaction")?,
            relative_satisfaction: row.nullable("relative_satisfaction")?,
            accuracy: row.nullable("accuracy")?,
            regret_per_match: row.nullable("regret_per_match")?,
            luck_per_match: row.nullable("luck_per_match")?,
            forfeits: row.number("forfeits")?,
            no_shows: row.number("no_shows")?,
            rating: read_rating(row)?,
            elo: row.nullable("elo")?,
            skill: read_skill(row)?,
            versions: read_played_versions(row.nullable("versions")?)?,
            is_disqualified: row.get::<i64>("disqualified")? != 0,
            is_withdrawn: row.get::<i64>("withdrawn")? != 0,
        })
    };
    let (bot, id) = (row.label("bot"), row.label("tournament_id"));
    with_damage_context(format_args!("the standing of \"{bot}\" in tournament {id}"), read())
}

fn read_place_range(row: &impl RowColumns) -> Result<Option<PlaceRange>, DamageReason> {
    let best: Option<i64> = row.nullable("place_best")?;
    if best.is_none() && row.nullable::<i64>("place_worst")?.is_none() {
        return Ok(None);
    }
    Ok(Some(PlaceRange { best: row.number("place_best")?, worst: row.number("place_worst")? }))
}

fn read_rating(row: &impl RowColumns) -> Result<Option<StandingRating>, DamageReason> {
    let island: Option<i64> = row.nullable("rating_island")?;
    let points: [Option<f64>; 3] =
        [row.nullable("rating")?, row.nullable("rating_low")?, row.nullable("rating_high")?];
    if island.is_none() && points == [None; 3] {
        return Ok(None);
    }
    Ok(Some(StandingRating {
        measure: row.keyword("rating_measure")?,
        points: row.get("rating")?,
        interval: ConfidenceInterval { low: row.get("rating_low")?, high: row.get("rating_high")? },
        island: row.number("rating_island")?,
    }))
}

fn read_skill(row: &impl RowColumns) -> Result<Option<MeanEstimate>, DamageReason> {
    let interval = match (row.nullable("skill_low")?, row.nullable("skill_high")?) {
        (None, None) => None,
        (Some(low), Some(high)) => Some(ConfidenceInterval { low, high }),
        _ => return Err("only one of skill_low and skill_high is set".to_owned()),
    };
    match row.nullable("skill")? {
        None if interval.is_some() => Err("its skill has an interval but no mean".to_owned()),
        mean => Ok(mean.map(|mean| MeanEstimate { mean, interval })),
    }
}

/// Reads the end of a tournament as it is sent to a bot.
pub(super) fn read_tournament_end(row: &impl RowColumns) -> Result<TournamentEnd, StoreError> {
    let standing = read_standing(row)?;
    let read = || {
        Ok(TournamentEnd {
            id: row.parse_text("tournament_id")?,
            title: row.get("title")?,
            state: row.keyword("state")?,
            standing,
            bots: row.number("bots")?,
        })
    };
    with_damage_context(format_args!("tournament {}", row.label("tournament_id")), read())
}

pub(super) fn read_checkpoint(row: &impl RowColumns, id: TournamentId) -> Result<Checkpoint, StoreError> {
    let read = || {
        Ok(Checkpoint {
            version: row.number("version")?,
            upto: row.number("upto")?,
            state: row.get("state")?,
            hash: row.bytes("hash")?,
        })
    };
    with_damage_context(format_args!("the checkpoint of tournament {id}"), read())
}

pub(super) fn read_match_id(row: &impl RowColumns) -> Result<MatchId, StoreError> {
    with_damage_context(format_args!("match \"{}\"", row.label("id")), row.parse_text("id"))
}

pub(super) fn read_count(row: &impl RowColumns) -> Result<u64, StoreError> {
    with_damage_context("a count", row.number("count"))
}

/// Reads the summary of a finished match.
pub(super) fn read_summary(
    row: &impl RowColumns,
    decoded: &DecodeCaches,
) -> Result<MatchSummary, StoreError> {
    let read = || {
        let (id, setup): (_, String) = (row.parse_text("id")?, row.get("setup")?);
        let void_reason = row.nullable::<String>("void_reason")?.map(Into::into);
        if let Some(damage) = row.nullable::<String>("damage")? {
            let setup = read_setup(&setup).ok().map(Arc::new);
            let plies = row.nullable::<i64>("plies")?.map_or(Ok(0), |_| row.number("plies"))?;
            let damage = Some(damage.into());
            let versions = Vec::new();
            let (phase, end) = (MatchPhase::Ended, None);
            return Ok(MatchSummary { id, setup, phase, plies, end, damage, void_reason, versions });
        }
        let setup = decoded.setups.get_or_decode(&setup, |setup| read_setup(setup).map(Arc::new))?;
        Ok(MatchSummary {
            id,
            phase: MatchPhase::Ended,
            plies: row.number("plies")?,
            end: Some((row.keyword("reason")?, read_winner(row, setup.seats())?)),
            damage: None,
            void_reason,
            setup: Some(setup),
            versions: read_seat_versions(row.nullable("seat_versions")?)?,
        })
    };
    with_damage_context(format_args!("match {}", row.label("id")), read())
}

/// The record hash of a match, as far as the database row of the match shows it.
pub(super) enum ReadHead {
    Known(MatchHead),
    /// A hash that is valid only if no rows stayed secret, which the database row does not show.
    PossiblyUnrevealed(MatchHead),
}

/// Reads the record hash of a match.
pub(super) fn read_match_head(row: &impl RowColumns) -> Result<ReadHead, StoreError> {
    let read = || {
        let id = row.parse_text("id")?;
        let setup = row.nullable::<String>("setup")?.and_then(|setup| read_setup(&setup).ok());
        let number = match row.nullable::<i64>("number")? {
            Some(_) => Some(row.number("number")?),
            None => setup.as_ref().and_then(|setup| setup.origin.as_ref()).map(|origin| origin.number),
        };
        let is_dealt = setup.is_some_and(|setup| setup.deal.is_some());
        if row.nullable::<String>("damage")?.is_some() {
            return Ok(ReadHead::Known(MatchHead { id, number, record: ListedRecord::Unrecorded }));
        }
        let signer = PublicKey::from_bytes(row.bytes("signer")?).map_err(|error| error.to_string())?;
        let record = ListedRecord::Signed { head: EventHash::from_bytes(row.bytes("head_hash")?), signer };
        let head = MatchHead { id, number, record };
        let is_cancelled = row.keyword::<EndReason>("reason")? == EndReason::Cancelled;
        Ok(if is_cancelled && (is_dealt || row.get::<i64>("plies")? == 0) {
            ReadHead::PossiblyUnrevealed(head)
        } else {
            ReadHead::Known(head)
        })
    };
    with_damage_context(format_args!("match {}", row.label("id")), read())
}

/// A seat in a tournament match.
pub(super) struct ResultSeat {
    number: u64,
    group: u64,
    id: MatchId,
    bot: BotName,
    /// The index of the winning seat, and this seat's result; `None` if the match has no outcome.
    outcome: Option<(i64, SeatResult)>,
    versions: Option<String>,
}

/// Reads a seat of a tournament match.
pub(super) fn read_result_seat(row: &impl RowColumns) -> Result<ResultSeat, StoreError> {
    let read = || {
        let winner: Option<i64> = row.nullable("winner")?;
        Ok(ResultSeat {
            number: row.number("number")?,
            group: row.number("group_number")?,
            id: row.parse_text("id")?,
            bot: row.parse_text("bot")?,
            outcome: winner
                .map(|winner| Ok::<_, DamageReason>((winner, read_seat_result(row)?)))
                .transpose()?,
            versions: row.nullable("seat_versions")?,
        })
    };
    with_damage_context(format_args!("the result of match {}", row.label("id")), read())
}

fn read_seat_result(row: &impl RowColumns) -> Result<SeatResult, DamageReason> {
    Ok(SeatResult {
        rank_actual: row.number("rank_actual")?,
        rank_honest: row.nullable::<i64>("rank_honest")?.map(|_| row.number("rank_honest")).transpose()?,
        regret: row.number("regret")?,
        luck: row.number("luck")?,
        plies: row.number("plies")?,
        optimal_plies: row.number("optimal_plies")?,
        lost: row.nullable_keyword("lost")?,
        versions: SeatVersions::default(),
    })
}

/// Groups consecutive seats into match results.
pub(super) fn read_results(seats: &[ResultSeat]) -> Result<Vec<StoredResult>, StoreError> {
    let seats_by_match = seats.chunk_by(|one, other| one.id == other.id);
    seats_by_match
        .map(|seats| {
            with_damage_context(format_args!("the result of match {}", seats[0].id), read_result(seats))
        })
        .collect()
}

fn read_result(seats: &[ResultSeat]) -> Result<StoredResult, DamageReason> {
    let wrong_count = |error: SeatCountError| error.to_string();
    let bots: Vec<_> = seats.iter().map(|seat| seat.bot.clone()).collect();
    let outcomes: Option<Vec<_>> = seats.iter().map(|seat| seat.outcome.clone()).collect();
    let outcome = |of_seats: Vec<(i64, SeatResult)>| {
        let winner =
            read_seat("winner", of_seats[0].0, SeatCount::new(of_seats.len()).map_err(wrong_count)?)?;
        let mut results: Vec<_> = of_seats.into_iter().map(|(_, result)| result).collect();
        for (result, versions) in results.iter_mut().zip(read_seat_versions(seats[0].versions.clone())?) {
            result.versions = versions;
        }
        Ok::<_, DamageReason>(MatchOutcome { winner, seats: results.try_into().map_err(wrong_count)? })
    };
    let outcome = outcomes.map(outcome).transpose()?;
    let ResultSeat { number, group, id, .. } = seats[0];
    Ok(StoredResult { number, group, id, bots: bots.try_into().map_err(wrong_count)?, outcome })
}

/// Reads the signature of a match, if it has one.
pub(super) fn read_seal(row: &impl RowColumns) -> Result<Option<Seal>, DamageReason> {
    let parts: [Option<Vec<u8>>; 2] = [row.nullable("signer")?, row.nullable("signature")?];
    if parts == [None, None] {
        return Ok(None);
    }
    Ok(Some(Seal {
        signer: PublicKey::from_bytes(row.bytes("signer")?).map_err(|error| error.to_string())?,
        signature: Signature::from_bytes(row.bytes("signature")?),
    }))
}

/// Reads the winning seat of a match, if there is one.
pub(super) fn read_winner(row: &impl RowColumns, seats: SeatCount) -> Result<Option<Seat>, DamageReason> {
    row.nullable("winner")?.map(|winner| read_seat("winner", winner, seats)).transpose()
}

pub(super) fn read_seat(column: &str, index: i64, seats: SeatCount) -> Result<Seat, DamageReason> {
    let index =
        index.try_into().map_err(|_| format!("its column {column} is {index}, which is out of range"))?;
    seats.seat(index).map_err(|error| format!("{column}: {error}"))
}

pub(super) fn read_setup(setup: &str) -> Result<MatchSetup, DamageReason> {
    parse_message_json::<pb::MatchSetup, _>("setup", setup, parse_recorded_setup)
}

fn parse_message_json<M: Name + Default, T>(
    column: &'static str,
    json: &str,
    parse: impl FnOnce(&M, RequestField<'_>) -> Option<T>,
) -> Result<T, DamageReason> {
    let message = message_from_proto3_json(&parse_plain_json(column, json)?)
        .map_err(|error| error.in_member(column).to_string())?;
    parse_request(|row| parse(&message, row.member(column))).map_err(|error| error.to_string())
}

fn parse_messages_json<M: Name + Default>(column: &str, json: &str) -> Result<Vec<M>, DamageReason> {
    let messages: Vec<Value> = parse_plain_json(column, json)?;
    let parse_message =
        |message| message_from_proto3_json(message).map_err(|error| format!("{column}: {error}"));
    messages.iter().map(parse_message).collect()
}

fn parse_plain_json<T: serde::de::DeserializeOwned>(column: &str, json: &str) -> Result<T, DamageReason> {
    serde_json::from_str(json).map_err(|error| format!("{column}: {error}"))
}
