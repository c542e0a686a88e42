//! Where a bot runs.

use super::{
    Error,
    question::{BotAnswer, BotQuestion},
    question_queue::Attention,
};
use lastnim_core::game::MatchId;
use std::task::{Context, Poll};

/// What puts questions to a bot and hears its answers, beside the stream.
pub(super) trait BotHost: Send {
    /// Returns how many questions the bot is asked at once.
    fn attention(&self) -> Attention;

    /// Asks a question for which the bot has attention.
    ///
    /// # Errors
    /// If the bot has panicked for good.
    fn ask(&mut self, question: BotQuestion) -> Result<(), Error>;

    /// Hears that the answers to what is asked in a match are no longer needed. Each is given all the same, if only as
    /// [`BotAnswer::Withdrawn`].
    fn withdraw(&mut self, match_id: MatchId);

    /// Returns the next answer once it is there.
    ///
    /// # Errors
    /// If the bot has panicked for good.
    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<BotAnswer, Error>>;
}
