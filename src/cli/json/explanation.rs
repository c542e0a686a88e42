//! The JSON of explanations.

use crate::oracle::{BestLine, Explanation, RankChange, TakeOption};
use serde::Serialize;

/// Why a seat wins: the winner that every take leads to, and the line of best play.
#[derive(Debug, Clone, Serialize)]
pub struct ExplanationJson {
    options: Vec<TakeOptionJson>,
    best_line: BestLineJson,
}

#[derive(Debug, Clone, Serialize)]
struct TakeOptionJson {
    takes: [u64; 2],
    winner: usize,
    optimal: bool,
    regret: u32,
    better_for: Vec<RankChangeJson>,
    worse_for: Vec<RankChangeJson>,
}

#[derive(Debug, Clone, Serialize)]
struct RankChangeJson {
    seat: usize,
    ranks: u32,
}

/// The line of best play, by the smallest optimal take of each seat.
#[derive(Debug, Clone, Serialize)]
pub struct BestLineJson {
    /// The takes from the start on.
    pub takes: Vec<u64>,
    /// Whether no counter is left after them.
    pub over: bool,
}

impl From<&Explanation> for ExplanationJson {
    fn from(explanation: &Explanation) -> Self {
        Self {
            options: explanation.options.iter().map(TakeOptionJson::from).collect(),
            best_line: BestLineJson::from(&explanation.line),
        }
    }
}

impl From<&TakeOption> for TakeOptionJson {
    fn from(option: &TakeOption) -> Self {
        let changes = |changes: &[RankChange]| changes.iter().map(RankChangeJson::from).collect();
        Self {
            takes: [option.takes.lo, option.takes.hi],
            winner: option.winner.index(),
            optimal: option.is_optimal(),
            regret: option.regret,
            better_for: changes(&option.better_for),
            worse_for: changes(&option.worse_for),
        }
    }
}

impl From<&RankChange> for RankChangeJson {
    fn from(change: &RankChange) -> Self {
        Self { seat: change.seat.index(), ranks: change.ranks }
    }
}

impl From<&BestLine> for BestLineJson {
    fn from(line: &BestLine) -> Self {
        Self { takes: line.plies.iter().map(|&(_, take)| take).collect(), over: line.end.is_over() }
    }
}
