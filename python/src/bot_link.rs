//! Connects the SDK, which asks on its own thread, with Python, which answers on any thread.

use crate::notice_queue::NoticeQueue;
use crate::question::{
    connected_json, heard_json, match_end_json, match_json, refusal_json, suspension_json, talk_round_json,
    tournament_end_json, turn_json,
};
use lastnim_client::{
    AsyncBot, Choice, Connected, MatchEnd, MatchFailure, MatchInfo, MatchView, Message, Refusal, Suspension,
    TakeFeed, TalkRound, TournamentEnd,
};
use lastnim_core::game::{Row, SeatCount};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::oneshot;

/// An event for Python.
#[derive(Debug)]
pub struct Notice {
    /// Its kind: the name of a method of the bot, `withdrawn`, `log`, `finished` or `failed`.
    pub kind: &'static str,
    /// The number of the question or report, or of the question that is withdrawn; `None` for the kinds `log`, `finished`
    /// and `failed`.
    pub number: Option<u64>,
    /// The data.
    pub json: Value,
}

/// Python's answer.
#[derive(Debug)]
pub enum Answer {
    /// Messages, or `None` to declare at once.
    Messages(Option<Vec<Message>>),
    /// A row.
    Row(Choice<Row>),
    /// A take.
    Take(Choice<u64>),
    /// A report was handled.
    Handled,
    /// The bot cannot continue the match.
    Failed(String),
}

/// A question or report that Python has not answered yet.
#[derive(Debug)]
struct OpenQuestion {
    answer: oneshot::Sender<Answer>,
    /// The seats of the match, if the question asks for messages or a row.
    seats: Option<SeatCount>,
}

/// The open questions, and the queue for Python.
#[derive(Debug, Default)]
pub struct BotLink {
    /// The notices that Python has not read yet.
    pub notices: NoticeQueue,
    open: Mutex<HashMap<u64, OpenQuestion>>,
    question_count: AtomicU64,
}

impl BotLink {
    /// Sends a notice that the run has ended.
    pub fn send_end_notice(&self, kind: &'static str, json: Value) {
        self.notices.push(Notice { kind, number: None, json });
    }

    /// Returns the seats of the match, if the question asks for messages or a row.
    pub fn seats_of_question(&self, number: u64) -> Option<SeatCount> {
        self.open_questions().get(&number)?.seats
    }

    /// Answers a question, unless it is closed.
    pub fn answer(&self, number: u64, answer: Answer) {
        let question = self.open_questions().remove(&number);
        if let Some(question) = question {
            // An error is ignored: the question may be withdrawn at this moment.
            let _ = question.answer.send(answer);
        }
    }

    async fn ask(
        self: &Arc<Self>,
        kind: &'static str,
        json: Value,
        seats: Option<SeatCount>,
    ) -> Result<Answer, MatchFailure> {
        let number = self.question_count.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.open_questions().insert(number, OpenQuestion { answer: sender, seats });
        let _withdrawal = WithdrawOnDrop { link: Arc::clone(self), number };
        self.notices.push(Notice { kind, number: Some(number), json });
        answer.await.map_err(|_| MatchFailure::from("the bot's program has ended"))
    }

    fn open_questions(&self) -> MutexGuard<'_, HashMap<u64, OpenQuestion>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Withdraws a question when dropped.
struct WithdrawOnDrop {
    link: Arc<BotLink>,
    number: u64,
}

impl Drop for WithdrawOnDrop {
    fn drop(&mut self) {
        if self.link.open_questions().remove(&self.number).is_some() {
            self.link.notices.withdraw(self.number);
        }
    }
}

/// A bot for the SDK that passes its questions on to a bot in Python.
#[derive(Debug)]
pub struct LinkedBot {
    /// The link to Python.
    pub link: Arc<BotLink>,
    /// The takes to receive.
    pub take_feed: TakeFeed,
}

impl LinkedBot {
    async fn report(&self, kind: &'static str, json: Value) {
        // An error is ignored: reports may be lost at the end of a run.
        let _ = self.link.ask(kind, json, None).await;
    }
}

impl AsyncBot for LinkedBot {
    fn take_feed(&self) -> TakeFeed {
        self.take_feed
    }

    async fn talk(&self, round: &TalkRound) -> Result<Option<Vec<Message>>, MatchFailure> {
        match self.link.ask("talk", talk_round_json(round), Some(round.seats())).await? {
            Answer::Messages(messages) => Ok(messages),
            other => Err(failure_of(other)),
        }
    }

    async fn heard(&self, game: &MatchInfo, round: u32) {
        self.report("heard", heard_json(game, round)).await;
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
        other => format!("{other:?} is not an answer to this question").into(),
    }
}
