//! Kingmaking: takes by which a bot hurt itself while a third seat gained.

use super::{AuditedMatch, audited_match::OwnPly};
use lastnim_core::game::{BotName, MatchId};
use std::cmp::Reverse;

/// Maximum number of examples kept per bot.
pub const MAX_EXAMPLES: usize = 5;

/// The kingmaking takes of a bot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KingmakingTally {
    /// Number of such takes.
    pub plies: u64,
    /// The takes that gained another bot the most ranks.
    pub examples: Vec<KingmakingPly>,
}

/// A kingmaking take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KingmakingPly {
    /// The match.
    pub match_id: MatchId,
    /// The number of the take, from 0.
    pub ply: u32,
    /// Counters taken.
    pub take: u64,
    /// The ranks that it cost the bot.
    pub regret: u32,
    /// The bot that gained.
    pub gainer: BotName,
    /// The ranks that it gained.
    pub gain: u32,
}

impl KingmakingTally {
    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &OwnPly<'_>) {
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
        example.keep_in(&mut self.examples, MAX_EXAMPLES);
    }
}

impl KingmakingPly {
    /// Inserts the take among the takes that gained most; at most `max` are kept.
    pub(super) fn keep_in(self, kept: &mut Vec<Self>, max: usize) {
        let place = |ply: &Self| (Reverse(ply.gain), Reverse(ply.regret), ply.match_id, ply.ply);
        let at = kept.partition_point(|other| place(other) < place(&self));
        if at < max {
            kept.insert(at, self);
            kept.truncate(max);
        }
    }
}
