//! Compares a bot's takes in two circumstances, among positions that offer the bot the same choice.

use super::{
    AuditedMatch, Estimate, EstimateInterval, MIN_GROUPS, MatchGroup,
    audited_match::BotPly,
    group::{GroupCounter, GroupKey},
};
use lastnim_core::game::{BotVersion, Seat, TournamentId};
use lastnim_tournament::{ConfidenceInterval, RatioSums, SeededDraw};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of [cells](Cell) kept in all groups together. If there are more, the groups with the largest keys are
/// dropped. Keys are hashes, so a random sample of groups remains, which is the same for any order of the matches.
const MAX_CELLS: usize = 200_000;

/// Maximum number of versions compared; those with the largest keys are left out.
const MAX_VERSIONS: usize = 32;

/// A clock is low if less than this percentage of its initial time is left.
pub const LOW_CLOCK_PERCENT: u8 = 20;

/// A circumstance that may make a bot play worse or better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayCondition {
    /// The bot's predicted rank is worse than it was at the start of the match.
    Behind,
    /// The bot has less than [`LOW_CLOCK_PERCENT`] of its initial time left.
    LowClock,
    /// The first match of the group was set up between noon and midnight UTC.
    AfterNoon,
    /// The match belongs to the second half, by time, of the bot's groups in its tournament.
    SecondHalf,
    /// The bot plays as the newer of two consecutive versions.
    NewerVersion {
        /// The earlier version.
        older: BotVersion,
        /// The newer version.
        newer: BotVersion,
    },
}

impl PlayCondition {
    /// Returns the name of the condition in data, such as `low_clock`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::LowClock => "low_clock",
            Self::AfterNoon => "after_noon",
            Self::SecondHalf => "second_half",
            Self::NewerVersion { .. } => "newer_version",
        }
    }
}

/// How often a bot errs in a circumstance, compared with its other takes in positions that offer the same choice.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionFindings {
    /// The circumstance.
    pub condition: PlayCondition,
    /// Number of takes in this circumstance that can be compared with takes outside it.
    pub plies: u64,
    /// Number of takes outside this circumstance with which these takes are compared.
    pub other_plies: u64,
    /// The share of errors in this circumstance minus the share outside it, from -1 to 1; `None` if nothing can be
    /// compared. Its interval needs [`MIN_GROUPS`] groups with comparable takes.
    pub added_errors: Option<Estimate>,
}

/// The numbers of takes and of errors of a group in one [cell](Cell).
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct ErrorCounts {
    plies: u32,
    errors: u32,
}

/// What is known about a take before it is made. Takes of a group that agree in all of this are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Cell {
    /// A hash of the number of seats, the number of piles, and the rank of the winner that each take leads to.
    choice: u64,
    behind: bool,
    low_clock: Option<bool>,
    /// A hash of the version; `None` if it is unknown or changed during the match.
    version: Option<u64>,
}

/// The takes of one bot in a group.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct GroupCells {
    tournament: Option<TournamentId>,
    /// When the first match of the group was set up, in milliseconds since 1970.
    unix_ms: u64,
    cells: BTreeMap<Cell, ErrorCounts>,
}

/// The takes of one bot, by group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SimilarChoices {
    groups: BTreeMap<GroupKey, GroupCells>,
    cells: usize,
    /// Groups with this key or a larger one are left out.
    first_dropped_key: Option<GroupKey>,
    /// By the hash of a version: when a match with this version was first set up, and the version itself.
    versions: BTreeMap<u64, (u64, BotVersion)>,
}

/// Hashes the choice that a position offers. Positions with the same hash have the same numbers of seats, of piles and
/// of counters in play, and in each of them the same take leads to a winner of the same rank in the mover's row.
fn choice_key(game: &AuditedMatch<'_>, ply: &BotPly<'_>) -> u64 {
    let seat = ply.audit.seat;
    let head = [game.bots.seats().get() as u64, ply.position.untouched_piles().len() as u64];
    let outcomes = ply.outcomes.iter();
    let ranks = outcomes.flat_map(|&(winner, takes)| [game.game.matrix.rank(seat, winner) as u64, takes]);
    SeededDraw::from_numbers(head.into_iter().chain(ranks)).next_bits()
}

impl SimilarChoices {
    /// Adds a take that the bot made itself.
    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let seat = ply.audit.seat;
        let rank = |winner: Seat| game.game.matrix.rank(seat, winner);
        let first = ply.outcomes.first().map(|&(winner, _)| rank(winner));
        let key = game.group.key();
        // If all takes lead to the same rank, no take is an error.
        if ply.outcomes.iter().all(|&(winner, _)| Some(rank(winner)) == first) {
            return;
        }
        let version = self.version_key(game, seat);
        if self.first_dropped_key.is_some_and(|from| key >= from) {
            return;
        }
        let start = game.audit.seats[seat].rank_predicted;
        let low_clock = game.time_left_percent.get(ply.audit.ply as usize).copied();
        let cell = Cell {
            choice: choice_key(game, ply),
            behind: rank(ply.audit.predicted_before) > start as usize,
            low_clock: low_clock.map(|percent| percent < LOW_CLOCK_PERCENT),
            version,
        };
        let unix_ms = game.id.unix_ms();
        let group = self.groups.entry(key).or_insert_with(|| GroupCells {
            tournament: match game.group {
                MatchGroup::Duplicate { tournament, .. } => Some(tournament),
                MatchGroup::Exhibition(_) => None,
            },
            unix_ms,
            cells: BTreeMap::new(),
        });
        group.unix_ms = group.unix_ms.min(unix_ms);
        let before = group.cells.len();
        let counts = group.cells.entry(cell).or_default();
        counts.plies += 1;
        counts.errors += u32::from(!ply.audit.is_optimal());
        self.cells += group.cells.len() - before;
        self.drop_excess_groups();
    }

    /// Adds other takes of the same bot; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        for (key, of_other) in other.groups {
            let group = self.groups.entry(key).or_insert_with(|| GroupCells {
                tournament: of_other.tournament,
                unix_ms: of_other.unix_ms,
                cells: BTreeMap::new(),
            });
            group.unix_ms = group.unix_ms.min(of_other.unix_ms);
            for (cell, more) in of_other.cells {
                let counts = group.cells.entry(cell).or_default();
                add_fields!(counts, more; plies, errors);
            }
        }
        self.first_dropped_key = smallest_key(self.first_dropped_key, other.first_dropped_key);
        if let Some(from) = self.first_dropped_key {
            self.groups.split_off(&from);
        }
        self.cells = self.groups.values().map(|group| group.cells.len()).sum();
        self.drop_excess_groups();
        for (key, (unix_ms, version)) in other.versions {
            self.keep_version(key, unix_ms, &version);
        }
        Some(())
    }

    fn drop_excess_groups(&mut self) {
        while self.cells > MAX_CELLS
            && let Some((key, dropped)) = self.groups.pop_last()
        {
            self.cells -= dropped.cells.len();
            self.first_dropped_key = Some(key);
        }
    }

    /// Returns the key of the version that played at a seat, and remembers the version; `None` if the version is
    /// unknown or changed during the match.
    fn version_key(&mut self, game: &AuditedMatch<'_>, seat: Seat) -> Option<u64> {
        let [version] = game.versions.get(seat.index())?.as_slice() else { return None };
        if !version.is_declared() {
            return None;
        }
        let label = version.to_string();
        let key = SeededDraw::from_numbers(label.bytes().map(u64::from)).next_bits();
        self.keep_version(key, game.id.unix_ms(), version);
        Some(key)
    }

    fn keep_version(&mut self, key: u64, unix_ms: u64, version: &BotVersion) {
        let first = self.versions.entry(key).or_insert_with(|| (unix_ms, version.clone()));
        first.0 = first.0.min(unix_ms);
        if self.versions.len() > MAX_VERSIONS {
            self.versions.pop_last();
        }
    }

    /// Compares the takes with and without each condition. Leaves out conditions without comparable takes.
    pub(super) fn findings(&self) -> Vec<ConditionFindings> {
        let halves = self.second_halves();
        let mut found = vec![
            self.compare(PlayCondition::Behind, |_, _, cell| Some(cell.behind)),
            self.compare(PlayCondition::LowClock, |_, _, cell| cell.low_clock),
            self.compare(PlayCondition::AfterNoon, |_, group, _| Some(is_after_noon(group.unix_ms))),
            self.compare(PlayCondition::SecondHalf, |key, _, _| halves.get(&key).copied()),
        ];
        let mut versions: Vec<_> =
            self.versions.iter().map(|(key, (first, name))| (*first, *key, name)).collect();
        versions.sort_unstable_by_key(|&(first, key, _)| (first, key));
        for pair in versions.windows(2) {
            let [(_, older_key, older), (_, newer_key, newer)] = pair else { unreachable!("windows of two") };
            let condition = PlayCondition::NewerVersion { older: (*older).clone(), newer: (*newer).clone() };
            found.push(self.compare(condition, |_, _, cell| match cell.version {
                Some(version) if version == *newer_key => Some(true),
                Some(version) if version == *older_key => Some(false),
                _ => None,
            }));
        }
        found.retain(|found| found.added_errors.is_some());
        found
    }

    /// Returns, for each group of a tournament, whether it is in the second half of the tournament's groups by time.
    fn second_halves(&self) -> BTreeMap<GroupKey, bool> {
        let mut tournaments: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (&key, group) in &self.groups {
            if let Some(tournament) = group.tournament {
                tournaments.entry(tournament).or_default().push((group.unix_ms, key));
            }
        }
        let mut halves = BTreeMap::new();
        for groups in tournaments.values_mut() {
            groups.sort_unstable();
            let half = groups.len() / 2;
            halves.extend(groups.iter().enumerate().map(|(at, &(_, key))| (key, at >= half)));
        }
        halves
    }

    /// Compares the takes for which a condition holds with the other takes, among equal choices.
    ///
    /// The result is the coefficient of the condition in a linear regression of errors on it, with a constant for each
    /// choice. Its variance is estimated from the residuals summed by group (Liang and Zeger, "Longitudinal data
    /// analysis using generalized linear models", 1986), so takes of a group may depend on each other.
    fn compare(
        &self,
        condition: PlayCondition,
        holds: impl Fn(GroupKey, &GroupCells, &Cell) -> Option<bool>,
    ) -> ConditionFindings {
        let mut choices: HashMap<u64, [ErrorCounts; 2]> = HashMap::new();
        let cells = || {
            self.groups.iter().flat_map(|(&key, group)| {
                let holds = &holds;
                group.cells.iter().filter_map(move |(cell, counts)| {
                    Some((key, cell.choice, holds(key, group, cell)?, *counts))
                })
            })
        };
        for (_, choice, holds, counts) in cells() {
            let sums = &mut choices.entry(choice).or_default()[usize::from(holds)];
            sums.plies += counts.plies;
            sums.errors += counts.errors;
        }
        choices.retain(|_, [without, with]| without.plies > 0 && with.plies > 0);
        let plies = |at: usize| choices.values().map(|sums| u64::from(sums[at].plies)).sum();
        let (other_plies, plies) = (plies(0), plies(1));
        let mut groups: BTreeMap<GroupKey, (f64, f64)> = BTreeMap::new();
        for (key, choice, holds, counts) in cells() {
            let Some([without, with]) = choices.get(&choice) else { continue };
            let all = f64::from(without.plies + with.plies);
            let expected = f64::from(counts.plies) * f64::from(without.errors + with.errors) / all;
            let distance = f64::from(u8::from(holds)) - f64::from(with.plies) / all;
            let sums = groups.entry(key).or_default();
            sums.0 += distance * (f64::from(counts.errors) - expected);
            sums.1 += distance * distance * f64::from(counts.plies);
        }
        let (mut sums, mut counter) = (RatioSums::default(), GroupCounter::<MIN_GROUPS>::default());
        for (&key, &(above, below)) in &groups {
            sums.add_group(above, below);
            counter.add_group(key);
        }
        let added_errors = sums.ratio().map(|value| {
            let interval = match sums.share_difference_interval().filter(|_| counter.is_full()) {
                Some(ConfidenceInterval { low, high }) => EstimateInterval::Between { low, high },
                None => EstimateInterval::TooFewGroups { groups: counter.count().get() },
            };
            Estimate { value, interval }
        });
        ConditionFindings { condition, plies, other_plies, added_errors }
    }
}

/// Returns the smaller of two keys from which on entries are left out; `None` if no entries are left out.
pub(super) fn smallest_key<K: Ord>(one: Option<K>, other: Option<K>) -> Option<K> {
    one.into_iter().chain(other).min()
}

/// Returns whether a time, in milliseconds since 1970, is between noon and midnight UTC.
fn is_after_noon(unix_ms: u64) -> bool {
    const HALF_DAY_MS: u64 = 12 * 60 * 60 * 1_000;
    (unix_ms / HALF_DAY_MS) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_versions_and_groups_are_kept_in_any_order() {
        let one_take = |number: u64| {
            let cell = |choice| Cell { choice, behind: false, low_clock: None, version: Some(number) };
            let cells: BTreeMap<_, _> =
                (0..3_000).map(|choice| (cell(choice), ErrorCounts { plies: 1, errors: 0 })).collect();
            let group = GroupCells { tournament: None, unix_ms: number, cells };
            let key = MatchGroup::Exhibition(lastnim_core::game::MatchId::new(number, &[0; 10])).key();
            SimilarChoices {
                cells: group.cells.len(),
                groups: BTreeMap::from([(key, group)]),
                versions: BTreeMap::from([(number, (number, BotVersion::default()))]),
                ..SimilarChoices::default()
            }
        };
        let kept_cells = |numbers: &mut dyn Iterator<Item = u64>| {
            let mut all = SimilarChoices::default();
            numbers.for_each(|number| all.merge(one_take(number)).unwrap());
            (all.groups.into_keys().collect::<Vec<_>>(), all.versions.into_keys().collect::<Vec<_>>())
        };
        let ordered = kept_cells(&mut (0..90));
        assert_eq!((ordered.0.len(), ordered.1.len()), (MAX_CELLS / 3_000, MAX_VERSIONS));
        assert_eq!(kept_cells(&mut (0..90).rev()), ordered);
    }
}
