//! The bots of a tournament that this process runs: house bots and programs.

use super::{
    organiser::OrganiserClient,
    outages::{GrowingTranscript, OutageCause, follow_transcript},
    program::{BotProgram, ProgramEnvironment, SupervisedProgram},
    supervisor::SupervisorReport,
};
use lastnim_bots::{HouseBot, QuietBot};
use lastnim_client::{Error, Options, ServerAddress};
use lastnim_core::game::{BotName, TournamentId};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};

/// Maximum number of times that a program that ends early is restarted in one run.
const MAX_RESTARTS: u32 = 8;
/// The delay before the first restart; it doubles with each further restart.
const FIRST_RESTART_DELAY: Duration = Duration::from_millis(250);
/// The maximum delay before a restart.
const MAX_RESTART_DELAY: Duration = Duration::from_secs(8);
/// How long bots have to exit by themselves after the end of the tournament.
const EXIT_GRACE: Duration = Duration::from_secs(3);
/// How long this process waits for stopped bots to end; it kills programs before that.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The capacity of the queue for bot events.
const EVENT_QUEUE_CAPACITY: usize = 64;

/// An event of a bot that this process runs.
#[derive(Debug)]
pub enum LocalBotEvent {
    /// A program ended early and is restarted.
    Restarted { bot: BotName, how: String, pause: Duration, restarts: u32 },
    /// A program could not be started.
    Refused { bot: BotName, word: String, why: String },
    /// A program ended too often and is not restarted.
    GaveUp { bot: BotName, how: String, log: PathBuf },
    /// A house bot lost the server permanently.
    Lost { bot: BotName, why: Error },
    /// The questions of a model wait, because its endpoint fails or a budget is spent.
    OutageBegan { bot: BotName, cause: OutageCause },
    /// No question of the model waits any longer.
    OutageEnded { bot: BotName },
}

/// The phase of the tournament, for the players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RunPhase {
    /// The tournament is not over.
    Playing,
    /// The tournament is over: a bot that ends now is not restarted.
    Over,
    /// The run stops all bots.
    Stopped,
}

/// A tournament on a server.
#[derive(Debug, Clone)]
pub struct TournamentAddress {
    /// The organiser's calls.
    pub organiser: OrganiserClient,
    /// The address of the server.
    pub address: ServerAddress,
    /// The tournament.
    pub tournament: TournamentId,
}

/// The bots that this process runs.
#[derive(Debug)]
pub struct LocalBots {
    target: TournamentAddress,
    tasks: JoinSet<()>,
    phase: watch::Sender<RunPhase>,
    sender: mpsc::Sender<LocalBotEvent>,
    events: mpsc::Receiver<LocalBotEvent>,
}

impl LocalBots {
    pub fn new(target: TournamentAddress) -> Self {
        let (sender, events) = mpsc::channel(EVENT_QUEUE_CAPACITY);
        Self { target, tasks: JoinSet::new(), phase: watch::Sender::new(RunPhase::Playing), sender, events }
    }

    /// Starts a house bot, which connects with this token.
    pub fn add_house_bot(&mut self, bot: BotName, house: HouseBot, seed: u64, token: String) {
        let (target, phase, events) = (self.target.clone(), self.phase.subscribe(), self.sender.clone());
        let play = async move {
            if let Err(why) = play_house_bot(house, seed, token, &target, phase).await {
                // An error is ignored: the receiver may be gone.
                let _ = events.send(LocalBotEvent::Lost { bot, why }).await;
            }
        };
        // The task logs nothing, because the bot would report a lost server when the run stops.
        self.tasks.spawn(play.with_subscriber(NoSubscriber::default()));
    }

    /// Starts a program; `word` is its name in the tournament file.
    pub fn add_program(&mut self, program: BotProgram, word: String) {
        let (target, phase, events) = (self.target.clone(), self.phase.subscribe(), self.sender.clone());
        self.tasks.spawn(SupervisedBot { program, word, target, phase, events }.run());
    }

    /// Reports the outages that a model's bot writes into its transcript from now on.
    pub fn follow_transcript(&mut self, bot: BotName, transcript: &Path) {
        let (transcript, events) = (GrowingTranscript::at_end_of(transcript), self.sender.clone());
        let mut phase = self.phase.subscribe();
        self.tasks.spawn(async move {
            tokio::select! {
                () = follow_transcript(bot, transcript, events) => {}
                () = wait_for_phase(&mut phase, RunPhase::Over) => {}
            }
        });
    }

    /// Waits for the next event. Safe to cancel.
    pub async fn next_event(&mut self) -> LocalBotEvent {
        match self.events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Waits for the bots to exit after the tournament, then stops those that remain.
    pub async fn wait_then_stop(mut self) {
        self.phase.send_replace(RunPhase::Over);
        self.events.close();
        // The remaining bots are stopped below.
        let _ = timeout(EXIT_GRACE, async { while self.tasks.join_next().await.is_some() {} }).await;
        self.stop_all().await;
    }

    /// Stops all bots, and waits for a limited time until they have ended.
    pub async fn stop_all(mut self) {
        self.phase.send_replace(RunPhase::Stopped);
        self.events.close();
        if timeout(STOP_TIMEOUT, async { while self.tasks.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("some bots did not stop in time: no longer waiting for them");
        }
    }
}

async fn play_house_bot(
    house: HouseBot,
    seed: u64,
    token: String,
    target: &TournamentAddress,
    mut phase: watch::Receiver<RunPhase>,
) -> Result<(), Error> {
    let options = Options::new(&target.address, token).tournament(target.tournament.to_string());
    let stopped = wait_for_phase(&mut phase, RunPhase::Stopped);
    lastnim_client::run_until(QuietBot(house.build_bot(seed)), options, stopped).await.map(drop)
}

/// Waits until a phase is reached.
async fn wait_for_phase(phase: &mut watch::Receiver<RunPhase>, reached: RunPhase) {
    // If the sender is gone, the run has ended too.
    let _ = phase.wait_for(|phase| *phase >= reached).await;
}

/// How a program ended.
enum ProgramEnd {
    /// The run stopped the program.
    Stopped,
    /// The program could not be started, for this reason.
    Refused(String),
    /// The program ended by itself, in this way.
    Ended(String),
}

/// A program, and everything needed to restart it.
struct SupervisedBot {
    program: BotProgram,
    word: String,
    target: TournamentAddress,
    phase: watch::Receiver<RunPhase>,
    events: mpsc::Sender<LocalBotEvent>,
}

impl SupervisedBot {
    /// Runs the program until the tournament is over, and restarts it if it ends before that.
    async fn run(mut self) {
        let mut pause = FIRST_RESTART_DELAY;
        for restarts in 1.. {
            let how = match self.run_once().await {
                ProgramEnd::Stopped => return,
                ProgramEnd::Refused(why) if restarts == 1 => {
                    let (bot, word) = (self.program.bot.clone(), self.word.clone());
                    return self.send_event(LocalBotEvent::Refused { bot, word, why }).await;
                }
                ProgramEnd::Refused(why) => format!("it could not be started: {why}"),
                ProgramEnd::Ended(how) => how,
            };
            if self.has_tournament_ended().await {
                return;
            }
            let bot = self.program.bot.clone();
            if restarts > MAX_RESTARTS {
                return self
                    .send_event(LocalBotEvent::GaveUp { bot, how, log: self.program.log.path().to_owned() })
                    .await;
            }
            self.send_event(LocalBotEvent::Restarted { bot, how, pause, restarts }).await;
            tokio::select! {
                () = sleep(pause) => {}
                () = wait_for_phase(&mut self.phase, RunPhase::Over) => return,
            }
            pause = (2 * pause).min(MAX_RESTART_DELAY);
        }
    }

    /// Starts the program once, and waits for its end.
    async fn run_once(&mut self) -> ProgramEnd {
        let mut supervised = match self.start_program().await {
            Ok(supervised) => supervised,
            Err(why) => return ProgramEnd::Refused(why),
        };
        loop {
            tokio::select! {
                report = supervised.next_report() => match report {
                    Some(SupervisorReport::Started) => {}
                    Some(SupervisorReport::Refused(why)) => return ProgramEnd::Refused(why),
                    Some(SupervisorReport::Ended(how)) => return ProgramEnd::Ended(how),
                    None => return ProgramEnd::Ended("its supervisor process ended unexpectedly".to_owned()),
                },
                () = wait_for_phase(&mut self.phase, RunPhase::Stopped) => {
                    supervised.stop_and_wait().await;
                    return ProgramEnd::Stopped;
                }
            }
        }
    }

    /// Starts the program with a new token, so that an earlier process can no longer play.
    async fn start_program(&self) -> Result<SupervisedProgram, String> {
        let TournamentAddress { organiser, address, tournament } = &self.target;
        let token = organiser.rotate_token(&self.program.bot).await.map_err(|failure| failure.to_string())?;
        let environment =
            ProgramEnvironment { server: address.clone(), token, tournament: tournament.to_string() };
        self.program.start_supervised(&environment).map_err(|error| error.to_string())
    }

    /// Returns whether the program ended because the tournament is over. The program may have learned this before this
    /// process, so the server is asked.
    async fn has_tournament_ended(&self) -> bool {
        if *self.phase.borrow() > RunPhase::Playing {
            return true;
        }
        let tournament = self.target.organiser.fetch_tournament(self.target.tournament).await;
        tournament.is_ok_and(|tournament| crate::runner::report::is_tournament_over(&tournament))
    }

    async fn send_event(&self, event: LocalBotEvent) {
        // An error is ignored: the receiver may be gone.
        let _ = self.events.send(event).await;
    }
}
