//! Pausing a tournament on another server while its run is stopped.

use super::{players::TournamentAddress, saved_run::SavedRun};
use crate::Failure;
use lastnim_proto::pb;
use pb::{TournamentState, tournament_event::Event};
use std::time::Duration;
use tokio::time::timeout;

/// The maximum time for a server to return and pause the tournament.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The state of a tournament while its run is stopped.
#[derive(Debug)]
pub enum LeaveOutcome {
    /// The tournament is over, or has not started.
    Idle,
    /// The run paused the tournament at this time.
    Paused(u64),
    /// The tournament was already paused, by this run or by another organiser.
    AlreadyPaused,
    /// The tournament continues without the bots of this run.
    StillRunning,
    /// The tournament continues because it could not be paused, for this reason.
    NotPaused(String),
}

impl LeaveOutcome {
    /// Returns the line to print; `None` if there is nothing to report.
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Idle => None,
            Self::Paused(_) => Some(
                "stopping; the tournament is paused on its server and no clocks are running: the same command resumes it".to_owned(),
            ),
            Self::AlreadyPaused => {
                Some("stopping; the tournament remains paused on its server".to_owned())
            }
            Self::StillRunning => {
                Some("stopping; the tournament continues on its server: the same command follows it again".to_owned())
            }
            Self::NotPaused(why) => Some(format!(
                "stopping; the tournament could not be paused ({why}): the clocks of this run's bots may be running, so run the same command again soon"
            )),
        }
    }
}

/// Whether bots of a run play in its tournament on another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunRole {
    /// Bots of the run play, and their clocks must not run while the run is stopped.
    Player,
    /// The run has no bots.
    Watcher,
}

/// Pauses a running tournament if bots of this run play in it, so that no clock runs while they are stopped.
pub async fn pause_before_leaving(target: &TournamentAddress, part: RunRole) -> LeaveOutcome {
    let pausing = async {
        match pause_if_running(target, part).await {
            // Another server may have taken over, so this tries once more with a new connection.
            Err(_) if target.organiser.remote().reconnect().await.is_ok() => {
                pause_if_running(target, part).await
            }
            paused => paused,
        }
    };
    match timeout(PAUSE_TIMEOUT, pausing).await {
        Ok(Ok(left)) => left,
        Ok(Err(failure)) => LeaveOutcome::NotPaused(failure.to_string()),
        Err(_) => LeaveOutcome::NotPaused("the server does not answer".to_owned()),
    }
}

async fn pause_if_running(target: &TournamentAddress, part: RunRole) -> Result<LeaveOutcome, Failure> {
    let TournamentAddress { organiser, tournament: id, .. } = target;
    let tournament = organiser.fetch_tournament(*id).await?;
    if tournament.state() != TournamentState::Running {
        return Ok(LeaveOutcome::Idle);
    }
    if tournament.pause() != pb::OpenMatches::Unspecified {
        return Ok(LeaveOutcome::AlreadyPaused);
    }
    if part == RunRole::Watcher {
        return Ok(LeaveOutcome::StillRunning);
    }
    let event = organiser.pause_tournament(*id, pb::OpenMatches::Freeze).await?;
    Ok(event.map_or(LeaveOutcome::AlreadyPaused, |event| LeaveOutcome::Paused(event.at_us)))
}

/// Returns the time of the event that paused a tournament, if it is paused.
pub fn last_pause_time(events: &[pb::TournamentEvent]) -> Option<u64> {
    last_pause(events).map(|(_, at_us)| at_us)
}

/// Returns the number and the time of the event that paused a tournament, if it is paused.
fn last_pause(events: &[pb::TournamentEvent]) -> Option<(usize, u64)> {
    let decides =
        |event: &pb::TournamentEvent| matches!(event.event, Some(Event::Paused(_) | Event::Resumed(_)));
    let number = events.iter().rposition(decides)?;
    matches!(events[number].event, Some(Event::Paused(_))).then_some((number, events[number].at_us))
}

/// Returns when this run paused the tournament, if that pause is still in force. A pause after a later resume is not by
/// this run.
pub fn find_own_pause(kept: &SavedRun, events: &[pb::TournamentEvent]) -> Option<u64> {
    let (number, at_us) = last_pause(events)?;
    let is_unconfirmed = kept.freezes_after.is_some_and(|before| number as u64 >= before);
    (is_unconfirmed || kept.paused_at_us == Some(at_us)).then_some(at_us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn only_the_run_that_paused_a_tournament_resumes_it() {
        let event = |at_us, event| pb::TournamentEvent { at_us, event: Some(event) };
        let paused_event = |at_us| event(at_us, Event::Paused(pb::PausedEvent::default()));
        let resumed = |at_us| event(at_us, Event::Resumed(pb::ResumedEvent {}));
        let closed = |at_us| event(at_us, Event::Closed(pb::ClosedEvent::default()));
        let mut kept = SavedRun::new(Value::Null, None);
        assert!(find_own_pause(&kept, &[paused_event(7)]).is_none(), "it has paused nothing");
        kept.paused_at_us = Some(7);
        assert!(find_own_pause(&kept, &[paused_event(7)]).is_some());
        assert!(find_own_pause(&kept, &[paused_event(3), resumed(4), paused_event(7), closed(8)]).is_some());
        assert!(find_own_pause(&kept, &[paused_event(7), resumed(8), paused_event(9)]).is_none());
        assert!(find_own_pause(&kept, &[paused_event(7), resumed(8)]).is_none());
        // The run was killed after two events, before it learned when it had paused the tournament.
        let mut killed = kept.clone();
        (killed.paused_at_us, killed.freezes_after) = (None, Some(2));
        assert_eq!(find_own_pause(&killed, &[paused_event(1), resumed(2), paused_event(9)]), Some(9));
        assert_eq!(find_own_pause(&killed, &[closed(1), paused_event(2)]), None, "an earlier pause");
        assert_eq!(
            find_own_pause(&killed, &[paused_event(1), resumed(2), paused_event(9), resumed(10)]),
            None
        );
        assert!(
            find_own_pause(&kept, &[paused_event(7), paused_event(9)]).is_none(),
            "it was paused again in another way"
        );
        assert!(find_own_pause(&kept, &[]).is_none(), "its events are missing");
    }
}
