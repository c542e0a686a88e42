//! What the loop of a director decides: plain functions of what has happened, without a runtime.

use crate::error::ArenaError;
use crate::tournaments::tournament_handle::{
    DirectorCommand, FieldRequest, InterventionRequest, SnapshotRequest,
};
use lastnim_store::StoreError;
use lastnim_tournament::{MatchOutcome, TournamentState};
use thiserror::Error;
use tokio::task::{Id, JoinError};

/// Matches that are started in one go, before others have their turn and the director looks whether it is called off.
pub(super) const MAX_STARTS_AT_ONCE: usize = 32;

/// How a match came to no end.
#[derive(Debug, Error)]
pub(super) enum MatchFailure {
    #[error(transparent)]
    Failed(ArenaError),
    #[error(transparent)]
    BrokeDown(JoinError),
}

impl MatchFailure {
    /// Returns whether no other server would fare better with the match: it broke down, or was refused.
    pub(super) fn is_permanent(&self) -> bool {
        matches!(self, Self::BrokeDown(_) | Self::Failed(ArenaError::Store(StoreError::Refused(_))))
    }

    /// Says what is wrong with the match, to whoever is shown that it is quarantined.
    pub(super) fn damage(&self) -> String {
        match self {
            // What a database says names addresses and roles: it is in the log alone.
            Self::Failed(_) => "the store refused what happened in it".to_owned(),
            Self::BrokeDown(_) => "it broke down while it was played".to_owned(),
        }
    }
}

/// Whether a tournament that runs begins new matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectorStage {
    /// Matches begin as the schedule says.
    Playing,
    /// It has been cancelled: none begins, and those that are open end.
    Cancelling,
}

impl DirectorStage {
    /// Returns the state in which the tournament ends.
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
    /// Many began in one go: others have their turn first.
    Yielding,
    /// Some are open, and one of them has to end first.
    AwaitingResults,
    /// None is open, and the organiser lets none begin.
    AwaitingResumption,
    /// None is open, and the server has no room for one.
    AwaitingRoom,
    /// None is open, and none can begin before a bot enters.
    AwaitingBots,
    /// None is open, and none follows.
    Over,
}

impl PauseReason {
    /// Returns why no match begins, after `started` have begun in one go and with `open` of them open, where it is paused,
    /// lacks room or lacks bots.
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

/// What happens to a director.
#[derive(Debug)]
pub(super) enum DirectorEvent {
    /// The server stops, and has cut the matches.
    ServerStops,
    /// Somebody asks for something.
    Asked(DirectorCommand),
    /// The task of a match has ended.
    MatchEnded(Id, Result<Option<MatchOutcome>, MatchFailure>),
    /// What kept matches from beginning is over.
    MayStart,
    /// Somebody asks where the tournament stands.
    SnapshotWanted(SnapshotRequest),
}

/// What a director does about an event.
#[must_use = "the director carries it out"]
#[derive(Debug)]
pub(super) enum DirectorResponse {
    /// Leaves the tournament to the next server.
    Leave,
    /// Stores that the tournament is cancelled, and ends its matches.
    Cancel,
    /// Lets a bot in or out.
    ChangeField(FieldRequest),
    /// Does what an organiser asks for.
    Intervene(InterventionRequest),
    /// Says where the tournament stands.
    TakeSnapshot(SnapshotRequest),
    /// Counts a match.
    Settle(Id, Result<Option<MatchOutcome>, MatchFailure>),
    /// Starts what can begin.
    StartMatches,
}

/// Decides what follows from an event.
pub(super) fn respond_to_event(event: DirectorEvent, stage: DirectorStage) -> DirectorResponse {
    match event {
        DirectorEvent::ServerStops => DirectorResponse::Leave,
        DirectorEvent::Asked(DirectorCommand::ChangeField(request)) => DirectorResponse::ChangeField(request),
        DirectorEvent::Asked(DirectorCommand::Intervene(request)) => DirectorResponse::Intervene(request),
        DirectorEvent::Asked(DirectorCommand::Cancel) if stage == DirectorStage::Playing => {
            DirectorResponse::Cancel
        }
        // Somebody has asked before.
        DirectorEvent::Asked(DirectorCommand::Cancel) | DirectorEvent::MayStart => {
            DirectorResponse::StartMatches
        }
        DirectorEvent::SnapshotWanted(request) => DirectorResponse::TakeSnapshot(request),
        DirectorEvent::MatchEnded(task, outcome) => DirectorResponse::Settle(task, outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tournament_is_cancelled_once() {
        let respond = |stage| respond_to_event(DirectorEvent::Asked(DirectorCommand::Cancel), stage);
        assert!(matches!(respond(DirectorStage::Playing), DirectorResponse::Cancel));
        assert!(matches!(respond(DirectorStage::Cancelling), DirectorResponse::StartMatches));
        assert_eq!(DirectorStage::Playing.final_state(), TournamentState::Finished);
        assert_eq!(DirectorStage::Cancelling.final_state(), TournamentState::Cancelled);
    }

    #[test]
    fn a_server_that_stops_is_left_at_any_stage() {
        for stage in [DirectorStage::Playing, DirectorStage::Cancelling] {
            assert!(matches!(respond_to_event(DirectorEvent::ServerStops, stage), DirectorResponse::Leave));
        }
    }

    #[test]
    fn nothing_is_over_while_a_match_is_open_or_can_still_begin() {
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
