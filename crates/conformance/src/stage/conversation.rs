//! Exchanges events and messages with the bot, and applies its actions to its matches.

use super::{ScenarioResult, Stage, shorten};
use crate::{
    CheckFailure,
    bot_session::{Arrival, Inbound},
    scripted_match::{ActionOutcome, MatchPlan, ScriptedMatch, SharedSetup},
    stage::FIRST_MATCH_MS,
};
use lastnim_core::{
    game::MatchId,
    referee::{RefusalReason, SeatAction},
};
use lastnim_proto::{BotAction, MatchEvent, ServerEvent, json::message_to_json, pb};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The maximum number of messages that a bot may send without advancing a match. More than that counts as flooding.
/// The real server has a similar limit.
const MAX_IDLE_MESSAGES: u32 = 200;

/// The interval at which a quiet session gets pings, as from the real server.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// A message from a bot.
#[derive(Debug)]
pub(super) enum BotMessage {
    Pong(u64),
    Action(BotAction),
}

impl Stage {
    /// Plays a short match, to show that the bot still plays.
    pub(crate) async fn play_short_match(&mut self) -> ScenarioResult {
        self.play(&MatchPlan::new(2, &[2, 3])).await
    }

    /// Starts a match, but does not send its events to the bot yet.
    pub(crate) fn begin(&mut self, plan: &MatchPlan) -> ScriptedMatch {
        let number = self.matches_begun;
        self.matches_begun += 1;
        let shared = SharedSetup { bot: &self.name, tournament: self.tournament, patience: self.patience };
        ScriptedMatch::begin(MatchId::new(FIRST_MATCH_MS + number, &[2; 10]), plan, number, shared)
    }

    /// Returns the events of a match, for a scenario that sends them itself.
    pub(crate) fn drain_events(&mut self, played: &mut ScriptedMatch) -> Vec<ServerEvent> {
        played.drain_events(self.feed)
    }

    /// Sends the events of a match.
    pub(crate) fn send_events(&mut self, played: &mut ScriptedMatch) {
        for event in played.drain_events(self.feed) {
            if self.style.sends_twice {
                self.send(event.clone());
            }
            self.send(event);
        }
    }

    /// Sends the events of a match up to and including the first for which `is_last` is true. Later events are lost.
    pub(crate) fn send_events_until(
        &mut self,
        played: &mut ScriptedMatch,
        is_last: impl Fn(&MatchEvent) -> bool,
    ) {
        for event in played.drain_events(self.feed) {
            let ends = matches!(&event, ServerEvent::InMatch { event, .. } if is_last(event));
            self.send(event);
            if ends {
                return;
            }
        }
    }

    /// Waits for the bot's action in a match, without applying it.
    pub(crate) async fn next_answer(&mut self, played: &ScriptedMatch) -> Result<BotAction, CheckFailure> {
        self.next_action(&describe_awaited(std::slice::from_ref(played))).await
    }

    /// Plays a match from start to end.
    pub(crate) async fn play(&mut self, plan: &MatchPlan) -> ScenarioResult {
        let mut played = self.begin(plan);
        self.play_out(std::slice::from_mut(&mut played)).await
    }

    /// Plays the matches to their ends, and applies the bot's actions in the order in which they arrive.
    pub(crate) async fn play_out(&mut self, matches: &mut [ScriptedMatch]) -> ScenarioResult {
        for played in &mut *matches {
            self.send_events(played);
        }
        while matches.iter().any(|played| !played.is_over()) {
            self.step(matches).await?;
        }
        Ok(())
    }

    /// Waits for one action of the bot, and applies it.
    pub(crate) async fn step(&mut self, matches: &mut [ScriptedMatch]) -> ScenarioResult {
        let action = self.next_action(&describe_awaited(matches)).await?;
        self.apply_and_send(matches, &action)
    }

    /// Waits for the bot's next action in a match. While it waits, it handles pongs, subscriptions and repeated
    /// requests to join.
    async fn next_action(&mut self, expected: &str) -> Result<BotAction, CheckFailure> {
        if let Some(action) = self.held_actions.pop_front() {
            return Ok(action);
        }
        loop {
            match self.next_message(expected).await? {
                BotMessage::Pong(_) => {}
                BotMessage::Action(BotAction::Subscribe(feed)) => self.feed = feed,
                BotMessage::Action(BotAction::Join(Ok(id))) if id == self.tournament => {
                    self.send_joined(pb::TournamentState::Running);
                }
                BotMessage::Action(action) => return Ok(action),
            }
        }
    }

    /// Applies an action, and sends the resulting events.
    fn apply_and_send(&mut self, matches: &mut [ScriptedMatch], action: &BotAction) -> ScenarioResult {
        self.apply_action(matches, action)?;
        for played in matches {
            self.send_events(played);
        }
        Ok(())
    }

    /// Applies an action, without sending the resulting events yet.
    pub(crate) fn apply_action(
        &mut self,
        matches: &mut [ScriptedMatch],
        action: &BotAction,
    ) -> ScenarioResult {
        let awaited = describe_awaited(matches);
        let (match_id, acted) = match action {
            BotAction::Act { match_id, action } if *action != SeatAction::Resign => (*match_id, action),
            _ => return Err(self.failure(awaited, describe_action(action))),
        };
        let Some(played) = matches.iter_mut().find(|played| played.id() == match_id) else {
            if self.tolerates_late_answers {
                return Ok(());
            }
            return Err(self.failure(awaited, describe_action(action)));
        };
        let ply = played.ply();
        match played.handle_action(acted.clone()) {
            ActionOutcome::RepeatedTalk if !self.tolerates_late_answers => Err(self.failure(
                awaited,
                format!("{} again, although it was already accepted", describe_action(action)),
            )),
            ActionOutcome::Refused(refusal) if !self.is_tolerated(refusal.reason) => {
                let (reason, message) = (refusal.reason, refusal.message);
                let got = format!("{}, refused as {reason}: {message}", describe_action(action));
                Err(self.failure(awaited, got))
            }
            ActionOutcome::Accepted if played.ply() > ply => {
                self.idle_messages = 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the bot may get a refusal for this reason without failing the check.
    fn is_tolerated(&self, reason: RefusalReason) -> bool {
        self.tolerates_late_answers && reason == RefusalReason::MatchEnded
    }

    /// Waits for the pong with this id. Actions that arrive before it are held for later.
    pub(crate) async fn await_pong(&mut self, id: u64) -> ScenarioResult {
        let expected = format!("`pong` with id {id}");
        loop {
            match self.next_message(&expected).await? {
                BotMessage::Pong(answered) if answered == id => return Ok(()),
                BotMessage::Action(BotAction::Subscribe(feed)) => self.feed = feed,
                BotMessage::Action(action) => self.held_actions.push_back(action),
                BotMessage::Pong(_) => {}
            }
        }
    }

    /// Waits for the next message in the session. Safe to cancel.
    pub(super) async fn next_message(&mut self, expected: &str) -> Result<BotMessage, CheckFailure> {
        let deadline = Instant::now() + self.patience;
        let inbound = loop {
            let Some(session) = &mut self.session else {
                return Err(self.failure(expected, "no session is open"));
            };
            tokio::select! {
            biased;
            inbound = timeout_at(deadline, session.next_inbound()) => break inbound,
            () = sleep(PING_INTERVAL) => {
                self.ping();
            }
            Some(arrival) = self.arrivals.recv() => {
                let got = match arrival {
                    Arrival::Session(_) => "a second session while the first was open".to_owned(),
                    Arrival::Refused(call) => call,
                };
                return Err(self.failure(expected, got));
            }
            end = self.bot.wait_until_ended() => {
                return Err(self.failure(expected, format!("the program ended ({})", end.description)));
            }
            }
        };
        let got = match inbound {
            Ok(Inbound::Request(request)) => return self.read_request(&request, expected),
            Ok(Inbound::Closed) => self.lost_stream_text("the bot closed its stream".to_owned()).await,
            Ok(Inbound::Broken(why)) => {
                self.lost_stream_text(format!("the bot's stream failed: {why}")).await
            }
            Err(_) => format!("no message within {} s", self.patience.as_secs()),
        };
        Err(self.failure(expected, got))
    }

    /// Describes why the stream was lost: the end of the program, if it ends within half a second, or else the reason
    /// in `words`.
    async fn lost_stream_text(&mut self, words: String) -> String {
        let end = timeout_at(Instant::now() + Duration::from_millis(500), self.bot.wait_until_ended()).await;
        end.map_or(words, |end| format!("the program ended ({})", end.description))
    }

    pub(super) fn read_request(
        &mut self,
        request: &pb::PlayRequest,
        expected: &str,
    ) -> Result<BotMessage, CheckFailure> {
        self.idle_messages += 1;
        if self.idle_messages > MAX_IDLE_MESSAGES {
            let got = format!("more than {MAX_IDLE_MESSAGES} messages without a take");
            return Err(self.failure(expected, got));
        }
        let request_text = || shorten(&message_to_json(request).to_string());
        match BotAction::try_from(request.clone()) {
            Ok(BotAction::Pong { id }) if id < self.next_ping => Ok(BotMessage::Pong(id)),
            Ok(BotAction::Pong { id }) => {
                Err(self.failure(expected, format!("`pong` with the unknown id {id}")))
            }
            Ok(action) => Ok(BotMessage::Action(action)),
            Err(invalid) => Err(self.failure(expected, format!("{}: {}", request_text(), invalid.message))),
        }
    }
}

/// Describes which actions of the bot the matches are waiting for.
fn describe_awaited(matches: &[ScriptedMatch]) -> String {
    let awaited: Vec<_> = matches.iter().filter_map(ScriptedMatch::awaited).collect();
    match awaited.as_slice() {
        [] => "no message: no match is waiting for the bot".to_owned(),
        [one] => one.clone(),
        [first, ..] => {
            format!("{first}, or an action in another of the {} matches that wait for the bot", awaited.len())
        }
    }
}

pub(super) fn describe_action(action: &BotAction) -> String {
    match action {
        BotAction::Act { match_id, action } => match action {
            SeatAction::Declare { offsets, .. } => format!("`declare` of {offsets:?} in match {match_id}"),
            SeatAction::Take { ply, take, .. } => {
                format!("`take` of {take} at ply {ply} of match {match_id}")
            }
            SeatAction::Resign => format!("`resign` in match {match_id}"),
            SeatAction::Say(_) => format!("`say` in match {match_id}"),
            SeatAction::EndTalk { .. } => format!("`end_talk` in match {match_id}"),
        },
        BotAction::Subscribe(_) => "`subscribe`".to_owned(),
        BotAction::Pong { id } => format!("`pong` with id {id}"),
        BotAction::Join(Ok(id)) => format!("`join_tournament` with tournament_id {id}"),
        BotAction::Join(Err(refused)) => format!("`join_tournament`: {}", refused.message),
    }
}
