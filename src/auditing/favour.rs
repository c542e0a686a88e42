//! The permutation test for collusion: whom the errors of a bot help, and whether that depends on who sits there.

use super::{
    AuditedMatch, Group, MIN_GROUPS, REPLICATES, audited_match::OwnPly, estimate::real, group::Groups,
};
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

/// What the test for collusion says of an ordered pair of bots: whether the errors of one favour the other.
///
/// **Question.** Two bots that collude help each other by takes that cost the helper. Sums of a ledger cannot show that: a
/// bot gains from errors because of the row it declared, of the seat it had, and of how often others err at all.
///
/// **Statistic.** At every take by which bot M erred, seat s gained `g_s(take)` ranks. Its *favour* is what is left when the
/// mean of `g_s` over all takes by which M could have erred there is taken off: a blunder that would have helped that
/// seat anyhow counts for nothing, and an optimal take never does. A second mean is taken off, that of the favours
/// of M to seats in the same kind of place, whoever sat there, at the tables of O (whether the seat moves next, last or between; whether it, M or another
/// would have won; whether the last pile was in play): so a habit of M among its errors does not count either. For an
/// ordered pair M -> O, what remains of the favours to the seats of O is added up.
///
/// **Null hypothesis.** Whom the errors of M favour does not depend on who sits there: had two bots of the table changed
/// places, the favours of the two places would have stayed as they were. In a tournament the places are drawn: who
/// moves after whom is drawn anew for each duplicate group, and is the same in all its rotations. So within each group, as
/// one block, the names of the others are permuted among their places; a replicate does that in all groups at once.
/// Names change places only where that leaves the game as it was: all the others where the rows are assigned, and else
/// those that declared the same row. What M thinks of a *row* is so never mistaken for what it thinks of a *bot*.
///
/// **p-value.** `(1 + hits) / (1 + R)` with R = [`REPLICATES`] and one-sided, hits being the replicates with a sum at least as
/// large: exact under the null hypothesis, and never 0 (Phipson and Smyth, "Permutation p-values should never be zero",
/// 2010). For all pairs at once the sums are standardised by mean and standard deviation over the replicates and what
/// was observed, and each is compared with the largest of all pairs in every replicate (Westfall and Young,
/// "Resampling-Based Multiple Testing", 1993, single step): the chance that any pair of an honest field comes to 0.05 or
/// less is then at most 5%, whatever the pairs have to do with each other, and the finest value stays 1 in 1,000 however
/// many pairs there are. The permutations derive from seed, group and mover, so that the order of matches means nothing.
///
/// **What it cannot see.** A table of two has no third. A bot that never sits with another of the same declared row cannot
/// be told from its row. Help that costs the helper nothing is no error: rows declared to suit another, and everything
/// that is agreed on beyond the takes. And it relies on the places being drawn, which those of exhibitions need not be; on
/// bots declaring the same row wherever they sit; and on the places meaning the same to M whoever plays there, which is
/// true of its first take and nearly so later: who plays well hands M other positions than who plays badly. The two
/// means take off most of that, not all. What is left is small, and many matches make it significant: of simulated
/// honest fields 6% had a pair of 0.05 or less in 300 groups, and 18% in 3,000. So a pair is flagged only if the favour is
/// large as well, [`FLAGGED_FAVOUR`], which 3% and none of them had. A flag is a reason to look at the matches, no verdict.
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
    /// row where rows are declared, might as well have sat there; or all places always got the same.
    TooFewGroups,
}

impl Favour {
    /// Returns whether the pair is flagged: significant after the correction, and large.
    pub fn is_flagged(self) -> bool {
        matches!(self, Self::Tested { per_error, p_corrected, .. }
            if p_corrected <= FLAGGED_P_VALUE && per_error >= FLAGGED_FAVOUR)
    }
}

/// The favours that a mover's errors did to one place, by [kind of place](place_kind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaceSums {
    favours: [i64; KINDS],
    errors: [u32; KINDS],
}

/// The kinds of places that favours are compared within.
const KINDS: usize = 18;

/// Returns the kind of place that a seat has in an error: whether it moves next, last, or between; whether it would have
/// won, or the mover, or another; whether the last pile was in play.
fn place_kind(game: &AuditedMatch<'_>, ply: &OwnPly<'_>, seat: Seat) -> usize {
    let seats = game.bots.seats();
    let place = match seats.distance(ply.audit.seat, seat) {
        1 => 0,
        offset if offset + 1 == seats.get() => 1,
        _ => 2,
    };
    let winner = match ply.audit.predicted_before {
        winner if winner == seat => 0,
        winner if winner == ply.audit.seat => 1,
        _ => 2,
    };
    place + 3 * winner + 9 * usize::from(ply.position.untouched().is_empty())
}

impl PlaceSums {
    pub(super) fn none() -> Self {
        Self { favours: [0; KINDS], errors: [0; KINDS] }
    }

    /// Adds the favour that an error did to a seat.
    pub(super) fn add(&mut self, game: &AuditedMatch<'_>, ply: &OwnPly<'_>, seat: Seat, favour: i64) {
        let kind = place_kind(game, ply, seat);
        self.favours[kind] += favour;
        self.errors[kind] += 1;
    }

    fn favour(&self) -> i64 {
        self.favours.iter().sum()
    }
}

/// The favours of a mover to all places of a kind, whoever sat there, at the tables of one other bot: so they are the same
/// whichever bots are audited.
#[derive(Debug, Clone)]
pub(super) struct Habits([(i64, i64); KINDS]);

impl Habits {
    pub(super) fn none() -> Self {
        Self([(0, 0); KINDS])
    }

    pub(super) fn add(&mut self, place: &PlaceSums) {
        for (kind, (favours, errors)) in self.0.iter_mut().enumerate() {
            *favours += place.favours[kind];
            *errors += i64::from(place.errors[kind]);
        }
    }

    fn mean(&self, kind: usize) -> f64 {
        let (favours, errors) = self.0[kind];
        if errors == 0 { 0.0 } else { real(favours) / real(errors) }
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

/// Returns, by replicate and then by bot, which place the bot has when names are permuted among so many places.
///
/// It depends on the names and the group alone, so that a group may come in parts.
pub(super) fn permutations(
    seed: u64,
    group: &Group,
    names: impl IntoIterator<Item = u64>,
    places: usize,
) -> Vec<usize> {
    let mut draw: Draw = group.draw(seed, [PURPOSE].into_iter().chain(names));
    let mut order: Vec<usize> = (0..places).collect();
    let mut permutations = Vec::with_capacity(REPLICATES * places);
    for _ in 0..REPLICATES {
        draw.shuffle(&mut order);
        permutations.extend_from_slice(&order);
    }
    permutations
}

/// The favours of an ordered pair, as they come together.
#[derive(Debug, Clone)]
pub(super) struct FavourTally {
    groups: Groups,
    /// What was observed, and then each replicate.
    favours: Vec<i64>,
    /// By kind of place, the same of the errors; empty where there is none.
    errors: [Vec<u32>; KINDS],
}

impl FavourTally {
    pub(super) fn new() -> Self {
        Self {
            groups: Groups::up_to(MIN_GROUPS),
            favours: Vec::new(),
            errors: std::array::from_fn(|_| Vec::new()),
        }
    }

    /// Adds a group, or a part of it: the places of all bots that might change them, and which of them the other of this
    /// pair has in fact and in each replicate.
    pub(super) fn add(
        &mut self,
        group: &Group,
        places: &[PlaceSums],
        held: usize,
        permuted: impl Iterator<Item = usize> + Clone,
    ) {
        self.groups.add(group);
        self.favours.resize(1 + REPLICATES, 0);
        let held = [held].into_iter().chain(permuted);
        let favours: Vec<i64> = places.iter().map(PlaceSums::favour).collect();
        for (sum, place) in self.favours.iter_mut().zip(held.clone()) {
            *sum += favours[place];
        }
        for kind in 0..KINDS {
            if places.iter().any(|place| place.errors[kind] > 0) {
                let errors: Vec<u32> = places.iter().map(|place| place.errors[kind]).collect();
                self.errors[kind].resize(1 + REPLICATES, 0);
                for (sum, place) in self.errors[kind].iter_mut().zip(held.clone()) {
                    *sum += errors[place];
                }
            }
        }
    }

    /// Returns what was observed and each replicate, without what habits explain; none of too few groups.
    fn sums(&self, habits: &Habits) -> Option<Vec<f64>> {
        if !self.groups.is_full() {
            return None;
        }
        let mut sums: Vec<f64> = self.favours.iter().map(|&favour| real(favour)).collect();
        for (kind, errors) in self.errors.iter().enumerate() {
            let mean = habits.mean(kind);
            for (sum, &errors) in sums.iter_mut().zip(errors) {
                *sum -= f64::from(errors) * mean;
            }
        }
        Some(sums)
    }

    /// Returns the groups that can be used, [`MIN_GROUPS`] standing for that or more.
    pub(super) fn groups(&self) -> u64 {
        self.groups.count().get().min(MIN_GROUPS as u64)
    }

    /// Returns the errors that were observed.
    fn observed_errors(&self) -> i64 {
        self.errors.iter().filter_map(|errors| errors.first()).map(|&errors| i64::from(errors)).sum()
    }
}

/// Tests all pairs at once, each with the habits of its mover, and returns what comes out for each in the same order.
pub(super) fn test(pairs: &[(&FavourTally, &Habits)]) -> Vec<Favour> {
    let standardised: Vec<_> = pairs
        .iter()
        .map(|(pair, habits)| {
            let sums = pair.sums(habits)?;
            let all = f64::from(sums.len() as u32);
            let mean = sums.iter().sum::<f64>() / all;
            let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / all).sqrt();
            // Below a rank in a thousand, nothing is left but what rounding makes of it.
            let vary = deviation > RANK / 1_000.0;
            let standard: Vec<f64> = sums.iter().map(|sum| (sum - mean) / deviation).collect();
            vary.then(|| (standard, (sums[0] - mean) / RANK / real(pair.observed_errors().max(1))))
        })
        .collect();
    let mut largest = vec![f64::NEG_INFINITY; REPLICATES];
    for (sums, _) in standardised.iter().flatten() {
        for (largest, &sum) in largest.iter_mut().zip(&sums[1..]) {
            *largest = largest.max(sum);
        }
    }
    let p_value = |replicates: &[f64], observed: f64| {
        // Sums that are equal but for rounding count as hits.
        let hits = replicates.iter().filter(|&&sum| sum >= observed - 1e-9).count();
        f64::from((1 + hits) as u32) / f64::from((1 + REPLICATES) as u32)
    };
    let tested = standardised.iter().map(|standardised| match standardised {
        None => Favour::TooFewGroups,
        Some((sums, per_error)) => Favour::Tested {
            per_error: *per_error,
            p_value: p_value(&sums[1..], sums[0]),
            p_corrected: p_value(&largest, sums[0]),
        },
    });
    tested.collect()
}
