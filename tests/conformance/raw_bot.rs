//! A bot without the SDK, correct or with one fault.

use lastnim_conformance::{BotEnd, BotEnvironment};
use lastnim_proto::pb::{
    Declare, EndTalk, JoinTournament, PlayRequest, PlayResponse, Pong, Row, Say, Subscribe, Take,
    TalkContent, Turn, arena_service_client::ArenaServiceClient, play_request::Action, play_response::Event,
    talk_content::Content,
};
use std::{error::Error, future::pending, time::Duration};
use tokio::{sync::mpsc, task::yield_now, time::sleep};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, transport::Endpoint};

/// The pause before it reconnects.
const PAUSE: Duration = Duration::from_millis(100);

/// The interval of keepalive pings.
const PING_INTERVAL: Duration = Duration::from_secs(2);

/// The time limit for the answer to a keepalive ping. A busy machine may take seconds to answer.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// The fault of the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// Its take depends on how often it was asked.
    DecidesAgain,
    DiesOfUnknownEvents,
    IgnoresSnapshots,
    /// It takes all counters, converted to a double.
    CountsInDoubles,
    IgnoresPings,
    /// It does not end with its tournament.
    Stays,
    LeavesWithAnyTournament,
    /// It uses no keepalive.
    WaitsInSilence,
    TalksTooLong,
    TalksInLaterRound,
    /// It sends two messages with the same number.
    RepeatsNumber,
    RepeatsMessage,
    EndsTalkTwice,
    TalksAfterEnd,
    /// It sends subscriptions without end.
    Floods,
}

/// How a session ended.
enum SessionEnd {
    Lost,
    Over,
    Died,
}

/// Plays until its tournament ends.
pub async fn run_raw_bot(environment: BotEnvironment, fault: Fault) -> BotEnd {
    let mut bot = RawBot { environment, fault, asked: 0 };
    loop {
        // Failed attempts to open a session are repeated.
        match bot.play_session().await.unwrap_or(SessionEnd::Lost) {
            SessionEnd::Lost => sleep(PAUSE).await,
            SessionEnd::Over if fault == Fault::Stays => pending().await,
            SessionEnd::Over => return BotEnd { description: "exit status: 0".to_owned(), is_success: true },
            SessionEnd::Died => {
                return BotEnd { description: "exit status: 101".to_owned(), is_success: false };
            }
        }
    }
}

struct RawBot {
    environment: BotEnvironment,
    fault: Fault,
    asked: u64,
}

impl RawBot {
    async fn play_session(&mut self) -> Result<SessionEnd, Box<dyn Error + Send + Sync>> {
        let mut endpoint = Endpoint::from_shared(format!("http://{}", self.environment.server))?;
        if self.fault != Fault::WaitsInSilence {
            endpoint = endpoint.http2_keep_alive_interval(PING_INTERVAL).keep_alive_timeout(PING_TIMEOUT);
        }
        let mut client = ArenaServiceClient::new(endpoint.connect().await?);
        let (actions, requests) = mpsc::unbounded_channel();
        let mut call = Request::new(UnboundedReceiverStream::new(requests));
        call.metadata_mut().insert("authorization", format!("Bearer {}", self.environment.token).parse()?);
        let mut events = client.play(call).await?.into_inner();
        let send = |action| actions.send(PlayRequest { action: Some(action) });
        let join =
            || Action::JoinTournament(JoinTournament { tournament_id: self.environment.tournament.clone() });
        send(join())?;
        let join = join();
        if self.fault == Fault::Floods {
            loop {
                send(Action::Subscribe(Subscribe::default()))?;
                yield_now().await;
            }
        }
        while let Some(PlayResponse { event }) = events.message().await? {
            match event {
                None if self.fault == Fault::DiesOfUnknownEvents => return Ok(SessionEnd::Died),
                Some(Event::JoinRefused(_)) => send(join.clone())?,
                Some(Event::JoinedTournament(joined))
                    if joined.tournament.as_ref().is_some_and(|tournament| tournament.state >= 3) =>
                {
                    return Ok(SessionEnd::Over);
                }
                Some(Event::TournamentEnded(ended)) => {
                    let is_own = ended.tournament_id == self.environment.tournament;
                    if is_own || self.fault == Fault::LeavesWithAnyTournament {
                        return Ok(SessionEnd::Over);
                    }
                }
                Some(event) => {
                    for action in self.answers(event) {
                        send(action)?;
                    }
                }
                None => {}
            }
        }
        Ok(SessionEnd::Lost)
    }

    fn answers(&mut self, event: Event) -> Vec<Action> {
        let declare = |match_id: String, seats: usize| {
            let row = Row { offsets: (0..seats as u32).collect() };
            Action::Declare(Declare { match_id, row: Some(row), ..Declare::default() })
        };
        match event {
            Event::Ping(ping) if self.fault != Fault::IgnoresPings => {
                vec![Action::Pong(Pong { id: ping.id })]
            }
            Event::MatchStarted(started) => {
                let setup = started.setup.unwrap_or_default();
                if setup.assigned.is_some() {
                    Vec::new()
                } else if setup.talk.is_some() && !self.wrong_talk(&started.match_id).is_empty() {
                    self.wrong_talk(&started.match_id)
                } else {
                    vec![declare(started.match_id, setup.bots.len())]
                }
            }
            Event::Turn(turn) => vec![self.take(&turn)],
            Event::Snapshot(snapshot) if self.fault != Fault::IgnoresSnapshots => {
                let started = snapshot.started.unwrap_or_default();
                let seats = started.setup.unwrap_or_default().bots.len();
                let row = (snapshot.declaration_left_ms > 0).then(|| declare(started.match_id, seats));
                row.into_iter().chain(snapshot.turn.map(|turn| self.take(&turn))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns messages that break the rule of talk for which the bot has a fault.
    fn wrong_talk(&self, match_id: &str) -> Vec<Action> {
        let match_id = || match_id.to_owned();
        let say = |round, text: &str| {
            let content = Some(TalkContent { content: Some(Content::Text(text.to_owned())) });
            Action::Say(Say { match_id: match_id(), round, number: 0, to: Vec::new(), content })
        };
        let end = || Action::EndTalk(EndTalk { match_id: match_id(), round: 0 });
        match self.fault {
            Fault::TalksTooLong => vec![say(0, &"x".repeat(501))],
            Fault::TalksInLaterRound => vec![say(1, "a")],
            Fault::RepeatsNumber => vec![say(0, "a"), say(0, "b")],
            Fault::RepeatsMessage => vec![say(0, "a"), say(0, "a")],
            Fault::EndsTalkTwice => vec![end(), end()],
            Fault::TalksAfterEnd => vec![end(), say(0, "a")],
            _ => Vec::new(),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "counting in doubles is one of the faults"
    )]
    fn take(&mut self, turn: &Turn) -> Action {
        self.asked += 1;
        let take = match self.fault {
            Fault::DecidesAgain => 1 + self.asked % turn.counters.min(3),
            Fault::CountsInDoubles => turn.counters as f64 as u64,
            _ => turn.counters.min(2),
        };
        Action::Take(Take { match_id: turn.match_id.clone(), ply: turn.ply, take, ..Take::default() })
    }
}
