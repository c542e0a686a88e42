//! Takes of a bot that are selected one by one, in figures.

use super::{
    AuditedMatch, Estimate, FittedRow, RationalisableCount, RowSource, audited_match::OwnPly,
    estimate::to_float, grouped_sums::GroupedSums, preference::PreferenceTally,
};
use lastnim_core::game::{Seat, SeatCount};
use std::collections::BTreeMap;

const PLIES: usize = 0;
const OPTIMAL: usize = 1;
const REGRET: usize = 2;
/// What random takes would have cost, in parts of a rank.
const RANDOM_REGRET: usize = 3;
/// How much more that is than what the takes cost, in parts of a rank.
const SAVED: usize = 4;
const SUMS: usize = 5;

/// The parts of a rank in which means are added up: what is rounded away of a take is below one in a million.
const RANK_BITS: u32 = 20;

/// The takes of one bot that somebody selects, such as those that a language model decided itself.
///
/// The figures are of these takes alone. So they say how well the bot played where its takes were selected, which may be where play was
/// easier than elsewhere.
#[derive(Debug, Clone)]
pub struct SelectedTakes {
    matches: u64,
    sums: GroupedSums<SUMS>,
    preferences: BTreeMap<(SeatCount, RowSource), PreferenceTally>,
}

/// Selected takes of a bot, in figures.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedTakeFigures {
    /// The matches in which a take was selected.
    pub matches: u64,
    /// The takes.
    pub plies: u64,
    /// Those of them that were optimal.
    pub optimal_plies: u64,
    /// The ranks that they cost the bot.
    pub regret: u64,
    /// The ranks that takes would have cost on average in the same positions, had every number of counters been as likely as any other.
    pub random_regret: f64,
    /// The share of them that were optimal; none without a take, as all that follow.
    pub accuracy: Option<Estimate>,
    /// The ranks that one of them cost on average.
    pub regret_per_ply: Option<Estimate>,
    /// How many ranks less that is than a random take would have cost in the same position; negative where it is more.
    pub saved_per_ply: Option<Estimate>,
    /// By number of seats, rising, and by where rows come from: which rows they fit.
    pub revealed: Vec<RevealedRows>,
}

/// Which rows the selected takes of a bot fit, the others believing the row that is known; offsets are those of
/// [`PreferenceFindings`](super::PreferenceFindings).
#[derive(Debug, Clone, PartialEq)]
pub struct RevealedRows {
    /// The number of seats.
    pub seats: SeatCount,
    /// Where the rows come from, and so what an offset stands for.
    pub source: RowSource,
    /// Takes by which the bot chose between two winners or more.
    pub choices: u64,
    /// The row that agrees with most of what was chosen; none without a choice, or with too many seats.
    pub best_fit: Option<FittedRow>,
    /// Whether a single row makes all of them optimal.
    pub rationalisable: RationalisableCount,
}

impl SelectedTakes {
    /// Begins without a take; the seed is that of the intervals.
    pub fn new(seed: u64) -> Self {
        Self { matches: 0, sums: GroupedSums::new(seed), preferences: BTreeMap::new() }
    }

    /// Adds the takes of a seat that its bot made itself and that are selected by their numbers.
    ///
    /// # Panics
    /// If the audit is none of the game.
    pub fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat, is_selected: impl Fn(u32) -> bool) {
        let seats = game.bots.seats();
        let mut sums = [0; SUMS];
        game.own_plies(
            |mover| mover == seat,
            |ply| {
                if !is_selected(ply.audit.ply) {
                    return;
                }
                let (regret, random) = (i64::from(ply.audit.regret), random_regret_of_ply(game, &ply));
                sums[PLIES] += 1;
                sums[OPTIMAL] += i64::from(ply.audit.is_optimal());
                sums[REGRET] += regret;
                sums[RANDOM_REGRET] += random;
                sums[SAVED] += random - (regret << RANK_BITS);
                let preference = self.preferences.entry((seats, game.rows));
                preference.or_insert_with(|| PreferenceTally::new(seats, game.rows)).add_ply(game, &ply);
            },
        );
        if sums[PLIES] > 0 {
            self.matches += 1;
            self.sums.add_part(game.group, &sums);
        }
    }

    /// Returns the figures.
    pub fn into_figures(mut self) -> SelectedTakeFigures {
        self.sums.close_group();
        let count = |index| u64::try_from(self.sums.sum(index)).expect("a count is not negative");
        let rank = f64::from(1_u32 << RANK_BITS);
        let per_ply = |index, unit| self.sums.ratio_sums(index, PLIES, unit);
        SelectedTakeFigures {
            matches: self.matches,
            plies: count(PLIES),
            optimal_plies: count(OPTIMAL),
            regret: count(REGRET),
            random_regret: to_float(self.sums.sum(RANDOM_REGRET)) / rank,
            accuracy: per_ply(OPTIMAL, 1.0).map(|sums| sums.estimate_share()),
            regret_per_ply: per_ply(REGRET, 1.0).map(|sums| sums.estimate_rank_rate()),
            saved_per_ply: per_ply(SAVED, rank).map(|sums| sums.estimate_signed_mean()),
            revealed: self.preferences.values().map(PreferenceTally::to_revealed_rows).collect(),
        }
    }
}

impl SelectedTakeFigures {
    /// Returns how many ranks fewer the takes cost than random ones would have; negative where they cost more.
    pub fn saved_regret(&self) -> f64 {
        self.random_regret - to_float(self.regret.cast_signed())
    }
}

/// Returns what a take of any number of counters costs the mover on average, in parts of a rank.
fn random_regret_of_ply(game: &AuditedMatch<'_>, ply: &OwnPly<'_>) -> i64 {
    let rank = |winner| game.game.matrix.rank(ply.audit.seat, winner) as u128;
    let best = rank(ply.audit.predicted_before);
    let cost = ply.outcomes.iter().map(|&(winner, takes)| u128::from(takes) * (rank(winner) - best));
    let counters = u128::from(ply.audit.counters);
    // No number of counters times 31 ranks has more than 69 bits.
    let parts = ((cost.sum::<u128>() << RANK_BITS) + counters / 2) / counters;
    i64::try_from(parts).expect("a mean of ranks is below 32")
}
