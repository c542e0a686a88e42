//! The decisions of a director, as synchronous functions.

use crate::error::ArenaError;
use crate::tournaments::tournament_handle::{
    DirectorCommand, FieldRequest, InterventionRequest, SnapshotRequest,
};
use lastnim_store::StoreError;
use lastnim_tournament::{MatchOutcome, TournamentState};
use thiserror::Error;
use tokio::task::{Id, JoinError};

/// The maximum number of matches that are started before other tasks run and the director checks for a cancellation.
pub(super) const MAX_STARTS_AT_ONCE: usize = 32;

/// Why a match did not end.
#[derive(Debug, Error)]
pub(super) enum MatchFailure {
    #[error(transparent)]
    Failed(ArenaError),
    #[error(transparent)]
    Panicked(JoinError),
}

impl MatchFailure {
    /// Returns whether no other server could finish the match either, because it panicked or the store rejected its
    /// events.
    pub(super) fn is_permanent(&self) -> bool {
        matches!(self, Self::Panicked(_) | Self::Failed(ArenaError::Store(StoreError::Refused(_))))
    }

    /// Describes the failure for callers.
    pub(super) fn damage(&self) -> String {
        match self {
            // Database messages may contain addresses and role names, so they are only logged.
            Self::Failed(_) => "the store rejected the match's events".to_owned(),
            Self::Panicked(_) => "the code that ran the match panicked".to_owned(),
        }
    }
}

/// Whether a running tournament begins new matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectorStage {
    Playing,
    /// The tournament was cancelled: no more matches begin, and the open ones end.
    Cancelling,
}

impl DirectorStage {
    pub(super) fn final_state(self) -> TournamentState {
        match self {
            Self::Playing => TournamentState::Finished,
            Self::Cancelling => TournamentState::Cancelled,
        }
    }
}

/// Why no match begins at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PauseReason {
    /// Many matches were started, so other tasks run first.
    Yielding,
    /// An open match must end first.
    AwaitingResults,
    /// No match is open, and the organiser has paused the tournament.
    AwaitingResumption,
    /// No match is open, and the server has no room for one.
    AwaitingRoom,
    /// No match is open, and none can begin before a bot joins.
    AwaitingBots,
    /// No match is open, and no more will begin.
    Over,
}

impl PauseReason {
    /// Returns why no further match begins, after `started` matches have been started and while `open` matches are
    /// open.
    pub(super) fn determine(
        stage: DirectorStage,
        started: usize,
        open: usize,
        (is_paused, lacks_room, lacks_bots): (bool, bool, bool),
    ) -> Self {
        let is_playing = stage == DirectorStage::Playing;
        if started >= MAX_STARTS_AT_ONCE {
            Self::Yielding
        } else if open > 0 {
            Self::AwaitingResults
        } else if is_playing && is_paused {
            Self::AwaitingResumption
        } else if is_playing && lacks_room {
            Self::AwaitingRoom
        } else if is_playing && lacks_bots {
            Self::AwaitingBots
        } else {
            Self::Over
        }
    }
}

/// An event that a director handles.
#[derive(Debug)]
pub(super) enum DirectorEvent {
    /// The server is stopping, and has interrupted the matches.
    ServerStopping,
    /// A command arrived.
    CommandReceived(DirectorCommand),
    /// The task of a match has ended.
    MatchEnded(Id, Result<Option<MatchOutcome>, MatchFailure>),
    /// Matches may begin again.
    StartAllowed,
    /// A caller requests a snapshot.
    SnapshotRequested(SnapshotRequest),
}

/// How a director responds to an event.
#[must_use = "the director must carry out the response"]
#[derive(Debug)]
pub(super) enum DirectorResponse {
    /// Leave the tournament to the next server.
    Leave,
    /// Store that the tournament is cancelled, and end its matches.
    Cancel,
    /// Let a bot join or leave.
    ChangeField(FieldRequest),
    /// Apply an intervention.
    Intervene(InterventionRequest),
    /// Answer with a snapshot.
    TakeSnapshot(SnapshotRequest),
    /// Count a match that ended or failed.
    Settle(Id, Result<Option<MatchOutcome>, MatchFailure>),
    /// Start matches.
    StartMatches,
}

/// Returns the response to an event.
pub(super) fn respond_to_event(event: DirectorEvent, stage: DirectorStage) -> DirectorResponse {
    match event {
        DirectorEvent::ServerStopping => DirectorResponse::Leave,
        DirectorEvent::CommandReceived(DirectorCommand::ChangeField(request)) => {
            DirectorResponse::ChangeField(request)
        }
        DirectorEvent::CommandReceived(DirectorCommand::Intervene(request)) => {
            DirectorResponse::Intervene(request)
        }
        DirectorEvent::CommandReceived(DirectorCommand::Cancel) if stage == DirectorStage::Playing => {
            DirectorResponse::Cancel
        }
        // A command to cancel changes nothing if the tournament is already being cancelled.
        DirectorEvent::CommandReceived(DirectorCommand::Cancel) | DirectorEvent::StartAllowed => {
            DirectorResponse::StartMatches
        }
        DirectorEvent::SnapshotRequested(request) => DirectorResponse::TakeSnapshot(request),
        DirectorEvent::MatchEnded(task, outcome) => DirectorResponse::Settle(task, outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tournament_is_cancelled_once() {
        let respond =
            |stage| respond_to_event(DirectorEvent::CommandReceived(DirectorCommand::Cancel), stage);
        assert!(matches!(respond(DirectorStage::Playing), DirectorResponse::Cancel));
        assert!(matches!(respond(DirectorStage::Cancelling), DirectorResponse::StartMatches));
        assert_eq!(DirectorStage::Playing.final_state(), TournamentState::Finished);
        assert_eq!(DirectorStage::Cancelling.final_state(), TournamentState::Cancelled);
    }

    #[test]
    fn a_stopping_server_leaves_a_tournament_at_any_stage() {
        for stage in [DirectorStage::Playing, DirectorStage::Cancelling] {
            assert!(matches!(
                respond_to_event(DirectorEvent::ServerStopping, stage),
                DirectorResponse::Leave
            ));
        }
    }

    #[test]
    fn a_tournament_is_not_over_while_a_match_is_open_or_can_begin() {
        use DirectorStage::{Cancelling, Playing};
        let (nothing, paused) = ((false, false, false), (true, false, false));
        let (room, bots) = ((false, true, false), (false, false, true));
        for (stage, started, open, lacks, expected) in [
            (Playing, MAX_STARTS_AT_ONCE, MAX_STARTS_AT_ONCE, nothing, PauseReason::Yielding),
            (Playing, 0, 1, room, PauseReason::AwaitingResults),
            (Playing, 0, 1, bots, PauseReason::AwaitingResults),
            (Playing, 0, 1, paused, PauseReason::AwaitingResults),
            (Playing, 0, 0, paused, PauseReason::AwaitingResumption),
            (Playing, 0, 0, room, PauseReason::AwaitingRoom),
            (Playing, 0, 0, bots, PauseReason::AwaitingBots),
            (Playing, 0, 0, nothing, PauseReason::Over),
            (Cancelling, 0, 1, bots, PauseReason::AwaitingResults),
            (Cancelling, 0, 0, (true, true, true), PauseReason::Over),
        ] {
            let reason = PauseReason::determine(stage, started, open, lacks);
            assert_eq!(reason, expected, "{stage:?} {started} {open} {lacks:?}");
        }
    }
}
