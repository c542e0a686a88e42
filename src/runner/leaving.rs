//! What becomes of a tournament on another's server while its run is away, and when the run is back.

use super::{players::TournamentAddress, saved_run::SavedRun};
use crate::Failure;
use lastnim_proto::pb;
use pb::{TournamentState, tournament_event::Event};
use std::time::Duration;
use tokio::time::timeout;

/// How long a server has to say how the tournament stands, and to pause it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What becomes of a tournament while its run is away.
#[derive(Debug)]
pub enum LeftTournament {
    /// It is over, or has not begun.
    Idle,
    /// The run has paused it: the time of the event.
    Paused(u64),
    /// It waits as it did: the run has paused it before and it has not gone on since, or somebody else has.
    StaysPaused,
    /// It goes on without the bots of this run, if they are any.
    GoesOn,
    /// It goes on, for it could not be paused.
    NotPaused(String),
}

impl LeftTournament {
    /// Says it, if there is anything to say.
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Idle => None,
            Self::Paused(_) => Some(
                "stopping; the tournament is paused where it is played, and no clock runs: the same command lets it go on".to_owned(),
            ),
            Self::StaysPaused => {
                Some("stopping; the tournament stays paused where it is played".to_owned())
            }
            Self::GoesOn => {
                Some("stopping; the tournament goes on where it is played: the same command follows it again".to_owned())
            }
            Self::NotPaused(why) => Some(format!(
                "stopping; the tournament could not be paused ({why}): the clocks of these bots may run, so carry on soon"
            )),
        }
    }
}

/// Pauses a tournament that runs, if this run plays bots in it: while they are away, no clock runs.
pub async fn pause_while_away(stage: &TournamentAddress, plays_bots: bool) -> LeftTournament {
    match timeout(PATIENCE, pause_if_running(stage, plays_bots)).await {
        Ok(Ok(left)) => left,
        Ok(Err(failure)) => LeftTournament::NotPaused(failure.to_string()),
        Err(_) => LeftTournament::NotPaused("the server does not answer".to_owned()),
    }
}

async fn pause_if_running(stage: &TournamentAddress, plays_bots: bool) -> Result<LeftTournament, Failure> {
    let TournamentAddress { organiser, tournament: id, .. } = stage;
    let tournament = organiser.fetch_tournament(*id).await?;
    if tournament.state() != TournamentState::Running {
        return Ok(LeftTournament::Idle);
    }
    if tournament.pause() != pb::OpenMatches::Unspecified {
        return Ok(LeftTournament::StaysPaused);
    }
    if !plays_bots {
        return Ok(LeftTournament::GoesOn);
    }
    let event = organiser.freeze_tournament(*id).await?;
    Ok(event.map_or(LeftTournament::StaysPaused, |event| LeftTournament::Paused(event.at_us)))
}

/// Returns whether a tournament is paused since this run was left. If somebody has let it go on since, and paused it again, it is not.
pub fn is_paused_by_run(kept: &SavedRun, events: &[pb::TournamentEvent]) -> bool {
    let decides =
        |event: &&pb::TournamentEvent| matches!(event.event, Some(Event::Paused(_) | Event::Resumed(_)));
    let last = events.iter().rfind(decides);
    last.is_some_and(|last| {
        matches!(last.event, Some(Event::Paused(_))) && kept.paused_at_us == Some(last.at_us)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_pause_is_lifted_only_by_whom_it_is_of() {
        let event = |at_us, event| pb::TournamentEvent { at_us, event: Some(event) };
        let paused = |at_us| event(at_us, Event::Paused(pb::PausedEvent::default()));
        let resumed = |at_us| event(at_us, Event::Resumed(pb::ResumedEvent {}));
        let closed = |at_us| event(at_us, Event::Closed(pb::ClosedEvent::default()));
        let mut kept = SavedRun::new(Value::Null, None);
        assert!(!is_paused_by_run(&kept, &[paused(7)]), "it has paused nothing");
        kept.paused_at_us = Some(7);
        assert!(is_paused_by_run(&kept, &[paused(7)]));
        assert!(is_paused_by_run(&kept, &[paused(3), resumed(4), paused(7), closed(8)]));
        assert!(!is_paused_by_run(&kept, &[paused(7), resumed(8), paused(9)]));
        assert!(!is_paused_by_run(&kept, &[paused(7), resumed(8)]));
        assert!(!is_paused_by_run(&kept, &[paused(7), paused(9)]), "it was paused in another way since");
        assert!(!is_paused_by_run(&kept, &[]), "its events are not told");
    }
}
