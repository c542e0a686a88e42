//! What an audit of many matches found.

use super::{
    AuditSubject, BotFigures, GroupCount, KingmakingTally, PairFindings, PreferenceFindings, Puzzle,
};
use crate::game::BotName;
use crate::tournament::PlayedVersion;

/// What an audit of many matches found.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditFindings {
    /// Whom the audit was about.
    pub scope: AuditSubject,
    /// The seed of the bootstrap and of the permutations.
    pub seed: u64,
    /// The matches that were counted.
    pub matches: u64,
    /// The groups that they belong to.
    pub groups: GroupCount,
    /// The bots that were audited, by name; none if the bot that was asked for played in no match.
    pub bots: Vec<BotFindings>,
    /// Every ordered pair of bots that met, of which one was audited; by mover, then by the other.
    pub pairs: Vec<PairFindings>,
    /// Seats of bots that came when as many as are told apart were there already: no figure has them.
    pub crowded_out: u64,
}

/// What was found of one bot.
#[derive(Debug, Clone, PartialEq)]
pub struct BotFindings {
    /// The bot.
    pub bot: BotName,
    /// What it did, in figures.
    pub figures: BotFigures,
    /// By number of seats, rising: what its takes say it prefers.
    pub preferences: Vec<PreferenceFindings>,
    /// The takes by which it hurt itself and a third seat gained.
    pub kingmaking: KingmakingTally,
    /// Its worst errors in different positions, the worst first.
    pub puzzles: Vec<Puzzle>,
    /// The versions that played, with the matches and wins of each; none if none is known.
    pub versions: Vec<PlayedVersion>,
}

impl AuditFindings {
    /// Counts the pairs that were tested: corrected p-values are corrected for so many.
    pub fn pairs_tested(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.untested_reason().is_none()).count()
    }

    /// Returns the pairs that are flagged, the smallest p-value first.
    pub fn flagged_pairs(&self) -> Vec<&PairFindings> {
        let mut flagged: Vec<_> = self.pairs.iter().filter(|pair| pair.favouritism.is_flagged()).collect();
        flagged.sort_by(|one, other| {
            let key = |pair: &PairFindings| match pair.favouritism {
                super::Favouritism::Tested { per_error, p_corrected, .. } => (p_corrected, -per_error),
                super::Favouritism::TooFewGroups => (1.0, 0.0),
            };
            let ((one_p, one_favour), (other_p, other_favour)) = (key(one), key(other));
            one_p.total_cmp(&other_p).then(one_favour.total_cmp(&other_favour))
        });
        flagged
    }
}
