//! What comes out of the tables: rows, made into what was written.

use super::decoded::Decoded;
use super::words::{Kind, Word};
use super::{
    FieldHistory, MatchSummary, StoreError, StoredBot, StoredMatch, StoredResult, StoredTournament, TokenHash,
};
use super::{TournamentOver, columns};
use crate::game::{AllianceMatrix, BotName, MatchId, Row, Seat, SeatCount, TournamentId};
use crate::oracle::Mover;
use crate::referee::{
    EndReason, Event, EventHash, MatchSetup, Phase, PublicKey, Record, Seal, Signature, TimedEvent, Timestamp,
};
use crate::tournament::{
    Checkpoint, Estimate, FieldChange, Interval, Movement, Outcome, SeatResult, Standing, StandingRating,
    TournamentEnd, Verdict,
};
use crate::wire::{
    Field, Violations, pb, setup::parse_recorded_setup, tournament::parse_settings_and_terms,
    verdict::parse_verdict,
};
use sqlx::{ColumnIndex, Decode, FromRow, Type};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// `name, registered_at_us, token_hash`.
pub(super) type BotRow = (String, i64, Vec<u8>);
/// `id, created_at_us, state, settings, over_at_us, played, total, verdict`.
pub(super) type TournamentRow =
    (String, i64, String, String, Option<i64>, Option<i64>, Option<i64>, Option<String>);
/// `tournament_id, bot`, in the order of joining.
pub(super) type EntrantRow = (String, String);
/// `tournament_id, bot, movement`: the last change of each bot, in their order.
pub(super) type MovementRow = (String, String, String);
/// `round, bot, movement`, in the order of the changes.
pub(super) type FieldChangeRow = (i64, String, String);
/// `version, upto, state, hash`.
pub(super) type CheckpointRow = (i64, i64, Vec<u8>, Vec<u8>);
/// `place, bot, points, matches, wins, satisfaction, accuracy, regret_per_match, luck_per_match, forfeits, no_shows` and
/// `rating, rating_low, rating_high, rating_island, elo, skill, skill_low, skill_high`.
pub(super) struct StandingRow(CountedRow, RatedRow);
type CountedRow = (i64, String, f64, i64, i64, Option<f64>, Option<f64>, Option<f64>, Option<f64>, i64, i64);
type RatedRow =
    (Option<f64>, Option<f64>, Option<f64>, Option<i64>, Option<f64>, Option<f64>, Option<f64>, Option<f64>);

impl<'r, R> FromRow<'r, R> for StandingRow
where
    R: sqlx::Row,
    usize: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    f64: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        let rated = (
            row.try_get(11)?,
            row.try_get(12)?,
            row.try_get(13)?,
            row.try_get(14)?,
            row.try_get(15)?,
            row.try_get(16)?,
            row.try_get(17)?,
            row.try_get(18)?,
        );
        // A tuple reads the first columns.
        Ok(Self(CountedRow::from_row(row)?, rated))
    }
}
/// A line of the standings, as its row has it, and `id, title, state` of the tournament and how many lines there are.
pub(super) struct UnheardEndRow(StandingRow, String, String, String, i64);

impl<'r, R> FromRow<'r, R> for UnheardEndRow
where
    R: sqlx::Row,
    usize: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    f64: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
{
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        let standing = StandingRow::from_row(row)?;
        Ok(Self(standing, row.try_get(19)?, row.try_get(20)?, row.try_get(21)?, row.try_get(22)?))
    }
}
/// `id, setup, plies, reason, winner, damage`.
pub(super) type SummaryRow = (String, String, Option<i64>, Option<String>, Option<i64>, Option<String>);
/// `number, group_number, id, winner, bot, lost, rank_actual, regret, luck, plies, optimal_plies`: one of each seat, in their order.
pub(super) type ResultRow = (
    i64,
    Option<i64>,
    String,
    Option<i64>,
    String,
    Option<String>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
);
/// `setup, plies, reason, winner, head_hash, signer, signature, damage`.
pub(super) type MatchRow = (
    String,
    Option<i64>,
    Option<String>,
    Option<i64>,
    Option<Vec<u8>>,
    Option<Vec<u8>>,
    Option<Vec<u8>>,
    Option<String>,
);
/// `seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, reason, winner, detail, hash`.
pub(super) type EventRow = (
    i64,
    i64,
    String,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<bool>,
    Option<i64>,
    Option<i64>,
    Option<String>,
    Option<i64>,
    Option<String>,
    Vec<u8>,
);

/// Why a row is none that was written.
type Why = String;

fn damaged<T>(what: impl fmt::Display, read: Result<T, Why>) -> Result<T, StoreError> {
    read.map_err(|why| StoreError::Damaged { what: what.to_string(), why })
}

/// Reads a bot.
pub(super) fn bot((name, registered_at_us, token_hash): BotRow) -> Result<StoredBot, StoreError> {
    let read = || {
        Ok(StoredBot {
            name: parsed(&name)?,
            registered_at: time(registered_at_us)?,
            token: TokenHash::from_bytes(bytes("token_hash", &token_hash)?),
        })
    };
    damaged(format_args!("bot {name:?}"), read())
}

/// Reads tournaments, and gives each the bots that are in it.
pub(super) fn tournaments(
    rows: Vec<TournamentRow>,
    entrants: Vec<EntrantRow>,
    movements: Vec<MovementRow>,
    decoded: &Decoded,
) -> Result<Vec<StoredTournament>, StoreError> {
    let mut fields: HashMap<String, Vec<BotName>> = HashMap::new();
    let what = |id: &str| format!("the field of tournament {id}");
    for (id, name) in entrants {
        let bot = damaged(what(&id), parsed(&name))?;
        fields.entry(id).or_default().push(bot);
    }
    for (id, name, movement) in movements {
        let bot = damaged(what(&id), parsed(&name))?;
        let movement: Movement = damaged(what(&id), Word::of_word(&movement))?;
        movement.make(&bot, fields.entry(id).or_default());
    }
    let with_field = |row: TournamentRow| {
        let field = fields.remove(&row.0).unwrap_or_default();
        let what = format!("tournament {}", row.0);
        damaged(what, tournament(row, field, decoded))
    };
    rows.into_iter().map(with_field).collect()
}

/// Reads who was in a tournament when.
pub(super) fn field_history(
    id: TournamentId,
    entrants: &[(String,)],
    changes: Vec<FieldChangeRow>,
) -> Result<FieldHistory, StoreError> {
    let change = |(round, bot, movement): FieldChangeRow| {
        let (bot, movement) = (parsed(&bot)?, Word::of_word(&movement)?);
        Ok(FieldChange { round: number("round", round)?, bot, movement })
    };
    let read = || {
        Ok(FieldHistory {
            start: entrants.iter().map(|(bot,)| parsed(bot)).collect::<Result<_, Why>>()?,
            changes: changes.into_iter().map(change).collect::<Result<_, Why>>()?,
        })
    };
    damaged(format_args!("the field of tournament {id}"), read())
}

fn tournament(row: TournamentRow, field: Vec<BotName>, decoded: &Decoded) -> Result<StoredTournament, Why> {
    let (id, created_at_us, state, settings, over_at_us, played, total, verdict) = row;
    let verdict = match &verdict {
        None => Verdict::Standings,
        Some(verdict) => from_json::<pb::Verdict, _>("verdict", verdict, parse_verdict)?,
    };
    let (settings, terms) = decoded.settings.get_or_decode(&settings, |settings| {
        let read = from_json::<pb::TournamentSettings, _>("settings", settings, |given, at, wrong| {
            parse_settings_and_terms(given, at, wrong)
        });
        read.map(|(settings, terms)| (Arc::new(settings), terms))
    })?;
    let over = match (over_at_us, played, total) {
        (None, None, None) => None,
        (Some(at), Some(played), Some(total)) => Some(TournamentOver {
            at: time(at)?,
            played: number("played", played)?,
            total: number("total", total)?,
            verdict: Arc::new(verdict),
        }),
        _ => return Err("of over_at_us, played and total some are there and some are not".to_owned()),
    };
    Ok(StoredTournament {
        id: parsed(&id)?,
        created_at: time(created_at_us)?,
        settings,
        terms,
        field: Arc::new(field),
        state: Word::of_word(&state)?,
        over,
    })
}

/// Reads a line of the standings of a tournament.
pub(super) fn standing(id: TournamentId, row: StandingRow) -> Result<Standing, StoreError> {
    let StandingRow(row, rated) = row;
    let (place, bot, points, matches, wins, satisfaction, accuracy, regret, luck, forfeits, no_shows) = row;
    let read = || {
        Ok(Standing {
            place: number("place", place)?,
            bot: parsed(&bot)?,
            points,
            matches: number("matches", matches)?,
            wins: number("wins", wins)?,
            satisfaction,
            accuracy,
            regret_per_match: regret,
            luck_per_match: luck,
            forfeits: number("forfeits", forfeits)?,
            no_shows: number("no_shows", no_shows)?,
            rating: rating(rated)?,
            elo: rated.4,
            skill: skill(rated)?,
        })
    };
    damaged(format_args!("the line of {bot:?} in the standings of tournament {id}"), read())
}

/// Reads the end of a tournament as a bot is told of it.
pub(super) fn tournament_end(row: UnheardEndRow) -> Result<TournamentEnd, StoreError> {
    let UnheardEndRow(line, id, title, state, bots) = row;
    let what = format!("tournament {id}");
    let read = || Ok((parsed(&id)?, Word::of_word(&state)?, number("bots", bots)?));
    let (id, state, bots) = damaged(what, read())?;
    Ok(TournamentEnd { id, title, state, standing: standing(id, line)?, bots })
}

fn rating((points, low, high, island, ..): RatedRow) -> Result<Option<StandingRating>, Why> {
    match (points, low, high, island) {
        (None, None, None, None) => Ok(None),
        (Some(points), Some(low), Some(high), Some(island)) => Ok(Some(StandingRating {
            points,
            interval: Interval { low, high },
            island: number("rating_island", island)?,
        })),
        _ => Err("of its rating some figures are there and some are not".to_owned()),
    }
}

fn skill((.., mean, low, high): RatedRow) -> Result<Option<Estimate>, Why> {
    let interval = match (low, high) {
        (None, None) => None,
        (Some(low), Some(high)) => Some(Interval { low, high }),
        _ => return Err("of its skill_low and skill_high only one is there".to_owned()),
    };
    match mean {
        None if interval.is_some() => Err("its skill has an interval and no mean".to_owned()),
        mean => Ok(mean.map(|mean| Estimate { mean, interval })),
    }
}

/// Reads what a tournament had come to.
pub(super) fn checkpoint(
    id: TournamentId,
    (version, upto, state, hash): CheckpointRow,
) -> Result<Checkpoint, StoreError> {
    let read = || {
        let (version, upto) = (number("version", version)?, number("upto", upto)?);
        Ok(Checkpoint { version, upto, state, hash: bytes("hash", &hash)? })
    };
    damaged(format_args!("the checkpoint of tournament {id}"), read())
}

/// Reads the id of a match.
pub(super) fn match_id(id: &str) -> Result<MatchId, StoreError> {
    damaged(format_args!("match {id:?}"), parsed(id))
}

/// Reads how many there are of something.
pub(super) fn count<T: TryFrom<i64>>(of: i64) -> Result<T, StoreError> {
    damaged("a count", number("count", of))
}

/// Reads a match that is over, in brief.
pub(super) fn summary(row: SummaryRow, decoded: &Decoded) -> Result<MatchSummary, StoreError> {
    let (id, setup, plies, reason, winner, damage) = row;
    let read = || {
        if let Some(damage) = damage {
            return Ok(MatchSummary {
                id: parsed(&id)?,
                setup: read_setup(&setup).ok().map(Arc::new),
                phase: Phase::Ended,
                plies: number("plies", plies.unwrap_or_default())?,
                end: None,
                damage: Some(damage.into()),
            });
        }
        let setup = decoded.setups.get_or_decode(&setup, |setup| read_setup(setup).map(Arc::new))?;
        let (plies, reason) = (given("plies", plies)?, given("reason", reason)?);
        let winner = winner.map(|winner| seat("winner", winner, setup.seats())).transpose()?;
        Ok(MatchSummary {
            id: parsed(&id)?,
            setup: Some(setup),
            phase: Phase::Ended,
            plies: number("plies", plies)?,
            end: Some((EndReason::of_word(&reason)?, winner)),
            damage: None,
        })
    };
    damaged(format_args!("match {id}"), read())
}

/// Reads the results of pairings, in which the seats of a match follow each other.
pub(super) fn results(rows: &[ResultRow]) -> Result<Vec<StoredResult>, StoreError> {
    let of_matches = rows.chunk_by(|one, other| one.2 == other.2);
    of_matches
        .map(|seats| damaged(format_args!("the result of match {}", seats[0].2), result(seats)))
        .collect()
}

fn result(rows: &[ResultRow]) -> Result<StoredResult, Why> {
    let (of_pairing, group, ref id, winner, ..) = rows[0];
    let outcome = match winner {
        None => None,
        Some(winner) => {
            let seats = rows.iter().map(seat_result).collect::<Result<Vec<_>, _>>()?;
            let count = SeatCount::new(seats.len()).map_err(|error| error.to_string())?;
            let seats = seats.try_into().map_err(|error: crate::game::SeatCountError| error.to_string())?;
            Some(Outcome { winner: seat("winner", winner, count)?, seats })
        }
    };
    let bots = rows.iter().map(|row| parsed(&row.4)).collect::<Result<Vec<BotName>, _>>()?;
    let bots = bots.try_into().map_err(|error: crate::game::SeatCountError| error.to_string())?;
    let group = number("group_number", given("group_number", group)?)?;
    Ok(StoredResult { number: number("number", of_pairing)?, group, id: parsed(id)?, bots, outcome })
}

fn seat_result(row: &ResultRow) -> Result<SeatResult, Why> {
    let (_, _, _, _, _, ref lost, rank_actual, regret, luck, plies, optimal_plies) = *row;
    Ok(SeatResult {
        rank_actual: number("rank_actual", given("rank_actual", rank_actual)?)?,
        regret: number("regret", given("regret", regret)?)?,
        luck: number("luck", given("luck", luck)?)?,
        plies: number("plies", given("plies", plies)?)?,
        optimal_plies: number("optimal_plies", given("optimal_plies", optimal_plies)?)?,
        lost: lost.as_deref().map(Word::of_word).transpose()?,
    })
}

/// Reads all that is kept of a match, and holds it against its hashes.
pub(super) fn whole(id: MatchId, row: MatchRow, events: Vec<EventRow>) -> Result<StoredMatch, StoreError> {
    let what = format!("the record of match {id}");
    let (setup, plies, reason, winner, head_hash, signer, signature, damage) = row;
    if let Some(why) = damage {
        return Err(StoreError::Quarantined { id, why });
    }
    let record = damaged(&what, replay(id, &setup, events))?;
    let state = record.state();
    let told = state.end().map(|(reason, winner)| (reason.word(), winner.map(columns::small)));
    let head = record.head();
    let sums_up = told.map(|(_, winner)| winner) == reason.as_ref().map(|_| winner)
        && told.map(|(word, _)| word) == reason.as_deref()
        && plies == told.map(|_| i64::from(state.ply()))
        && head_hash.as_deref() == told.map(|_| head.as_bytes().as_slice());
    if !sums_up {
        let why = "its reason, winner, plies or head_hash is not what its events come to".to_owned();
        return damaged(format_args!("the row of match {id}"), Err(why));
    }
    let seal = match (signer, signature) {
        (None, None) => Ok(None),
        (Some(signer), Some(signature)) => read_seal(&signer, &signature).map(Some),
        _ => Err("of signer and signature only one is there".to_owned()),
    };
    Ok(StoredMatch { record, seal: damaged(format_args!("the seal of match {id}"), seal)? })
}

fn read_seal(signer: &[u8], signature: &[u8]) -> Result<Seal, Why> {
    Ok(Seal {
        signer: PublicKey::from_bytes(bytes("signer", signer)?).map_err(|error| error.to_string())?,
        signature: Signature::from_bytes(bytes("signature", signature)?),
    })
}

fn replay(id: MatchId, setup: &str, rows: Vec<EventRow>) -> Result<Record, Why> {
    let setup = read_setup(setup)?;
    let seats = setup.seats();
    let mut setup = Some(Box::new(setup));
    let mut record: Option<Record> = None;
    for (index, row) in rows.into_iter().enumerate() {
        let at_event = |why: Why| format!("event {index}: {why}");
        if usize::try_from(row.0) != Ok(index) {
            return Err(at_event(format!("it is missing, and event {} is there", row.0)));
        }
        let hash = EventHash::from_bytes(bytes("hash", &row.12).map_err(at_event)?);
        let event = event(row, seats, &mut setup).map_err(at_event)?;
        let pushed = match &mut record {
            None => Record::begin(id, event).map(|begun| record = Some(begun)),
            Some(record) => record.push(event),
        };
        pushed.map_err(|error| error.to_string())?;
        if record.as_ref().map(Record::head) != Some(hash) {
            return Err(at_event(
                "its hash is not that of what is kept of it and of the events before".to_owned(),
            ));
        }
    }
    record.ok_or_else(|| "it has no events".to_owned())
}

fn event(row: EventRow, seats: SeatCount, setup: &mut Option<Box<MatchSetup>>) -> Result<TimedEvent, Why> {
    let (_, at_us, kind, of_seat, ply, take, steward, charged_us, lag_us, reason, winner, detail, _) = row;
    let its_seat = || seat("seat", given("seat", of_seat)?, seats);
    let its_reason = || given("reason", reason.as_deref());
    let its_detail = || given("detail", detail.as_deref());
    let micros = |name, span| Ok::<_, Why>(Duration::from_micros(number(name, given(name, span)?)?));
    let event = match Kind::of_word(&kind)? {
        Kind::Created => Event::Created(setup.take().ok_or("a second `created`")?),
        Kind::Declared => {
            let offsets: Vec<u64> = plain_json("detail", its_detail()?)?;
            let row = Row::parse(&offsets, seats).map_err(|error| error.to_string())?;
            let defaulted = reason.as_deref().map(Word::of_word).transpose()?;
            Event::Declared { seat: its_seat()?, row, defaulted }
        }
        Kind::Revealed => {
            let rows: Vec<Vec<u64>> = plain_json("detail", its_detail()?)?;
            Event::Revealed { matrix: AllianceMatrix::parse(&rows).map_err(|error| error.to_string())? }
        }
        Kind::Took => Event::Took {
            ply: number("ply", given("ply", ply)?)?,
            seat: its_seat()?,
            take: number("take", given("take", take)?)?,
            mover: if given("steward", steward)? { Mover::Steward } else { Mover::Bot },
            charged: micros("charged_us", charged_us)?,
            credited: micros("lag_us", lag_us)?,
        },
        Kind::Struck => Event::Struck {
            seat: its_seat()?,
            ply: number("ply", given("ply", ply)?)?,
            reason: Word::of_word(its_reason()?)?,
        },
        Kind::Forfeited => Event::Forfeited { seat: its_seat()?, reason: Word::of_word(its_reason()?)? },
        Kind::Ended => Event::Ended {
            reason: Word::of_word(its_reason()?)?,
            winner: winner.map(|winner| seat("winner", winner, seats)).transpose()?,
        },
    };
    Ok(TimedEvent { at: time(at_us)?, event })
}

fn read_setup(setup: &str) -> Result<MatchSetup, Why> {
    from_json::<pb::MatchSetup, _>("setup", setup, parse_recorded_setup)
}

fn from_json<M: serde::de::DeserializeOwned, T>(
    column: &'static str,
    json: &str,
    parse: impl FnOnce(&M, Field<'_>, &mut Violations) -> Option<T>,
) -> Result<T, Why> {
    let message = plain_json(column, json)?;
    let mut violations = Violations::default();
    let parsed = parse(&message, Field::root(column), &mut violations);
    violations.finish(parsed).map_err(|error| error.to_string())
}

fn plain_json<T: serde::de::DeserializeOwned>(column: &str, json: &str) -> Result<T, Why> {
    serde_json::from_str(json).map_err(|error| format!("{column}: {error}"))
}

fn parsed<T: std::str::FromStr<Err: fmt::Display>>(text: &str) -> Result<T, Why> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn given<T>(column: &str, value: Option<T>) -> Result<T, Why> {
    value.ok_or_else(|| format!("its {column} is missing"))
}

fn number<T: TryFrom<i64>>(column: &str, number: i64) -> Result<T, Why> {
    number.try_into().map_err(|_| format!("{column} of {number}: it is out of its range"))
}

fn time(micros: i64) -> Result<Timestamp, Why> {
    number("time", micros).map(Timestamp::from_micros)
}

fn seat(column: &str, index: i64, seats: SeatCount) -> Result<Seat, Why> {
    seats.seat(number(column, index)?).map_err(|error| format!("{column}: {error}"))
}

fn bytes<const N: usize>(column: &str, bytes: &[u8]) -> Result<[u8; N], Why> {
    bytes.try_into().map_err(|_| format!("{column} of {} bytes: it has {N}", bytes.len()))
}
