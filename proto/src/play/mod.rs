//! Messages of a bot's session, in both directions.

use super::audit::audit_message_for_bots;
use super::joining::parse_named_tournament;
use super::pb::{self, play_request::Action, play_response::Event as Wire};
use super::talk::submitted_content;
use super::{JoinRefused, PublicTournament};
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, MatchId, Row, Seat, TournamentId};
use lastnim_core::oracle::{Audit, Mover};
use lastnim_core::referee::{
    EndReason, ForfeitReason, MatchPhase, MatchSetup, MatchSnapshot, NoteHash, Refusal, RefusalReason,
    SeatAction, SubmittedMessage, TalkMessage, Turn,
};
use lastnim_tournament::{Suspension, TournamentEnd};
use std::{sync::Arc, time::Duration};

/// A request from a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BotAction {
    /// Act in a match. Only the match knows whether the action is legal.
    Act {
        /// The match to act in.
        match_id: MatchId,
        /// The action.
        action: SeatAction,
    },
    /// Choose which takes to receive.
    Subscribe(TakeFeed),
    /// Answer a ping.
    Pong {
        /// The id of the ping.
        id: u64,
    },
    /// Join a tournament. If the requested id is invalid, this holds the refusal to send to the bot.
    Join(Result<TournamentId, JoinRefused>),
}

/// The takes that a session receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TakeFeed {
    /// Every take of every seat.
    #[default]
    All,
    /// The bot's own takes only.
    OwnTurns,
}

/// An invalid request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAction {
    /// The match id that the request gave, shortened for the reply.
    pub match_id: String,
    /// The reason as a code.
    pub reason: RefusalReason,
    /// The offending value and what is expected.
    pub message: String,
}

impl TryFrom<pb::PlayRequest> for BotAction {
    type Error = InvalidAction;

    fn try_from(request: pb::PlayRequest) -> Result<Self, InvalidAction> {
        let malformation = |message: String| InvalidAction {
            match_id: String::new(),
            reason: RefusalReason::Malformed,
            message,
        };
        match request.action {
            None => Err(malformation(
                "unknown action: expected declare, take, resign, subscribe, pong, join_tournament, say or end_talk"
                    .to_owned(),
            )),
            Some(Action::Declare(declare)) => {
                let offsets = declare.row.unwrap_or_default().offsets.into_iter().map(u64::from).collect();
                let note_hash = NoteHash::parse_optional(&declare.note_hash);
                parse_match_action(&declare.match_id, SeatAction::Declare { offsets, note_hash })
            }
            Some(Action::Take(pb::Take { match_id, ply, take, note_hash })) => {
                let note_hash = NoteHash::parse_optional(&note_hash);
                parse_match_action(&match_id, SeatAction::Take { ply, take, note_hash })
            }
            Some(Action::Resign(resign)) => parse_match_action(&resign.match_id, SeatAction::Resign),
            Some(Action::Say(pb::Say { match_id, round, number, to, content })) => {
                let content = submitted_content(content);
                let message = Box::new(SubmittedMessage { round, number, to, content });
                parse_match_action(&match_id, SeatAction::Say(message))
            }
            Some(Action::EndTalk(pb::EndTalk { match_id, round })) => {
                parse_match_action(&match_id, SeatAction::EndTalk { round })
            }
            Some(Action::Subscribe(subscribe)) => match pb::Feed::try_from(subscribe.feed) {
                Ok(pb::Feed::Unspecified | pb::Feed::All) => Ok(Self::Subscribe(TakeFeed::All)),
                Ok(pb::Feed::OwnTurns) => Ok(Self::Subscribe(TakeFeed::OwnTurns)),
                Err(_) => Err(malformation(format!(
                    "subscribe.feed of {}: expected FEED_ALL (1) or FEED_OWN_TURNS (2)",
                    subscribe.feed
                ))),
            },
            Some(Action::Pong(pong)) => Ok(Self::Pong { id: pong.id }),
            Some(Action::JoinTournament(join)) => Ok(Self::Join(parse_named_tournament(&join.tournament_id))),
        }
    }
}

fn parse_match_action(match_id: &str, action: SeatAction) -> Result<BotAction, InvalidAction> {
    match match_id.parse::<MatchId>() {
        Ok(match_id) => Ok(BotAction::Act { match_id, action }),
        Err(error) => Err(InvalidAction {
            match_id: error.0.clone(),
            reason: RefusalReason::UnknownMatch,
            message: error.to_string(),
        }),
    }
}

/// A message to a bot. It is a plain value, so that a match and a session could run on different machines.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerEvent {
    /// The session is open.
    Welcome {
        /// The bot that the session belongs to.
        bot: BotName,
        /// Number of open matches, whose snapshots follow.
        open_matches: usize,
    },
    /// A ping to measure the session's lag.
    Ping {
        /// The id that the bot returns in its pong.
        id: u64,
    },
    /// The server is about to stop.
    Draining {
        /// Maximum time until the session ends.
        within: Duration,
    },
    /// A running tournament has suspended the bot.
    Suspended {
        /// The tournament that suspended the bot.
        tournament: TournamentId,
        /// The reason for the suspension.
        suspension: Suspension,
    },
    /// A request was refused before it reached a match.
    InvalidAction(Box<InvalidAction>),
    /// The bot has entered a tournament.
    Joined(Box<PublicTournament>),
    /// The bot could not enter a tournament.
    NotJoined(Box<JoinRefused>),
    /// One of the bot's tournaments is over.
    TournamentEnded(Box<TournamentEnd>),
    /// The server has finished sending the match ends that the bot missed.
    CaughtUp {
        /// Number of missed ends that were sent.
        missed_ends: u64,
        /// Number of missed ends that were not sent.
        left_out: u64,
    },
    /// An event of one match.
    InMatch {
        /// The match in which the event happened.
        match_id: MatchId,
        /// The event.
        event: MatchEvent,
    },
}

/// An event in one of the bot's matches.
#[derive(Debug, Clone, PartialEq)]
pub enum MatchEvent {
    /// The match began.
    Started {
        /// The bot's seat.
        seat: Seat,
        /// The settings that are fixed before the first move.
        setup: Arc<MatchSetup>,
        /// The row that was dealt to the bot, if rows were dealt.
        dealt_row: Option<Row>,
    },
    /// The state of the match.
    Snapshot(Box<MatchSnapshot>),
    /// The bot's row was accepted.
    Declared {
        /// The row that now counts as the bot's.
        row: Row,
    },
    /// A message of the bot, or the end of its talk in a round, was accepted.
    TalkAccepted {
        /// The round, from 0.
        round: u32,
        /// The number of the message; `None` for the end of the bot's talk.
        number: Option<u32>,
    },
    /// A round of talk ended.
    Heard {
        /// The round, from 0.
        round: u32,
        /// The messages of other seats that the bot hears.
        messages: Vec<TalkMessage>,
    },
    /// The rows of all seats.
    Revealed(Arc<RevealedRows>),
    /// The bot is to move.
    Turn(Turn),
    /// A seat took counters.
    Took {
        /// The ply of the take.
        ply: u32,
        /// The seat that took counters.
        seat: Seat,
        /// Number of counters taken.
        take: u64,
        /// Whether the bot or the steward moved.
        mover: Mover,
    },
    /// One of the bot's requests was refused.
    Refused(Box<Refusal>),
    /// A seat was forfeited.
    Forfeited {
        /// The forfeited seat.
        seat: Seat,
        /// The reason for the forfeit.
        reason: ForfeitReason,
    },
    /// The match is over.
    Ended {
        /// The reason why the match ended.
        reason: EndReason,
        /// The winner, unless the match was cancelled.
        winner: Option<Seat>,
        /// The audit, unless the match was cancelled.
        audit: Option<Arc<Audit>>,
        /// The dealt rows of all seats, unless no rows were dealt or the match was cancelled.
        dealt: Option<Box<AllianceMatrix>>,
    },
    /// The match ended while the bot was not connected, so the bot may not know the match.
    MissedEnd(Box<MissedEnd>),
}

/// The end of a match, with everything that a bot needs if it does not know the match.
#[derive(Debug, Clone, PartialEq)]
pub struct MissedEnd {
    /// The bot's seat.
    pub seat: Seat,
    /// The settings that were fixed before the first move.
    pub setup: MatchSetup,
    /// The rows that were dealt to the bot and, unless the match was cancelled, to all seats; `None` if no rows were
    /// dealt.
    pub dealt: Option<(Row, Option<AllianceMatrix>)>,
    /// The reason why each forfeited seat was forfeited; `None` for all other seats.
    pub forfeits: BySeat<Option<ForfeitReason>>,
    /// The reason why the match ended.
    pub reason: EndReason,
    /// The winner, unless the match was cancelled.
    pub winner: Option<Seat>,
    /// The audit, unless the match was cancelled.
    pub audit: Option<Audit>,
}

/// The rows of all seats, as they are revealed to the bots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevealedRows {
    /// The row of each seat.
    pub matrix: AllianceMatrix,
    /// The seats that got the default row, because their declaration was late or invalid or because they had forfeited.
    pub defaulted: Vec<Seat>,
}

impl From<ServerEvent> for pb::PlayResponse {
    fn from(event: ServerEvent) -> Self {
        let event = match event {
            ServerEvent::Welcome { bot, open_matches } => Wire::Welcome(pb::Welcome {
                bot: bot.to_string(),
                open_matches: open_matches as u32,
                server_version: env!("CARGO_PKG_VERSION").to_owned(),
            }),
            ServerEvent::Ping { id } => Wire::Ping(pb::Ping { id }),
            ServerEvent::Draining { within } => {
                Wire::Draining(pb::Draining { within_ms: whole_millis(within) })
            }
            ServerEvent::Suspended { tournament, suspension } => Wire::Suspended(pb::Suspended {
                tournament_id: tournament.to_string(),
                reason: pb::SuspensionReason::from(suspension.reason()).into(),
                message: suspension.to_string(),
                from_round: suspension.from_round,
                lost: suspension.lost,
                no_shows: suspension.no_shows,
                last: suspension.last,
            }),
            ServerEvent::InvalidAction(refused) => Wire::Refused(pb::Refused {
                match_id: refused.match_id,
                reason: pb::RefusalReason::from(refused.reason).into(),
                message: refused.message,
                ..Default::default()
            }),
            ServerEvent::Joined(tournament) => Wire::JoinedTournament(Box::new(tournament.as_ref().into())),
            ServerEvent::NotJoined(refused) => Wire::JoinRefused((*refused).into()),
            ServerEvent::TournamentEnded(end) => Wire::TournamentEnded(Box::new(pb::TournamentEnded {
                tournament_id: end.id.to_string(),
                title: end.title,
                state: pb::TournamentState::from(end.state).into(),
                standing: Some((&end.standing).into()),
                bots: end.bots,
            })),
            ServerEvent::CaughtUp { missed_ends, left_out } => {
                Wire::CaughtUp(pb::CaughtUp { missed_ends, left_out })
            }
            ServerEvent::InMatch { match_id, event } => match_event_message(match_id, event),
        };
        Self { event: Some(event) }
    }
}

fn match_event_message(id: MatchId, event: MatchEvent) -> Wire {
    let match_id = String::from(id);
    match event {
        MatchEvent::Started { seat, setup, dealt_row } => {
            Wire::MatchStarted(Box::new(match_started_message(match_id, seat, &setup, dealt_row.as_ref())))
        }
        MatchEvent::Snapshot(snapshot) => Wire::Snapshot(Box::new(snapshot_message(match_id, &snapshot))),
        MatchEvent::Declared { row } => Wire::Declared(pb::Declared { match_id, row: Some((&row).into()) }),
        MatchEvent::TalkAccepted { round, number } => {
            Wire::TalkAccepted(pb::TalkAccepted { match_id, round, number })
        }
        MatchEvent::Heard { round, messages } => {
            let messages = messages.iter().map(Into::into).collect();
            Wire::Heard(pb::Heard { match_id, round, messages })
        }
        MatchEvent::Revealed(revelation) => Wire::Revealed(pb::Revealed {
            match_id,
            alliance_matrix: Some((&revelation.matrix).into()),
            defaulted: revelation.defaulted.iter().map(|&seat| seat.into()).collect(),
        }),
        MatchEvent::Turn(turn) => Wire::Turn(turn_message(match_id, &turn)),
        MatchEvent::Took { ply, seat, take, mover } => {
            Wire::Took(pb::Took { match_id, ply, seat: seat.into(), take, steward: mover == Mover::Steward })
        }
        MatchEvent::Refused(refusal) => Wire::Refused(pb::Refused {
            match_id,
            reason: pb::RefusalReason::from(refusal.reason).into(),
            message: refusal.message,
            ply: refusal.ply,
            strikes: refusal.strikes,
            strikes_left: refusal.strikes_left,
        }),
        MatchEvent::Forfeited { seat, reason } => Wire::Forfeited(pb::Forfeited {
            match_id,
            seat: seat.into(),
            reason: pb::ForfeitReason::from(reason).into(),
        }),
        MatchEvent::Ended { reason, winner, audit, dealt } => Wire::MatchEnded(Box::new(pb::MatchEnded {
            match_id,
            reason: pb::EndReason::from(reason).into(),
            winner: winner.map(u32::from),
            audit: audit.as_deref().map(audit_message_for_bots),
            dealt_rows: dealt.as_deref().map(Into::into),
            ..Default::default()
        })),
        MatchEvent::MissedEnd(end) => Wire::MatchEnded(Box::new(missed_end_message(match_id, &end))),
    }
}

fn match_started_message(
    match_id: String,
    seat: Seat,
    setup: &MatchSetup,
    dealt_row: Option<&Row>,
) -> pb::MatchStarted {
    let (setup, dealt_row) = (Some(setup.into()), dealt_row.map(Into::into));
    pb::MatchStarted { match_id, seat: seat.into(), setup, dealt_row }
}

fn missed_end_message(match_id: String, end: &MissedEnd) -> pb::MatchEnded {
    let lost = end.forfeits.enumerate().filter_map(|(seat, reason)| Some((seat, (*reason)?)));
    let forfeited = lost.map(|(seat, reason)| pb::Forfeited {
        match_id: match_id.clone(),
        seat: seat.into(),
        reason: pb::ForfeitReason::from(reason).into(),
    });
    let own = end.dealt.as_ref().map(|(own, _)| own);
    pb::MatchEnded {
        forfeited: forfeited.collect(),
        started: Some(match_started_message(match_id.clone(), end.seat, &end.setup, own)),
        dealt_rows: end.dealt.as_ref().and_then(|(_, all)| all.as_ref()).map(Into::into),
        match_id,
        reason: pb::EndReason::from(end.reason).into(),
        winner: end.winner.map(u32::from),
        audit: end.audit.as_ref().map(audit_message_for_bots),
    }
}

fn turn_message(match_id: String, turn: &Turn) -> pb::Turn {
    pb::Turn {
        match_id,
        ply: turn.ply,
        pile: turn.pile as u32,
        counters: turn.counters,
        bank_ms: whole_millis(turn.bank),
    }
}

impl From<&pb::Turn> for Turn {
    fn from(turn: &pb::Turn) -> Self {
        Self {
            ply: turn.ply,
            pile: turn.pile as usize,
            counters: turn.counters,
            bank: Duration::from_millis(turn.bank_ms.into()),
        }
    }
}

fn snapshot_message(match_id: String, snapshot: &MatchSnapshot) -> pb::Snapshot {
    let lost = snapshot.forfeited.enumerate().filter(|(_, reason)| reason.is_some());
    pb::Snapshot {
        started: Some(match_started_message(
            match_id.clone(),
            snapshot.seat,
            &snapshot.setup,
            snapshot.dealt_row.as_ref(),
        )),
        phase: pb::Phase::from(snapshot.phase).into(),
        // While a declaration is due, this value is at least 1, because 0 means that the row was received.
        declaration_left_ms: snapshot.declaration_left.map_or(0, |left| whole_millis(left).max(1)),
        alliance_matrix: snapshot.matrix.as_ref().map(Into::into),
        ply: snapshot.ply,
        pile: snapshot.pile as u32,
        counters: snapshot.counters,
        to_move: snapshot.to_move.into(),
        banks_ms: snapshot.banks.iter().copied().map(whole_millis).collect(),
        strikes: snapshot.strikes.as_slice().to_vec(),
        forfeited: lost.map(|(seat, _)| seat.into()).collect(),
        turn: snapshot.turn.as_ref().map(|turn| turn_message(match_id, turn)),
        talk: snapshot.talk.as_ref().map(Into::into),
    }
}

impl From<MatchPhase> for pb::Phase {
    fn from(phase: MatchPhase) -> Self {
        match phase {
            MatchPhase::Talking | MatchPhase::Declaring => Self::Declaring,
            MatchPhase::Playing => Self::Playing,
            MatchPhase::Ended => Self::Ended,
        }
    }
}

/// Rounds down to whole milliseconds, and caps the result at 2^32 - 1.
pub(super) fn whole_millis(span: Duration) -> u32 {
    u32::try_from(span.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
