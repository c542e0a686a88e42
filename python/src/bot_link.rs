//! The link between the SDK, which asks on a thread of its own, and Python, which answers on any of its threads.

use crate::question::{
    connected_json, match_end_json, match_json, refusal_json, suspension_json, tournament_end_json, turn_json,
};
use lastnim_client::{
    AsyncBot, Choice, Connected, MatchEnd, MatchFailure, MatchInfo, MatchView, Refusal, Suspension, TakeFeed,
    TournamentEnd,
};
use lastnim_core::game::{Row, SeatCount};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};
use tokio::sync::oneshot;

/// What Python hears of a run.
#[derive(Debug)]
pub struct Notice {
    /// What it is: a method of the bot, `withdrawn`, `log`, `finished` or `failed`.
    pub kind: &'static str,
    /// The number of the question, or of the one that is withdrawn.
    pub number: u64,
    /// What there is to know.
    pub json: Value,
}

/// What Python answers.
#[derive(Debug)]
pub enum Answer {
    /// A row.
    Row(Choice<Row>),
    /// A take.
    Take(Choice<u64>),
    /// A report was heard.
    Heard,
    /// The bot cannot go on in the match.
    Failed(String),
}

/// A question that waits for its answer.
#[derive(Debug)]
struct OpenQuestion {
    answer: oneshot::Sender<Answer>,
    /// The seats of the match, where a row is asked for.
    seats: Option<SeatCount>,
}

/// The questions that are open, and the way to Python.
#[derive(Debug)]
pub struct BotLink {
    notices: mpsc::Sender<Notice>,
    open: Mutex<HashMap<u64, OpenQuestion>>,
    asked: AtomicU64,
}

impl BotLink {
    /// Sends to Python by `notices`.
    pub fn new(notices: mpsc::Sender<Notice>) -> Arc<Self> {
        Arc::new(Self { notices, open: Mutex::default(), asked: AtomicU64::new(0) })
    }

    /// Tells Python something that needs no answer.
    pub fn tell(&self, kind: &'static str, number: u64, json: Value) {
        // Nobody may read any more.
        let _ = self.notices.send(Notice { kind, number, json });
    }

    /// Returns whether a question still waits for its answer.
    pub fn is_open(&self, number: u64) -> bool {
        self.open_questions().contains_key(&number)
    }

    /// Returns the seats of the match for which a question asks for a row.
    pub fn seats_of_question(&self, number: u64) -> Option<SeatCount> {
        self.open_questions().get(&number)?.seats
    }

    /// Answers a question; one that is no longer open needs no answer.
    pub fn answer(&self, number: u64, answer: Answer) {
        let question = self.open_questions().remove(&number);
        if let Some(question) = question {
            // It may be withdrawn at this moment.
            let _ = question.answer.send(answer);
        }
    }

    async fn ask(
        self: &Arc<Self>,
        kind: &'static str,
        json: Value,
        seats: Option<SeatCount>,
    ) -> Result<Answer, MatchFailure> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.open_questions().insert(number, OpenQuestion { answer: sender, seats });
        let _withdrawal = Withdrawal { link: Arc::clone(self), number };
        self.tell(kind, number, json);
        answer.await.map_err(|_| MatchFailure::from("the bot is gone"))
    }

    fn open_questions(&self) -> MutexGuard<'_, HashMap<u64, OpenQuestion>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Withdraws a question that nobody asks any more.
struct Withdrawal {
    link: Arc<BotLink>,
    number: u64,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        if self.link.open_questions().remove(&self.number).is_some() {
            self.link.tell("withdrawn", self.number, Value::Null);
        }
    }
}

/// A bot whose methods are those of a bot in Python.
#[derive(Debug)]
pub struct LinkedBot {
    /// The way to it.
    pub link: Arc<BotLink>,
    /// Which takes it hears of.
    pub take_feed: TakeFeed,
}

impl LinkedBot {
    async fn report(&self, kind: &'static str, json: Value) {
        // A report that nobody hears is lost with the run.
        let _ = self.link.ask(kind, json, None).await;
    }
}

impl AsyncBot for LinkedBot {
    fn take_feed(&self) -> TakeFeed {
        self.take_feed
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        match self.link.ask("declare", match_json(game), Some(game.seats())).await? {
            Answer::Row(choice) => Ok(choice),
            other => Err(failure_of(other)),
        }
    }

    async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        match self.link.ask("play", turn_json(game), None).await? {
            Answer::Take(choice) => Ok(choice),
            other => Err(failure_of(other)),
        }
    }

    async fn ended(&self, end: &MatchEnd) {
        self.report("ended", match_end_json(end)).await;
    }

    async fn refused(&self, refusal: &Refusal) {
        self.report("refused", refusal_json(refusal)).await;
    }

    async fn suspended(&self, notice: &Suspension) {
        self.report("suspended", suspension_json(notice)).await;
    }

    async fn tournament_ended(&self, end: &TournamentEnd) {
        self.report("tournament_ended", tournament_end_json(end)).await;
    }

    async fn connected(&self, session: &Connected) {
        self.report("connected", connected_json(session)).await;
    }
}

fn failure_of(answer: Answer) -> MatchFailure {
    match answer {
        Answer::Failed(why) => why.into(),
        other => format!("{other:?} is no answer to this question").into(),
    }
}
