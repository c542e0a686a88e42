//! Figures of selected takes.

use super::{
    AuditedMatch, Estimate, FittedRow, RationalisableCount, RowSource, audited_match::BotPly,
    estimate::to_float, grouped_sums::GroupedSums, preference::PreferenceTally,
};
use lastnim_core::game::{Seat, SeatCount};
use std::collections::BTreeMap;

const PLIES: usize = 0;
const OPTIMAL: usize = 1;
const REGRET: usize = 2;
/// The index of the expected cost of random takes, in units of 2^-[`RANK_BITS`] ranks.
const RANDOM_REGRET: usize = 3;
/// The index of the saved ranks: the expected cost of random takes minus the actual cost, in the same units.
const SAVED: usize = 4;
const SUM_COUNT: usize = 5;

/// Number of fraction bits of the summed mean costs, which are fixed-point numbers: the rounding error of a take is
/// below a millionth of a rank.
const RANK_BITS: u32 = 20;

/// A selection of one bot's takes, such as those that a language model decided itself.
///
/// The figures cover only these takes. They show how well the bot played in the selected positions, which may be easier
/// than others.
#[derive(Debug, Clone)]
pub struct SelectedTakes {
    matches: u64,
    sums: GroupedSums<SUM_COUNT>,
    preferences: BTreeMap<(SeatCount, RowSource), PreferenceTally>,
}

/// Figures of selected takes.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedTakeFigures {
    /// Number of matches with at least one selected take.
    pub matches: u64,
    /// Number of selected takes.
    pub plies: u64,
    /// Number of selected takes that were optimal.
    pub optimal_plies: u64,
    /// The total number of ranks that the selected takes cost the bot.
    pub regret: u64,
    /// The total expected cost, in ranks, of uniformly random takes in the same positions.
    pub random_regret: f64,
    /// The share of optimal takes; `None` without takes. The next two figures are also `None` in that case.
    pub accuracy: Option<Estimate>,
    /// The mean number of ranks lost per take.
    pub regret_per_ply: Option<Estimate>,
    /// The mean number of ranks saved compared with a random take in the same position; negative if the bot does worse.
    pub saved_per_ply: Option<Estimate>,
    /// The rows that fit the takes, for each number of seats and each source of rows, in this order.
    pub revealed: Vec<RevealedRows>,
}

/// The rows that fit selected takes of a bot, if the other bots believe the declared or assigned row. Offsets mean the
/// same as in [`PreferenceFindings`](super::PreferenceFindings).
#[derive(Debug, Clone, PartialEq)]
pub struct RevealedRows {
    /// The number of seats.
    pub seats: SeatCount,
    /// The source of the rows, which determines the meaning of offsets.
    pub source: RowSource,
    /// Number of takes at which the bot chose between two or more winners.
    pub choices: u64,
    /// The best-fitting row; `None` without choices, or with more than [`MAX_FITTED_SEATS`](super::MAX_FITTED_SEATS)
    /// seats.
    pub best_fit: Option<FittedRow>,
    /// How many rows make all takes optimal, or a contradiction that rules out every row.
    pub rationalisable_rows: RationalisableCount,
}

impl SelectedTakes {
    /// Creates an empty selection; the seed is for the bootstrap that gives the intervals.
    pub fn new(seed: u64) -> Self {
        Self { matches: 0, sums: GroupedSums::new(seed), preferences: BTreeMap::new() }
    }

    /// Adds the selected takes of a match that the bot at `seat` made itself; `is_selected` is given the number of each
    /// take.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat, is_selected: impl Fn(u32) -> bool) {
        let seats = game.bots.seats();
        let mut sums = [0; SUM_COUNT];
        game.visit_bot_plies(
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
        let per_ply = |index, unit| self.sums.ratio_estimator(index, PLIES, unit);
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
    /// Returns how many fewer ranks the takes cost than random takes would be expected to cost; negative if they cost
    /// more.
    pub fn saved_regret(&self) -> f64 {
        self.random_regret - to_float(self.regret.cast_signed())
    }
}

/// Returns the mean cost of a uniformly random take to the mover, in units of 2^-[`RANK_BITS`] ranks.
fn random_regret_of_ply(game: &AuditedMatch<'_>, ply: &BotPly<'_>) -> i64 {
    let rank = |winner| game.game.matrix.rank(ply.audit.seat, winner) as u128;
    let best = rank(ply.audit.predicted_before);
    let cost = ply.outcomes.iter().map(|&(winner, takes)| u128::from(takes) * (rank(winner) - best));
    let counters = u128::from(ply.audit.counters);
    // The number of counters times 31 ranks has at most 69 bits, so the shift loses none.
    let parts = ((cost.sum::<u128>() << RANK_BITS) + counters / 2) / counters;
    i64::try_from(parts).expect("a mean rank is below 32")
}
