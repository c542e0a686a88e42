//! The interface through which a session sends questions to a bot that runs on its own thread or in tasks.

use super::{
    Error,
    question::{BotAnswer, BotQuestion},
    question_queue::QuestionLimit,
};
use lastnim_core::game::MatchId;
use std::task::{Context, Poll};

/// Passes questions to a bot and returns its answers.
pub(super) trait BotHost: Send {
    /// Returns how many questions the bot can be asked at once.
    fn question_limit(&self) -> QuestionLimit;

    /// Asks a question, within the limit of [`question_limit`](Self::question_limit).
    ///
    /// # Errors
    /// If the bot has panicked.
    fn ask(&mut self, question: BotQuestion) -> Result<(), Error>;

    /// Drops the pending questions about a match. Each question still gets an answer, which may be
    /// [`BotAnswer::Withdrawn`].
    fn withdraw(&mut self, match_id: MatchId);

    /// Returns the next answer when it is ready.
    ///
    /// # Errors
    /// If the bot has panicked.
    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<BotAnswer, Error>>;
}
