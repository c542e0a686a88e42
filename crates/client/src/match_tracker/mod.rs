//! Tracks the bot's open matches and decides how to react to events: the core of the SDK, without I/O.

mod open_match;
mod talking;

use super::{
    Connected, EndReport, MatchEnd, MatchInfo, ProtocolError, Summary,
    bounds::MAX_OPEN_MATCHES,
    event::{EndedMatch, MatchSnapshot, ReachedPly, SessionEvent, SnapshotStage},
    question::{BotAnswer, BotQuestion},
    question_queue::{QuestionLimit, QuestionQueue},
};
use lastnim_core::{
    game::{MatchId, Row},
    referee::{RefusalReason, Turn},
};
use lastnim_proto::{
    TakeFeed,
    pb::{self, play_request::Action as Wire},
};
use open_match::{Confirmation, DeclarationState, OpenMatch, OwnTurn, SeatState, TurnReply};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    iter, mem,
    sync::Arc,
    time::Duration,
};

/// Number of match ends to remember, so that each is reported only once.
const MAX_KNOWN_ENDS: usize = 4096;

/// An action that the caller must carry out.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the caller must carry out these actions"]
pub(super) enum ClientAction {
    /// Send this to the server.
    Send(Wire),
    /// Ask the bot this question, or send it this report.
    Ask(BotQuestion),
    /// Tell the bot that it can drop the pending questions about this match.
    Withdraw(MatchId),
}

/// The bot's open matches, and the questions waiting for it.
#[derive(Debug)]
pub(super) struct MatchTracker {
    open: BTreeMap<MatchId, OpenMatch>,
    take_feed: TakeFeed,
    questions: QuestionQueue,
    /// Matches whose pending questions the bot can drop, but has not yet been told to drop.
    withdrawn: Vec<MatchId>,
    snapshots_due: u32,
    /// Whether the server has finished reporting, in this session, the matches that ended while the bot was away.
    caught_up: bool,
    /// For each match whose end was reported to the bot, whether the server confirmed that end. A match whose end was
    /// not confirmed may still be open.
    known_ends: BTreeMap<MatchId, bool>,
    summary: Summary,
}

impl MatchTracker {
    pub(super) fn new(question_limit: QuestionLimit, take_feed: TakeFeed) -> Self {
        Self {
            open: BTreeMap::new(),
            take_feed,
            questions: QuestionQueue::new(question_limit),
            withdrawn: Vec::new(),
            snapshots_due: 0,
            caught_up: false,
            known_ends: BTreeMap::new(),
            summary: Summary::default(),
        }
    }

    /// Returns the summary of the matches so far.
    pub(super) fn summary(&self) -> Summary {
        self.summary
    }

    /// Returns whether the tournament has no open matches and the bot has handled every question and report.
    pub(super) fn is_finished_with(&self, tournament: &str) -> bool {
        let belongs = |open: &OpenMatch| {
            let origin = open.info.origin.as_ref();
            origin.is_some_and(|of| of.tournament.to_string().eq_ignore_ascii_case(tournament))
        };
        self.questions.is_idle() && !self.open.values().any(belongs)
    }

    /// Handles an event and returns the actions to carry out.
    ///
    /// # Errors
    /// If the event contradicts its match, or would open too many matches.
    pub(super) fn handle_event(&mut self, event: SessionEvent) -> Result<Vec<ClientAction>, ProtocolError> {
        let mut actions = Vec::new();
        match event {
            SessionEvent::Welcome(connected) => self.handle_welcome(connected),
            SessionEvent::Started(info) => self.handle_match_started(info)?,
            SessionEvent::Snapshot(snapshot) => self.handle_snapshot(*snapshot, &mut actions)?,
            SessionEvent::Revealed { match_id, matrix } => {
                if let Some(open) = self.open.get_mut(&match_id) {
                    let was_asked = open.is_asked_before_play();
                    open.reveal(matrix)?;
                    if was_asked {
                        self.withdraw_requests_of(match_id);
                    }
                }
            }
            SessionEvent::Took { match_id, ply, take, mover } => {
                if self.take_feed == TakeFeed::All
                    && let Some(open) = self.open.get_mut(&match_id)
                {
                    open.seen_takes.add_take(ply, take, mover);
                }
            }
            SessionEvent::TalkAccepted { match_id, round, number } => {
                self.handle_talk_accepted(match_id, (round, number), &mut actions);
            }
            SessionEvent::Heard { match_id, round, messages } => {
                self.handle_heard(match_id, round, &messages)?;
            }
            SessionEvent::Turn { match_id, turn } => self.handle_turn(match_id, turn, &mut actions)?,
            // If the seat must still move, the server sends the turn again, and then the bot is asked again.
            SessionEvent::Refused(refusal) => {
                if let Some(match_id) = refusal.match_id
                    && refusal.reason == Some(RefusalReason::InvalidTalk)
                {
                    self.handle_talk_refused(match_id, &mut actions);
                }
                self.questions.push(BotQuestion::Refused(refusal));
            }
            SessionEvent::Suspended(notice) => self.questions.push(BotQuestion::Suspended(notice)),
            SessionEvent::Forfeited { match_id, seat } => {
                if let Some(open) = self.open.get_mut(&match_id)
                    && u32::from(open.info.seat) == seat
                {
                    open.seat = SeatState::Forfeited;
                    self.withdraw_requests_of(match_id);
                }
            }
            SessionEvent::Ended(ended) => self.handle_match_ended(ended)?,
            SessionEvent::TournamentEnded(end) => self.questions.push(BotQuestion::TournamentEnded(end)),
            SessionEvent::CaughtUp { left_out } => self.handle_caught_up(left_out),
            SessionEvent::Ping(id) => actions.push(ClientAction::Send(Wire::Pong(pb::Pong { id }))),
            SessionEvent::Draining { .. }
            | SessionEvent::Joined(_)
            | SessionEvent::NotJoined(_)
            | SessionEvent::Ignored => {}
        }
        actions.extend(mem::take(&mut self.withdrawn).into_iter().map(ClientAction::Withdraw));
        self.ask_questions(&mut actions);
        Ok(actions)
    }

    /// Handles the bot's answer and returns the actions to carry out.
    ///
    /// Outdated answers are dropped.
    pub(super) fn handle_answer(&mut self, answer: BotAnswer) -> Vec<ClientAction> {
        match answer {
            BotAnswer::Handled => self.questions.note_report_handled(),
            _ => self.questions.note_request_answered(),
        }
        let mut actions = Vec::new();
        match answer {
            BotAnswer::Handled | BotAnswer::Withdrawn => {}
            BotAnswer::Resigned { match_id } => {
                if let Some(open) = self.open.get_mut(&match_id)
                    && open.seat == SeatState::Own
                {
                    open.seat = SeatState::Resigned;
                    actions.push(ClientAction::Send(resign_message(match_id)));
                }
            }
            BotAnswer::Messages { match_id, round, messages } => {
                self.handle_messages((match_id, round), messages, &mut actions);
            }
            BotAnswer::Row { match_id, row, note_hash } => {
                if let Some(open) = self.open.get_mut(&match_id)
                    && open.declaration == DeclarationState::Asked
                {
                    let declare = declare_message(match_id, &row, note_hash);
                    actions.push(ClientAction::Send(Wire::Declare(declare.clone())));
                    open.declaration = DeclarationState::Made(declare);
                }
            }
            BotAnswer::Take { match_id, ply, take, note_hash } => {
                if let Some(open) = self.open.get_mut(&match_id)
                    && let Some(turn) = &mut open.turn
                    && turn.ply == ply
                    && turn.reply == TurnReply::Awaited
                    && open.seat == SeatState::Own
                {
                    let legal = (1..=turn.counters).contains(&take);
                    let take = take_message(match_id, ply, take, note_hash);
                    actions.push(ClientAction::Send(Wire::Take(take.clone())));
                    turn.reply = if legal { TurnReply::Legal(take) } else { TurnReply::Illegal };
                }
            }
        }
        self.ask_questions(&mut actions);
        actions
    }

    /// After a welcome, open matches are unconfirmed until their snapshots or ends arrive.
    fn handle_welcome(&mut self, connected: Connected) {
        self.snapshots_due = connected.open_matches;
        for open in self.open.values_mut() {
            open.confirmation = Confirmation::Unconfirmed;
        }
        self.caught_up = false;
        self.questions.push(BotQuestion::Connected(connected));
    }

    fn handle_caught_up(&mut self, left_out: u64) {
        if left_out > 0 {
            tracing::warn!(
                left_out,
                "the server did not report all matches that ended while the bot was disconnected"
            );
        }
        self.caught_up = true;
        self.close_unconfirmed();
    }

    fn close_unconfirmed(&mut self) {
        if self.snapshots_due > 0 || !self.caught_up {
            return;
        }
        let is_gone = |open: &OpenMatch| open.confirmation == Confirmation::Unconfirmed;
        let doubtful: Vec<_> =
            self.open.iter().filter(|(_, open)| is_gone(open)).map(|(&id, _)| id).collect();
        for match_id in doubtful {
            self.close_match(match_id, |open| open.match_end(EndReport::Unseen));
        }
    }

    /// Returns the state of a match, after adding the match if it is new.
    fn open_match(&mut self, info: MatchInfo) -> Result<&mut OpenMatch, ProtocolError> {
        let is_full = self.open.len() >= MAX_OPEN_MATCHES;
        match self.open.entry(info.id) {
            Entry::Vacant(_) if is_full => Err(ProtocolError::TooManyMatches(info.id)),
            entry => Ok(entry.or_insert_with(|| OpenMatch::new(info))),
        }
    }

    fn handle_match_started(&mut self, info: MatchInfo) -> Result<(), ProtocolError> {
        if self.is_over(info.id) {
            return Ok(());
        }
        let open = self.open_match(info)?;
        open.confirmation = Confirmation::Confirmed;
        let (match_id, talk) = (open.info.id, open.info.terms.talk.unwrap_or_default());
        self.ask_before_play(match_id, talk.round_time);
        Ok(())
    }

    fn handle_snapshot(
        &mut self,
        snapshot: MatchSnapshot,
        actions: &mut Vec<ClientAction>,
    ) -> Result<(), ProtocolError> {
        let match_id = snapshot.info.id;
        if self.is_over(match_id) {
            self.snapshots_due = self.snapshots_due.saturating_sub(1);
            self.close_unconfirmed();
            return Ok(());
        }
        let mut is_due = !self.open.contains_key(&match_id);
        let open = self.open_match(snapshot.info)?;
        // Not every snapshot is one of those due after a welcome: after a refusal, the server sends another one if the
        // bot has not declared.
        is_due |= open.confirmation == Confirmation::Unconfirmed;
        open.confirmation = Confirmation::Confirmed;
        if snapshot.forfeited {
            open.seat = SeatState::Forfeited;
        } else if open.seat == SeatState::Resigned {
            actions.push(ClientAction::Send(resign_message(match_id)));
        }
        if open.declaration == DeclarationState::Asked && !matches!(snapshot.stage, SnapshotStage::Declaring)
        {
            open.declaration = DeclarationState::Closed;
            self.withdraw_requests_of(match_id);
        }
        let round_left = snapshot.talk.as_ref().map_or(Duration::ZERO, |talk| talk.time_left);
        if let Some(talk) = snapshot.talk {
            self.resume_talk(match_id, talk, is_due, actions);
        }
        let Some(open) = self.open.get_mut(&match_id) else { return Ok(()) };
        match snapshot.stage {
            SnapshotStage::Declaring => match &open.declaration {
                DeclarationState::Made(declare) => {
                    actions.push(ClientAction::Send(Wire::Declare(declare.clone())));
                }
                DeclarationState::NotAsked => self.ask_before_play(match_id, round_left),
                DeclarationState::Asked | DeclarationState::Closed => {}
            },
            SnapshotStage::Declared => open.declaration = DeclarationState::Closed,
            SnapshotStage::Playing { matrix, reached, turn } => {
                open.reveal(matrix)?;
                let reached = turn.map_or(reached, |Turn { ply, pile, counters, .. }| ReachedPly {
                    ply,
                    pile,
                    counters,
                });
                if open.resume_at(reached) {
                    self.questions.forget_requests_of(match_id);
                    self.withdraw_requests_of(match_id);
                }
                if let Some(turn) = turn {
                    self.handle_turn(match_id, turn, actions)?;
                }
            }
            // The end of the match follows in another event.
            SnapshotStage::Ended => {}
        }
        self.snapshots_due = self.snapshots_due.saturating_sub(u32::from(is_due));
        self.close_unconfirmed();
        Ok(())
    }

    fn handle_turn(
        &mut self,
        match_id: MatchId,
        raw: Turn,
        actions: &mut Vec<ClientAction>,
    ) -> Result<(), ProtocolError> {
        let Some(open) = self.open.get_mut(&match_id) else { return Ok(()) };
        let view = open.turn_view(raw)?;
        open.seen_takes.note_position(raw.ply, &view.position);
        match &mut open.turn {
            // A later turn has already arrived. Only a snapshot may return to an earlier ply.
            Some(turn) if turn.ply > raw.ply => return Ok(()),
            Some(turn) if turn.ply == raw.ply => match &turn.reply {
                TurnReply::Awaited => return Ok(()),
                TurnReply::Legal(take) => {
                    actions.push(ClientAction::Send(Wire::Take(take.clone())));
                    return Ok(());
                }
                TurnReply::Illegal => {}
            },
            _ => {}
        }
        // Only the counters are kept and not the view, so that nothing holds the view after the bot has answered, and a
        // take can be added without a copy.
        let counters = view.position.counters();
        let turn = OwnTurn { ply: raw.ply, counters, reply: TurnReply::Awaited };
        let earlier = open.turn.replace(turn);
        if earlier.is_some_and(|turn| turn.ply < raw.ply && turn.reply == TurnReply::Awaited) {
            self.questions.forget_requests_of(match_id);
            self.withdraw_requests_of(match_id);
        }
        self.questions.push(BotQuestion::Play(view));
        Ok(())
    }

    fn handle_match_ended(&mut self, ended: EndedMatch) -> Result<(), ProtocolError> {
        let EndedMatch { match_id, reason, winner, figures, info, forfeited } = ended;
        let open = self.open.get(&match_id).map(|open| Arc::clone(&open.info));
        let is_open = open.is_some();
        let is_known = self.known_ends.contains_key(&match_id);
        let info = open.or_else(|| info.filter(|_| !is_known).map(Arc::new));
        let Some(info) = info else { return Ok(()) };
        let winner = winner.map(|seat| info.seats().seat(seat as usize)).transpose()?;
        let figures = winner.and_then(|_| figures.get(info.seat.index()).copied());
        let forfeited = forfeited.contains(&u32::from(info.seat));
        if is_open {
            self.close_match(match_id, |open| {
                let end = open.match_end(reason);
                MatchEnd { winner, figures, forfeited: forfeited || end.forfeited, ..end }
            });
        } else {
            // An earlier process played this match, so the summary does not count it.
            self.remember_end(match_id, reason);
            self.questions.push(BotQuestion::Ended(MatchEnd { info, reason, winner, forfeited, figures }));
        }
        Ok(())
    }

    /// Returns whether the server has confirmed the end of a match.
    fn is_over(&self, match_id: MatchId) -> bool {
        self.known_ends.get(&match_id) == Some(&true)
    }

    fn remember_end(&mut self, match_id: MatchId, reason: EndReport) {
        self.known_ends.insert(match_id, reason != EndReport::Unseen);
        if self.known_ends.len() > MAX_KNOWN_ENDS {
            self.known_ends.pop_first();
        }
    }

    /// Removes a match and its questions, counts it, and reports its end.
    fn close_match(&mut self, match_id: MatchId, end: impl FnOnce(&OpenMatch) -> MatchEnd) {
        let Some(open) = self.open.remove(&match_id) else { return };
        self.questions.forget_requests_of(match_id);
        self.withdraw_requests_of(match_id);
        let end = end(&open);
        self.remember_end(match_id, end.reason);
        self.summary.add_match(&end);
        self.questions.push(BotQuestion::Ended(end));
    }

    /// Lets a concurrent bot stop thinking about a match. A bot that is asked one question at a time finishes its
    /// answer.
    fn withdraw_requests_of(&mut self, match_id: MatchId) {
        if self.questions.question_limit() != QuestionLimit::OneQuestion {
            self.withdrawn.push(match_id);
        }
    }

    /// Takes waiting questions from the queue, up to the bot's limit, and adds the actions that ask them.
    fn ask_questions(&mut self, actions: &mut Vec<ClientAction>) {
        let open = &self.open;
        let next_question =
            || self.questions.pop(|question| is_still_needed(open, question)).map(ClientAction::Ask);
        actions.extend(iter::from_fn(next_question));
    }
}

/// Returns whether a question still needs an answer.
fn is_still_needed(open: &BTreeMap<MatchId, OpenMatch>, question: &BotQuestion) -> bool {
    match question {
        BotQuestion::Talk(round) => open.get(&round.id).is_some_and(|open| open.awaits_messages(round.round)),
        BotQuestion::Declare(info) => {
            open.get(&info.id).is_some_and(|open| open.declaration == DeclarationState::Asked)
        }
        BotQuestion::Play(view) => open.get(&view.id).is_some_and(|open| {
            open.seat == SeatState::Own
                && open
                    .turn
                    .as_ref()
                    .is_some_and(|turn| turn.ply == view.ply && turn.reply == TurnReply::Awaited)
        }),
        BotQuestion::Connected(_)
        | BotQuestion::Heard(..)
        | BotQuestion::Refused(_)
        | BotQuestion::Suspended(_)
        | BotQuestion::TournamentEnded(_)
        | BotQuestion::Ended(_) => true,
    }
}

fn declare_message(match_id: MatchId, row: &Row, note_hash: Option<[u8; 32]>) -> pb::Declare {
    pb::Declare {
        match_id: match_id.to_string(),
        row: Some(row.into()),
        note_hash: note_hash_bytes(note_hash),
    }
}

fn take_message(match_id: MatchId, ply: u32, take: u64, note_hash: Option<[u8; 32]>) -> pb::Take {
    pb::Take { match_id: match_id.to_string(), ply, take, note_hash: note_hash_bytes(note_hash) }
}

fn resign_message(match_id: MatchId) -> Wire {
    Wire::Resign(pb::Resign { match_id: match_id.to_string() })
}

fn note_hash_bytes(note_hash: Option<[u8; 32]>) -> Vec<u8> {
    note_hash.map(Vec::from).unwrap_or_default()
}

#[cfg(test)]
mod tests;
