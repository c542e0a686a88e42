//! Matches, whole and in brief.

use lastnim_core::game::{BotName, BySeat, MatchId, Seat, SeatVersions, TournamentId};
use lastnim_core::referee::{EndReason, MatchPhase, MatchSetup, Record, Seal};
use lastnim_proto::ListedState;
use lastnim_proto::manifest::ListedRecord;
use lastnim_tournament::MatchOutcome;
use std::collections::BTreeSet;
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

/// What stands for the record of a match of a tournament that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchHead {
    /// The match.
    pub id: MatchId,
    /// Its number in the tournament; none where that cannot be read.
    pub number: Option<u64>,
    /// What stands for its record.
    pub record: ListedRecord,
}

/// A part of the matches of a tournament that are over, in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadsPage {
    /// The tournament.
    pub tournament: TournamentId,
    /// The match behind which it begins.
    pub after: Option<MatchId>,
    /// The id before which it ends.
    pub before: MatchId,
    /// How many matches it has at most.
    pub most: usize,
}

/// Which matches are wanted: those that everything in here admits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchFilter {
    /// Only those of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only those in which all of these bots sit.
    pub bots: BTreeSet<BotName>,
    /// Only those in this state.
    pub state: Option<ListedState>,
    /// Only those that ended for this reason.
    pub reason: Option<EndReason>,
}

impl MatchFilter {
    /// Admits the matches of a tournament, of a bot, or of both.
    pub fn of(tournament: Option<TournamentId>, bot: Option<BotName>) -> Self {
        Self { tournament, bots: bot.into_iter().collect(), ..Self::default() }
    }

    /// Returns whether it admits matches that are not over.
    pub fn admits_open_matches(&self) -> bool {
        self.state.is_none_or(|state| state == ListedState::Open) && self.reason.is_none()
    }

    /// Returns whether it admits matches that are over.
    pub fn admits_finished_matches(&self) -> bool {
        self.state != Some(ListedState::Open)
    }

    /// Returns whether it admits a match for its tournament and its bots.
    pub fn admits_setup(&self, setup: &MatchSetup) -> bool {
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        (self.tournament.is_none() || self.tournament == tournament)
            && self.bots.iter().all(|bot| setup.seat_of(bot).is_some())
    }

    /// Returns whether it admits a match for its state and the reason of its end.
    pub fn admits_end(&self, state: ListedState, reason: Option<EndReason>) -> bool {
        self.state.is_none_or(|wanted| wanted == state) && (self.reason.is_none() || self.reason == reason)
    }
}
