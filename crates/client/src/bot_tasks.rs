//! Runs a bot that thinks about many matches at once.

use super::{
    AsyncBot, Error,
    async_bot::MatchFailure,
    bot_host::BotHost,
    question::{BotAnswer, BotQuestion},
    question_queue::QuestionLimit,
};
use lastnim_core::game::MatchId;
use std::{
    collections::HashMap,
    future::Future,
    num::NonZeroUsize,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// A bot with a task for each question. Dropping this aborts the tasks.
#[derive(Debug)]
pub(super) struct BotTasks<B> {
    bot: Arc<B>,
    max_requests: NonZeroUsize,
    tasks: JoinSet<BotAnswer>,
    /// The tasks that answer requests: by task, the match of the request, and the handle that aborts the task.
    requests: HashMap<Id, (MatchId, AbortHandle)>,
}

impl<B: AsyncBot> BotTasks<B> {
    /// Wraps a bot that handles at most `max_requests` requests at once.
    pub(super) fn new(bot: B, max_requests: NonZeroUsize) -> Self {
        Self { bot: Arc::new(bot), max_requests, tasks: JoinSet::new(), requests: HashMap::new() }
    }
}

impl<B: AsyncBot> BotHost for BotTasks<B> {
    fn question_limit(&self) -> QuestionLimit {
        QuestionLimit::Requests(self.max_requests)
    }

    fn ask(&mut self, question: BotQuestion) -> Result<(), Error> {
        let request = question.match_of_request();
        let bot = Arc::clone(&self.bot);
        let task = self.tasks.spawn(async move { answer_question(&*bot, question).await });
        if let Some(match_id) = request {
            self.requests.insert(task.id(), (match_id, task));
        }
        Ok(())
    }

    fn withdraw(&mut self, match_id: MatchId) {
        for (_, task) in self.requests.values().filter(|(of, _)| *of == match_id) {
            task.abort();
        }
    }

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<BotAnswer, Error>> {
        // Without tasks, there is no answer to wait for. The caller polls again after it has asked a question.
        let Some(ended) = ready!(self.tasks.poll_join_next_with_id(context)) else { return Poll::Pending };
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let request = self.requests.remove(&id).map(|(match_id, _)| match_id);
        Poll::Ready(Ok(match ended {
            Ok((_, answer)) => answer,
            Err(error) => failed_task_answer(request, &error),
        }))
    }
}

async fn answer_question(bot: &impl AsyncBot, question: BotQuestion) -> BotAnswer {
    match question {
        BotQuestion::Talk(round) => match bot.talk(&round).await {
            Ok(messages) => BotAnswer::Messages { match_id: round.info.id, round: round.round, messages },
            Err(failure) => resign(round.info.id, &failure),
        },
        BotQuestion::Declare(info) => match bot.declare(&info).await {
            Ok(row) => BotAnswer::Row { match_id: info.id, row: row.value, note_hash: row.note_hash },
            Err(failure) => resign(info.id, &failure),
        },
        BotQuestion::Play(view) => match bot.play(&view).await {
            Ok(take) => BotAnswer::Take {
                match_id: view.id,
                ply: view.ply,
                take: take.value,
                note_hash: take.note_hash,
            },
            Err(failure) => resign(view.id, &failure),
        },
        BotQuestion::Connected(session) => await_report(bot.connected(&session)).await,
        BotQuestion::Heard(info, round) => await_report(bot.heard(&info, round)).await,
        BotQuestion::Refused(refusal) => await_report(bot.refused(&refusal)).await,
        BotQuestion::Suspended(notice) => await_report(bot.suspended(&notice)).await,
        BotQuestion::TournamentEnded(end) => await_report(bot.tournament_ended(&end)).await,
        BotQuestion::Ended(end) => await_report(bot.ended(&end)).await,
    }
}

async fn await_report(report: impl Future<Output = ()>) -> BotAnswer {
    report.await;
    BotAnswer::Handled
}

/// Returns the answer for a task that was aborted or panicked.
fn failed_task_answer(request: Option<MatchId>, error: &JoinError) -> BotAnswer {
    match request {
        Some(_) if error.is_cancelled() => BotAnswer::Withdrawn,
        Some(match_id) => {
            tracing::error!(%match_id, "the bot panicked: resigning its seat");
            BotAnswer::Resigned { match_id }
        }
        None => {
            tracing::error!("the bot panicked while handling an event: it plays on");
            BotAnswer::Handled
        }
    }
}

fn resign(match_id: MatchId, failure: &MatchFailure) -> BotAnswer {
    tracing::error!(%match_id, error = %failure, "the bot cannot continue: resigning its seat");
    BotAnswer::Resigned { match_id }
}
