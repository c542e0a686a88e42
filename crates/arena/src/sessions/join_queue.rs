//! Requests to join tournaments that bots send over their streams.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::{JoinRefusal, JoinRefused, ServerEvent, pb};
use lastnim_tournament::TournamentState;
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The message that a bot gets if the store cannot be used, for whatever reason.
const UNAVAILABLE: &str =
    "the server cannot store the request now: join again later; joining twice is harmless";

/// A session's join requests. They run one at a time, so that at most one request of a session waits for a lock. The
/// session continues to read messages while they run.
pub(crate) struct JoinQueue {
    arena: Arena,
    bot: BotName,
    waiting: VecDeque<TournamentId>,
    /// The running request.
    current: Option<Pin<Box<dyn Future<Output = JoinAnswer> + Send>>>,
}

/// The result of a join request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JoinAnswer {
    /// The answer to the bot.
    pub(crate) event: ServerEvent,
    /// Why the request changed nothing; `None` if it changed something.
    pub(crate) idle_reason: Option<String>,
}

impl JoinAnswer {
    /// Creates the answer to a rejected request.
    pub(crate) fn refusal(refused: JoinRefused) -> Self {
        let word = pb::JoinRefusal::from(refused.reason).as_str_name();
        let idle_reason = Some(format!("{word}: {}", refused.message));
        Self { event: ServerEvent::NotJoined(Box::new(refused)), idle_reason }
    }
}

impl fmt::Debug for JoinQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinQueue")
            .field("bot", &self.bot)
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

impl JoinQueue {
    pub(crate) fn new(arena: Arena, bot: BotName) -> Self {
        Self { arena, bot, waiting: VecDeque::new(), current: None }
    }

    /// Queues a request to join a tournament.
    ///
    /// # Errors
    /// If too many requests are waiting for answers.
    pub(crate) fn request(&mut self, id: TournamentId) -> Result<(), JoinRefused> {
        let unanswered = self.waiting.len() + usize::from(self.current.is_some());
        if unanswered >= self.arena.limits().unanswered_joins {
            return Err(JoinRefused {
                tournament: id.to_string(),
                reason: JoinRefusal::Busy,
                message: format!(
                    "too many requests to join are waiting ({unanswered}): try again after the next answer"
                ),
            });
        }
        self.waiting.push_back(id);
        Ok(())
    }

    /// Polls for the next answer; pending while there are no requests.
    pub(crate) fn poll_next_answer(&mut self, context: &mut Context<'_>) -> Poll<JoinAnswer> {
        if self.current.is_none()
            && let Some(id) = self.waiting.pop_front()
        {
            self.current = Some(Box::pin(carry_out_join(self.arena.clone(), self.bot.clone(), id)));
        }
        let Some(current) = &mut self.current else { return Poll::Pending };
        let answer = ready!(current.as_mut().poll(context));
        self.current = None;
        Poll::Ready(answer)
    }
}

/// Joins the tournament, and returns the answer to the bot.
async fn carry_out_join(arena: Arena, bot: BotName, id: TournamentId) -> JoinAnswer {
    let known = |handle: &crate::tournaments::tournament_handle::TournamentHandle| {
        handle.view().stored.field.contains(&bot)
    };
    let was_in = arena.live_tournament(id).is_some_and(|handle| known(&handle));
    match arena.join_tournament(id, &bot).await {
        Ok(view) => {
            let already_joined = was_in || view.stored.state.is_over();
            let idle_reason = already_joined.then(|| format!("tournament {id}: {bot} has already joined"));
            JoinAnswer { event: ServerEvent::Joined(Box::new(view.to_public())), idle_reason }
        }
        Err(error) => JoinAnswer::refusal(join_refusal(id, &error)),
    }
}

/// Explains to a bot why it cannot join. Store errors may contain addresses, roles and files, so they are only logged.
fn join_refusal(id: TournamentId, error: &ArenaError) -> JoinRefused {
    let reason = match error {
        ArenaError::NoSuchTournament(_) => JoinRefusal::UnknownTournament,
        ArenaError::WrongState { state: TournamentState::Finished | TournamentState::Cancelled, .. } => {
            JoinRefusal::Over
        }
        ArenaError::WrongState { .. } => JoinRefusal::Started,
        ArenaError::Field { .. } => JoinRefusal::Field,
        ArenaError::EntriesClosed { .. } => JoinRefusal::EntriesClosed,
        ArenaError::NotAllowed { .. } => JoinRefusal::NotAllowed,
        _ => JoinRefusal::Unavailable,
    };
    let message = match error {
        ArenaError::Store(_) | ArenaError::Delayed(_) => {
            tracing::warn!(%error, tournament = %id, "a bot's request to join a tournament could not be stored");
            UNAVAILABLE.to_owned()
        }
        _ => error.to_string(),
    };
    JoinRefused { tournament: id.to_string(), reason, message }
}
