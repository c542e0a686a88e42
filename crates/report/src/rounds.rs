//! Rounds and their tables.

/// A bot at a table of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundEntry {
    /// The bot.
    pub bot: String,
    /// The matches of the table that it has won so far.
    pub wins: u32,
    /// Whether it advanced or is out, if the round decides that.
    pub fate: Option<String>,
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
