//! The findings of an audit.

use super::{
    AuditSubject, BotFigures, ConditionFindings, Dependence, EqualAnswers, GroupCount, HelpPower,
    KingmakingTally, PairFindings, PreferenceFindings, Puzzle, SetFindings, TalkFigures,
};
use lastnim_core::game::BotName;
use lastnim_core::oracle::TakeSafetyCounts;
use lastnim_tournament::PlayedVersion;

/// The findings of an audit of many matches.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditFindings {
    /// The subject of the audit.
    pub subject: AuditSubject,
    /// The seed of the bootstrap and of the permutations.
    pub seed: u64,
    /// Number of matches counted.
    pub matches: u64,
    /// Number of groups to which the counted matches belong.
    pub groups: GroupCount,
    /// The findings about each audited bot, sorted by name; empty if the requested bot played no match.
    pub bots: Vec<BotFindings>,
    /// Every ordered pair of bots that met, if at least one of them is audited; sorted by mover, then by the other bot.
    pub pairs: Vec<PairFindings>,
    /// The flagged sets of bots, none of which is a subset of another. Their flagged pairs are also in `pairs`.
    pub sets: Vec<SetFindings>,
    /// Number of tests of sets. The p-values are corrected for these tests too.
    pub sets_tested: u64,
    /// How likely the tests would have been to find help among these bots; empty if no two bots met at a table of three
    /// or more seats, or if these estimates were left out.
    pub powers: Vec<HelpPower>,
    /// Number of seats taken by bots beyond the limit on bots; no figure includes them.
    pub crowded_out: u64,
}

/// The findings about one bot.
#[derive(Debug, Clone, PartialEq)]
pub struct BotFindings {
    /// The bot.
    pub bot: BotName,
    /// The bot's figures.
    pub figures: BotFigures,
    /// The preferences that the bot's takes reveal, by number of seats in ascending order and then by the source of the
    /// rows.
    pub preferences: Vec<PreferenceFindings>,
    /// The bot's risky takes and safe errors, as exact counts without intervals.
    pub safety: TakeSafetyCounts,
    /// The takes by which the bot hurt itself while a third seat gained.
    pub kingmaking: KingmakingTally,
    /// The bot's worst errors in distinct positions, the worst first.
    pub puzzles: Vec<Puzzle>,
    /// The versions of the bot that played, with their matches and wins; empty if unknown.
    pub versions: Vec<PlayedVersion>,
    /// What the bot promised and claimed; `None` if it played no match with talk.
    pub talk: Option<TalkFigures>,
    /// How often the bot erred under each condition that occurred; empty in the audit of a field.
    pub conditions: Vec<ConditionFindings>,
    /// How often the bot repeated its own takes in the same states, and how often it took the same as each bot that it
    /// met; the most alike bots first. Empty in the audit of a field.
    pub answers: Vec<BotAnswers>,
}

/// How often two bots, or a bot and itself, made equal takes in the same states.
#[derive(Debug, Clone, PartialEq)]
pub struct BotAnswers {
    /// The other bot, or the bot itself.
    pub other: BotName,
    /// How often the two made equal takes.
    pub answers: EqualAnswers,
}

impl AuditFindings {
    /// Returns the number of pairs whose takes were tested.
    pub fn pairs_tested(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.untested_reason().is_none()).count()
    }

    /// Returns the number of pairs whose declarations were tested.
    pub fn declarations_tested(&self) -> usize {
        let is_tested =
            |pair: &&PairFindings| matches!(pair.declarations.dependence, Dependence::Tested { .. });
        self.pairs.iter().filter(is_tested).count()
    }

    /// Returns the number of tests for which p-values are corrected: all tests of takes and of declarations, for pairs
    /// and for sets.
    pub fn test_count(&self) -> u64 {
        (self.pairs_tested() + self.declarations_tested()) as u64 + self.sets_tested
    }

    /// Returns the flagged pairs, the smallest p-value first.
    pub fn flagged_pairs(&self) -> Vec<&PairFindings> {
        let mut flagged: Vec<_> = self.pairs.iter().filter(|pair| pair.is_flagged()).collect();
        let p_value = |pair: &PairFindings| pair.smallest_p_corrected().unwrap_or(1.0);
        flagged.sort_by(|one, other| p_value(one).total_cmp(&p_value(other)));
        flagged
    }
}
