//! Joining tournaments over a bot's own stream.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::{JoinRefusal, JoinRefused, ServerEvent, pb};
use lastnim_tournament::TournamentState;
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// What a bot hears of a store, whatever is wrong with it.
const UNAVAILABLE: &str = "the server cannot write who joins now: join again later, which does no harm";

/// The tournaments that a session has asked to join. One request after the other is carried out, so that a session never
/// has more than one of them in the queue of those who change something, and the session reads on meanwhile.
pub(crate) struct JoinQueue {
    arena: Arena,
    bot: BotName,
    waiting: VecDeque<TournamentId>,
    /// What is being carried out.
    current: Option<Pin<Box<dyn Future<Output = JoinAnswer> + Send>>>,
}

/// What a request to join came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JoinAnswer {
    /// What the bot is told.
    pub(crate) event: ServerEvent,
    /// Why nothing has changed by it, if nothing has.
    pub(crate) led_nowhere: Option<String>,
}

impl JoinAnswer {
    /// Makes the answer that the bot is not entered.
    pub(crate) fn refusal(refused: JoinRefused) -> Self {
        let word = pb::JoinRefusal::from(refused.reason).as_str_name();
        let led_nowhere = Some(format!("{word}: {}", refused.message));
        Self { event: ServerEvent::NotJoined(Box::new(refused)), led_nowhere }
    }
}

impl fmt::Debug for JoinQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joining")
            .field("bot", &self.bot)
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

impl JoinQueue {
    /// Begins with nothing asked for.
    pub(crate) fn new(arena: Arena, bot: BotName) -> Self {
        Self { arena, bot, waiting: VecDeque::new(), current: None }
    }

    /// Takes a request to enter the bot in a tournament.
    ///
    /// # Errors
    /// If as many wait for their answers as may.
    pub(crate) fn request(&mut self, id: TournamentId) -> Result<(), JoinRefused> {
        let unanswered = self.waiting.len() + usize::from(self.current.is_some());
        if unanswered >= self.arena.limits().unanswered_joins {
            return Err(JoinRefused {
                tournament: id.to_string(),
                reason: JoinRefusal::Busy,
                message: format!(
                    "{unanswered} requests to join wait for their answers: ask again after the next one"
                ),
            });
        }
        self.waiting.push_back(id);
        Ok(())
    }

    /// Returns the next answer; nothing while nothing is asked.
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

/// Enters a bot in a tournament, and says what it is to be told.
async fn carry_out_join(arena: Arena, bot: BotName, id: TournamentId) -> JoinAnswer {
    let known = |handle: &crate::tournaments::tournament_handle::TournamentHandle| {
        handle.view().stored.field.contains(&bot)
    };
    let was_in = arena.live_tournament(id).is_some_and(|handle| known(&handle));
    match arena.join_tournament(id, &bot).await {
        Ok(view) => {
            let in_vain = was_in || view.stored.state.is_over();
            let led_nowhere = in_vain.then(|| format!("tournament {id}: {bot} is in it already"));
            JoinAnswer { event: ServerEvent::Joined(Box::new(view.to_public())), led_nowhere }
        }
        Err(error) => JoinAnswer::refusal(join_refusal(id, &error)),
    }
}

/// Says why a bot was not entered. What a store says names addresses, roles and files, which are no business of a bot.
fn join_refusal(id: TournamentId, error: &ArenaError) -> JoinRefused {
    let reason = match error {
        ArenaError::NoSuchTournament(_) => JoinRefusal::UnknownTournament,
        ArenaError::WrongState { state: TournamentState::Finished | TournamentState::Cancelled, .. } => {
            JoinRefusal::Over
        }
        ArenaError::WrongState { .. } => JoinRefusal::Started,
        ArenaError::Field { .. } => JoinRefusal::Field,
        _ => JoinRefusal::Unavailable,
    };
    let message = match error {
        ArenaError::Store(_) | ArenaError::Delayed(_) => {
            tracing::warn!(%error, tournament = %id, "a bot cannot join");
            UNAVAILABLE.to_owned()
        }
        _ => error.to_string(),
    };
    JoinRefused { tournament: id.to_string(), reason, message }
}
