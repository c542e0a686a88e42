//! A match to be audited.

use super::MatchGroup;
use lastnim_analysis::deals::TalkAudit;
use lastnim_core::game::{BotName, BySeat, Game, MatchId, Position, Seat, SeatVersions};
use lastnim_core::oracle::{Audit, Mover, PlyAudit, Solution};
use lastnim_tournament::{SeatCredit, SeatLoss};
use serde::{Deserialize, Serialize};

/// A finished match with its audit.
#[derive(Debug, Clone, Copy)]
pub struct AuditedMatch<'a> {
    /// The match.
    pub id: MatchId,
    /// The group in which the match was drawn.
    pub group: MatchGroup,
    /// The bots, by seat, all different.
    pub bots: &'a BySeat<BotName>,
    /// The game with the revealed rows.
    pub game: &'a Game,
    /// Whether the rows were declared or assigned.
    pub rows: RowSource,
    /// The comparison of the match's takes with optimal play.
    pub audit: &'a Audit,
    /// By seat: why the seat was lost before the match ended; `None` if it was not lost.
    pub lost: &'a BySeat<Option<SeatLoss>>,
    /// By seat: the versions that the bot reported; empty if unknown or if it reported none.
    pub versions: &'a [SeatVersions],
    /// By take: the thinking time that the mover had left before the take, in percent of the seat's initial time; empty
    /// if unknown.
    pub time_left_percent: &'a [u8],
    /// The audit of the talk, if the seats could talk.
    pub talk: Option<&'a TalkAudit>,
}

/// Where the rows of a match come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RowSource {
    /// The bots declared their rows.
    Declared,
    /// The rows belong to the seats, whichever bots sit there.
    Assigned,
}

/// A take that a bot made itself, with its alternatives.
#[derive(Debug, Clone, Copy)]
pub(super) struct BotPly<'a> {
    pub(super) audit: &'a PlyAudit,
    /// The position before the take.
    pub(super) position: &'a Position,
    /// The outcomes in the order of the takes that lead to them, from the largest take to the smallest: the winner, and
    /// the number of takes.
    pub(super) outcomes: &'a [(Seat, u64)],
}

impl AuditedMatch<'_> {
    /// Returns what a seat earned in the match, as counted in standings.
    pub(super) fn credit(&self, seat: Seat) -> SeatCredit {
        SeatCredit::of_audit(self.audit, seat, self.lost[seat])
    }

    /// Calls `visit` with each take that a bot made itself at one of the `wanted` seats. Takes by the steward are left
    /// out.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub(super) fn visit_bot_plies(&self, wanted: impl Fn(Seat) -> bool, mut visit: impl FnMut(BotPly<'_>)) {
        let solution = Solution::new(self.game);
        let mut position = self.game.first_position();
        let mut outcomes = Vec::new();
        for audit in &self.audit.plies {
            if audit.mover == Mover::Bot && wanted(audit.seat) {
                outcomes.clear();
                outcomes.extend(
                    solution
                        .take_outcomes(&position)
                        .map(|outcome| (outcome.winner, outcome.takes.hi - outcome.takes.lo + 1)),
                );
                visit(BotPly { audit, position: &position, outcomes: &outcomes });
            }
            position.take(audit.take).expect("an audited take is legal");
        }
    }
}
