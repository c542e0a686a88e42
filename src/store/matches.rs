//! Matches, whole and in brief.

use crate::game::{BotName, MatchId, Seat, TournamentId};
use crate::oracle::Audit;
use crate::referee::{EndReason, Event, MatchSetup, Phase, Record, TimedEvent};
use std::sync::Arc;

/// What is kept of a match.
#[derive(Debug, Clone)]
pub struct StoredMatch {
    /// Everything that happened in it.
    pub record: Record,
    /// The audit, once it is over and has a winner.
    pub audit: Option<Arc<Audit>>,
}

/// A match in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSummary {
    /// The match.
    pub id: MatchId,
    /// What was fixed before the first move.
    pub setup: MatchSetup,
    /// Where it stands.
    pub phase: Phase,
    /// Takes made.
    pub plies: u32,
    /// How it ended and who won, once it has ended.
    pub end: Option<(EndReason, Option<Seat>)>,
}

impl MatchSummary {
    /// Sums up the events of a match; `None` if they do not begin with its setup.
    pub fn of(id: MatchId, events: &[TimedEvent]) -> Option<Self> {
        let Event::Created(setup) = &events.first()?.event else { return None };
        let mut summary =
            Self { id, setup: MatchSetup::clone(setup), phase: Phase::Declaring, plies: 0, end: None };
        for timed in events {
            match timed.event {
                Event::Revealed { .. } => summary.phase = Phase::Playing,
                Event::Took { .. } => summary.plies += 1,
                Event::Ended { reason, winner } => {
                    summary.phase = Phase::Ended;
                    summary.end = Some((reason, winner));
                }
                Event::Created(_)
                | Event::Declared { .. }
                | Event::Struck { .. }
                | Event::Forfeited { .. } => {}
            }
        }
        Some(summary)
    }
}

/// Which matches are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchFilter {
    /// Only those of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only those with this bot.
    pub bot: Option<BotName>,
}

impl MatchFilter {
    /// Returns whether a match is wanted.
    pub fn admits(&self, setup: &MatchSetup) -> bool {
        let of_tournament = |id| setup.origin.as_ref().is_some_and(|origin| origin.tournament == id);
        self.tournament.is_none_or(of_tournament)
            && self.bot.as_ref().is_none_or(|bot| setup.seat_of(bot).is_some())
    }
}
