//! Rounds: who sat with whom, and who went on.

/// A bot at a table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundEntry {
    /// The bot.
    pub bot: String,
    /// The matches of the table that it won so far.
    pub wins: u32,
    /// What came of it, where the round decides that.
    pub fate: Option<String>,
}

/// A table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTable {
    /// The bots, the best first.
    pub entries: Vec<RoundEntry>,
    /// Matches that are over.
    pub played: u64,
    /// Matches in all.
    pub matches: u64,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// What it is called.
    pub name: String,
    /// Its tables.
    pub tables: Vec<RoundTable>,
    /// The bots that sat out.
    pub byes: Vec<String>,
}
