//! Everything with which a scenario is played: the scripted server, the bot's program, its session, and the log of
//! events.

mod conversation;
mod sessions;
mod tournaments;

pub(super) use sessions::{SILENCE_LIMIT, SessionLoss};
pub(super) use tournaments::EndedTournament;

use super::{
    CheckFailure,
    bot_launcher::{BotEnvironment, BotLauncher, LaunchedBot},
    bot_session::{Arrival, BotSession},
    future_messages::{UNKNOWN_ENUM_VALUE, add_unknown_fields},
    network::NetworkPace,
    scripted_server::ScriptedServer,
};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::{BotAction, TakeFeed, json::message_to_json, pb};
use prost::Message as _;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::sync::mpsc;

/// The result of a scenario: an error if the bot failed.
pub(super) type ScenarioResult = Result<(), CheckFailure>;

/// The maximum number of events shown in a failure, and of lines of the bot's output.
const MAX_SHOWN_EVENTS: usize = 6;
/// The maximum number of characters shown of an event.
const MAX_SHOWN_CHARS: usize = 240;
/// The timestamp in the first match id and in the tournament ids, in milliseconds since 1970. Each further match has
/// the next timestamp.
const FIRST_MATCH_MS: u64 = 1_800_000_000_000;

/// How events are modified before they are sent.
#[derive(Debug, Clone, Copy, Default)]
struct SendingStyle {
    /// Whether events of matches are sent twice.
    sends_twice: bool,
    /// Whether an unknown field is added to every message.
    adds_unknown_fields: bool,
    /// Whether matches end for an unknown reason.
    uses_unknown_end_reasons: bool,
}

/// The scripted server, the bot, and the conversation so far.
pub(super) struct Stage {
    launcher: Arc<dyn BotLauncher>,
    environment: BotEnvironment,
    bot: LaunchedBot,
    server: ScriptedServer,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    session: Option<BotSession>,
    name: BotName,
    tournament: TournamentId,
    patience: Duration,
    matches_begun: u64,
    next_ping: u64,
    feed: TakeFeed,
    /// Whether to accept repeated or late answers, which are harmless on the real server.
    tolerates_late_answers: bool,
    idle_messages: u32,
    /// Actions that arrived while the scenario waited for a pong.
    held_actions: VecDeque<BotAction>,
    style: SendingStyle,
    journal: VecDeque<String>,
}

impl Stage {
    /// Starts a server and the bot.
    pub(super) async fn open(
        launcher: Arc<dyn BotLauncher>,
        pace: NetworkPace,
        patience: Duration,
    ) -> Result<Self, CheckFailure> {
        let cannot = |expected: &str, got: String| CheckFailure {
            sent: Vec::new(),
            expected: expected.to_owned(),
            got,
        };
        let tournament = TournamentId::new(FIRST_MATCH_MS, &[1; 10]);
        let token = "lastnim_conformance".to_owned();
        let (sender, arrivals) = mpsc::unbounded_channel();
        let server = ScriptedServer::start(&token, pace, sender).await;
        let server = server.map_err(|error| cannot("a free port on 127.0.0.1", error.to_string()))?;
        let environment =
            BotEnvironment { server: server.address(), token, tournament: tournament.to_string() };
        let bot =
            launcher.launch(&environment).map_err(|why| cannot("a program that can be started", why))?;
        Ok(Self {
            launcher,
            environment,
            bot,
            server,
            arrivals,
            session: None,
            name: "candidate".parse().expect("the name is valid"),
            tournament,
            patience,
            matches_begun: 0,
            next_ping: 0,
            feed: TakeFeed::All,
            tolerates_late_answers: false,
            idle_messages: 0,
            held_actions: VecDeque::new(),
            style: SendingStyle::default(),
            journal: VecDeque::new(),
        })
    }

    /// Stops the bot and the server. Returns the last lines of the bot's output.
    pub(super) async fn close(mut self) -> Vec<String> {
        self.session = None;
        self.bot.stop().await;
        self.bot.output().last_lines(MAX_SHOWN_EVENTS)
    }

    /// Creates a failure from the expected and the actual behaviour.
    pub(super) fn failure(&self, expected: impl Into<String>, got: impl Into<String>) -> CheckFailure {
        CheckFailure {
            sent: self.journal.iter().cloned().collect(),
            expected: expected.into(),
            got: got.into(),
        }
    }

    /// Accepts repeated and late answers from now on; they are harmless on the real server.
    pub(super) fn tolerate_late_answers(&mut self) {
        self.tolerates_late_answers = true;
    }

    pub(super) fn tournament_id(&self) -> String {
        self.tournament.to_string()
    }

    /// Adds an entry to the log shown in failures.
    pub(super) fn note(&mut self, words: impl Into<String>) {
        if self.journal.len() == MAX_SHOWN_EVENTS {
            self.journal.pop_front();
        }
        self.journal.push_back(words.into());
    }

    /// Sends an event.
    pub(super) fn send(&mut self, event: impl Into<pb::PlayResponse>) {
        let mut event = event.into();
        if self.style.uses_unknown_end_reasons
            && let Some(pb::play_response::Event::MatchEnded(ended)) = &mut event.event
        {
            ended.reason = UNKNOWN_ENUM_VALUE;
        }
        let event_text = shorten(&message_to_json(&event).to_string());
        let encoded = event.encode_to_vec();
        if self.style.adds_unknown_fields {
            let event_text = format!("with field 999 in every message: {event_text}");
            self.send_encoded(add_unknown_fields(&encoded), event_text);
        } else {
            self.send_encoded(encoded, event_text);
        }
    }

    /// Sends every event of a match twice from now on.
    pub(super) fn send_everything_twice(&mut self) {
        self.style.sends_twice = true;
    }

    /// Adds an unknown field to every message from now on.
    pub(super) fn add_unknown_fields(&mut self) {
        self.style.adds_unknown_fields = true;
    }

    /// Ends matches for an unknown reason from now on.
    pub(super) fn use_unknown_end_reasons(&mut self) {
        self.style.uses_unknown_end_reasons = true;
    }

    /// Sends the bytes of an event. `words` describe it in the log.
    pub(super) fn send_encoded(&mut self, event: Vec<u8>, words: String) {
        self.note(words);
        if let Some(session) = &self.session {
            session.send(event);
        }
    }
}

/// Wraps an event in a response.
pub(super) fn event_of(event: pb::play_response::Event) -> pb::PlayResponse {
    pb::PlayResponse { event: Some(event) }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
