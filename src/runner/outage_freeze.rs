//! Freezing a tournament while the endpoint of a model fails, and continuing it afterwards.

use super::{leaving::last_pause_time, players::TournamentAddress, saved_run::SavedRun};
use crate::Failure;
use lastnim_proto::pb;
use std::path::PathBuf;

/// Freezes the tournament during an outage. Only the run that froze it lifts the freeze.
#[derive(Debug)]
pub struct OutageFreeze {
    saved_run: PathBuf,
    held: Option<HeldFreeze>,
}

/// A tournament that stays frozen until the endpoint answers.
#[derive(Debug, Clone, Copy)]
struct HeldFreeze {
    /// The time at which the run froze the tournament; `None` if the organiser had already frozen it.
    at_us: Option<u64>,
    /// The organiser's earlier pause, which is restored afterwards.
    before: pb::OpenMatches,
}

impl OutageFreeze {
    /// Creates the state for the run that is saved in this file; `paused_at_us` is the time at which an earlier run
    /// paused the tournament, if that pause is still in force.
    pub fn new(saved_run: PathBuf, paused_at_us: Option<u64>) -> Self {
        let before = pb::OpenMatches::Unspecified;
        Self { saved_run, held: paused_at_us.map(|at_us| HeldFreeze { at_us: Some(at_us), before }) }
    }

    /// Returns whether the tournament stays frozen until the endpoint answers.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Freezes the tournament, unless its organiser has done so. Returns a sentence about the result.
    pub async fn hold(&mut self, target: &TournamentAddress) -> Result<&'static str, Failure> {
        let TournamentAddress { organiser, tournament: id, .. } = target;
        let before = organiser.fetch_tournament(*id).await?.pause();
        let event = if before == pb::OpenMatches::Freeze {
            None
        } else {
            // If the run is killed before it learns of the event, the next run can tell that the event was this run's.
            let events = organiser.tournament_events(*id).await?.len() as u64;
            let is_resumed_later = before == pb::OpenMatches::Unspecified;
            SavedRun::update(&self.saved_run, |saved| {
                saved.freezes_after = is_resumed_later.then_some(events);
            })?;
            let event = organiser.pause_tournament(*id, pb::OpenMatches::Freeze).await?;
            SavedRun::update(&self.saved_run, |saved| {
                saved.freezes_after = None;
                saved.paused_at_us = event.as_ref().map(|event| event.at_us).filter(|_| is_resumed_later);
            })?;
            event
        };
        self.held = Some(HeldFreeze { at_us: event.map(|event| event.at_us), before });
        Ok(match before {
            pb::OpenMatches::Unspecified => {
                "the tournament is frozen with no clock running, and continues when the endpoint answers"
            }
            pb::OpenMatches::Finish => {
                "the paused tournament's open matches are frozen too, until the endpoint answers"
            }
            pb::OpenMatches::Freeze => "the tournament stays frozen, because its organiser froze it",
        })
    }

    /// Lifts the freeze, unless an organiser has paused or resumed the tournament in the meantime.
    pub async fn lift(&mut self, target: &TournamentAddress) -> Result<(), Failure> {
        let TournamentAddress { organiser, tournament: id, .. } = target;
        let Some(HeldFreeze { at_us, before }) = self.held else { return Ok(()) };
        if at_us.is_some() && last_pause_time(&organiser.tournament_events(*id).await?) == at_us {
            if before == pb::OpenMatches::Unspecified {
                organiser.resume_tournament(*id).await?;
            } else {
                organiser.pause_tournament(*id, before).await?;
            }
        }
        self.held = None;
        SavedRun::update(&self.saved_run, |saved| saved.paused_at_us = None)
    }
}
