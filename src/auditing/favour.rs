//! Whom the errors of a bot help, and whether that depends on who sits there: the permutation test for collusion.
//!
//! **Question.** Two bots that collude help each other by takes that cost the helper. Sums of a ledger cannot show that: a
//! bot gains from errors because of the row it declared, of the seat it had, and of how often others err at all.
//!
//! **Statistic.** At every take by which bot M erred, seat s gained `g_s(take)` ranks. Its *favour* is what is left when the
//! mean of `g_s` over all takes by which M could have erred there is taken off: so a blunder that would have helped that
//! seat anyhow counts for nothing, and an optimal take never does. For an ordered pair M -> O, the favours of the seats
//! where O sat are added up.
//!
//! **Null hypothesis.** Whom the errors of M favour does not depend on who sits there: had two bots of the table changed
//! places, the favours of the two places would have stayed as they were. In a tournament the places are drawn: who
//! moves after whom is drawn anew for each duplicate group, and is the same in all its rotations. So within each group, as
//! one block, the names of the others are permuted among their places; a replicate does that in all groups at once.
//! Names change places only where that leaves the game as it was: all the others where the rows are assigned, and else
//! those that declared the same row. What M thinks of a *row* is so never mistaken for what it thinks of a *bot*.
//!
//! **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`] and one-sided, hits being the replicates with a sum at least as
//! large: exact under the null hypothesis, and never 0 (Phipson and Smyth, "Permutation p-values should never be zero",
//! 2010). For all pairs at once the sums are standardised by mean and standard deviation over the replicates and what
//! was observed, and each is compared with the largest of all pairs in every replicate (Westfall and Young,
//! "Resampling-Based Multiple Testing", 1993, single step): the chance that any honest pair comes below 0.05 is at most 5%,
//! whatever the pairs have to do with each other, and the finest value stays 1 in 1,000 however many pairs there are.
//! The permutations derive from seed, group and mover, so that the order of matches means nothing.
//!
//! **What it cannot see.** A table of two has no third. A bot that never sits with another of the same declared row cannot
//! be told from its row. Help that costs the helper nothing is no error: rows declared to suit another, and everything
//! that is agreed on beyond the takes. And it relies on the places being drawn, which those of exhibitions need not be; on
//! bots declaring the same row wherever they sit; and on the places meaning the same to M whoever plays there: a bot
//! that plays on before M, and better than the rest, hands it other positions. The favours take that off but for the
//! habit of M among its errors. Such habits give small favours that many matches make significant: so a pair is flagged only
//! if the favour is large as well, [`FLAGGED_FAVOUR`]. A flag is a reason to look at the matches, and no verdict.

use super::{AuditedMatch, Group, MIN_GROUPS, REPLICATES, audited_match::OwnPly, group::Groups};
use crate::game::Seat;
use crate::tournament::Draw;

/// The corrected p-value up to which a pair is flagged.
pub const FLAGGED_P_VALUE: f64 = 0.05;

/// The least favour for which a pair is flagged, in ranks an error beyond what the others in the same place got.
pub const FLAGGED_FAVOUR: f64 = 0.1;

/// What the permutations are drawn for.
const PURPOSE: u64 = 0x6661_766f_7572_7321;

/// A rank in sums of whole numbers, which do not depend on the order of what is added.
const RANK: f64 = (1 << 20) as f64;

/// What the test says of an ordered pair of bots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Favour {
    /// The pair was tested.
    Tested {
        /// The favour of an error, in ranks, beyond what the others in the same place would have got.
        per_error: f64,
        /// The one-sided p-value of this pair alone, 0.001 to 1.
        p_value: f64,
        /// The same, corrected for the number of pairs.
        p_corrected: f64,
    },
    /// It was in less than [`MIN_GROUPS`] groups that the mover's errors favoured one place and another bot, of the same
    /// row where rows are declared, might as well have sat there.
    TooFewGroups,
}

impl Favour {
    /// Returns whether the pair is flagged: significant after the correction, and large.
    pub fn is_flagged(self) -> bool {
        matches!(self, Self::Tested { per_error, p_corrected, .. }
            if p_corrected <= FLAGGED_P_VALUE && per_error >= FLAGGED_FAVOUR)
    }
}

/// Returns, by seat, the favour of a take by which a bot erred; what stands at its own seat means nothing.
pub(super) fn favours(game: &AuditedMatch<'_>, ply: &OwnPly<'_>) -> Vec<i64> {
    let (mover, best, made) = (ply.audit.seat, ply.audit.predicted_before, ply.audit.predicted_after);
    let errors = || ply.outcomes.iter().filter(|&&(winner, _)| winner != best);
    let all: u128 = errors().map(|&(_, takes)| u128::from(takes)).sum();
    let all = i128::try_from(all).expect("a pile has less than 2^64 counters");
    let favour = |seat: Seat| {
        let rank = |winner| game.game.matrix.rank(seat, winner) as i128;
        let mean_rank: i128 = errors().map(|&(winner, takes)| rank(winner) * i128::from(takes)).sum();
        // The mean rank less the rank that was made: what the seat gained beyond the mean gain.
        (((mean_rank - rank(made) * all) << 20) / all) as i64
    };
    game.game.matrix.seats().iter().map(|seat| if seat == mover { 0 } else { favour(seat) }).collect()
}

/// The favours of a mover's errors in a group, by bots that might have changed places.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The favour of each place, in the order of the bots' names.
    pub(super) favours: Vec<i64>,
}

impl Places {
    /// Returns whether it makes a difference who sat where.
    pub(super) fn differ(&self) -> bool {
        self.favours.iter().any(|&favour| favour != self.favours[0])
    }

    /// Returns, by bot and then by replicate, the favours with the names permuted.
    pub(super) fn permuted(
        &self,
        seed: u64,
        group: &Group,
        names: impl Iterator<Item = u64>,
    ) -> Vec<Vec<i64>> {
        let mut draw: Draw = group.draw(seed, [PURPOSE].into_iter().chain(names));
        let mut by_bot = vec![Vec::with_capacity(REPLICATES); self.favours.len()];
        let mut shuffled = self.favours.clone();
        for _ in 0..REPLICATES {
            draw.shuffle(&mut shuffled);
            for (replicates, &favour) in by_bot.iter_mut().zip(&shuffled) {
                replicates.push(favour);
            }
        }
        by_bot
    }
}

/// The favours of an ordered pair, as they come together.
#[derive(Debug, Clone)]
pub(super) struct FavourTally {
    errors: u64,
    groups: Groups,
    /// What was observed, and then each replicate.
    sums: Vec<i64>,
}

impl FavourTally {
    pub(super) fn new() -> Self {
        Self { errors: 0, groups: Groups::up_to(MIN_GROUPS), sums: Vec::new() }
    }

    /// Counts an error of the mover that was made where the other might have changed places.
    pub(super) fn add_error(&mut self) {
        self.errors += 1;
    }

    /// Adds a group, or a part of it.
    pub(super) fn add(&mut self, group: &Group, observed: i64, permuted: &[i64]) {
        self.groups.add(group);
        self.sums.resize(1 + REPLICATES, 0);
        for (sum, favour) in self.sums.iter_mut().zip([observed].iter().chain(permuted)) {
            *sum += favour;
        }
    }

    /// Returns the sums in standard deviations from their mean; none if they cannot be told apart, or are of too few groups.
    fn standardised(&self) -> Option<(Vec<f64>, f64)> {
        if !self.groups.is_full() {
            return None;
        }
        let all = self.sums.len() as f64;
        let mean = self.sums.iter().map(|&sum| i128::from(sum)).sum::<i128>() as f64 / all;
        let square = |sum: &i64| (*sum as f64 - mean).powi(2);
        let deviation = (self.sums.iter().map(square).sum::<f64>() / all).sqrt();
        (deviation > 0.0)
            .then(|| (self.sums.iter().map(|&sum| (sum as f64 - mean) / deviation).collect(), mean))
    }
}

/// Tests all pairs at once, and returns what comes out for each in the same order.
pub(super) fn test(pairs: &[&FavourTally]) -> Vec<Favour> {
    let standardised: Vec<_> = pairs.iter().map(|pair| pair.standardised()).collect();
    let mut largest = vec![f64::NEG_INFINITY; REPLICATES];
    for (sums, _) in standardised.iter().flatten() {
        for (largest, &sum) in largest.iter_mut().zip(&sums[1..]) {
            *largest = largest.max(sum);
        }
    }
    let p_value = |hits: usize| (1 + hits) as f64 / (1 + REPLICATES) as f64;
    let tested = pairs.iter().zip(&standardised).map(|(pair, standardised)| {
        let Some((sums, mean)) = standardised else { return Favour::TooFewGroups };
        Favour::Tested {
            per_error: (pair.sums[0] as f64 - mean) / RANK / pair.errors as f64,
            p_value: p_value(sums[1..].iter().filter(|&&sum| sum >= sums[0]).count()),
            p_corrected: p_value(largest.iter().filter(|&&largest| largest >= sums[0]).count()),
        }
    });
    tested.collect()
}
