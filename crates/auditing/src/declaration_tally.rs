//! A bot's declarations for the places of others, by who sits there.

use super::{
    MIN_GROUPS,
    estimate::to_float,
    group::{GroupCounter, GroupKey},
    mover_tally::Ceded,
    permuted_sum::PermutedSum,
    replicates::{ByReplicate, REPLICATES},
};

/// Number of offsets with separate usual ranks; further ones are combined.
pub(super) const OFFSETS: usize = 8;

/// Maximum variance of the rank of a place that counts as constant: two places exchanged in one match of ten.
const STEADY_VARIANCE: f64 = 0.1;

/// The ranks that a mover declared for one place, over matches of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankSums {
    ranks: i64,
    /// Number of matches by the place's offset from the mover, from 1 on.
    matches: [i32; OFFSETS],
}

/// The ranks that a mover declares by offset, regardless of who sits there.
#[derive(Debug, Clone)]
pub(super) struct UsualRanks([(i64, i64, i64); OFFSETS]);

/// The ranks that one bot declares for the places of another, as a running tally.
#[derive(Debug, Clone)]
pub(super) struct DeclarationTally {
    groups: GroupCounter,
    ranks: PermutedSum<i64>,
    matches: [PermutedSum<i32>; OFFSETS],
    /// By number of other places: the place's rank sum beyond the mean of the others, times that number.
    excess: std::collections::BTreeMap<usize, ExcessRanks>,
    /// Matches with declared rows at tables of three or more seats.
    pub(super) declared: u64,
    /// The total number of seats in these matches.
    pub(super) seats: u64,
    /// Matches that the other wins under optimal play, but would not if the mover exchanged its rank with another's.
    pub(super) wins_given: u64,
    /// Matches that it would win only with that exchange.
    pub(super) wins_taken: u64,
    /// Matches that the mover would win under optimal play only by ranking itself first, which it did not do.
    pub(super) own_wins_lost: u64,
    /// Matches that it would win only with its declared row.
    pub(super) own_wins_gained: u64,
    /// Matches that the mover would win only with another row.
    pub(super) forgone: ForgoneWins,
    /// Matches in which the mover ranked the other before itself.
    pub(super) ceded: Ceded,
    /// Those of them that it would win only with another row.
    pub(super) ceded_and_forgone: u64,
}

/// The wins that a bot forgoes by its declarations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ForgoneWins {
    /// Matches in which it is known whether another row would have won.
    pub(super) judged: u64,
    /// Those of them that the bot does not win but another row would.
    pub(super) forgone: u64,
}

impl ForgoneWins {
    /// Adds a match; ignored if it is unknown.
    pub(super) fn add_match(&mut self, is_forgone: Option<bool>) {
        self.judged += u64::from(is_forgone.is_some());
        self.forgone += u64::from(is_forgone == Some(true));
    }

    /// Returns the share; `None` without matches.
    pub(super) fn share(self) -> Option<f64> {
        super::estimate::share_of(self.forgone, self.judged)
    }
}

#[derive(Debug, Clone)]
struct ExcessRanks {
    ranks: i64,
    matches: [i64; OFFSETS],
}

impl RankSums {
    pub(super) fn zero() -> Self {
        Self { ranks: 0, matches: [0; OFFSETS] }
    }

    /// Adds the declared rank of the place at an offset of 1 or more.
    pub(super) fn add_rank(&mut self, offset: usize, rank: usize) {
        self.ranks += rank.cast_signed() as i64;
        self.matches[offset.min(OFFSETS) - 1] += 1;
    }
}

impl UsualRanks {
    pub(super) fn zero() -> Self {
        Self([(0, 0, 0); OFFSETS])
    }

    pub(super) fn add_rank(&mut self, offset: usize, rank: usize) {
        let (ranks, squares, matches) = &mut self.0[offset.min(OFFSETS) - 1];
        let rank = rank.cast_signed() as i64;
        *ranks += rank;
        *squares += rank * rank;
        *matches += 1;
    }

    /// Returns whether the rank of each place is nearly constant.
    pub(super) fn are_steady(&self) -> bool {
        let (mut squares, mut matches) = (0.0, 0);
        for &(ranks, squared, all) in self.0[..OFFSETS - 1].iter().filter(|&&(.., all)| all > 0) {
            squares += to_float(squared) - to_float(ranks) * to_float(ranks) / to_float(all);
            matches += all;
        }
        squares <= STEADY_VARIANCE * to_float(matches)
    }

    fn mean_rank(&self, kind: usize) -> f64 {
        let (ranks, _, matches) = self.0[kind];
        if matches == 0 { 0.0 } else { to_float(ranks) / to_float(matches) }
    }
}

impl DeclarationTally {
    pub(super) fn new() -> Self {
        Self {
            groups: GroupCounter::up_to(MIN_GROUPS),
            ranks: PermutedSum::NOTHING,
            matches: [PermutedSum::NOTHING; OFFSETS],
            excess: std::collections::BTreeMap::new(),
            declared: 0,
            seats: 0,
            wins_given: 0,
            wins_taken: 0,
            own_wins_lost: 0,
            own_wins_gained: 0,
            forgone: ForgoneWins::default(),
            ceded: Ceded::default(),
            ceded_and_forgone: 0,
        }
    }

    /// Adds a group, or a part of it: the places of all others, and the place of the pair's other bot, actual and in
    /// each replicate.
    pub(super) fn add_group(
        &mut self,
        group: GroupKey,
        places: &[RankSums],
        held: usize,
        permuted: &ByReplicate<u16>,
    ) {
        self.groups.add_group(group);
        let beyond = |number: &dyn Fn(&RankSums) -> i64| {
            number(&places[held]) * places.len().cast_signed() as i64 - places.iter().map(number).sum::<i64>()
        };
        let excess = self.excess.entry(places.len() - 1);
        let excess = excess.or_insert(ExcessRanks { ranks: 0, matches: [0; OFFSETS] });
        excess.ranks += beyond(&|place| place.ranks);
        for (kind, matches) in excess.matches.iter_mut().enumerate() {
            *matches += beyond(&|place| place.matches[kind].into());
        }
        self.ranks.add_permuted(places.iter().map(|place| place.ranks).collect(), held, permuted);
        for (kind, matches) in self.matches.iter_mut().enumerate() {
            if places.iter().any(|place| place.matches[kind] > 0) {
                matches.add_permuted(
                    places.iter().map(|place| place.matches[kind]).collect(),
                    held,
                    permuted,
                );
            }
        }
    }

    /// Returns the number of usable groups, capped at [`MIN_GROUPS`].
    pub(super) fn group_count(&self) -> u64 {
        self.groups.count().get().min(MIN_GROUPS as u64)
    }

    /// Returns how many ranks better than usual for the offsets the declared ranks are, observed and in each replicate;
    /// `None` with too few groups.
    pub(super) fn observed_and_permuted(&self, usual: &UsualRanks) -> Option<Vec<f64>> {
        if !self.groups.is_full() {
            return None;
        }
        let mut sums = vec![0.0; 1 + REPLICATES];
        self.ranks.add_to(&mut sums, -1.0);
        for (kind, matches) in self.matches.iter().enumerate() {
            matches.add_to(&mut sums, usual.mean_rank(kind));
        }
        Some(sums)
    }

    /// Returns how many ranks per match better the other's place is declared than those of the others at the table,
    /// relative to what is usual for each offset.
    pub(super) fn ranks_per_match(&self, usual: &UsualRanks) -> f64 {
        let by_others = self.excess.iter().map(|(&others, excess)| {
            let habitual = excess.matches.iter().enumerate();
            let habitual: f64 =
                habitual.map(|(kind, &matches)| to_float(matches) * usual.mean_rank(kind)).sum();
            (habitual - to_float(excess.ranks)) / f64::from(others as u32)
        });
        by_others.sum::<f64>() / to_float(self.declared.max(1).cast_signed())
    }
}
