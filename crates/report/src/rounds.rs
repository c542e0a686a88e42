//! Rounds and their tables.

use lastnim_proto::pb;

/// What became of a bot in a round of a knockout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundFate {
    /// It plays in the next round.
    Advances,
    /// It plays in the next round, although it was not among the best of its table: it was one of the best of the rest.
    LuckyLoser,
    /// It won the final.
    Champion,
    /// It was eliminated.
    Eliminated,
}

/// A bot at a table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundEntry {
    /// The bot.
    pub bot: String,
    /// The matches of the table that it has won so far.
    pub wins: u32,
    /// Whether it advanced or is out, if the round has decided that.
    pub fate: Option<RoundFate>,
}

/// A table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTable {
    /// The bots, the best first.
    pub entries: Vec<RoundEntry>,
    /// Matches that have ended.
    pub played: u64,
    /// All its matches.
    pub matches: u64,
    /// What decided between bots with equal points, if it had to.
    pub tie_break: Option<pb::TieBreak>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Its name.
    pub name: String,
    /// Its tables.
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
