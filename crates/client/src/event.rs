//! Parses messages from the server into [`SessionEvent`]s.

use super::{
    Connected, EndReport, MatchInfo, Refusal, SeatFigures, Suspension, SuspensionReason, TalkMessage,
    TournamentEnd,
    bounds::{MAX_HOUSE_BOTS, MAX_OPEN_MATCHES, MAX_UNSENT_MESSAGES, truncate_text},
    question_queue::MAX_WAITING_REPORTS,
};
use lastnim_core::{
    game::{AllianceMatrix, MatchId, Seat, SeatCount, SeatError},
    oracle::Mover,
    referee::{MAX_ROUND_MESSAGES, RefusalReason, TalkContent, Turn},
};
use lastnim_proto::{
    FromWire as _, JoinRefusal, RequestField, Violations,
    game::{parse_alliance_matrix, parse_row},
    parse_request, pb,
    setup::parse_recorded_setup,
    talk::parse_talk_content,
};
use lastnim_tournament::TournamentState;
use std::time::Duration;
use thiserror::Error;

/// An invalid message from the server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// An event has missing or invalid fields.
    #[error("an invalid event: {0}")]
    Fields(#[from] Violations),
    /// The match does not have this seat.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// The number of rows differs from the number of seats.
    #[error("{rows} rows for a match with {seats} seats")]
    RowCount {
        /// The number of rows in the message.
        rows: SeatCount,
        /// The number of seats in the match.
        seats: SeatCount,
    },
    /// A turn describes a position that its match cannot reach.
    #[error(
        "an impossible turn for seat {seat} in match {match_id}: ply {ply}, with {counters} counters in pile {pile}"
    )]
    ImpossibleTurn {
        /// The match.
        match_id: MatchId,
        /// The bot's seat.
        seat: Seat,
        /// The ply in the turn.
        ply: u32,
        /// The index of the pile in the turn, from 0.
        pile: usize,
        /// The number of counters in that pile, according to the turn.
        counters: u64,
    },
    /// A turn came before the rows were revealed.
    #[error("a turn in match {0} before the rows were revealed")]
    TurnBeforeRows(MatchId),
    /// The server opened more matches than one bot can have open.
    #[error("match {0}, but the bot already has {MAX_OPEN_MATCHES} open matches, the maximum")]
    TooManyMatches(MatchId),
    /// The server keeps sending requests, but does not read the bot's replies.
    #[error("more requests, but did not read the {MAX_UNSENT_MESSAGES} replies that are waiting")]
    RepliesNotRead,
    /// The server sent too many events while a request for a practice match was still unanswered.
    #[error("more than {MAX_WAITING_REPORTS} events before it answered a request for a practice match")]
    TooManyEvents,
    /// The list of house bots is too long.
    #[error("a list of more than {MAX_HOUSE_BOTS} house bots")]
    TooManyHouseBots,
    /// The first event was not a welcome.
    #[error("another event before the welcome")]
    NoWelcome,
}

/// A parsed event from the server.
#[derive(Debug, Clone)]
pub(super) enum SessionEvent {
    Welcome(Connected),
    Started(MatchInfo),
    Snapshot(Box<MatchSnapshot>),
    /// A message of the bot, or the end of its talk in a round, was accepted.
    TalkAccepted {
        match_id: MatchId,
        round: u32,
        /// The number of the message; `None` for the end of the bot's talk.
        number: Option<u32>,
    },
    /// A round of talk has ended. The tracker parses the messages, since that needs the setup of the match.
    Heard {
        match_id: MatchId,
        round: u32,
        messages: Vec<pb::TalkMessage>,
    },
    Revealed {
        match_id: MatchId,
        matrix: AllianceMatrix,
    },
    Turn {
        match_id: MatchId,
        turn: Turn,
    },
    /// A seat took counters.
    Took {
        match_id: MatchId,
        ply: u32,
        take: u64,
        mover: Mover,
    },
    Refused(Refusal),
    Suspended(Suspension),
    Forfeited {
        match_id: MatchId,
        seat: u32,
    },
    Ended(EndedMatch),
    TournamentEnded(TournamentEnd),
    /// The server has now reported all matches that ended while the bot was away, except for `left_out` of them.
    CaughtUp {
        left_out: u64,
    },
    Ping(u64),
    Draining {
        within: Duration,
    },
    /// The bot has entered a tournament.
    Joined(JoinedTournament),
    NotJoined(JoinRefused),
    /// An event that needs no reaction: an acknowledgement, or an event from a newer server that this version does not
    /// know.
    Ignored,
}

/// The full state of an open match.
#[derive(Debug, Clone)]
pub(super) struct MatchSnapshot {
    pub(super) info: MatchInfo,
    pub(super) stage: SnapshotStage,
    /// `None` if the seats do not talk.
    pub(super) talk: Option<SnapshotTalk>,
    /// Whether the bot's seat is forfeited.
    pub(super) forfeited: bool,
}

/// The talk in a snapshot.
#[derive(Debug, Clone)]
pub(super) struct SnapshotTalk {
    /// The round that is open; `None` once the talk is over.
    pub(super) round: Option<u32>,
    pub(super) time_left: Duration,
    /// Whether the bot has ended its own talk in this round.
    pub(super) is_done: bool,
    /// The messages that the bot has sent or heard.
    pub(super) messages: Vec<TalkMessage>,
}

/// The stage of a match in a snapshot.
#[derive(Debug, Clone)]
pub(super) enum SnapshotStage {
    /// The bot has not declared.
    Declaring,
    /// The bot has declared, but other seats have not.
    Declared,
    /// The match is in play.
    Playing { matrix: AllianceMatrix, reached: ReachedPly, turn: Option<Turn> },
    /// The match is over.
    Ended,
}

/// The point that a match in play has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReachedPly {
    /// The number of the next take, from 0.
    pub(super) ply: u32,
    /// The index of the last nonempty pile, from 0.
    pub(super) pile: usize,
    /// The number of counters in that pile.
    pub(super) counters: u64,
}

#[derive(Debug, Clone)]
pub(super) struct JoinedTournament {
    pub(super) tournament: String,
    /// How many bots have joined so far.
    pub(super) bots: usize,
    /// Whether the tournament is over.
    pub(super) is_over: bool,
}

#[derive(Debug, Clone)]
pub(super) struct JoinRefused {
    pub(super) tournament: String,
    /// `None` if this version of the SDK does not know the reason.
    pub(super) reason: Option<JoinRefusal>,
    pub(super) message: String,
}

/// The end of a match.
#[derive(Debug, Clone)]
pub(super) struct EndedMatch {
    pub(super) match_id: MatchId,
    pub(super) reason: EndReport,
    pub(super) winner: Option<u32>,
    /// Figures on the play of each seat, in order of seats; empty if the message has no audit.
    pub(super) figures: Vec<SeatFigures>,
    /// The facts about the match, which the server includes if the bot might not know them.
    pub(super) info: Option<MatchInfo>,
    /// The forfeited seats; empty if the message does not list them.
    pub(super) forfeited: Vec<u32>,
}

impl SessionEvent {
    /// Parses a message from the server.
    ///
    /// # Errors
    /// Returns an error that names every missing or invalid field. Events of unknown kinds are not errors.
    pub(super) fn parse(response: pb::PlayResponse) -> Result<Self, ProtocolError> {
        let Some(event) = response.event else { return Ok(Self::Ignored) };
        Ok(parse_request(|response| parse_event(event, response))?)
    }
}

fn parse_event(event: pb::play_response::Event, response: RequestField<'_>) -> Option<SessionEvent> {
    use pb::play_response::Event as Wire;
    Some(match event {
        Wire::Welcome(welcome) => SessionEvent::Welcome(Connected {
            bot: truncate_text(welcome.bot),
            server_version: truncate_text(welcome.server_version),
            open_matches: welcome.open_matches,
        }),
        Wire::MatchStarted(started) => {
            SessionEvent::Started(parse_match_started(&started, response.member("match_started"))?)
        }
        Wire::Snapshot(snapshot) => {
            SessionEvent::Snapshot(Box::new(parse_snapshot(&snapshot, response.member("snapshot"))?))
        }
        Wire::TalkAccepted(accepted) => SessionEvent::TalkAccepted {
            match_id: parse_match_id(&accepted.match_id, response.member("talk_accepted"))?,
            round: accepted.round,
            number: accepted.number,
        },
        Wire::Heard(heard) => SessionEvent::Heard {
            match_id: parse_match_id(&heard.match_id, response.member("heard"))?,
            round: heard.round,
            messages: heard.messages,
        },
        Wire::Revealed(revealed) => {
            let field = response.member("revealed");
            let matrix = parse_rows(revealed.alliance_matrix.as_ref(), field);
            SessionEvent::Revealed { match_id: parse_match_id(&revealed.match_id, field)?, matrix: matrix? }
        }
        Wire::Turn(turn) => SessionEvent::Turn {
            match_id: parse_match_id(&turn.match_id, response.member("turn"))?,
            turn: Turn::from(&turn),
        },
        Wire::Took(took) => SessionEvent::Took {
            match_id: parse_match_id(&took.match_id, response.member("took"))?,
            ply: took.ply,
            take: took.take,
            mover: if took.steward { Mover::Steward } else { Mover::Bot },
        },
        Wire::Refused(refused) => SessionEvent::Refused(Refusal {
            match_id: refused.match_id.parse().ok(),
            reason: RefusalReason::from_wire(refused.reason),
            message: truncate_text(refused.message),
            ply: refused.ply,
            strikes: refused.strikes,
            strikes_left: refused.strikes_left,
        }),
        Wire::Suspended(notice) => {
            SessionEvent::Suspended(parse_suspension(notice, response.member("suspended"))?)
        }
        Wire::Forfeited(forfeited) => SessionEvent::Forfeited {
            match_id: parse_match_id(&forfeited.match_id, response.member("forfeited"))?,
            seat: forfeited.seat,
        },
        Wire::MatchEnded(ended) => {
            let field = response.member("match_ended");
            let started = ended.started.as_ref();
            SessionEvent::Ended(EndedMatch {
                match_id: parse_match_id(&ended.match_id, field)?,
                reason: EndReport::from_wire(ended.reason),
                winner: ended.winner,
                figures: ended.audit.as_ref().map(seat_figures).unwrap_or_default(),
                info: match started {
                    Some(started) => Some(parse_match_started(started, field.member("started"))?),
                    None => None,
                },
                forfeited: ended.forfeited.iter().map(|lost| lost.seat).collect(),
            })
        }
        Wire::TournamentEnded(ended) => {
            SessionEvent::TournamentEnded(parse_tournament_end(&ended, response.member("tournament_ended"))?)
        }
        Wire::CaughtUp(caught_up) => SessionEvent::CaughtUp { left_out: caught_up.left_out },
        Wire::Ping(ping) => SessionEvent::Ping(ping.id),
        Wire::Draining(draining) => {
            SessionEvent::Draining { within: Duration::from_millis(draining.within_ms.into()) }
        }
        Wire::JoinedTournament(joined) => {
            let field = response.member("joined_tournament");
            let tournament = field.member("tournament").require(joined.tournament.as_ref())?;
            SessionEvent::Joined(JoinedTournament {
                tournament: tournament.id.clone(),
                bots: tournament.field.len(),
                is_over: tournament_end_state(tournament.state).is_some(),
            })
        }
        Wire::JoinRefused(refused) => SessionEvent::NotJoined(JoinRefused {
            tournament: refused.tournament_id,
            reason: JoinRefusal::from_wire(refused.reason),
            message: truncate_text(refused.message),
        }),
        Wire::Declared(_) => SessionEvent::Ignored,
    })
}

fn parse_suspension(notice: pb::Suspended, field: RequestField<'_>) -> Option<Suspension> {
    let reason = SuspensionReason::from_wire(notice.reason);
    let pb::Suspended { tournament_id, message, from_round, lost, no_shows, last, .. } = notice;
    let tournament = field.member("tournament_id").ok_or_report(tournament_id.parse())?;
    let message = truncate_text(message);
    Some(Suspension { tournament, reason, message, from_round, lost, no_shows, last })
}

/// Reads the state of a tournament that is over; `None` if it is not over, or if this version does not know the
/// state.
fn tournament_end_state(number: i32) -> Option<TournamentState> {
    TournamentState::from_wire(number).filter(|state| state.is_over())
}

fn parse_tournament_end(ended: &pb::TournamentEnded, field: RequestField<'_>) -> Option<TournamentEnd> {
    let tournament = field.member("tournament_id").ok_or_report(ended.tournament_id.parse());
    let end_state = tournament_end_state(ended.state);
    let state = field.member("state").require(end_state.as_ref());
    let standing = field.member("standing").require(ended.standing.as_ref());
    let (tournament, &state, standing) = (tournament?, state?, standing?);
    let &pb::Standing { place, points, matches, wins, .. } = standing;
    let title = truncate_text(ended.title.clone());
    Some(TournamentEnd { tournament, title, state, place, points, matches, wins, bots: ended.bots })
}

fn parse_match_id(id: &str, event: RequestField<'_>) -> Option<MatchId> {
    event.member("match_id").ok_or_report(id.parse())
}

fn parse_rows(matrix: Option<&pb::AllianceMatrix>, event: RequestField<'_>) -> Option<AllianceMatrix> {
    event.member("alliance_matrix").parse_required(matrix, parse_alliance_matrix)
}

fn parse_match_started(started: &pb::MatchStarted, field: RequestField<'_>) -> Option<MatchInfo> {
    let id = parse_match_id(&started.match_id, field);
    let setup = field.member("setup").parse_required(started.setup.as_ref(), parse_recorded_setup)?;
    let seat = field.member("seat").ok_or_report(setup.seats().seat(started.seat as usize));
    let dealt_row = started.dealt_row.as_ref();
    let dealt_row = dealt_row.map(|row| parse_row(row, setup.seats(), field.member("dealt_row")));
    let dealt_row = dealt_row.map(|row| row.ok_or(())).transpose().ok()?;
    Some(MatchInfo { id: id?, seat: seat?, setup, dealt_row, messages: Vec::new() })
}

/// Reads the messages of a round of talk.
pub(super) fn parse_heard(
    messages: &[pb::TalkMessage],
    info: &MatchInfo,
) -> Result<Vec<TalkMessage>, ProtocolError> {
    Ok(parse_request(|response| parse_talk_messages(messages, info, response.member("heard")))?)
}

/// Reads messages of talk. Those with an unknown kind of content, from a newer server, are left out.
fn parse_talk_messages(
    messages: &[pb::TalkMessage],
    info: &MatchInfo,
    field: RequestField<'_>,
) -> Option<Vec<TalkMessage>> {
    let known = messages.iter().filter_map(|message| {
        Some((message, message.content.as_ref().filter(|content| content.content.is_some())?))
    });
    known
        .map(|(message, content)| parse_talk_message(message, content, info, field.member("messages")))
        .collect()
}

fn parse_talk_message(
    message: &pb::TalkMessage,
    content: &pb::TalkContent,
    info: &MatchInfo,
    field: RequestField<'_>,
) -> Option<TalkMessage> {
    let &pb::TalkMessage { seat, round, number, .. } = message;
    let seats = info.seats();
    let rounds = info.terms.talk.map_or(0, |talk| talk.rounds);
    for (name, value, limit) in [("round", round, rounds), ("number", number, MAX_ROUND_MESSAGES)] {
        if value >= limit {
            field.member(name).report(format_args!("{name} {value}: expected less than {limit}"));
            return None;
        }
    }
    let to: Option<Vec<_>> =
        field.member("to").parse_each(&message.to, |&seat, at| at.ok_or_report(seats.seat(seat as usize)));
    let content = match parse_talk_content(content, seats, field)? {
        TalkContent::Text(text) => TalkContent::Text(truncate_text(text)),
        content => content,
    };
    Some(TalkMessage {
        seat: field.member("seat").ok_or_report(seats.seat(seat as usize))?,
        round,
        number,
        to: to?.into_iter().collect(),
        content,
    })
}

/// Checks that a matrix has a row for each seat of its match.
pub(super) fn check_row_count(matrix: &AllianceMatrix, seats: SeatCount) -> Result<(), ProtocolError> {
    if matrix.seats() == seats {
        Ok(())
    } else {
        Err(ProtocolError::RowCount { rows: matrix.seats(), seats })
    }
}

fn parse_snapshot(snapshot: &pb::Snapshot, field: RequestField<'_>) -> Option<MatchSnapshot> {
    let info = field.member("started").parse_required(snapshot.started.as_ref(), parse_match_started);
    let phase_field = field.member("phase");
    let stage = match phase_field.known_enum(snapshot.phase)? {
        pb::Phase::Declaring if snapshot.declaration_left_ms == 0 => SnapshotStage::Declared,
        pb::Phase::Declaring => SnapshotStage::Declaring,
        pb::Phase::Playing => SnapshotStage::Playing {
            matrix: parse_rows(snapshot.alliance_matrix.as_ref(), field)?,
            reached: ReachedPly {
                ply: snapshot.ply,
                pile: snapshot.pile as usize,
                counters: snapshot.counters,
            },
            turn: snapshot.turn.as_ref().map(Turn::from),
        },
        pb::Phase::Ended => SnapshotStage::Ended,
        pb::Phase::Unspecified => {
            phase_field.report("missing");
            return None;
        }
        pb::Phase::Quarantined => {
            phase_field.report("a quarantined match cannot have a snapshot");
            return None;
        }
    };
    let info = info?;
    let forfeited = snapshot.forfeited.contains(&u32::from(info.seat));
    let talk = match &snapshot.talk {
        None => None,
        Some(talk) => Some(SnapshotTalk {
            round: talk.round,
            time_left: Duration::from_millis(talk.left_ms.into()),
            is_done: talk.ended,
            messages: parse_talk_messages(&talk.messages, &info, field.member("talk"))?,
        }),
    };
    Some(MatchSnapshot { info, stage, talk, forfeited })
}

/// Reads the figures of all seats from an audit.
fn seat_figures(audit: &pb::Audit) -> Vec<SeatFigures> {
    let figures = audit.seats.iter().map(|seat| SeatFigures {
        satisfaction: seat.satisfaction,
        regret: seat.regret,
        luck: seat.luck,
        takes: seat.plies,
        optimal_takes: seat.optimal_plies,
    });
    figures.collect()
}
