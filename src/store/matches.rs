//! Matches, whole and in brief.

use crate::game::{BotName, BySeat, MatchId, Seat, SeatVersions, TournamentId};
use crate::referee::{EndReason, MatchPhase, MatchSetup, Record, Seal};
use crate::tournament::MatchOutcome;
use std::sync::Arc;

/// What is kept of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMatch {
    /// Everything that happened in it.
    pub record: Record,
    /// The signature of its record, once it is over.
    pub seal: Option<Seal>,
    /// By seat: the versions of the bots; empty if none was said.
    pub versions: Vec<SeatVersions>,
}

/// A match in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSummary {
    /// The match.
    pub id: MatchId,
    /// What was fixed before the first move; none of a quarantined match whose setup cannot be read.
    pub setup: Option<Arc<MatchSetup>>,
    /// Where it stands; a quarantined match is over.
    pub phase: MatchPhase,
    /// Takes made.
    pub plies: u32,
    /// How it ended and who won, once it has ended.
    pub end: Option<(EndReason, Option<Seat>)>,
    /// The damage of its record, if it is quarantined: nothing else in here is then certain.
    pub damage: Option<Arc<str>>,
    /// Why it was voided, if it was.
    pub void_reason: Option<Arc<str>>,
    /// By seat: the versions of the bots; empty if none was said.
    pub versions: Vec<SeatVersions>,
}

/// How a pairing of a tournament came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResult {
    /// The number of the pairing in its tournament.
    pub number: u64,
    /// Its duplicate group.
    pub group: u64,
    /// The match.
    pub id: MatchId,
    /// Who sat where.
    pub bots: BySeat<BotName>,
    /// The outcome; none where the match was cancelled or quarantined.
    pub outcome: Option<MatchOutcome>,
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
    pub fn all_admitting(setup: &MatchSetup) -> impl Iterator<Item = Self> {
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        let tournaments = [Some(None), tournament.map(Some)].into_iter().flatten();
        tournaments.flat_map(|tournament| {
            let bots = std::iter::once(None).chain(setup.bots.iter().map(|bot| Some(bot.clone())));
            bots.map(move |bot| Self { tournament, bot })
        })
    }

    /// Returns whether it admits a match.
    pub fn admits(&self, setup: &MatchSetup) -> bool {
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        (self.tournament.is_none() || self.tournament == tournament)
            && self.bot.as_ref().is_none_or(|bot| setup.seat_of(bot).is_some())
    }
}
