//! The order in which a round robin is played.

use super::{Draw, Pairing, Settings, subsets};
use crate::game::{BotName, BySeat, SeatCount};
use std::{collections::BTreeSet, sync::Arc};
use thiserror::Error;

/// The most matches of a tournament.
pub const MAX_MATCHES: u64 = 10_000_000;

/// Yields the pairings of a round robin: every set of n bots, each on every position, each in every rotation.
///
/// The matches are numbered from 0 in this order: the sets of bots in lexicographic order of their names, then the
/// positions, then the rotations, which together make a duplicate group. Who moves after whom in a group is drawn from the
/// seed: with three seats or more it decides much, and over the positions it evens out. Nothing depends on who joined
/// first, and nothing is listed beforehand: any pairing is computed from its number.
#[derive(Debug, Clone)]
pub struct RoundRobin {
    field: Arc<[BotName]>,
    seats: SeatCount,
    positions: usize,
    seed: u64,
    total: u64,
    next: u64,
    /// Numbers of `next` or more that are not to be yielded.
    played: BTreeSet<u64>,
}

/// A field that cannot play a round robin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RoundRobinError {
    /// It is too small for one match.
    #[error("a field of {field} bots: a match has {seats} seats")]
    TooFewBots {
        /// The size of the field.
        field: usize,
        /// The seats of a match.
        seats: SeatCount,
    },
    /// It is too large to play through.
    #[error(
        "a field of {field} bots, {seats} seats a match and {positions} positions make more than {MAX_MATCHES} matches: fewer bots or positions are needed"
    )]
    TooManyMatches {
        /// The size of the field.
        field: usize,
        /// The seats of a match.
        seats: SeatCount,
        /// The number of positions.
        positions: usize,
    },
}

impl RoundRobinError {
    /// Returns the size of the field.
    pub fn field(&self) -> usize {
        match *self {
            Self::TooFewBots { field, .. } | Self::TooManyMatches { field, .. } => field,
        }
    }
}

impl RoundRobin {
    /// Plans the tournament of a field, each bot once, in any order.
    ///
    /// # Errors
    /// If the field is too small for one match, or would have more than [`MAX_MATCHES`] to play.
    pub fn new(settings: &Settings, field: &[BotName]) -> Result<Self, RoundRobinError> {
        let (seats, positions, seed) = (settings.seats, settings.positions.len(), settings.seed);
        let total = Self::matches(field.len(), seats, positions)?;
        let mut field = field.to_vec();
        field.sort();
        Ok(Self { field: field.into(), seats, positions, seed, total, next: 0, played: BTreeSet::new() })
    }

    /// Returns how many matches a field of this size plays.
    ///
    /// # Errors
    /// If the field is too small for one match, or would have more than [`MAX_MATCHES`] to play.
    pub fn matches(field: usize, seats: SeatCount, positions: usize) -> Result<u64, RoundRobinError> {
        if field < seats.get() {
            return Err(RoundRobinError::TooFewBots { field, seats });
        }
        subsets::count(field, seats.get(), MAX_MATCHES)
            .and_then(|sets| sets.checked_mul(positions as u64)?.checked_mul(seats.get() as u64))
            .filter(|&matches| matches <= MAX_MATCHES)
            .ok_or(RoundRobinError::TooManyMatches { field, seats, positions })
    }

    /// Leaves out the matches of these numbers; others than the tournament's are ignored.
    #[must_use = "it is the plan of what is left"]
    pub fn resume(mut self, played: impl IntoIterator<Item = u64>) -> Self {
        for number in played {
            if (self.next..self.total).contains(&number) {
                self.played.insert(number);
                // At once, so that numbers which come in order are never all held.
                self.skip_played();
            }
        }
        self
    }

    /// Returns the number of matches in all, played ones included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the match of a number; none if the number is the total or more.
    pub fn pairing(&self, number: u64) -> Option<Pairing> {
        if number >= self.total {
            return None;
        }
        let (n, positions) = (self.seats.get(), self.positions as u64);
        let group = number / n as u64;
        let rotation = (number % n as u64) as usize;
        let mut chosen = subsets::nth(self.field.len(), n, group / positions);
        Draw::new(self.seed, !group).shuffle(&mut chosen);
        let bots =
            BySeat::from_fn(self.seats, |seat| self.field[chosen[(seat.index() + n - rotation) % n]].clone());
        Some(Pairing { number, group, position: (group % positions) as usize, bots, rotation })
    }

    fn skip_played(&mut self) {
        while self.played.first() == Some(&self.next) {
            self.played.pop_first();
            self.next += 1;
        }
    }
}

impl Iterator for RoundRobin {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        let pairing = self.pairing(self.next)?;
        self.next += 1;
        self.skip_played();
        Some(pairing)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.total - self.next) as usize - self.played.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for RoundRobin {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Alliance, testing};
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    fn plan(bots: usize, seats: usize, positions: u64) -> RoundRobin {
        RoundRobin::new(&testing::settings(seats, positions, Alliance::Declared), &testing::field(bots))
            .unwrap()
    }

    #[test]
    fn a_group_rotates_its_bots() {
        let pairings: Vec<_> = plan(3, 3, 2).collect();
        for (index, pairing) in pairings.iter().enumerate() {
            let place = (pairing.number, pairing.group, pairing.position, pairing.rotation);
            assert_eq!(place, (index as u64, index as u64 / 3, index / 3, index % 3));
            let first = &pairings[index - pairing.rotation];
            for (seat, bot) in first.bots.enumerate() {
                assert_eq!(pairing.bots[pairing.bots.seats().offset(seat, pairing.rotation)], *bot);
            }
        }
    }

    #[test]
    fn who_moves_after_whom_is_drawn_for_each_group() {
        let follows = |pairing: Pairing| {
            let seats = pairing.bots.seats();
            let ann = pairing.bots.enumerate().find(|(_, bot)| bot.as_str() == "bot0").unwrap().0;
            pairing.bots[seats.next(ann)].to_string()
        };
        let after: Vec<_> = plan(3, 3, 200).map(follows).collect();
        for group in after.chunks(3) {
            assert!(group.iter().all(|bot| *bot == group[0]), "rotations keep the order");
        }
        let bot1 = after.iter().filter(|bot| *bot == "bot1").count() / 3;
        assert!((60..140).contains(&bot1), "{bot1} of 200 draws");
    }

    #[test]
    fn who_joined_first_changes_nothing() {
        let settings = testing::settings(3, 2, Alliance::Declared);
        let mut field = testing::field(5);
        let plan: Vec<_> = RoundRobin::new(&settings, &field).unwrap().collect();
        field.reverse();
        assert_eq!(RoundRobin::new(&settings, &field).unwrap().collect::<Vec<_>>(), plan);
    }

    #[test]
    fn fields_too_small_or_too_large_are_named() {
        let settings = testing::settings(32, 1, Alliance::Declared);
        let refused = |bots| RoundRobin::new(&settings, &testing::field(bots)).unwrap_err().to_string();
        assert_eq!(refused(31), "a field of 31 bots: a match has 32 seats");
        assert_eq!(
            refused(1_000),
            "a field of 1000 bots, 32 seats a match and 1 positions make more than 10000000 matches: fewer bots or positions are needed"
        );
        let two = SeatCount::new(2).unwrap();
        assert!(RoundRobin::matches(usize::MAX, two, usize::MAX).is_err());
        assert_eq!(RoundRobin::matches(3_162, two, 1), Ok(3_162 * 3_161));
        assert!(RoundRobin::matches(3_163, two, 1).is_err());
    }

    #[test]
    fn the_last_of_millions_is_found_at_once() {
        let plan = plan(3_162, 2, 1);
        let last = plan.pairing(plan.total() - 1).unwrap();
        assert_eq!((last.group, last.rotation), (plan.total() / 2 - 1, 1));
        let mut bots: Vec<_> = last.bots.iter().map(BotName::as_str).collect();
        bots.sort_unstable();
        assert_eq!(bots, ["bot998", "bot999"], "the last two names");
        assert_eq!(plan.pairing(plan.total()), None);
        assert_eq!(plan.pairing(u64::MAX), None);
    }

    prop_compose! {
        fn any_plan()(seats in 2..6_usize)(bots in seats..8, seats in Just(seats), positions in 1..4_u64) -> RoundRobin {
            plan(bots, seats, positions)
        }
    }

    proptest! {
        #[test]
        fn every_set_position_and_rotation_comes_once(plan in any_plan()) {
            let (n, total) = (plan.seats.get(), plan.total());
            let mut seen = HashSet::new();
            let mut groups: HashMap<_, HashSet<_>> = HashMap::new();
            for pairing in plan.clone() {
                prop_assert_eq!(plan.pairing(pairing.number), Some(pairing.clone()));
                prop_assert_eq!(pairing.number, seen.len() as u64);
                let mut set = pairing.bots.as_slice().to_vec();
                set.sort();
                prop_assert!(set.windows(2).all(|two| two[0] != two[1]));
                groups.entry(pairing.group).or_default().insert((set.clone(), pairing.position));
                prop_assert!(seen.insert((set, pairing.position, pairing.rotation)));
            }
            prop_assert_eq!(seen.len() as u64, total);
            // All rotations of a set on a position were seen, so that the sets tell whether any is missing.
            let sets: HashSet<_> = seen.iter().map(|(set, ..)| set).collect();
            let all = (0..1_u32 << plan.field.len()).filter(|bits| bits.count_ones() as usize == n).count();
            prop_assert_eq!(sets.len(), all);
            prop_assert_eq!(total as usize, all * plan.positions * n);
            prop_assert!(groups.values().all(|members| members.len() == 1));
            prop_assert_eq!(groups.len() * n, seen.len());
        }

        #[test]
        fn every_bot_has_every_seat_equally_often(plan in any_plan()) {
            let mut counts: HashMap<_, u32> = HashMap::new();
            for pairing in plan.clone() {
                for (seat, bot) in pairing.bots.enumerate() {
                    *counts.entry((bot.clone(), seat)).or_default() += 1;
                }
            }
            prop_assert_eq!(counts.len(), plan.field.len() * plan.seats.get());
            let each: HashSet<_> = counts.into_values().collect();
            prop_assert_eq!(each.len(), 1);
        }

        #[test]
        fn what_was_played_is_left_out(plan in any_plan(), played: u128, ahead in 0..20_usize) {
            let was_played = |number: u64| played >> (number % 128) & 1 == 1;
            let mut begun = plan.clone();
            let first: Vec<_> = begun.by_ref().take(ahead).map(|pairing| pairing.number).collect();
            let numbers = (0..plan.total() + 50).filter(|&number| was_played(number));
            let resumed = begun.resume(numbers);
            let expected: Vec<_> = plan
                .clone()
                .filter(|pairing| !was_played(pairing.number) && !first.contains(&pairing.number))
                .collect();
            prop_assert_eq!(resumed.len(), expected.len());
            prop_assert_eq!(resumed.total(), plan.total());
            prop_assert_eq!(resumed.collect::<Vec<_>>(), expected);
        }
    }
}
