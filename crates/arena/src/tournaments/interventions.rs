//! Interventions by organisers in running tournaments.

use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{DisqualifiedResults, OpenMatches, Reason, TournamentState};

const INTERVENTION_CONDITION: &str = "only running tournaments allow this";

/// An intervention by an organiser in a running tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intervention {
    /// Start no further matches until the tournament is resumed.
    Pause(OpenMatches),
    /// Continue after a pause.
    Resume,
    /// Continue the tournament without a bot.
    Disqualify {
        /// The bot to disqualify.
        bot: BotName,
        /// Whether the bot's results still count.
        results: DisqualifiedResults,
        /// The reason that the organiser gives.
        reason: Reason,
    },
    /// Let a bot withdraw: it is not paired again, and its matches so far stand.
    Withdraw {
        /// The bot that withdraws.
        bot: BotName,
    },
    /// Void matches and play them again.
    Void {
        /// The matches to void. Either all of them are voided, or none.
        targets: Vec<VoidTarget>,
        /// The reason that the organiser gives.
        reason: Reason,
    },
    /// End a ladder after the current round.
    Finish,
}

/// A match, or a group of matches, to void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoidTarget {
    /// One match.
    Match(MatchId),
    /// The matches of a duplicate group that have begun.
    Group(u64),
}

impl Arena {
    /// Applies an intervention to a running tournament. Returns the event; `None` if nothing changes.
    ///
    /// # Errors
    /// If no tournament has this id, the tournament is not running, or the intervention is not possible.
    pub fn intervene(
        &self,
        id: TournamentId,
        intervention: Intervention,
    ) -> BoxFuture<'static, Result<(TournamentView, Option<TimedTournamentEvent>), ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.ask_director(held, id, intervention).await
        })
    }

    pub(super) async fn ask_director(
        &self,
        _guard: HeldLock,
        id: TournamentId,
        intervention: Intervention,
    ) -> Result<(TournamentView, Option<TimedTournamentEvent>), ArenaError> {
        let handle = self.require_unfinished_tournament(id, INTERVENTION_CONDITION).await?;
        match handle.view().stored.state {
            TournamentState::Running => {}
            state => return Err(ArenaError::WrongState { id, state, needed: INTERVENTION_CONDITION }),
        }
        match handle.intervene(intervention).await {
            Some(done) => done.map(|event| (handle.view(), event)),
            None if self.is_stopped() => Err(ArenaError::Stopping),
            None => handle.check_not_quarantined().and(Err(ArenaError::Intervention {
                id,
                why: "its last match is over, so it can no longer be changed".to_owned(),
            })),
        }
    }

    /// Returns the interventions in a tournament, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, ArenaError> {
        match self.live_tournament(id) {
            Some(handle) => Ok(handle.events()),
            None => match self.ended_tournament(id).await? {
                Some(ended) => Ok(self.ended_events(&ended).await?.to_vec()),
                None => Ok(self.inner.store.tournament_events(id).await?),
            },
        }
    }
}
