//! The bots of a tournament that this process runs: house bots and programs.

use super::{
    organiser::Organiser,
    program::{Program, Supervised, Ticket},
    supervisor::Report,
};
use crate::{
    bots::HouseBot,
    client::{self, Bot, Error, MatchInfo, MatchView, Options, Refusal, ServerAddress},
    game::{BotName, Row, TournamentId},
};
use std::{path::PathBuf, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};

/// How often a program that ended before its time is started again, in one run.
const MAX_RESTARTS: u32 = 8;
/// How long the first restart waits; each next twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest that a restart waits.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// How long bots have to leave by themselves once the tournament is over.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long bots may take to end when they are told to. Programs that do not are ended before that.
const ENDING: Duration = Duration::from_secs(10);
/// News that may wait.
const NEWS: usize = 64;

/// What happens to bots.
#[derive(Debug)]
pub enum News {
    /// A program ended before its time, and is started again.
    Restarted { bot: BotName, how: String, pause: Duration, restarts: u32 },
    /// A program could not be started.
    Refused { bot: BotName, word: String, why: String },
    /// A program ended too often.
    GaveUp { bot: BotName, how: String, log: PathBuf },
    /// A house bot lost the server for good.
    Lost { bot: BotName, why: Error },
}

/// How far the tournament is, for those who play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// The tournament is not over.
    Playing,
    /// The tournament is over: whoever ends now ends in time.
    Over,
    /// Everybody ends.
    Stopped,
}

/// Where everybody plays.
#[derive(Debug, Clone)]
pub struct Stage {
    /// What is asked of the server.
    pub organiser: Organiser,
    /// Where the server is.
    pub address: ServerAddress,
    /// The tournament.
    pub tournament: TournamentId,
}

/// The bots that this process runs.
#[derive(Debug)]
pub struct Players {
    stage: Stage,
    tasks: JoinSet<()>,
    phase: watch::Sender<Phase>,
    sender: mpsc::Sender<News>,
    news: mpsc::Receiver<News>,
}

impl Players {
    pub fn new(stage: Stage) -> Self {
        let (sender, news) = mpsc::channel(NEWS);
        Self { stage, tasks: JoinSet::new(), phase: watch::Sender::new(Phase::Playing), sender, news }
    }

    /// Starts a house bot, as the bearer of a token.
    pub fn add_house_bot(&mut self, bot: BotName, house: HouseBot, seed: u64, token: String) {
        let (stage, phase, news) = (self.stage.clone(), self.phase.subscribe(), self.sender.clone());
        let play = async move {
            if let Err(why) = play_house_bot(house, seed, token, &stage, phase).await {
                // Nobody may care any more.
                let _ = news.send(News::Lost { bot, why }).await;
            }
        };
        // That the server is gone, which it logs, is what a stop looks like from its side.
        self.tasks.spawn(play.with_subscriber(NoSubscriber::default()));
    }

    /// Starts a program; `word` is what the file calls it.
    pub fn add_program(&mut self, program: Program, word: String) {
        let (stage, phase, news) = (self.stage.clone(), self.phase.subscribe(), self.sender.clone());
        self.tasks.spawn(SupervisedBot { program, word, stage, phase, news }.run());
    }

    /// Waits for news; for ever if there are none. Safe to cancel.
    pub async fn news(&mut self) -> News {
        match self.news.recv().await {
            Some(news) => news,
            None => std::future::pending().await,
        }
    }

    /// Lets the bots leave once the tournament is over, then ends those that are still there.
    pub async fn dismiss(mut self) {
        self.phase.send_replace(Phase::Over);
        self.news.close();
        // Those that stay are told to go.
        let _ = timeout(FAREWELL, async { while self.tasks.join_next().await.is_some() {} }).await;
        self.stop().await;
    }

    /// Ends the bots.
    pub async fn stop(mut self) {
        self.phase.send_replace(Phase::Stopped);
        self.news.close();
        if timeout(ENDING, async { while self.tasks.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("some bots are still busy: they are left to themselves");
        }
    }
}

/// A house bot that keeps to itself what was refused: it keeps the rules, so it was only late.
struct Discreet(Box<dyn Bot>);

impl Bot for Discreet {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        self.0.declare(game)
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        self.0.play(game)
    }

    fn refused(&mut self, refusal: &Refusal) {
        tracing::debug!(reason = refusal.reason.map(tracing::field::display), "{}", refusal.message);
    }
}

async fn play_house_bot(
    house: HouseBot,
    seed: u64,
    token: String,
    stage: &Stage,
    mut phase: watch::Receiver<Phase>,
) -> Result<(), Error> {
    let options = Options::new(&stage.address, token).tournament(stage.tournament.to_string());
    let stopped = until_phase(&mut phase, Phase::Stopped);
    client::run_until(Discreet(house.build_bot(seed)), options, stopped).await.map(drop)
}

/// Waits until a phase is reached.
async fn until_phase(phase: &mut watch::Receiver<Phase>, reached: Phase) {
    // Without anybody to say so, that is the end as well.
    let _ = phase.wait_for(|phase| *phase >= reached).await;
}

/// How a program came to its end.
enum Ending {
    /// It was ended.
    Stopped,
    /// It could not be started.
    Refused(String),
    /// It ended by itself.
    Ended(String),
}

/// A program, and what there is to know to start it again.
struct SupervisedBot {
    program: Program,
    word: String,
    stage: Stage,
    phase: watch::Receiver<Phase>,
    news: mpsc::Sender<News>,
}

impl SupervisedBot {
    /// Runs the program until the tournament is over, and again if it ends before that.
    async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        for restarts in 1.. {
            let how = match self.play().await {
                Ending::Stopped => return,
                Ending::Refused(why) if restarts == 1 => {
                    let (bot, word) = (self.program.bot.clone(), self.word.clone());
                    return self.tell(News::Refused { bot, word, why }).await;
                }
                Ending::Refused(why) => format!("it could not be started: {why}"),
                Ending::Ended(how) => how,
            };
            if self.is_over().await {
                return;
            }
            let bot = self.program.bot.clone();
            if restarts > MAX_RESTARTS {
                return self.tell(News::GaveUp { bot, how, log: self.program.log.clone() }).await;
            }
            self.tell(News::Restarted { bot, how, pause, restarts }).await;
            tokio::select! {
                () = sleep(pause) => {}
                () = until_phase(&mut self.phase, Phase::Over) => return,
            }
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Starts the program once, and waits for its end.
    async fn play(&mut self) -> Ending {
        let mut supervised = match self.start().await {
            Ok(supervised) => supervised,
            Err(why) => return Ending::Refused(why),
        };
        loop {
            tokio::select! {
                report = supervised.report() => match report {
                    Some(Report::Started) => {}
                    Some(Report::Refused(why)) => return Ending::Refused(why),
                    Some(Report::Ended(how)) => return Ending::Ended(how),
                    None => return Ending::Ended("its supervisor is gone".to_owned()),
                },
                () = until_phase(&mut self.phase, Phase::Stopped) => {
                    supervised.end().await;
                    return Ending::Stopped;
                }
            }
        }
    }

    /// Starts the program with a token of its own, so that whatever is left of an earlier one is out.
    async fn start(&self) -> Result<Supervised, String> {
        let Stage { organiser, address, tournament } = &self.stage;
        let token = organiser.new_token(&self.program.bot).await.map_err(|failure| failure.to_string())?;
        let ticket = Ticket { server: address.clone(), token, tournament: tournament.to_string() };
        self.program.start(&ticket).map_err(|error| error.to_string())
    }

    /// Returns whether the program has nothing more to do: it may have heard so before others did.
    async fn is_over(&self) -> bool {
        if *self.phase.borrow() > Phase::Playing {
            return true;
        }
        let tournament = self.stage.organiser.tournament(self.stage.tournament).await;
        tournament.is_ok_and(|tournament| crate::cli::runner::report::is_over(&tournament))
    }

    async fn tell(&self, news: News) {
        // Nobody may care any more.
        let _ = self.news.send(news).await;
    }
}
