//! What an organiser asks of a tournament that runs.

use crate::arena::{Arena, HeldLock};
use crate::error::ArenaError;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{DisqualifiedResults, OpenMatches, Reason, TournamentState};

/// What an organiser needs a tournament to be.
const NEEDS_RUNNING: &str = "this is for tournaments that run";

/// What an organiser asks of a tournament that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intervention {
    /// To begin no further match.
    Pause(OpenMatches),
    /// To go on.
    Resume,
    /// To go on without a bot.
    Disqualify {
        /// The bot.
        bot: BotName,
        /// What becomes of its results.
        results: DisqualifiedResults,
        /// Why.
        reason: Reason,
    },
    /// To play matches again.
    Void {
        /// Which: all of them, or none if one cannot be.
        targets: Vec<VoidTarget>,
        /// Why.
        reason: Reason,
    },
    /// To end after the round that is being played.
    Finish,
}

/// Matches that are to be voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoidTarget {
    /// This one.
    Match(MatchId),
    /// Those of this duplicate group that have begun.
    Group(u64),
}

impl Arena {
    /// Does to a tournament that runs what an organiser asks for. Returns what happened; nothing where it was so already.
    ///
    /// # Errors
    /// If there is no such tournament, it does not run, or that cannot be done to it.
    pub fn intervene(
        &self,
        id: TournamentId,
        intervention: Intervention,
    ) -> BoxFuture<'static, Result<(TournamentView, Option<TimedTournamentEvent>), ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.ask_director(held, id, intervention).await
        })
    }

    async fn ask_director(
        &self,
        _held: HeldLock,
        id: TournamentId,
        intervention: Intervention,
    ) -> Result<(TournamentView, Option<TimedTournamentEvent>), ArenaError> {
        let handle = self.require_unfinished_tournament(id, NEEDS_RUNNING).await?;
        match handle.view().stored.state {
            TournamentState::Running => {}
            state => return Err(ArenaError::WrongState { id, state, needed: NEEDS_RUNNING }),
        }
        match handle.intervene(intervention).await {
            Some(done) => done.map(|event| (handle.view(), event)),
            None if self.is_stopped() => Err(ArenaError::Stopping),
            None => handle
                .check_not_quarantined()
                .and(Err(ArenaError::Intervention { id, why: "its last match is over".to_owned() })),
        }
    }

    /// Returns what an organiser did to a tournament, in its order.
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
