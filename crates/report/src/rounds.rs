//! Rounds and their tables.

use lastnim_proto::pb;

/// What became of a bot in a round of a knockout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundFate {
    /// The bot plays in the next round.
    Advances,
    /// The bot plays in the next round, although it was not among the best of its table: it was one of the best of the
    /// others, who fill up the final.
    LuckyLoser,
    /// The bot won the final.
    Champion,
    /// The bot was eliminated.
    Eliminated,
}

/// A bot at a table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundEntry {
    /// The bot.
    pub bot: String,
    /// The matches of the table that it has won so far.
    pub wins: u32,
    /// What became of the bot; `None` until the round has decided that.
    pub fate: Option<RoundFate>,
}

/// A table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTable {
    /// The bots, the best first.
    pub entries: Vec<RoundEntry>,
    /// The number of matches at the table that have ended.
    pub played: u64,
    /// The total number of matches at the table.
    pub matches: u64,
    /// The tie-break that decided between bots with equal points, if one was needed.
    pub tie_break: Option<pb::TieBreak>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The name of the round.
    pub name: String,
    /// The tables of the round.
    pub tables: Vec<RoundTable>,
    /// The bots that sat out.
    pub byes: Vec<String>,
}

impl Round {
    /// Returns the table at which a bot sat.
    pub fn table_of(&self, bot: &str) -> Option<&RoundTable> {
        self.tables.iter().find(|table| table.entries.iter().any(|entry| entry.bot == bot))
    }
}
