//! Stored matches and their summaries.

use lastnim_core::game::{BotName, BySeat, MatchId, Seat, SeatVersions, TournamentId};
use lastnim_core::referee::{EndReason, MatchPhase, MatchSetup, Record, Seal};
use lastnim_proto::ListedState;
use lastnim_proto::manifest::ListedRecord;
use lastnim_tournament::MatchOutcome;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A match in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMatch {
    /// Its record.
    pub record: Record,
    /// The signature of its record, once the match is over.
    pub seal: Option<Seal>,
    /// By seat: the versions of the bots; empty if no version was reported.
    pub versions: Vec<SeatVersions>,
}

/// The summary of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSummary {
    /// The match.
    pub id: MatchId,
    /// The settings fixed before the first move; `None` if the match is quarantined and they cannot be read.
    pub setup: Option<Arc<MatchSetup>>,
    /// Its phase; a quarantined match is over.
    pub phase: MatchPhase,
    /// The number of takes made.
    pub plies: u32,
    /// How it ended and who won, once it has ended.
    pub end: Option<(EndReason, Option<Seat>)>,
    /// The damage to its record, if the match is quarantined. In that case, the other fields are uncertain.
    pub damage: Option<Arc<str>>,
    /// Why the match was voided; `None` if it was not.
    pub void_reason: Option<Arc<str>>,
    /// By seat: the versions of the bots; empty if no version was reported.
    pub versions: Vec<SeatVersions>,
}

/// The result of a pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResult {
    /// The number of the pairing in its tournament.
    pub number: u64,
    /// The number of its duplicate group.
    pub group: u64,
    /// The match.
    pub id: MatchId,
    /// The bots by seat.
    pub bots: BySeat<BotName>,
    /// The outcome; `None` if the match was cancelled or quarantined.
    pub outcome: Option<MatchOutcome>,
}

/// The hash that identifies the record of a finished match in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchHead {
    /// The match.
    pub id: MatchId,
    /// Its number in the tournament; `None` if it cannot be read.
    pub number: Option<u64>,
    /// The hash of its record.
    pub record: ListedRecord,
}

/// Selects a page of the finished matches of a tournament, in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadsPage {
    /// The tournament.
    pub tournament: TournamentId,
    /// The page starts after this match; `None` for the first page.
    pub after: Option<MatchId>,
    /// The page ends before this id.
    pub before: MatchId,
    /// The maximum number of matches on the page.
    pub limit: usize,
}

/// A filter for matches. It admits a match if all its conditions hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchFilter {
    /// Only matches of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only matches in which all of these bots have seats.
    pub bots: BTreeSet<BotName>,
    /// Only matches in this state.
    pub state: Option<ListedState>,
    /// Only matches that ended for this reason.
    pub reason: Option<EndReason>,
}

impl MatchFilter {
    /// Creates a filter for the matches of a tournament, of a bot, or of both.
    pub fn of(tournament: Option<TournamentId>, bot: Option<BotName>) -> Self {
        Self { tournament, bots: bot.into_iter().collect(), ..Self::default() }
    }

    /// Returns whether the filter may admit matches that are not over.
    pub fn admits_open_matches(&self) -> bool {
        self.state.is_none_or(|state| state == ListedState::Open) && self.reason.is_none()
    }

    /// Returns whether the filter may admit matches that are over.
    pub fn admits_finished_matches(&self) -> bool {
        self.state != Some(ListedState::Open)
    }

    /// Returns whether a match meets the conditions on its tournament and its bots.
    pub fn admits_setup(&self, setup: &MatchSetup) -> bool {
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        (self.tournament.is_none() || self.tournament == tournament)
            && self.bots.iter().all(|bot| setup.seat_of(bot).is_some())
    }

    /// Returns whether a match meets the conditions on its state and on the reason for its end.
    pub fn admits_end(&self, state: ListedState, reason: Option<EndReason>) -> bool {
        self.state.is_none_or(|wanted| wanted == state) && (self.reason.is_none() || self.reason == reason)
    }
}
