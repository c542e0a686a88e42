//! Kingmaking: takes that cost a bot ranks and from which another bot gained, at tables of three or more seats.

use super::{AuditedMatch, audited_match::BotPly};
use lastnim_core::game::{BotName, MatchId};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Maximum number of examples kept per bot.
pub const MAX_EXAMPLES: usize = 5;

/// The kingmaking takes of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KingmakingTally {
    /// Number of kingmaking takes.
    pub plies: u64,
    /// The takes from which another bot gained the most ranks; at most [`MAX_EXAMPLES`].
    pub examples: Vec<KingmakingPly>,
}

/// A take that cost its bot ranks and from which another bot gained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KingmakingPly {
    /// The match.
    pub match_id: MatchId,
    /// The number of the take, from 0.
    pub ply: u32,
    /// Counters taken.
    pub take: u64,
    /// The number of ranks that the take cost its bot.
    pub regret: u32,
    /// The bot that gained from the take.
    pub gainer: BotName,
    /// The number of ranks that this bot gained.
    pub gain: u32,
}

impl KingmakingTally {
    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let audit = ply.audit;
        let third = game.bots.enumerate().filter(|&(seat, _)| seat != audit.seat);
        let gains = third.map(|(seat, bot)| (-audit.cost(game.game, seat), bot));
        let Some((gain, gainer)) = gains.max_by_key(|&(gain, bot)| (gain, Reverse(bot))) else { return };
        if audit.is_optimal() || gain <= 0 || game.bots.seats().get() == 2 {
            return;
        }
        self.plies += 1;
        let example = KingmakingPly {
            match_id: game.id,
            ply: audit.ply,
            take: audit.take,
            regret: audit.regret,
            gainer: gainer.clone(),
            gain: gain.unsigned_abs(),
        };
        example.insert_into(&mut self.examples, MAX_EXAMPLES);
    }

    /// Adds other takes of the same bot; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; plies);
        for example in other.examples {
            example.insert_into(&mut self.examples, MAX_EXAMPLES);
        }
        Some(())
    }
}

impl KingmakingPly {
    /// Inserts the take into `kept`, which lists the takes with the largest gains first, and keeps at most `max` of
    /// them.
    pub(super) fn insert_into(self, kept: &mut Vec<Self>, max: usize) {
        let place = |ply: &Self| (Reverse(ply.gain), Reverse(ply.regret), ply.match_id, ply.ply);
        let at = kept.partition_point(|other| place(other) < place(&self));
        if at < max {
            kept.insert(at, self);
            kept.truncate(max);
        }
    }
}
