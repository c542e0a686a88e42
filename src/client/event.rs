//! What the server sends, parsed: the border at which protobuf stops.

use super::{Clock, Connected, EndReason, MatchInfo, Refusal, RefusalReason, SeatFigures, TournamentMatch};
use crate::{
    game::{
        AllianceMatrix, AllianceMatrixError, BotName, BotNameError, BySeat, Ending, MatchId, MatchIdError,
        Piles, PilesError, Seat, SeatCount, SeatCountError, SeatError,
    },
    wire::pb,
};
use std::time::Duration;
use thiserror::Error;

/// What no server of this kind sends.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A part is missing.
    #[error("{message} without {part}")]
    Missing {
        /// The message.
        message: &'static str,
        /// Its missing part.
        part: &'static str,
    },
    /// A match's id is none.
    #[error(transparent)]
    MatchId(#[from] MatchIdError),
    /// A bot's name is none.
    #[error(transparent)]
    BotName(#[from] BotNameError),
    /// A match has too many or too few seats.
    #[error("a match of {0}")]
    Seats(#[from] SeatCountError),
    /// A seat is none of its match.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// Piles are none.
    #[error(transparent)]
    Piles(#[from] PilesError),
    /// Rows are no alliance matrix.
    #[error(transparent)]
    Matrix(#[from] AllianceMatrixError),
    /// The rows are those of another number of seats.
    #[error("{rows} rows for a match of {seats} seats")]
    Rows {
        /// The rows given.
        rows: SeatCount,
        /// The seats of the match.
        seats: SeatCount,
    },
    /// An enum's number means nothing.
    #[error("the number {number} where {what} should stand")]
    Number {
        /// What should stand there.
        what: &'static str,
        /// What does.
        number: i32,
    },
    /// A turn does not fit the match.
    #[error(
        "a turn at ply {ply} with {counters} counters in pile {pile}, which does not fit match {match_id} from seat {seat}"
    )]
    Turn {
        /// The match.
        match_id: MatchId,
        /// The own seat.
        seat: Seat,
        /// The ply given.
        ply: u32,
        /// The pile given.
        pile: u32,
        /// The counters given.
        counters: u64,
    },
    /// A turn came before the rows were known.
    #[error("a turn in match {0} before its rows were revealed")]
    TurnBeforeRows(MatchId),
    /// The first event was not a welcome.
    #[error("something else before its welcome")]
    NoWelcome,
}

/// One event of the session.
#[derive(Debug, Clone)]
pub(super) enum Event {
    Welcome(Connected),
    Started(MatchInfo),
    Snapshot(Box<Snapshot>),
    Revealed {
        match_id: MatchId,
        matrix: AllianceMatrix,
    },
    Turn {
        match_id: MatchId,
        turn: RawTurn,
    },
    Refused(Refusal),
    Forfeited {
        match_id: MatchId,
        seat: u32,
    },
    Ended(Ended),
    Ping(u64),
    Draining {
        within: Duration,
    },
    /// Something that needs no answer: an acknowledgement, another seat's take, or an event of a newer server.
    Heard,
}

/// The whole state of an open match.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) info: MatchInfo,
    pub(super) stage: Stage,
    /// Whether the own seat was lost.
    pub(super) forfeited: bool,
}

/// Where a match of a snapshot stands.
#[derive(Debug, Clone)]
pub(super) enum Stage {
    /// The own row is awaited.
    Declaring,
    /// The own row is in, others are not.
    Declared,
    /// Takes are made.
    Playing { matrix: AllianceMatrix, turn: Option<RawTurn> },
    /// The match is over.
    Ended,
}

/// A turn as it was sent, to be checked against its match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawTurn {
    pub(super) ply: u32,
    pub(super) pile: u32,
    pub(super) counters: u64,
    pub(super) bank_left: Duration,
}

/// The end of a match.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) match_id: MatchId,
    pub(super) reason: EndReason,
    pub(super) winner: Option<u32>,
    /// By seat, and empty where there is no winner.
    pub(super) figures: Vec<SeatFigures>,
}

impl Event {
    /// Reads what the server sent.
    ///
    /// # Errors
    /// Names the first part that is missing or means nothing; an event of an unknown kind is none of these.
    pub(super) fn parse(response: pb::PlayResponse) -> Result<Self, ProtocolError> {
        use pb::play_response::Event as Wire;
        Ok(match response.event {
            Some(Wire::Welcome(welcome)) => Self::Welcome(Connected {
                bot: welcome.bot,
                server_version: welcome.server_version,
                open_matches: welcome.open_matches,
            }),
            Some(Wire::MatchStarted(started)) => Self::Started(info(started)?),
            Some(Wire::Snapshot(snapshot)) => Self::Snapshot(Box::new(parse_snapshot(snapshot)?)),
            Some(Wire::Revealed(revealed)) => Self::Revealed {
                match_id: revealed.match_id.parse()?,
                matrix: matrix(&required(revealed.alliance_matrix, "a reveal", "rows")?)?,
            },
            Some(Wire::Turn(turn)) => Self::Turn { match_id: turn.match_id.parse()?, turn: raw_turn(&turn) },
            Some(Wire::Refused(refused)) => Self::Refused(Refusal {
                match_id: refused.match_id.parse().ok(),
                reason: RefusalReason::read(refused.reason),
                message: refused.message,
                ply: refused.ply,
                strikes: refused.strikes,
                strikes_left: refused.strikes_left,
            }),
            Some(Wire::Forfeited(forfeited)) => {
                Self::Forfeited { match_id: forfeited.match_id.parse()?, seat: forfeited.seat }
            }
            Some(Wire::MatchEnded(ended)) => Self::Ended(Ended {
                match_id: ended.match_id.parse()?,
                reason: end_reason(ended.reason),
                winner: ended.winner,
                figures: ended.audit.as_ref().map(figures).unwrap_or_default(),
            }),
            Some(Wire::Ping(ping)) => Self::Ping(ping.id),
            Some(Wire::Draining(draining)) => Self::Draining { within: milliseconds(draining.within_ms) },
            Some(Wire::Took(_) | Wire::Declared(_)) | None => Self::Heard,
        })
    }
}

fn required<T>(part: Option<T>, message: &'static str, name: &'static str) -> Result<T, ProtocolError> {
    part.ok_or(ProtocolError::Missing { message, part: name })
}

fn milliseconds(number: u32) -> Duration {
    Duration::from_millis(u64::from(number))
}

fn info(started: pb::MatchStarted) -> Result<MatchInfo, ProtocolError> {
    let setup = required(started.setup, "the start of a match", "a setup")?;
    let clock = required(setup.clock, "the start of a match", "a clock")?;
    let bots = setup.bots.iter().map(|name| name.parse()).collect::<Result<Vec<BotName>, _>>()?;
    let bots = BySeat::try_from(bots)?;
    let seats = bots.seats();
    let assigned = setup.assigned.as_ref().map(matrix).transpose()?;
    if let Some(assigned) = &assigned {
        check_rows(assigned, seats)?;
    }
    let tournament = (!setup.tournament_id.is_empty()).then_some(TournamentMatch {
        id: setup.tournament_id,
        number: setup.number,
        group: setup.group,
    });
    Ok(MatchInfo {
        id: started.match_id.parse()?,
        seat: seats.seat(started.seat as usize)?,
        bots,
        piles: Piles::parse(&setup.piles)?,
        first: seats.seat(setup.first as usize)?,
        ending: ending(setup.ending)?,
        clock: Clock {
            initial: milliseconds(clock.initial_ms),
            increment: milliseconds(clock.increment_ms),
            lag_quota: milliseconds(clock.lag_quota_ms),
            lag_total: milliseconds(clock.lag_total_ms),
            declaration: milliseconds(clock.declaration_ms),
        },
        assigned,
        strikes: setup.strikes,
        max_plies: setup.max_plies,
        tournament,
    })
}

/// Checks that a matrix has a row for each seat of its match.
pub(super) fn check_rows(matrix: &AllianceMatrix, seats: SeatCount) -> Result<(), ProtocolError> {
    if matrix.seats() == seats { Ok(()) } else { Err(ProtocolError::Rows { rows: matrix.seats(), seats }) }
}

fn matrix(matrix: &pb::AllianceMatrix) -> Result<AllianceMatrix, ProtocolError> {
    let offsets = |row: &pb::Row| row.offsets.iter().copied().map(u64::from).collect();
    let rows: Vec<Vec<u64>> = matrix.rows.iter().map(offsets).collect();
    Ok(AllianceMatrix::parse(&rows)?)
}

fn ending(number: i32) -> Result<Ending, ProtocolError> {
    match pb::Ending::try_from(number) {
        Ok(pb::Ending::Unspecified | pb::Ending::ToMoveWins) => Ok(Ending::ToMoveWins),
        Ok(pb::Ending::LastMoverWins) => Ok(Ending::LastMoverWins),
        Err(_) => Err(ProtocolError::Number { what: "an ending", number }),
    }
}

fn end_reason(number: i32) -> EndReason {
    match pb::EndReason::try_from(number) {
        Ok(pb::EndReason::Finished) => EndReason::Finished,
        Ok(pb::EndReason::PlyLimit) => EndReason::PlyLimit,
        Ok(pb::EndReason::AllForfeited) => EndReason::AllForfeited,
        Ok(pb::EndReason::Cancelled) => EndReason::Cancelled,
        Ok(pb::EndReason::Unspecified) | Err(_) => EndReason::Other,
    }
}

fn raw_turn(turn: &pb::Turn) -> RawTurn {
    RawTurn { ply: turn.ply, pile: turn.pile, counters: turn.counters, bank_left: milliseconds(turn.bank_ms) }
}

fn parse_snapshot(snapshot: pb::Snapshot) -> Result<Snapshot, ProtocolError> {
    let info = info(required(snapshot.started, "a snapshot", "the start of its match")?)?;
    let stage = match pb::Phase::try_from(snapshot.phase) {
        Ok(pb::Phase::Declaring) if snapshot.declaration_left_ms == 0 => Stage::Declared,
        Ok(pb::Phase::Declaring) => Stage::Declaring,
        Ok(pb::Phase::Playing) => {
            let matrix =
                matrix(&required(snapshot.alliance_matrix, "a snapshot of a match in play", "rows")?)?;
            check_rows(&matrix, info.seats())?;
            Stage::Playing { matrix, turn: snapshot.turn.as_ref().map(raw_turn) }
        }
        Ok(pb::Phase::Ended) => Stage::Ended,
        Ok(pb::Phase::Unspecified) | Err(_) => {
            return Err(ProtocolError::Number { what: "a phase", number: snapshot.phase });
        }
    };
    let forfeited = snapshot.forfeited.contains(&u32::from(info.seat));
    Ok(Snapshot { info, stage, forfeited })
}

/// Reads every seat's figures; the takes are counted from the plies, as the audit gives only their share.
fn figures(audit: &pb::Audit) -> Vec<SeatFigures> {
    let mut figures: Vec<SeatFigures> = audit
        .seats
        .iter()
        .map(|seat| SeatFigures {
            satisfaction: seat.satisfaction,
            regret: seat.regret,
            luck: seat.luck,
            takes: 0,
            optimal_takes: 0,
        })
        .collect();
    for ply in audit.plies.iter().filter(|ply| !ply.steward) {
        if let Some(seat) = figures.get_mut(ply.seat as usize) {
            seat.takes += 1;
            seat.optimal_takes += u32::from(ply.regret == 0);
        }
    }
    figures
}
