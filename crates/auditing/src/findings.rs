//! What an audit of many matches found.

use super::{
    AuditSubject, BotFigures, Dependence, GroupCount, KingmakingTally, PairFindings, PreferenceFindings,
    Puzzle,
};
use lastnim_core::game::BotName;
use lastnim_core::oracle::TakeSafetyCounts;
use lastnim_tournament::PlayedVersion;

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
    /// By number of seats, rising, and by where rows come from: what its takes say it prefers.
    pub preferences: Vec<PreferenceFindings>,
    /// Its takes that were risky, and its safe errors: facts about these matches, without intervals.
    pub safety: TakeSafetyCounts,
    /// The takes by which it hurt itself and a third seat gained.
    pub kingmaking: KingmakingTally,
    /// Its worst errors in different positions, the worst first.
    pub puzzles: Vec<Puzzle>,
    /// The versions that played, with the matches and wins of each; none if none is known.
    pub versions: Vec<PlayedVersion>,
}

impl AuditFindings {
    /// Counts the pairs whose takes were tested.
    pub fn pairs_tested(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.untested_reason().is_none()).count()
    }

    /// Counts the pairs whose declarations were tested.
    pub fn declarations_tested(&self) -> usize {
        let is_tested =
            |pair: &&PairFindings| matches!(pair.declarations.dependence, Dependence::Tested { .. });
        self.pairs.iter().filter(is_tested).count()
    }

    /// Counts the tests of takes and of declarations: corrected p-values are corrected for so many.
    pub fn test_count(&self) -> usize {
        self.pairs_tested() + self.declarations_tested()
    }

    /// Returns the pairs that are flagged, by takes or by declarations, the smallest p-value first.
    pub fn flagged_pairs(&self) -> Vec<&PairFindings> {
        let mut flagged: Vec<_> = self.pairs.iter().filter(|pair| pair.is_flagged()).collect();
        let p_value = |pair: &PairFindings| pair.smallest_p_corrected().unwrap_or(1.0);
        flagged.sort_by(|one, other| p_value(one).total_cmp(&p_value(other)));
        flagged
    }
}
