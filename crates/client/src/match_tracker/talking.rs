//! The bot's talk before rows are declared.

use super::{ClientAction, DeclarationState, MatchTracker, OpenMatch, SeatState, Wire};
use crate::{
    Message, ProtocolError, TalkMessage, TalkRound,
    event::{SnapshotTalk, parse_heard},
    question::BotQuestion,
};
use lastnim_core::{game::MatchId, referee::MAX_ROUND_MESSAGES};
use lastnim_proto::pb;
use std::{collections::VecDeque, mem, sync::Arc, time::Duration};

/// The bot's talk in one match.
#[derive(Debug)]
pub(super) struct Talk {
    /// The number of rounds that have ended.
    pub(super) rounds_ended: u32,
    pub(super) stage: TalkStage,
    /// The round and number of each message that the server has not answered in this session, oldest first; the end of
    /// talk has no number.
    unanswered: VecDeque<(u32, Option<u32>)>,
}

/// The stage of the bot's talk in the round that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TalkStage {
    NotAsked,
    Asked,
    /// The first of these messages was sent with this number. The next one follows when the server has answered it. If
    /// no message is left, the end of talk was sent.
    Sending {
        number: u32,
        messages: VecDeque<Message>,
    },
    Ended,
    /// The talk of the match is over, or the bot sends nothing more.
    Over,
}

impl Talk {
    /// Creates the state at the beginning of a match.
    pub(super) fn new(seats_talk: bool) -> Self {
        let stage = if seats_talk { TalkStage::NotAsked } else { TalkStage::Over };
        Self { rounds_ended: 0, stage, unanswered: VecDeque::new() }
    }
}

impl OpenMatch {
    /// Returns whether the bot must still say what it sends in this round.
    pub(super) fn awaits_messages(&self, round: u32) -> bool {
        self.talk.stage == TalkStage::Asked && self.talk.rounds_ended == round && self.seat == SeatState::Own
    }

    /// Adds the action that sends the next message of the bot, or the end of its talk if no message is left.
    fn send_talk(&mut self, actions: &mut Vec<ClientAction>) {
        let TalkStage::Sending { number, messages } = &self.talk.stage else { return };
        let (match_id, round) = (self.info.id.to_string(), self.talk.rounds_ended);
        let (number, action) = match messages.front() {
            Some(Message { to, content }) => {
                let (to, content) = (to.iter().map(u32::from).collect(), Some(content.into()));
                (Some(*number), Wire::Say(pb::Say { match_id, round, number: *number, to, content }))
            }
            None => (None, Wire::EndTalk(pb::EndTalk { match_id, round })),
        };
        self.talk.unanswered.push_back((round, number));
        actions.push(ClientAction::Send(action));
    }
}

impl MatchTracker {
    /// Asks the bot for its messages if a round of talk is open, or else for its row, unless it was asked before.
    pub(super) fn ask_before_play(&mut self, match_id: MatchId, round_left: Duration) {
        let Some(open) = self.open.get_mut(&match_id) else { return };
        if open.declaration != DeclarationState::NotAsked {
            return;
        }
        let info = Arc::clone(&open.info);
        match open.talk.stage {
            TalkStage::NotAsked => {
                open.talk.stage = TalkStage::Asked;
                let round = TalkRound { info, round: open.talk.rounds_ended, time_left: round_left };
                self.questions.push(BotQuestion::Talk(round));
            }
            TalkStage::Over => {
                open.declaration = DeclarationState::Asked;
                self.questions.push(BotQuestion::Declare(info));
            }
            TalkStage::Asked | TalkStage::Sending { .. } | TalkStage::Ended => {}
        }
    }

    pub(super) fn handle_messages(
        &mut self,
        (match_id, round): (MatchId, u32),
        messages: Option<Vec<Message>>,
        actions: &mut Vec<ClientAction>,
    ) {
        let open = self.open.get_mut(&match_id).filter(|open| open.awaits_messages(round));
        let Some(open) = open else { return };
        let Some(messages) = messages else {
            open.talk.stage = TalkStage::Over;
            return self.ask_before_play(match_id, Duration::ZERO);
        };
        // A process that ran before a restart may have sent some of them.
        let is_own = |sent: &&TalkMessage| sent.seat == open.info.seat && sent.round == round;
        let sent: Vec<_> = open.info.messages.iter().filter(is_own).collect();
        let is_new = |message: &Message| !sent.iter().any(|sent| message.is_same(sent));
        let mut messages: VecDeque<_> = messages.into_iter().filter(is_new).collect();
        let number = sent.len() as u32;
        let room = MAX_ROUND_MESSAGES.saturating_sub(number) as usize;
        if messages.len() > room {
            tracing::warn!(%match_id, round, "the bot returned {} messages: only {room} are sent", messages.len());
            messages.truncate(room);
        }
        open.talk.stage = TalkStage::Sending { number, messages };
        open.send_talk(actions);
    }

    pub(super) fn handle_talk_accepted(
        &mut self,
        match_id: MatchId,
        place: (u32, Option<u32>),
        actions: &mut Vec<ClientAction>,
    ) {
        let Some(open) = self.open.get_mut(&match_id) else { return };
        if let Some(index) = open.talk.unanswered.iter().position(|&sent| sent == place) {
            open.talk.unanswered.drain(..=index);
        }
        let (round, accepted) = place;
        let TalkStage::Sending { number, messages } = &mut open.talk.stage else { return };
        if round != open.talk.rounds_ended || accepted != messages.front().map(|_| *number) {
            return;
        }
        match messages.pop_front() {
            None => open.talk.stage = TalkStage::Ended,
            Some(Message { to, content }) => {
                let said = TalkMessage { seat: open.info.seat, round, number: *number, to, content };
                *number += 1;
                open.add_messages(vec![said]);
                open.send_talk(actions);
            }
        }
    }

    /// Handles the refusal of a message or of the end of talk: the server answers in the order of sending.
    pub(super) fn handle_talk_refused(&mut self, match_id: MatchId, actions: &mut Vec<ClientAction>) {
        let Some(open) = self.open.get_mut(&match_id) else { return };
        let refused = open.talk.unanswered.pop_front();
        let TalkStage::Sending { messages, .. } = &mut open.talk.stage else { return };
        if refused.is_some_and(|(round, _)| round == open.talk.rounds_ended) {
            match messages.pop_front() {
                None => open.talk.stage = TalkStage::Ended,
                Some(_) => open.send_talk(actions),
            }
        }
    }

    /// Handles the end of a round.
    pub(super) fn handle_heard(
        &mut self,
        match_id: MatchId,
        round: u32,
        messages: &[pb::TalkMessage],
    ) -> Result<(), ProtocolError> {
        let Some(open) = self.open.get_mut(&match_id) else { return Ok(()) };
        let Some(terms) = open.info.terms.talk.filter(|terms| round < terms.rounds) else { return Ok(()) };
        if round >= open.talk.rounds_ended {
            let messages = parse_heard(messages, &open.info)?;
            open.add_messages(messages);
            let next = Some(round + 1).filter(|&next| next < terms.rounds);
            self.move_to_round(match_id, next, terms.rounds);
            self.ask_before_play(match_id, terms.round_time);
        }
        Ok(())
    }

    /// Follows the talk in a snapshot. In the first one of a session, what the server may have missed is sent again.
    pub(super) fn resume_talk(
        &mut self,
        match_id: MatchId,
        talk: SnapshotTalk,
        is_first: bool,
        actions: &mut Vec<ClientAction>,
    ) {
        let Some(open) = self.open.get_mut(&match_id) else { return };
        let Some(terms) = open.info.terms.talk else { return };
        let round = talk.round.filter(|&round| round < terms.rounds);
        open.add_messages(talk.messages);
        if is_first {
            open.talk.unanswered.clear();
        }
        self.move_to_round(match_id, round, terms.rounds);
        let Some(open) = self.open.get_mut(&match_id) else { return };
        match open.talk.stage {
            TalkStage::NotAsked if talk.is_done => open.talk.stage = TalkStage::Ended,
            TalkStage::Ended if !talk.is_done => {
                // The server has lost the end of talk.
                open.talk.stage = TalkStage::Sending { number: 0, messages: VecDeque::new() };
                open.send_talk(actions);
            }
            TalkStage::Sending { .. } if is_first => open.send_talk(actions),
            _ => {}
        }
    }

    /// Moves to this round, or to the end of the talk, and reports the rounds that have ended since.
    fn move_to_round(&mut self, match_id: MatchId, round: Option<u32>, rounds: u32) {
        let Some(open) = self.open.get_mut(&match_id) else { return };
        let ended = round.unwrap_or(rounds);
        let known = mem::replace(&mut open.talk.rounds_ended, ended);
        for round in known..ended {
            self.questions.push(BotQuestion::Heard(Arc::clone(&open.info), round));
        }
        if known == ended {
            return;
        }
        let was_asked = open.talk.stage == TalkStage::Asked;
        if open.talk.stage != TalkStage::Over {
            open.talk.stage = if round.is_some() { TalkStage::NotAsked } else { TalkStage::Over };
        }
        if was_asked {
            self.questions.forget_requests_of(match_id);
            self.withdraw_requests_of(match_id);
        }
    }
}
