//! Matches, whole and in brief.

use crate::game::{BotName, MatchId, Seat, TournamentId};
use crate::oracle::Audit;
use crate::referee::{EndReason, MatchSetup, Phase, Record};
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
    pub setup: Arc<MatchSetup>,
    /// Where it stands.
    pub phase: Phase,
    /// Takes made.
    pub plies: u32,
    /// How it ended and who won, once it has ended.
    pub end: Option<(EndReason, Option<Seat>)>,
}

/// Which matches are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct MatchFilter {
    /// Only those of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only those with this bot.
    pub bot: Option<BotName>,
}

impl MatchFilter {
    /// Returns every filter that admits a match.
    pub fn admitting(setup: &MatchSetup) -> impl Iterator<Item = Self> {
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        let tournaments = [Some(None), tournament.map(Some)].into_iter().flatten();
        tournaments.flat_map(|tournament| {
            let bots = std::iter::once(None).chain(setup.bots.iter().map(|bot| Some(bot.clone())));
            bots.map(move |bot| Self { tournament, bot })
        })
    }
}
