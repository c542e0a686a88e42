//! Talk: a server is killed or stopped in each phase of it, and no message is lost, repeated, or told to others.

use super::database::Database;
use super::server::{Folder, Server, TIMEOUT};
use super::stage::Stage;
use super::verdict::{check_fair_play, sealed_record};
use lastnim_client::{connect, token_authorization};
use lastnim_proto::pb::{
    self, PlayRequest, PlayResponse, arena_service_client::ArenaServiceClient, play_request::Action,
    play_response::Event, record_event::Event as RecordedEvent,
};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

const BOTS: [&str; 3] = ["anna", "bert", "cleo"];
/// The bank of each seat.
const BANK_MS: u32 = 8_000;
/// The maximum length of a round of talk.
const ROUND_MS: u32 = 8_000;
/// Longer than a round.
const LONG: Duration = Duration::from_secs(9);
const BRIEF: Duration = Duration::from_millis(50);
/// The pause before a bot tries to connect again.
const RETRY_INTERVAL: Duration = Duration::from_millis(15);

/// What happens to the server.
#[derive(Debug, Clone, Copy)]
enum Interruption {
    /// It is killed, and starts again later.
    Kill,
    /// It is stopped, and continues later.
    Stop,
}

impl Interruption {
    async fn strike(self, stage: &Stage, server: Server, lasts: Duration) -> Server {
        match self {
            Self::Kill => {
                server.kill();
                tokio::time::sleep(lasts).await;
                stage.start.start().await
            }
            Self::Stop => {
                server.signal("STOP");
                tokio::time::sleep(lasts).await;
                server.signal("CONT");
                server
            }
        }
    }
}

/// All messages that were sent, in order.
#[derive(Debug, Default)]
struct Conversation(Vec<pb::TalkMessage>);

impl Conversation {
    /// Returns the messages that a seat knows when the given number of rounds have ended.
    fn known_to(&self, seat: u32, rounds: u32) -> Vec<pb::TalkMessage> {
        let is_known = |message: &&pb::TalkMessage| {
            let is_heard = message.to.is_empty() || message.to.contains(&seat);
            message.seat == seat || (is_heard && message.round < rounds)
        };
        self.0.iter().filter(is_known).cloned().collect()
    }
}

/// A session of a bot, and what it knows.
struct Talker {
    seat: u32,
    outbound: mpsc::Sender<PlayRequest>,
    inbound: Streaming<PlayResponse>,
    /// The rounds that have ended.
    rounds: u32,
    /// The messages that it has heard.
    heard: Vec<pb::TalkMessage>,
}

impl Talker {
    /// Opens a session, and waits until the server answers.
    async fn open(stage: &Stage, seat: usize, token: &str) -> Self {
        let began = Instant::now();
        loop {
            match Self::try_open(&stage.start.address(), seat as u32, token).await {
                Ok(talker) => return talker,
                Err(status) => assert!(began.elapsed() < TIMEOUT, "{}: {status:?}", BOTS[seat]),
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    async fn try_open(address: &str, seat: u32, token: &str) -> Result<Self, Status> {
        let channel = connect(address).await.map_err(|error| Status::unavailable(error.to_string()))?;
        let authorization = token_authorization(token).unwrap();
        let (outbound, requests) = mpsc::channel(64);
        let mut client = ArenaServiceClient::with_interceptor(channel, authorization);
        let inbound = client.play(ReceiverStream::new(requests)).await?.into_inner();
        Ok(Self { seat, outbound, inbound, rounds: 0, heard: Vec::new() })
    }

    /// Opens a session in a match that goes on, and reads its snapshot.
    async fn reopen(stage: &Stage, seat: usize, token: &str) -> (Self, pb::Snapshot) {
        let mut talker = Self::open(stage, seat, token).await;
        let snapshot = talker.until(|event| match event {
            Event::Snapshot(snapshot) => Some(snapshot.clone()),
            _ => None,
        });
        let snapshot = snapshot.await;
        let talk = snapshot.talk.as_ref().expect("the seats of this match talk");
        let rounds = talk.round.unwrap_or(2);
        talker.rounds = rounds;
        talker.heard = talk.messages.iter().filter(|message| message.seat != talker.seat).cloned().collect();
        (talker, *snapshot)
    }

    async fn send(&self, action: Action) {
        self.outbound.send(PlayRequest { action: Some(action) }).await.expect("the session lasts");
    }

    /// Waits for an event. A round that is heard twice, or out of order, is an error.
    async fn until<T>(&mut self, wanted: impl Fn(&Event) -> Option<T>) -> T {
        loop {
            let response = tokio::time::timeout(TIMEOUT, self.inbound.message()).await;
            let response = response.expect("there is an event").expect("the session lasts");
            let event = response.expect("the session lasts").event.expect("an event");
            match &event {
                Event::Ping(ping) => self.send(Action::Pong(pb::Pong { id: ping.id })).await,
                Event::Heard(heard) => {
                    assert_eq!(heard.round, self.rounds, "seat {}: each round is heard once", self.seat);
                    self.rounds += 1;
                    self.heard.extend(heard.messages.iter().cloned());
                }
                _ => {}
            }
            if let Some(found) = wanted(&event) {
                return found;
            }
            assert!(!matches!(event, Event::Refused(_)), "seat {}: {event:?}", self.seat);
        }
    }

    async fn accepted(&mut self, round: u32, number: Option<u32>) {
        let accepted = self.until(|event| match event {
            Event::TalkAccepted(accepted) => Some((accepted.round, accepted.number)),
            _ => None,
        });
        assert_eq!(accepted.await, (round, number));
    }

    async fn say(&mut self, id: &str, message: &pb::TalkMessage) {
        self.send(say(id, message)).await;
        self.accepted(message.round, Some(message.number)).await;
    }

    async fn refused(&mut self, id: &str, message: &pb::TalkMessage) {
        self.send(say(id, message)).await;
        let refused = self
            .until(|event| if let Event::Refused(refused) = event { Some(refused.clone()) } else { None });
        let refused = refused.await;
        assert_eq!((refused.reason(), refused.strikes), (pb::RefusalReason::InvalidTalk, 0), "{refused:?}");
    }

    async fn end_talk(&mut self, id: &str, round: u32) {
        self.send(Action::EndTalk(pb::EndTalk { match_id: id.to_owned(), round })).await;
        self.accepted(round, None).await;
    }

    /// Waits until a number of rounds have ended, and compares what it has heard with what was said.
    async fn hears(&mut self, said: &Conversation, rounds: u32) {
        while self.rounds < rounds {
            self.until(|event| matches!(event, Event::Heard(_)).then_some(())).await;
        }
        let expected: Vec<_> = said.known_to(self.seat, rounds);
        let expected: Vec<_> = expected.into_iter().filter(|message| message.seat != self.seat).collect();
        assert_eq!(self.heard, expected, "seat {}", self.seat);
    }
}

fn message((seat, round, number): (u32, u32, u32), to: &[u32], text: &str) -> pb::TalkMessage {
    let content = Some(pb::talk_content::Content::Text(text.to_owned()));
    pb::TalkMessage { seat, round, number, to: to.to_vec(), content: Some(pb::TalkContent { content }) }
}

fn say(id: &str, message: &pb::TalkMessage) -> Action {
    let pb::TalkMessage { round, number, to, content, .. } = message.clone();
    Action::Say(pb::Say { match_id: id.to_owned(), round, number, to, content })
}

async fn reopen_all(stage: &Stage, tokens: &[String]) -> (Vec<Talker>, Vec<pb::Snapshot>) {
    let (mut talkers, mut snapshots) = (Vec::new(), Vec::new());
    for (seat, token) in tokens.iter().enumerate() {
        let (talker, snapshot) = Talker::reopen(stage, seat, token).await;
        talkers.push(talker);
        snapshots.push(snapshot);
    }
    (talkers, snapshots)
}

async fn talk_survives(database: impl FnOnce(&Folder) -> Database, interruption: Interruption) {
    let stage = Stage::new(database);
    let mut server = stage.start.start().await;
    let (mut tokens, mut talkers) = (Vec::new(), Vec::new());
    for (seat, name) in BOTS.into_iter().enumerate() {
        tokens.push(stage.organiser.register(name).await);
        talkers.push(Talker::open(&stage, seat, &tokens[seat]).await);
    }
    let request = pb::CreateMatchRequest {
        bots: BOTS.map(str::to_owned).to_vec(),
        piles: vec![3],
        clock: Some(pb::Clock { initial_ms: BANK_MS, declaration_ms: 60_000, ..pb::Clock::default() }),
        alliance: pb::AllianceMode::Declared.into(),
        talk: Some(pb::Talk { rounds: 2, round_ms: ROUND_MS, ..pb::Talk::default() }),
        ..pb::CreateMatchRequest::default()
    };
    let id = stage.organiser.create_match(&request).await;
    for talker in &mut talkers {
        talker.until(|event| matches!(event, Event::MatchStarted(_)).then_some(())).await;
    }

    // In a round, after some messages. The last one may be stored or not.
    let mut said = Conversation::default();
    for sent in [
        message((0, 0, 0), &[], "from anna to all"),
        message((0, 0, 1), &[1], "from anna to bert"),
        message((1, 0, 0), &[0, 2], "from bert to the others"),
    ] {
        talkers[sent.seat as usize].say(&id, &sent).await;
        said.0.push(sent);
    }
    let perhaps = message((2, 0, 0), &[1], "from cleo to bert");
    talkers[2].send(say(&id, &perhaps)).await;
    server = interruption.strike(&stage, server, LONG).await;
    let snapshots;
    (talkers, snapshots) = reopen_all(&stage, &tokens).await;
    for (seat, snapshot) in (0..).zip(&snapshots) {
        let talk = snapshot.talk.as_ref().unwrap();
        assert_eq!((snapshot.phase(), talk.round, talk.ended), (pb::Phase::Declaring, Some(0), false));
        assert!(talk.left_ms > 0, "{talk:?}");
        let known = said.known_to(seat, 0);
        let is_known = talk.messages == known || (seat == 2 && talk.messages == [perhaps.clone()]);
        assert!(is_known, "{talk:?}");
    }
    // The same messages are accepted again, and others with the same numbers are refused.
    for sent in &said.0 {
        talkers[sent.seat as usize].say(&id, sent).await;
    }
    talkers[2].say(&id, &perhaps).await;
    said.0.push(perhaps);
    talkers[0].refused(&id, &message((0, 0, 1), &[1], "something else")).await;
    talkers[0].refused(&id, &message((0, 0, 1), &[2], "from anna to bert")).await;

    // While a round ends. The round has ended or not.
    talkers[0].end_talk(&id, 0).await;
    talkers[1].end_talk(&id, 0).await;
    talkers[2].send(Action::EndTalk(pb::EndTalk { match_id: id.clone(), round: 0 })).await;
    server = interruption.strike(&stage, server, BRIEF).await;
    (talkers, _) = reopen_all(&stage, &tokens).await;
    talkers[2].end_talk(&id, 0).await;
    for talker in &mut talkers {
        talker.hears(&said, 1).await;
    }

    // Between two rounds.
    server = interruption.strike(&stage, server, BRIEF).await;
    let snapshots;
    (talkers, snapshots) = reopen_all(&stage, &tokens).await;
    for (seat, snapshot) in (0..).zip(&snapshots) {
        let talk = snapshot.talk.as_ref().unwrap();
        assert_eq!((talk.round, &talk.messages), (Some(1), &said.known_to(seat, 1)));
    }
    talkers[1].refused(&id, &message((1, 0, 1), &[], "too late")).await;
    for sent in [message((2, 1, 0), &[0], "from cleo to anna"), message((1, 1, 0), &[], "from bert to all")] {
        talkers[sent.seat as usize].say(&id, &sent).await;
        said.0.push(sent);
    }
    for talker in &mut talkers {
        talker.end_talk(&id, 1).await;
    }
    for talker in &mut talkers {
        talker.hears(&said, 2).await;
    }

    // After the talk, before rows are declared.
    server = interruption.strike(&stage, server, LONG).await;
    let snapshots;
    (talkers, snapshots) = reopen_all(&stage, &tokens).await;
    for (seat, snapshot) in (0..).zip(&snapshots) {
        let talk = snapshot.talk.as_ref().unwrap();
        assert_eq!((snapshot.phase(), talk.round), (pb::Phase::Declaring, None));
        assert_eq!(talk.messages, said.known_to(seat, 2));
        assert!(snapshot.declaration_left_ms > 0);
    }
    play_to_end(&mut talkers, &id).await;
    for talker in &mut talkers {
        talker.hears(&said, 2).await;
    }
    check_record(&stage, &id, &said).await;
    server.stop();
}

/// Declares rows and takes the three counters of a match, whose seats still have all their time.
async fn play_to_end(talkers: &mut [Talker], id: &str) {
    for talker in &*talkers {
        let row = Some(pb::Row { offsets: vec![0, 1, 2] });
        talker
            .send(Action::Declare(pb::Declare { match_id: id.to_owned(), row, note_hash: Vec::new() }))
            .await;
    }
    for talker in &mut *talkers {
        let turn =
            talker.until(|event| if let Event::Turn(turn) = event { Some(turn.clone()) } else { None });
        let turn = turn.await;
        assert_eq!(turn.bank_ms, BANK_MS, "talk costs no time of the bank");
        let take = pb::Take { match_id: id.to_owned(), ply: turn.ply, take: 1, note_hash: Vec::new() };
        talker.send(Action::Take(take)).await;
    }
    for talker in talkers {
        talker.until(|event| matches!(event, Event::MatchEnded(_)).then_some(())).await;
    }
}

/// Checks that the public record has each message once, and the content of those to everyone only.
async fn check_record(stage: &Stage, id: &str, said: &Conversation) {
    let signer = stage.organiser.public_key().await;
    let record = sealed_record(&stage.organiser, id, signer).await;
    check_fair_play(&record);
    let events = pb::MatchRecord::from(&record).events.into_iter();
    let recorded = events.filter_map(|timed| match timed.event {
        Some(RecordedEvent::Said(said)) => Some(said),
        _ => None,
    });
    let recorded: Vec<_> = recorded
        .map(|pb::SaidEvent { seat, round, number, to, content, .. }| pb::TalkMessage {
            seat,
            round,
            number,
            to,
            content,
        })
        .collect();
    let shown = said.0.iter().map(|message| {
        let content = message.content.clone().filter(|_| message.to.is_empty());
        pb::TalkMessage { content, ..message.clone() }
    });
    assert_eq!(recorded, shown.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn talk_survives_kills_on_sqlite() {
    talk_survives(Database::sqlite, Interruption::Kill).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn talk_survives_kills_on_postgres() {
    if let Some(database) = Database::postgres() {
        talk_survives(|_| database, Interruption::Kill).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn talk_survives_stops() {
    talk_survives(Database::sqlite, Interruption::Stop).await;
}
