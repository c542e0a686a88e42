//! Two bots send arbitrary messages during a match: the match must end, its record must verify, and the record must agree
//! with what the bots were told.

use super::server::{BOTS, FuzzedServer, try_server};
use lastnim_client::{connect, token_authorization};
use lastnim_history::{Certainty, SessionLogs, check_match};
use lastnim_proto::{
    pb::{
        self, PlayRequest, arena_service_client::ArenaServiceClient, play_request::Action,
        play_response::Event,
    },
    record::verify_record,
    session_log::{SESSION_LOG_VERSION, SessionLogEvent, SessionLogLine},
};
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

/// Maximum messages of an input.
const MAX_MESSAGES: usize = 64;
/// Stands for the match id in messages.
const MATCH: &str = "m";
/// The total bank of a seat, short so that matches end soon without answers.
const BANK_MS: u32 = 20;

/// Reads and sends messages. Each is preceded by a byte for the bot and a byte for its length.
pub fn check(input: &[u8]) {
    let Some((&setup, mut rest)) = input.split_first() else { return };
    let mut messages = Vec::new();
    while let [whose, length, more @ ..] = rest
        && messages.len() < MAX_MESSAGES
    {
        let (message, more) = more.split_at(usize::from(*length).min(more.len()));
        if let Ok(message) = PlayRequest::decode(message) {
            messages.push((usize::from(whose % 2), message));
        }
        rest = more;
    }
    try_server(async |server| play_match(server, setup, messages).await);
}

async fn play_match(server: &FuzzedServer, setup: u8, messages: Vec<(usize, PlayRequest)>) {
    let mut bots = [FuzzedBot::open(server, 0).await, FuzzedBot::open(server, 1).await];
    let clock = pb::Clock {
        initial_ms: BANK_MS,
        declaration_ms: BANK_MS,
        increment_ms: u32::from(setup & 1),
        return_within_ms: (setup & 8 != 0).then_some(BANK_MS / 2),
        ..pb::Clock::default()
    };
    let request = pb::CreateMatchRequest {
        bots: BOTS.map(str::to_owned).to_vec(),
        piles: vec![2 + u64::from(setup >> 4), 3],
        clock: Some(clock),
        alliance: if setup & 2 == 0 { pb::AllianceMode::Declared } else { pb::AllianceMode::Standard }.into(),
        max_plies: if setup & 4 == 0 { 0 } else { 3 },
        ..pb::CreateMatchRequest::default()
    };
    let created = server.matches.clone().create_match(request).await.expect("a match").into_inner();
    let id = created.r#match.expect("a match").id;
    for (whose, message) in messages {
        bots[whose].send(message, &id).await;
    }
    let [anna, bert] = &mut bots;
    tokio::join!(anna.read_to_end_of(&id), bert.read_to_end_of(&id));
    let watched = pb::WatchMatchRequest { match_id: id.clone() };
    let mut events = server.matches.clone().watch_match(watched).await.expect("a watch").into_inner();
    while events.message().await.expect("the match ends").is_some() {}
    let asked = pb::GetRecordRequest { match_id: id.clone() };
    let given = server.matches.clone().get_record(asked).await.expect("a record").into_inner();
    let sealed = verify_record(&given.record.expect("a record")).expect("the record verifies");
    assert!(sealed.record().state().end().is_some(), "the match is over");
    let mut logs = SessionLogs::default();
    for bot in &bots {
        let log = logs.begin_log();
        for line in &bot.lines {
            logs.add_line(log, &line.write()).expect("a line");
        }
        logs.finish_log(log).expect("a log");
    }
    if let Some(log) = logs.matches().get(id.as_str()) {
        let mut found = check_match(&id, log, Some(sealed.record()));
        found.retain(|finding| finding.kind.certainty() == Certainty::Contradiction);
        assert!(found.is_empty(), "{found:#?}\n{:#?}", bots.map(|bot| bot.lines));
    }
}

/// A bot that sends the input's messages.
struct FuzzedBot {
    /// `None` once the server has ended the stream.
    outbound: Option<mpsc::Sender<PlayRequest>>,
    inbound: Streaming<pb::PlayResponse>,
    lines: Vec<SessionLogLine>,
}

impl FuzzedBot {
    async fn open(server: &FuzzedServer, number: usize) -> Self {
        let channel = connect(&server.address).await.expect("a connection");
        let token = token_authorization(&server.tokens[number]).expect("a token");
        let (outbound, requests) = mpsc::channel(MAX_MESSAGES + 1);
        let mut client = ArenaServiceClient::with_interceptor(channel, token);
        let play = client.play(ReceiverStream::new(requests)).await.expect("a session");
        let mut bot = Self { outbound: Some(outbound), inbound: play.into_inner(), lines: Vec::new() };
        let (version, sdk, server) = (SESSION_LOG_VERSION, "fuzz".to_owned(), server.address.to_string());
        bot.note(SessionLogEvent::RunBegan { version, sdk, server });
        bot.receive().await;
        bot
    }

    fn note(&mut self, event: SessionLogEvent) {
        self.lines.push(SessionLogLine { at_us: 0, mono_us: 0, run: "r".into(), session: 1, event });
    }

    /// Sends a message with [`MATCH`] replaced by the match id.
    async fn send(&mut self, mut request: PlayRequest, id: &str) {
        let named = match &mut request.action {
            Some(Action::Declare(declare)) => Some(&mut declare.match_id),
            Some(Action::Take(take)) => Some(&mut take.match_id),
            Some(Action::Resign(resign)) => Some(&mut resign.match_id),
            Some(Action::Say(say)) => Some(&mut say.match_id),
            Some(Action::EndTalk(end)) => Some(&mut end.match_id),
            _ => None,
        };
        if let Some(named) = named.filter(|named| named.as_str() == MATCH) {
            id.clone_into(named);
        }
        self.note(SessionLogEvent::Sent(Box::new(request.clone())));
        // If the stream has ended, reads the reason.
        if let Some(outbound) = &self.outbound {
            let _ = outbound.send(request).await;
        }
    }

    /// Reads the next message; `None` if the stream has ended.
    async fn receive(&mut self) -> Option<Event> {
        let response = self.inbound.message().await.ok()??;
        self.note(SessionLogEvent::Received(Box::new(response.clone())));
        response.event
    }

    /// Reads until the match or the session is over.
    async fn read_to_end_of(&mut self, id: &str) {
        while let Some(event) = self.receive().await {
            if matches!(event, Event::MatchEnded(ended) if ended.match_id == id) {
                return;
            }
        }
        self.outbound = None;
    }
}
