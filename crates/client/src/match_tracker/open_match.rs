//! The state of one open match.

use super::talking::{Talk, TalkStage};
use crate::{
    EndReport, MatchEnd, MatchInfo, MatchView, ProtocolError, TalkMessage,
    event::{ReachedPly, check_row_count},
    seen_takes::SeenTakes,
};
use lastnim_core::{
    game::{AllianceMatrix, Game, Position},
    referee::Turn,
};
use lastnim_proto::pb;
use std::sync::Arc;

/// An open match of the bot.
#[derive(Debug)]
pub(super) struct OpenMatch {
    pub(super) info: Arc<MatchInfo>,
    pub(super) declaration: DeclarationState,
    pub(super) talk: Talk,
    /// The game with all rows, once they are revealed.
    pub(super) game: Option<Arc<Game>>,
    /// Empty unless the bot receives all takes.
    pub(super) seen_takes: SeenTakes,
    pub(super) turn: Option<OwnTurn>,
    pub(super) seat: SeatState,
    pub(super) confirmation: Confirmation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeclarationState {
    NotAsked,
    Asked,
    /// The row was sent; it is sent again if it is lost.
    Made(pb::Declare),
    /// The rows are known, or the server has the bot's row.
    Closed,
}

#[derive(Debug)]
pub(super) struct OwnTurn {
    pub(super) ply: u32,
    /// The number of counters in the last nonempty pile.
    pub(super) counters: u64,
    pub(super) reply: TurnReply,
}

/// The bot's reply to a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TurnReply {
    Awaited,
    /// The take was sent. If the turn is repeated, the same take is sent again, so that no ply gets two different
    /// takes.
    Legal(pb::Take),
    /// The take was sent, but it is illegal. If the turn is repeated, the bot is asked again.
    Illegal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatState {
    Own,
    /// The bot resigned, but the server has not confirmed it; the resignation is sent again if it is lost.
    Resigned,
    Forfeited,
}

/// Whether the server has confirmed in this session that the match is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmation {
    Confirmed,
    /// The session is new, and neither a snapshot nor the end of the match has arrived in it.
    Unconfirmed,
}

impl OpenMatch {
    pub(super) fn new(info: MatchInfo) -> Self {
        let game = info.assigned.clone().map(|matrix| Arc::new(match_game(&info, matrix)));
        let start = Position::new(info.piles.clone(), info.first, info.seats());
        let declaration = if game.is_some() { DeclarationState::Closed } else { DeclarationState::NotAsked };
        Self {
            talk: Talk::new(info.terms.talk.is_some()),
            info: Arc::new(info),
            declaration,
            game,
            seen_takes: SeenTakes::from_start(start),
            turn: None,
            seat: SeatState::Own,
            confirmation: Confirmation::Confirmed,
        }
    }

    pub(super) fn reveal(&mut self, matrix: AllianceMatrix) -> Result<(), ProtocolError> {
        check_row_count(&matrix, self.info.seats())?;
        self.game = Some(Arc::new(match_game(&self.info, matrix)));
        self.declaration = DeclarationState::Closed;
        self.talk.stage = TalkStage::Over;
        Ok(())
    }

    /// Returns whether the bot is thinking about its messages or its row.
    pub(super) fn is_asked_before_play(&self) -> bool {
        self.declaration == DeclarationState::Asked || self.talk.stage == TalkStage::Asked
    }

    /// Adds messages that the bot does not know yet, in order of round, sender and number.
    pub(super) fn add_messages(&mut self, messages: Vec<TalkMessage>) {
        let known = &self.info.messages;
        let is_new = |message: &TalkMessage| known.iter().all(|other| other.place() != message.place());
        let mut all: Vec<_> = messages.into_iter().filter(is_new).collect();
        if !all.is_empty() {
            all.extend(known.iter().cloned());
            all.sort_by_key(TalkMessage::place);
            all.dedup_by_key(|message| message.place());
            Arc::make_mut(&mut self.info).messages = all;
        }
    }

    /// Resumes the match at the state in a snapshot, unless that state is impossible.
    ///
    /// If the state is earlier than the bot's last turn, because the server lost plies in a crash, forgets that turn
    /// and returns true.
    pub(super) fn resume_at(&mut self, reached: ReachedPly) -> bool {
        let Some(position) = reached_position(&self.info, reached) else { return false };
        self.seen_takes.resume_at(reached.ply, position);
        self.turn.take_if(|turn| turn.ply > reached.ply).is_some()
    }

    pub(super) fn turn_view(&self, turn: Turn) -> Result<MatchView, ProtocolError> {
        let game = self.game.as_ref().ok_or(ProtocolError::TurnBeforeRows(self.info.id))?;
        let position = turn_position(&self.info, turn).ok_or(ProtocolError::ImpossibleTurn {
            match_id: self.info.id,
            seat: self.info.seat,
            ply: turn.ply,
            pile: turn.pile,
            counters: turn.counters,
        })?;
        Ok(MatchView {
            info: Arc::clone(&self.info),
            game: Arc::clone(game),
            position,
            ply: turn.ply,
            bank_left: turn.bank,
            seen_takes: self.seen_takes.newest().clone(),
        })
    }

    pub(super) fn match_end(&self, reason: EndReport) -> MatchEnd {
        MatchEnd {
            info: Arc::clone(&self.info),
            reason,
            winner: None,
            forfeited: self.seat == SeatState::Forfeited,
            figures: None,
        }
    }
}

fn match_game(info: &MatchInfo, matrix: AllianceMatrix) -> Game {
    Game::new(info.piles.clone(), matrix, info.first.index(), info.ending)
        .expect("the first seat is in the match, and the matrix has a row for each seat")
}

/// Returns the position at the bot's turn, or `None` if the match cannot reach it.
fn turn_position(info: &MatchInfo, turn: Turn) -> Option<Position> {
    let Turn { ply, pile, counters, .. } = turn;
    reached_position(info, ReachedPly { ply, pile, counters })
        .filter(|position| position.to_move() == info.seat)
}

/// Returns the position of a match in play, or `None` if the match cannot reach it.
fn reached_position(info: &MatchInfo, reached: ReachedPly) -> Option<Position> {
    let seats = info.seats();
    let whole = info.piles.as_slice();
    let taken = whole.get(reached.pile)?.checked_sub(reached.counters)?;
    if reached.counters == 0 {
        return None;
    }
    let to_move = seats.seat_at_offset(info.first, reached.ply as usize);
    let emptied = &whole[reached.pile + 1..];
    // This replays the fewest takes that lead to the position. It does not matter which seats made them, only which
    // seat is to move.
    let passed = emptied.len() + usize::from(taken > 0);
    let start = seats.seat_at_offset(to_move, seats.get() - passed % seats.get());
    let mut position = Position::new(info.piles.clone(), start, seats);
    for &take in emptied.iter().rev().chain((taken > 0).then_some(&taken)) {
        position.take(take).ok()?;
    }
    Some(position)
}
