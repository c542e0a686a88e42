//! The session's two languages: what bots send and what they are sent.

use super::audit::audit_message_for_bots;
use super::joining::parse_named_tournament;
use super::pb::{self, play_request::Action, play_response::Event as Wire};
use super::{JoinRefused, PublicTournament};
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, MatchId, Row, Seat, TournamentId};
use lastnim_core::oracle::{Audit, Mover};
use lastnim_core::referee::{
    EndReason, ForfeitReason, MatchPhase, MatchSetup, MatchSnapshot, NoteHash, Refusal, RefusalReason,
    SeatAction, Turn,
};
use lastnim_tournament::{Suspension, TournamentEnd};
use std::{sync::Arc, time::Duration};

/// What a bot asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BotAction {
    /// To act in a match, which alone can check whether that is right.
    Act {
        /// The match.
        match_id: MatchId,
        /// What it does there.
        action: SeatAction,
    },
    /// To hear of other takes than before.
    Subscribe(TakeFeed),
    /// Nothing: it answers a ping.
    Pong {
        /// The id of the ping.
        id: u64,
    },
    /// To enter a tournament; or what is to be answered where the word that names it is no id.
    Join(Result<TournamentId, JoinRefused>),
}

/// Which takes a session hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TakeFeed {
    /// Every take of every seat.
    #[default]
    All,
    /// The bot's own takes only.
    OwnTurns,
}

/// A request that cannot be an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAction {
    /// The match that it named, cut to a length that can be sent back.
    pub match_id: String,
    /// Why it is refused.
    pub reason: RefusalReason,
    /// The offending value and what would be right.
    pub message: String,
}

impl TryFrom<pb::PlayRequest> for BotAction {
    type Error = InvalidAction;

    fn try_from(request: pb::PlayRequest) -> Result<Self, InvalidAction> {
        let malformed = |message: String| InvalidAction {
            match_id: String::new(),
            reason: RefusalReason::Malformed,
            message,
        };
        match request.action {
            None => Err(malformed(
                "no action that this server knows: expected one of declare, take, resign, subscribe, pong and join_tournament"
                    .to_owned(),
            )),
            Some(Action::Declare(declare)) => {
                let offsets = declare.row.unwrap_or_default().offsets.into_iter().map(u64::from).collect();
                let note_hash = NoteHash::parse_optional(&declare.note_hash);
                act_in_match(&declare.match_id, SeatAction::Declare { offsets, note_hash })
            }
            Some(Action::Take(pb::Take { match_id, ply, take, note_hash })) => {
                let note_hash = NoteHash::parse_optional(&note_hash);
                act_in_match(&match_id, SeatAction::Take { ply, take, note_hash })
            }
            Some(Action::Resign(resign)) => act_in_match(&resign.match_id, SeatAction::Resign),
            Some(Action::Subscribe(subscribe)) => match pb::Feed::try_from(subscribe.feed) {
                Ok(pb::Feed::Unspecified | pb::Feed::All) => Ok(Self::Subscribe(TakeFeed::All)),
                Ok(pb::Feed::OwnTurns) => Ok(Self::Subscribe(TakeFeed::OwnTurns)),
                Err(_) => Err(malformed(format!(
                    "subscribe.feed of {}: expected FEED_ALL (1) or FEED_OWN_TURNS (2)",
                    subscribe.feed
                ))),
            },
            Some(Action::Pong(pong)) => Ok(Self::Pong { id: pong.id }),
            Some(Action::JoinTournament(join)) => Ok(Self::Join(parse_named_tournament(&join.tournament_id))),
        }
    }
}

fn act_in_match(match_id: &str, action: SeatAction) -> Result<BotAction, InvalidAction> {
    match match_id.parse::<MatchId>() {
        Ok(match_id) => Ok(BotAction::Act { match_id, action }),
        Err(error) => Err(InvalidAction {
            match_id: error.0.clone(),
            reason: RefusalReason::UnknownMatch,
            message: error.to_string(),
        }),
    }
}

/// What a bot is sent. A plain value that could cross a network between the match and the session.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerEvent {
    /// The session is open.
    Welcome {
        /// The bot.
        bot: BotName,
        /// How many snapshots follow.
        open_matches: usize,
    },
    /// The server measures the lag of the session.
    Ping {
        /// Comes back in the pong.
        id: u64,
    },
    /// The server is about to stop.
    Draining {
        /// How long the session lasts at the most.
        within: Duration,
    },
    /// A tournament that runs has suspended the bot.
    Suspended {
        /// The tournament.
        tournament: TournamentId,
        /// Why.
        suspension: Suspension,
    },
    /// A request was refused before any match saw it.
    Unheard(Box<InvalidAction>),
    /// The bot is entered in a tournament.
    Joined(Box<PublicTournament>),
    /// The bot is not entered in a tournament.
    NotJoined(Box<JoinRefused>),
    /// A tournament of the bot is over.
    TournamentEnded(Box<TournamentEnd>),
    /// The bot has been told of all ends that it missed.
    CaughtUp {
        /// Ends of matches that it was told of.
        missed_ends: u64,
        /// Ends of matches that it was not told of.
        left_out: u64,
    },
    /// Something about one match.
    InMatch {
        /// The match.
        match_id: MatchId,
        /// What.
        event: MatchEvent,
    },
}

/// What a bot is sent about one of its matches.
#[derive(Debug, Clone, PartialEq)]
pub enum MatchEvent {
    /// It has begun.
    Started {
        /// The bot's own seat.
        seat: Seat,
        /// All that is fixed before the first move.
        setup: Arc<MatchSetup>,
    },
    /// It stands like this.
    Snapshot(Box<MatchSnapshot>),
    /// The bot's row is in.
    Declared {
        /// The row that counts.
        row: Row,
    },
    /// The rows of all seats.
    Revealed(Arc<RevealedRows>),
    /// The bot is to move.
    Turn(Turn),
    /// A seat took counters.
    Took {
        /// The ply.
        ply: u32,
        /// The seat.
        seat: Seat,
        /// Counters taken.
        take: u64,
        /// Who moved for the seat.
        mover: Mover,
    },
    /// Something that the bot sent was refused.
    Refused(Box<Refusal>),
    /// A seat was lost.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// How.
        reason: ForfeitReason,
    },
    /// It is over.
    Ended {
        /// How it came to its end.
        reason: EndReason,
        /// Who won, unless it was cancelled.
        winner: Option<Seat>,
        /// The audit, unless it was cancelled.
        audit: Option<Arc<Audit>>,
    },
    /// It ended, perhaps unheard, and the bot may know nothing of it.
    EndedUnheard(Box<UnheardEnd>),
}

/// The end of a match, for a bot that may know nothing of it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnheardEnd {
    /// The bot's own seat.
    pub seat: Seat,
    /// All that was fixed before the first move.
    pub setup: MatchSetup,
    /// How seats were lost.
    pub forfeits: BySeat<Option<ForfeitReason>>,
    /// How it came to its end.
    pub reason: EndReason,
    /// Who won, unless it was cancelled.
    pub winner: Option<Seat>,
    /// The audit, unless it was cancelled.
    pub audit: Option<Audit>,
}

/// The rows of all seats as they are revealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevealedRows {
    /// The rows.
    pub matrix: AllianceMatrix,
    /// Seats whose row is the standard one because they declared late, not validly, or were lost before.
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
            ServerEvent::Unheard(refused) => Wire::Refused(pb::Refused {
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
        MatchEvent::Started { seat, setup } => {
            Wire::MatchStarted(Box::new(match_started_message(match_id, seat, &setup)))
        }
        MatchEvent::Snapshot(snapshot) => Wire::Snapshot(Box::new(snapshot_message(match_id, &snapshot))),
        MatchEvent::Declared { row } => Wire::Declared(pb::Declared { match_id, row: Some((&row).into()) }),
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
        MatchEvent::Ended { reason, winner, audit } => Wire::MatchEnded(Box::new(pb::MatchEnded {
            match_id,
            reason: pb::EndReason::from(reason).into(),
            winner: winner.map(u32::from),
            audit: audit.as_deref().map(audit_message_for_bots),
            ..Default::default()
        })),
        MatchEvent::EndedUnheard(end) => Wire::MatchEnded(Box::new(unheard_end_message(match_id, &end))),
    }
}

fn match_started_message(match_id: String, seat: Seat, setup: &MatchSetup) -> pb::MatchStarted {
    pb::MatchStarted { match_id, seat: seat.into(), setup: Some(setup.into()) }
}

fn unheard_end_message(match_id: String, end: &UnheardEnd) -> pb::MatchEnded {
    let lost = end.forfeits.enumerate().filter_map(|(seat, reason)| Some((seat, (*reason)?)));
    let forfeited = lost.map(|(seat, reason)| pb::Forfeited {
        match_id: match_id.clone(),
        seat: seat.into(),
        reason: pb::ForfeitReason::from(reason).into(),
    });
    pb::MatchEnded {
        forfeited: forfeited.collect(),
        started: Some(match_started_message(match_id.clone(), end.seat, &end.setup)),
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
        started: Some(match_started_message(match_id.clone(), snapshot.seat, &snapshot.setup)),
        phase: pb::Phase::from(snapshot.phase).into(),
        // 0 says that the row is in: a last fraction of a millisecond counts as one.
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
    }
}

impl From<MatchPhase> for pb::Phase {
    fn from(phase: MatchPhase) -> Self {
        match phase {
            MatchPhase::Declaring => Self::Declaring,
            MatchPhase::Playing => Self::Playing,
            MatchPhase::Ended => Self::Ended,
        }
    }
}

/// Rounds down to whole milliseconds, at most 2^32 - 1.
pub(super) fn whole_millis(span: Duration) -> u32 {
    u32::try_from(span.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
