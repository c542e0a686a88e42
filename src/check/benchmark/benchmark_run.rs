//! Plays the items of a benchmark: a server in this process, the opponents, and the bot.

use super::{player::Player, run_folder::RunFolder};
use crate::{
    Failure,
    embedded_server::EmbeddedServer,
    played_matches::parse_fetched_record,
    remote::RemoteServer,
    runner::{BotProgram, LocalBotEvent, LocalBots, OrganiserClient, TournamentAddress},
    screen,
};
use indicatif::ProgressBar;
use lastnim_arena::Backend;
use lastnim_benchmark::{
    ItemSet, OPPONENT_SEED, PlayedItem, SetItem, StoppingRule, Tier, TierTally, player_name, score_record,
};
use lastnim_client::{Options, ServerAddress};
use lastnim_core::{
    game::{BotName, MatchId},
    referee::{Clock, Timestamp},
};
use lastnim_llm::LlmBot;
use lastnim_proto::{pb, record::SealedRecord};
use lastnim_server::Config;
use std::{collections::BTreeMap, net::Ipv4Addr, num::NonZeroUsize, time::Duration};
use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep},
};

/// The maximum time for the bot to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_mins(2);
/// The interval between checks of whether all bots are connected.
const CONNECT_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The maximum number of questions that a model is asked at the same time. It limits nothing, because there is at most
/// one match for each of the five tiers.
const MAX_MODEL_QUESTIONS: NonZeroUsize = NonZeroUsize::new(16).expect("it is not 0");

/// A benchmark in progress.
#[derive(Debug)]
pub struct BenchmarkRun {
    /// The set of positions.
    pub set: &'static ItemSet,
    /// The tiers to play, the easiest first.
    pub tiers: Vec<Tier>,
    /// The rule that decides when a tier is over.
    pub rule: StoppingRule,
    /// The clock of every match.
    pub clock: Clock,
    tallies: Vec<TierTally>,
    /// The number of takes that the bot made in each match.
    takes: BTreeMap<MatchId, u32>,
    /// The start of the first match and the end of the last one so far.
    times: Option<(Timestamp, Timestamp)>,
}

/// The result of a benchmark.
#[derive(Debug)]
pub struct BenchmarkResults {
    /// The tiers, and why they ended.
    pub tiers: Vec<(TierTally, pb::BenchmarkStop)>,
    /// The start of the first match and the end of the last one.
    pub times: Option<(Timestamp, Timestamp)>,
}

impl BenchmarkRun {
    /// Creates a run that starts with the first item of each tier.
    pub fn new(set: &'static ItemSet, tiers: Vec<Tier>, rule: StoppingRule, clock: Clock) -> Self {
        let tallies = tiers.iter().map(|&tier| TierTally::new(tier)).collect();
        Self { set, tiers, rule, clock, tallies, takes: BTreeMap::new(), times: None }
    }

    /// Adds the record of a match, which must be the next item of its tier.
    ///
    /// # Errors
    /// If the match belongs to another item or to none, its rows were not revealed, or the record does not fit the
    /// item.
    pub fn add_record(&mut self, sealed: &SealedRecord) -> Result<(), String> {
        let record = sealed.record();
        let game = record.state().game().ok_or("the rows of the match were not revealed")?;
        let item = self
            .set
            .find_item(&record.state().setup().bots, game)
            .ok_or("the match does not belong to an item in the set")?;
        let place = self.tiers.iter().position(|&tier| tier == item.tier);
        let place =
            place.ok_or_else(|| format!("the match is for {item}, but this run does not play that tier"))?;
        if self.next_item(place).is_none_or(|next| next.number != item.number) {
            return Err(format!(
                "the match is for {item}, but the next item of that tier is a different one"
            ));
        }
        let score = score_record(item, record, &self.clock).map_err(|misfit| format!("{item}: {misfit}"))?;
        let played = PlayedItem::new(item, record, score);
        self.tallies[place].add_item(&played.score, played.head);
        self.takes.insert(record.id(), played.score.takes);
        let (began, ended) = self.times.unwrap_or((played.began, played.ended));
        self.times = Some((began.min(played.began), ended.max(played.ended)));
        Ok(())
    }

    /// Returns the next item of the tier at this index, unless the tier is over.
    fn next_item(&self, place: usize) -> Option<&'static SetItem> {
        let tally = &self.tallies[place];
        if tally.stop_reason(self.rule).is_some() {
            return None;
        }
        self.set.items_of_tier(self.tiers[place]).get(tally.items() as usize)
    }

    /// Returns how many takes the bot made in each match.
    pub fn takes(&self) -> &BTreeMap<MatchId, u32> {
        &self.takes
    }

    /// Returns how many items were played.
    pub fn items(&self) -> u32 {
        self.tallies.iter().map(TierTally::items).sum()
    }

    /// Plays the missing items. The tiers are played at the same time, and the items of a tier one at a time, so every
    /// played item counts.
    ///
    /// # Errors
    /// If a bot cannot play, or a match says nothing about the bot; the matches played until then are in the folder.
    pub async fn play(
        &mut self,
        player: &Player,
        folder: &mut RunFolder,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        if (0..self.tiers.len()).all(|place| self.next_item(place).is_none()) {
            return Ok(());
        }
        let mut host = BenchmarkHost::open(self.set, player, folder).await?;
        let outcome = self.play_items(&mut host, player, folder, bar).await;
        host.close().await?;
        outcome
    }

    async fn play_items(
        &mut self,
        host: &mut BenchmarkHost,
        player: &Player,
        folder: &mut RunFolder,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        host.wait_for_bots().await?;
        let mut playing = JoinSet::new();
        for place in 0..self.tiers.len() {
            self.begin_item(place, host, &mut playing);
        }
        while !playing.is_empty() {
            let (place, sealed) = tokio::select! {
                done = playing.join_next() => match done {
                    Some(done) => done.map_err(|error| Failure::runtime(error, "a match ended unexpectedly"))??,
                    None => break,
                },
                failure = host.wait_for_failure() => return Err(failure),
            };
            if let Some(what) = player.external_failure() {
                let why = format!(
                    "{what}: open matches do not count, because the model could not play; run the same command again to continue"
                );
                return Err(Failure::Runtime(anyhow::anyhow!(why)));
            }
            self.add_record(&sealed).map_err(|why| {
                Failure::Runtime(anyhow::anyhow!(
                    "a match does not count: {why}; run the same command again to continue"
                ))
            })?;
            folder.append_record(&sealed)?;
            bar.inc(1);
            bar.set_message(self.progress_text());
            self.begin_item(place, host, &mut playing);
        }
        Ok(())
    }

    /// Describes the progress of each tier.
    fn progress_text(&self) -> String {
        let entries = self.tallies.iter().zip(&self.tiers).map(|(tally, tier)| {
            tally.loss().map_or_else(
                || format!("{tier}: -"),
                |loss| format!("{tier}: {:.2} to {:.2}", loss.low, loss.high),
            )
        });
        format!("loss by tier {}", entries.collect::<Vec<_>>().join(", "))
    }

    fn begin_item(
        &self,
        place: usize,
        host: &BenchmarkHost,
        playing: &mut JoinSet<Result<(usize, SealedRecord), Failure>>,
    ) {
        if let Some(item) = self.next_item(place) {
            let (remote, clock) = (host.remote.clone(), self.clock.clone());
            playing.spawn(async move { Ok((place, play_match(&remote, item, &clock).await?)) });
        }
    }

    /// Returns the result of all tiers.
    ///
    /// # Panics
    /// If a tier is not over.
    pub fn results(&self) -> BenchmarkResults {
        let over =
            |tally: &TierTally| (tally.clone(), tally.stop_reason(self.rule).expect("every tier has ended"));
        BenchmarkResults { tiers: self.tallies.iter().map(over).collect(), times: self.times }
    }
}

/// Plays an item, and returns its record.
async fn play_match(remote: &RemoteServer, item: &SetItem, clock: &Clock) -> Result<SealedRecord, Failure> {
    let request = pb::CreateMatchRequest {
        bots: item.bots().iter().map(ToString::to_string).collect(),
        piles: item.game.piles.as_slice().to_vec(),
        first: item.game.first_seat().into(),
        ending: pb::Ending::from(item.game.ending).into(),
        assigned: Some((&item.game.matrix).into()),
        clock: Some(clock.into()),
        ..Default::default()
    };
    let created = remote.answer(remote.match_client().create_match(request)).await?;
    let match_id = created.r#match.ok_or_else(|| remote.missing_part_failure("match"))?.id;
    let request = pb::WatchMatchRequest { match_id: match_id.clone() };
    let mut events = remote.answer(remote.match_client().watch_match(request)).await?;
    while events.message().await.map_err(|status| remote.broken_stream_failure(&status))?.is_some() {}
    let request = pb::GetRecordRequest { match_id: match_id.clone() };
    let record = remote.answer(remote.match_client().get_record(request)).await?;
    parse_fetched_record(remote, &match_id, &record)
}

/// The server, and all bots that play there.
struct BenchmarkHost {
    server: EmbeddedServer,
    remote: RemoteServer,
    address: TournamentAddress,
    bots: LocalBots,
    names: Vec<BotName>,
    model: Option<ModelSession>,
}

/// A language model that plays in this process.
struct ModelSession {
    playing: JoinHandle<Result<lastnim_client::Summary, lastnim_client::Error>>,
    /// If this is dropped, the model's session ends.
    stop: oneshot::Sender<()>,
}

impl BenchmarkHost {
    /// Starts the server and its players.
    async fn open(set: &ItemSet, player: &Player, folder: &RunFolder) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener =
            listener.map_err(|error| Failure::runtime(error, "cannot find a free port on 127.0.0.1"))?;
        let backend = Backend { key: folder.signing_key()?, ..Backend::in_memory() };
        let server =
            EmbeddedServer::start(listener, backend, Config::default()).await.map_err(Failure::Runtime)?;
        let address = ServerAddress::new(server.connect_address());
        let remote = RemoteServer::connect_to(&address, Some(server.admin_token())).await?;
        let organiser = OrganiserClient::new(remote.clone());
        // Bots play until the end of a tournament. This one has no matches, and ends when all items are played.
        let settings = pb::TournamentSettings {
            title: format!("Benchmark {}", set.name),
            seats: 2,
            positions: vec![pb::Piles { counters: vec![1] }],
            ..Default::default()
        };
        let tournament = organiser.create_tournament(settings).await?.id;
        let tournament = tournament
            .parse()
            .map_err(|error| Failure::runtime(error, "the server sent an invalid tournament id"))?;
        let address = TournamentAddress { organiser: organiser.clone(), address, tournament };
        let mut host = Self {
            server,
            remote,
            bots: LocalBots::new(address.clone()),
            address,
            names: Vec::new(),
            model: None,
        };
        for opponent in set.opponents() {
            let name: BotName = opponent.to_string().parse().expect("house bot names are valid bot names");
            let token = host.register_bot(&name).await?;
            host.bots.add_house_bot(name, opponent, OPPONENT_SEED, token);
        }
        host.add_player(player, folder).await?;
        Ok(host)
    }

    async fn register_bot(&mut self, name: &BotName) -> Result<String, Failure> {
        let token = self.address.organiser.register_bot(name).await?;
        self.names.push(name.clone());
        token.ok_or_else(|| Failure::Runtime(anyhow::anyhow!("bot {name} appears twice")))
    }

    async fn add_player(&mut self, player: &Player, folder: &RunFolder) -> Result<(), Failure> {
        let name = player_name();
        let token = self.register_bot(&name).await?;
        match player {
            Player::House(bot) => self.bots.add_house_bot(name, *bot, 0, token),
            Player::Program { words, command, .. } => {
                let program = BotProgram { bot: name, command: command.clone(), log: folder.open_log()? };
                self.bots.add_program(program, words.join(" "));
            }
            Player::Model { bot, .. } => self.model = Some(self.start_model(bot.clone(), token)),
        }
        Ok(())
    }

    fn start_model(&self, bot: LlmBot, token: String) -> ModelSession {
        let mut options =
            Options::new(&self.address.address, token).tournament(self.address.tournament.to_string());
        options.concurrency = MAX_MODEL_QUESTIONS;
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async {
            // Dropping the sender also stops the model.
            let _ = stopped.await;
        };
        ModelSession { playing: tokio::spawn(lastnim_client::run_async_until(bot, options, stopped)), stop }
    }

    /// Waits until all bots are connected.
    async fn wait_for_bots(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        for name in self.names.clone() {
            while !self.address.organiser.is_bot_connected(&name).await? {
                if Instant::now() >= deadline {
                    let seconds = CONNECT_TIMEOUT.as_secs();
                    let why = format!(
                        "{name} did not connect within {seconds} s: it must read LASTNIM_SERVER, LASTNIM_TOKEN and LASTNIM_TOURNAMENT"
                    );
                    return Err(Failure::Runtime(anyhow::anyhow!(why)));
                }
                tokio::select! {
                    () = sleep(CONNECT_POLL_INTERVAL) => {}
                    failure = self.wait_for_failure() => return Err(failure),
                }
            }
        }
        Ok(())
    }

    /// Waits until a bot can no longer play, and says why. Safe to cancel.
    async fn wait_for_failure(&mut self) -> Failure {
        loop {
            let event = match &mut self.model {
                None => self.bots.next_event().await,
                Some(model) => tokio::select! {
                    event = self.bots.next_event() => event,
                    ended = &mut model.playing => {
                        let why = match ended {
                            Ok(Ok(_)) => "it left the tournament before the benchmark ended".to_owned(),
                            Ok(Err(error)) => error.to_string(),
                            Err(error) => error.to_string(),
                        };
                        self.model = None;
                        return Failure::Runtime(anyhow::anyhow!("the model has stopped playing: {why}"));
                    }
                },
            };
            let why = match event {
                LocalBotEvent::Restarted { how, restarts, .. } => {
                    screen::print_note(format_args!(
                        "the program ended early ({how}): restarting it (restart {restarts})"
                    ));
                    continue;
                }
                LocalBotEvent::OutageBegan { .. } | LocalBotEvent::OutageEnded { .. } => continue,
                LocalBotEvent::Refused { word, why, .. } => return Failure::input(format!("{word}: {why}")),
                LocalBotEvent::GaveUp { how, log, .. } => {
                    format!("the program ended too many times ({how}): see {}", log.display())
                }
                LocalBotEvent::Lost { bot, why } => format!("{bot} lost its session: {why}"),
            };
            return Failure::Runtime(anyhow::anyhow!(why));
        }
    }

    /// Ends the tournament, waits for the bots to leave, and stops the server.
    async fn close(self) -> Result<(), Failure> {
        self.address.organiser.cancel_tournament(self.address.tournament).await?;
        if let Some(ModelSession { playing, stop }) = self.model {
            drop(stop);
            // At this point, an error of the bot no longer matters.
            let _ = playing.await;
        }
        self.bots.wait_then_stop().await;
        self.server.stop().await.map_err(Failure::Runtime)
    }
}
