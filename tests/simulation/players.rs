//! The bots of a run.

use super::history::SentTake;
use super::hostile_bot::{Misbehaviour, attack};
use super::network::SimulatedTransport;
use super::plan::{BotKind, Plan, Stream, draw_stream};
use super::talk;
use super::watched::WatchedEvents;
use super::world::{World, lock};
use lastnim_bots::HouseBot;
use lastnim_client::{
    AsyncBot, Bot, Choice, Connected, MatchEnd, MatchFailure, MatchInfo, MatchView, Options, Refusal,
    ServerAddress, TakeFeed, TournamentEnd, connect, run_async_until, token_authorization,
};
use lastnim_core::game::{BotName, MatchId, Row};
use lastnim_proto::pb::{
    self, PlayRequest, arena_service_client::ArenaServiceClient, match_service_client::MatchServiceClient,
    play_request::Action, play_response::Event,
};
use lastnim_store::Token;
use lastnim_tournament::SeededDraw;
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

/// The house bots that play: some that only look at the position, some that use the takes of others, and one that
/// searches ahead.
const HOUSE_BOTS: [&str; 9] =
    ["random", "greedy", "timid", "oracle", "loyal", "traitor", "grudger", "mirror", "minimax-2"];
/// The maximum thinking time of a bot.
pub const MAX_THINKING: Duration = Duration::from_millis(40);
/// The maximum pause before a bot reconnects.
pub const MAX_PAUSE: Duration = Duration::from_millis(250);
/// The maximum take of a witness, so that matches last.
const MAX_TAKE: u64 = 2;
/// The pause of a watcher between two matches.
const WATCH_PAUSE: Duration = Duration::from_millis(100);
/// The pause of a witness before it repeats a join request.
const JOIN_PAUSE: Duration = Duration::from_millis(400);

pub fn bot_name(plan: &Plan, bot: usize) -> BotName {
    let kind = match plan.setting.bots[bot] {
        BotKind::Witness => "witness",
        BotKind::House => "house",
        BotKind::Hostile => "hostile",
    };
    format!("{kind}-{bot}").parse().expect("a name of lower-case letters and digits")
}

pub fn bot_token(seed: u64, bot: usize) -> Token {
    let mut draw = draw_stream(seed, Stream::Key, 1 + bot as u64);
    let digits = [0; 4].map(|_: u8| format!("{:016x}", draw.next_bits()));
    Token::parse(&digits.concat()).expect("256 drawn bits are enough")
}

/// Plays as a bot of the plan as long as its host runs.
pub async fn play_bot(world: Arc<World>, bot: usize, life: u64) -> turmoil::Result {
    let seed = world.plan.seed;
    let draw = |index| draw_stream(seed, Stream::Bots, (life * 1_000 + bot as u64) * 8 + index);
    let transport = SimulatedTransport { world: Arc::clone(&world), bot, jitter: Mutex::new(draw(0)) };
    let player = Player {
        name: bot_name(&world.plan, bot).to_string(),
        token: bot_token(seed, bot).reveal().to_owned(),
        server: ServerAddress::new("server:7600").with_transport(Arc::new(transport)),
        draw: Arc::new(Mutex::new(draw(1))),
        world,
        bot,
        life,
    };
    match player.world.plan.setting.bots[bot] {
        BotKind::Witness => player.witness().await,
        BotKind::House => player.play_house_bot(draw(2)).await,
        BotKind::Hostile => player.attack(draw(3).next_bits()).await,
    }
}

/// Watches matches, one after the other, as long as its host runs.
pub async fn watch_matches(world: Arc<World>) -> turmoil::Result {
    let mut draw = draw_stream(world.plan.seed, Stream::Bots, u64::MAX);
    let jitter = Mutex::new(draw.clone());
    let transport = SimulatedTransport { world: Arc::clone(&world), bot: world.links.len() - 1, jitter };
    let server = ServerAddress::new("server:7600").with_transport(Arc::new(transport));
    loop {
        sleep(WATCH_PAUSE).await;
        let known = world.history.known_matches();
        // The newest ones are in progress.
        let newest = &known[known.len().saturating_sub(4)..];
        if let Some(&id) = draw.choose(newest) {
            // After a lost connection it watches another match.
            let _ = watch_match(&world, &server, id).await;
        }
    }
}

async fn watch_match(world: &World, server: &ServerAddress, id: MatchId) -> Result<(), Status> {
    let channel = connect(server).await.map_err(|error| Status::unavailable(error.to_string()))?;
    let request = pb::WatchMatchRequest { match_id: id.to_string() };
    let mut stream = MatchServiceClient::new(channel).watch_match(request).await?.into_inner();
    let mut shown = WatchedEvents::default();
    while let Some(response) = stream.message().await? {
        shown.events.extend(response.event);
        world.history.watch(id, &shown);
    }
    Ok(())
}

/// A bot and its environment.
#[derive(Clone)]
struct Player {
    name: String,
    token: String,
    server: ServerAddress,
    draw: Arc<Mutex<SeededDraw>>,
    world: Arc<World>,
    bot: usize,
    /// The number of earlier starts of its program.
    life: u64,
}

impl Player {
    fn draw_time(&self, max: Duration) -> Duration {
        Duration::from_micros(lock(&self.draw).number_below(max.as_micros() as u64))
    }

    /// Plays by the protocol, and reconnects whenever a session is lost.
    async fn witness(self) -> turmoil::Result {
        let link = Arc::clone(&self.world.links[self.bot]);
        let another = self.clone();
        tokio::spawn(async move {
            loop {
                link.second_session_wanted().await;
                let once_more = another.clone();
                tokio::spawn(async move { once_more.session().await });
            }
        });
        loop {
            if let Err(status) = self.session().await {
                self.world.history.note(&format!("{} lost its session: {:?}", self.name, status.code()));
            }
            sleep(self.draw_time(MAX_PAUSE)).await;
        }
    }

    /// Plays on one stream until it is lost.
    async fn session(&self) -> Result<(), Status> {
        let channel = connect(&self.server).await;
        let channel = channel.map_err(|error| Status::unavailable(error.to_string()))?;
        let authorization = token_authorization(&self.token).expect("a token fits into a header");
        let mut client = ArenaServiceClient::with_interceptor(channel, authorization);
        let (outbound, requests) = mpsc::channel(1_024);
        let mut inbound = client.play(ReceiverStream::new(requests)).await?.into_inner();
        let session = self.world.next_session();
        self.world.history.open_session(&self.name, session);
        let feed = pb::Subscribe { feed: pb::Feed::All.into() };
        Self::say(&outbound, Action::Subscribe(feed));
        self.join_tournaments(&outbound);
        let mut matches = BTreeMap::new();
        while let Some(response) = inbound.message().await? {
            let Some(event) = response.event else { continue };
            self.world.history.hear(&self.name, session, &event);
            match event {
                Event::Ping(ping) => {
                    let after = self.draw_time(self.world.plan.setting.pong_time);
                    Self::say_later(&outbound, after, Action::Pong(pb::Pong { id: ping.id }));
                }
                Event::MatchStarted(started) => {
                    let is_silent = started.setup.as_ref().is_none_or(|setup| setup.talk.is_none());
                    let round = if is_silent { talk::ROUNDS } else { 0 };
                    self.talk_or_declare(&outbound, &started, round);
                    matches.insert(started.match_id.clone(), *started);
                }
                Event::TalkAccepted(accepted) => {
                    let started = matches.get(&accepted.match_id);
                    if let Some((started, number)) = started.zip(accepted.number) {
                        self.say_next(&outbound, started, accepted.round, number + 1);
                    }
                }
                Event::Heard(heard) => {
                    if let Some(started) = matches.get(&heard.match_id) {
                        self.talk_or_declare(&outbound, started, heard.round + 1);
                    }
                }
                Event::Turn(turn) => self.take(&outbound, &turn),
                Event::Snapshot(snapshot) => {
                    if let Some(turn) = &snapshot.turn {
                        self.take(&outbound, turn);
                    }
                    if snapshot.phase() == pb::Phase::Declaring
                        && let Some(started) = snapshot.started
                    {
                        let round = snapshot.talk.and_then(|talk| talk.round).unwrap_or(talk::ROUNDS);
                        self.talk_or_declare(&outbound, &started, round);
                        matches.insert(started.match_id.clone(), started);
                    }
                }
                Event::JoinRefused(refused) => Self::join_later(&outbound, &refused),
                _ => {}
            }
        }
        Ok(())
    }

    /// Sends a message; it is not needed if the stream is lost.
    fn say(outbound: &mpsc::Sender<PlayRequest>, action: Action) {
        let _ = outbound.try_send(PlayRequest { action: Some(action) });
    }

    /// Sends a message after a thinking time.
    fn say_later(outbound: &mpsc::Sender<PlayRequest>, after: Duration, action: Action) {
        let outbound = outbound.clone();
        tokio::spawn(async move {
            sleep(after).await;
            let _ = outbound.try_send(PlayRequest { action: Some(action) });
        });
    }

    fn join_tournaments(&self, outbound: &mpsc::Sender<PlayRequest>) {
        for id in super::run::tournament_ids(&self.world.plan) {
            let tournament_id = id.to_string();
            Self::say(outbound, Action::JoinTournament(pb::JoinTournament { tournament_id }));
        }
    }

    fn join_later(outbound: &mpsc::Sender<PlayRequest>, refused: &pb::JoinRefused) {
        let passing = [pb::JoinRefusal::Busy, pb::JoinRefusal::Unavailable];
        if passing.contains(&refused.reason()) {
            let tournament_id = refused.tournament_id.clone();
            let again = Action::JoinTournament(pb::JoinTournament { tournament_id });
            Self::say_later(outbound, JOIN_PAUSE, again);
        }
    }

    /// Talks in a round, or declares a row after the last one. In some rounds it declares at once and does not talk.
    fn talk_or_declare(&self, outbound: &mpsc::Sender<PlayRequest>, started: &pb::MatchStarted, round: u32) {
        if round >= talk::ROUNDS || lock(&self.draw).number_below(8) == 0 {
            return self.declare(outbound, started);
        }
        self.say_next(outbound, started, round, 0);
    }

    /// Sends the message with this number, or ends the talk after the last one. The next one is sent when it is accepted.
    fn say_next(
        &self,
        outbound: &mpsc::Sender<PlayRequest>,
        started: &pb::MatchStarted,
        round: u32,
        number: u32,
    ) {
        let seats = started.setup.as_ref().map_or(0, |setup| setup.bots.len());
        let next = talk::next_action(&self.name, started, seats as u32, (round, number));
        Self::say_later(outbound, self.draw_time(MAX_THINKING), next);
    }

    fn declare(&self, outbound: &mpsc::Sender<PlayRequest>, started: &pb::MatchStarted) {
        let setup = started.setup.clone().unwrap_or_default();
        if setup.assigned.is_some() {
            return;
        }
        let mut offsets: Vec<u32> = (0..setup.bots.len() as u32).collect();
        lock(&self.draw).shuffle(&mut offsets);
        let (match_id, row) = (started.match_id.clone(), Some(pb::Row { offsets }));
        let declare = pb::Declare { match_id, row, ..pb::Declare::default() };
        Self::say_later(outbound, self.draw_time(MAX_THINKING), Action::Declare(declare));
    }

    fn take(&self, outbound: &mpsc::Sender<PlayRequest>, turn: &pb::Turn) {
        let take = 1 + lock(&self.draw).number_below(turn.counters.min(MAX_TAKE));
        let (match_id, ply) = (turn.match_id.clone(), turn.ply);
        let thinking = self.draw_time(MAX_THINKING);
        if let Ok(match_id) = match_id.parse() {
            let bot = self.name.clone();
            self.world.history.note_sent(SentTake { bot, match_id, ply, take }, thinking);
        }
        let take = pb::Take { match_id, ply, take, ..pb::Take::default() };
        Self::say_later(outbound, thinking, Action::Take(take));
    }

    /// Plays as a house bot on the SDK.
    async fn play_house_bot(self, mut draw: SeededDraw) -> turmoil::Result {
        let name = draw.choose(&HOUSE_BOTS).expect("there are house bots");
        let house: HouseBot = name.parse().expect("the name of a house bot");
        let (server, token) = (self.server.clone(), self.token.clone());
        let (name, world) = (self.name.clone(), Arc::clone(&self.world));
        let options = Options::new(server, token).give_up_after(Duration::from_hours(1));
        let bot = ListeningBot { player: self, inner: Mutex::new(house.build_bot(draw.next_bits())) };
        if let Err(error) = run_async_until(bot, options, pending()).await {
            world.history.note_violation("the SDK keeps playing", format!("{name}: {error}"));
        }
        Ok(())
    }

    /// Breaks every rule.
    async fn attack(self, seed: u64) -> turmoil::Result {
        loop {
            let ended =
                attack::run(&self.server, &self.token, &Misbehaviour::ALL, seed, pending::<()>()).await;
            self.world.history.note(&format!("{} gives up: {}", self.name, ended.is_err()));
            sleep(Duration::from_secs(1)).await;
        }
    }
}

/// A house bot that reports everything it sees and does to the history.
struct ListeningBot {
    player: Player,
    inner: Mutex<Box<dyn Bot>>,
}

impl AsyncBot for ListeningBot {
    fn take_feed(&self) -> TakeFeed {
        lock(&self.inner).take_feed()
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        sleep(self.player.draw_time(MAX_THINKING)).await;
        Ok(lock(&self.inner).declare(game).into())
    }

    async fn play(&self, view: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        let (history, name) = (&self.player.world.history, &self.player.name);
        history.hear_sdk_turn(name, view);
        let take = lock(&self.inner).play(view);
        let thinking = self.player.draw_time(MAX_THINKING);
        history.note_sent(SentTake { bot: name.clone(), match_id: view.id, ply: view.ply(), take }, thinking);
        sleep(thinking).await;
        Ok(take.into())
    }

    async fn ended(&self, end: &MatchEnd) {
        self.player.world.history.hear_sdk_end(&self.player.name, self.player.life, end.info.id);
    }

    async fn refused(&self, refusal: &Refusal) {
        self.player.world.history.note(&format!("{} is refused: {refusal:?}", self.player.name));
    }

    async fn tournament_ended(&self, end: &TournamentEnd) {
        let (history, name) = (&self.player.world.history, &self.player.name);
        history.hear_sdk_tournament_end(name, end.tournament.to_string());
    }

    async fn connected(&self, session: &Connected) {
        self.player.world.history.note(&format!("{} is connected: {session:?}", self.player.name));
    }
}
