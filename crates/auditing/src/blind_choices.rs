//! The choices that bots make before they can react to anyone.

use super::{
    AuditedMatch, RowSource,
    audited_match::BotPly,
    estimate::to_float,
    opening_takes::{OpeningTakes, PlaceClasses, UNITS_PER_RANK, add_each, add_each_checked, place_classes},
    partial_audit::{PartialAuditError, SUMS_TOO_LARGE},
    permutations::PlacePermutations,
    permuted_choices::{Choice, PermutedChoices, PermutedGains},
    similar_choices::smallest_key,
};
use lastnim_core::game::{BotName, BySeat, Ending, MAX_SEATS, Seat};
use lastnim_tournament::SeededDraw;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

/// If the p-value of a single pair is at most this, the first bot's declarations count as dependent on who sits where.
const DEPENDENT_P_VALUE: f64 = 0.01;

/// Maximum number of ordered pairs of seats in all kept groups together. It bounds the time that the permutations take.
/// It is enough for 65,536 groups with 4 seats, or 1,024 with 32. The groups with the smallest keys are kept.
const MAX_SEAT_PAIRS: usize = 1 << 20;
/// Maximum number of different [`PlaceClasses`] for which the opening takes of one bot in a distinct group are kept.
/// Beyond it, the largest ones are dropped.
const MAX_PLACE_CLASSES: usize = 16;

/// The choices that bots make before they can react to anyone, by distinct group: the rows that they declare, and the
/// take that opens a match.
///
/// Groups are **distinct** if they differ in the bots, in their playing order, in the piles or in the assigned rows. A
/// repetition of a group counts as the same group, since deterministic bots make the same choices again.
///
/// The state consists of integer sums by distinct group, so it does not depend on the order of the matches.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct BlindChoices {
    pub(super) groups: BTreeMap<u64, GroupChoices>,
    /// The number of ordered pairs of seats in all groups, including the pairs of each seat with itself.
    seat_pairs: usize,
    /// Groups with this key or a larger one are left out.
    first_dropped_key: Option<u64>,
}

/// The choices that bots made in a distinct group.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GroupChoices {
    /// The bots in playing order, starting with the one whose name sorts first; `None` for a bot beyond the limit on
    /// bots.
    pub(super) bots: Vec<Option<usize>>,
    /// The choices of these bots, in the same order.
    pub(super) choices: Vec<BotChoices>,
}

/// The choices of one bot in a distinct group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct BotChoices {
    /// Matches with declared rows.
    pub(super) declared: i64,
    /// By offset, from 1 on: the sum of the ranks that the bot declared for the place at this offset.
    pub(super) ranks: Vec<i64>,
    /// Matches that the bot opened.
    pub(super) opened: i64,
    /// By classes of places: the bot's opening takes in those matches where an error was possible.
    pub(super) openings: BTreeMap<PlaceClasses, OpeningTakes>,
}

/// The habits of a bot at tables of one size, with any opponents.
#[derive(Debug, Clone, Default)]
pub(super) struct Habits {
    /// Matches with declared rows.
    pub(super) declared: i64,
    /// By offset, from 1 on: the sum of the ranks that the bot declared for the place at this offset.
    pub(super) ranks: Vec<i64>,
    /// Matches that the bot opened where an error was possible.
    pub(super) opened: i64,
    /// The number of errors among the takes that opened these matches.
    pub(super) errors: i64,
}

/// For each ordered pair of bots, the ranks that the blind choices of one gained for the other: as observed, and with
/// the bots of each group permuted among the places.
pub(super) struct PermutedField {
    pub(super) pairs: BTreeMap<(usize, usize), PermutedChoices>,
    /// The bots whose declarations depend on who sits where.
    pub(super) dependent: BTreeSet<usize>,
}

impl BlindChoices {
    /// Adds the declared rows of a match with three or more seats; ignores smaller tables.
    pub(super) fn add_declarations(&mut self, game: &AuditedMatch<'_>, numbers: &BySeat<Option<usize>>) {
        let seats = game.bots.seats();
        if seats.get() < 3 || game.rows != RowSource::Declared {
            return;
        }
        let Some((group, first)) = self.find_or_add_group(game, numbers) else { return };
        for seat in seats.iter() {
            let choices = &mut group.choices[seats.distance_between(first, seat)];
            choices.declared += 1;
            let place = |offset| seats.seat_at_offset(seat, offset);
            let ranks = || {
                (1..seats.get()).map(|offset| game.game.matrix.rank(seat, place(offset)).cast_signed() as i64)
            };
            add_each(&mut choices.ranks, ranks());
        }
        self.drop_excess_groups();
    }

    /// Adds the take that opened a match with three or more seats; ignores other takes and smaller tables.
    pub(super) fn add_opening(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
        ply: &BotPly<'_>,
    ) {
        let (seats, seat) = (game.bots.seats(), ply.audit.seat);
        if seats.get() < 3 || ply.audit.ply != 0 {
            return;
        }
        let Some((group, first)) = self.find_or_add_group(game, numbers) else { return };
        let choices = &mut group.choices[seats.distance_between(first, seat)];
        choices.opened += 1;
        if ply.outcomes.iter().any(|&(winner, _)| winner != ply.audit.predicted_before) {
            let openings = choices.openings.entry(place_classes(game, seat)).or_default();
            openings.add_opening(game, ply);
            choices.drop_excess_openings();
        }
        self.drop_excess_groups();
    }

    /// Adds choices in other matches.
    ///
    /// # Errors
    /// If a group does not have the same bots in both, or a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), PartialAuditError> {
        for (key, of_other) in other.groups {
            match self.groups.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(of_other);
                }
                Entry::Occupied(mut group) => {
                    let group = group.get_mut();
                    if group.bots != of_other.bots {
                        return Err(PartialAuditError::Malformed(
                            "a group has different bots in different parts",
                        ));
                    }
                    for (choices, more) in group.choices.iter_mut().zip(of_other.choices) {
                        choices.merge(more).ok_or(SUMS_TOO_LARGE)?;
                    }
                }
            }
        }
        self.first_dropped_key = smallest_key(self.first_dropped_key, other.first_dropped_key);
        if let Some(from) = self.first_dropped_key {
            self.groups.split_off(&from);
        }
        self.seat_pairs = self.groups.values().map(GroupChoices::seat_pair_count).sum();
        self.drop_excess_groups();
        Ok(())
    }

    /// Gives the bots new numbers: `new[number]` for each `number`.
    pub(super) fn renumber_bots(&mut self, new: &[usize]) {
        for bot in self.groups.values_mut().flat_map(|group| group.bots.iter_mut().flatten()) {
            *bot = new[*bot];
        }
    }

    /// Returns whether the choices can belong to matches of this many bots.
    pub(super) fn is_possible(&self, bots: usize) -> bool {
        self.groups.values().all(|group| group.is_possible(bots))
    }

    /// Permutes the places of the bots within each distinct group, for these ordered pairs of bots.
    ///
    /// If a bot declares different rows depending on who sits where, an equal row does not prove that it could be
    /// exchanged with another bot. The takes of such a bot follow from its rows. So the opening takes of these bots are
    /// not counted, and they keep their places when others are exchanged.
    pub(super) fn permute_places(
        &self,
        seed: u64,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> PermutedField {
        let habits = self.habits();
        let mut permuted: BTreeMap<_, _> = pairs.map(|pair| (pair, PermutedChoices::new())).collect();
        let mut dependent = BTreeSet::new();
        // The loop handles one declarer at a time, because the replicates of all pairs would take too much memory.
        for (declarer, groups) in self.groups_by_declarer() {
            for (other, gains) in self.declared_gains(seed, declarer, &groups, &habits) {
                if gains.p_value().is_some_and(|p_value| p_value <= DEPENDENT_P_VALUE) {
                    dependent.insert(declarer);
                }
                if let Some(choices) = permuted.get_mut(&(declarer, other)) {
                    choices.declarations = gains;
                }
            }
        }
        let is_blind = |bot: Option<usize>| bot.is_some_and(|bot| !dependent.contains(&bot));
        self.visit_groups(seed, |group, places| {
            for (at, mover) in group.bots.iter().enumerate().filter(|&(_, &bot)| is_blind(bot)) {
                let Some(mover) = *mover else { continue };
                let openings = group.choices[at].opening_choices(&habits[&(mover, group.bots.len())]);
                for (held, other) in group.bots.iter().enumerate().filter(|&(held, _)| held != at) {
                    if let Some(pair) = other.and_then(|other| permuted.get_mut(&(mover, other))) {
                        pair.takes
                            .add_choices(&openings, places, at, held, |place| is_blind(group.bots[place]));
                    }
                }
            }
        });
        PermutedField { pairs: permuted, dependent }
    }

    /// Returns, for each bot, the keys of the groups in which it declared rows.
    fn groups_by_declarer(&self) -> BTreeMap<usize, Vec<u64>> {
        let mut by_declarer: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (&key, group) in &self.groups {
            for (bot, choices) in group.bots.iter().zip(&group.choices) {
                if let Some(bot) = bot.filter(|_| choices.declared > 0) {
                    by_declarer.entry(bot).or_default().push(key);
                }
            }
        }
        by_declarer
    }

    /// Returns the ranks that the rows of one bot gave each other bot in these groups, as observed and with the bots
    /// permuted among the places.
    fn declared_gains(
        &self,
        seed: u64,
        declarer: usize,
        keys: &[u64],
        habits: &BTreeMap<(usize, usize), Habits>,
    ) -> BTreeMap<usize, PermutedGains> {
        let mut gains: BTreeMap<usize, PermutedGains> = BTreeMap::new();
        for &key in keys {
            let group = &self.groups[&key];
            let Some(at) = group.bots.iter().position(|&bot| bot == Some(declarer)) else { continue };
            let places = PlacePermutations::draw(seed, key, group.bots.len());
            let choice = group.choices[at].declared_choice(&habits[&(declarer, group.bots.len())]);
            for (held, other) in group.bots.iter().enumerate().filter(|&(held, _)| held != at) {
                let Some(other) = *other else { continue };
                let gains = gains.entry(other).or_insert_with(PermutedGains::new);
                gains.add_choices(&choice, &places, at, held, |_| true);
            }
        }
        gains
    }

    fn visit_groups(&self, seed: u64, mut visit: impl FnMut(&GroupChoices, &PlacePermutations)) {
        for (&key, group) in &self.groups {
            visit(group, &PlacePermutations::draw(seed, key, group.bots.len()));
        }
    }

    /// Returns the habits of each bot at tables of each size, by bot and number of seats.
    pub(super) fn habits(&self) -> BTreeMap<(usize, usize), Habits> {
        let mut all: BTreeMap<_, Habits> = BTreeMap::new();
        for group in self.groups.values() {
            for (bot, choices) in group.bots.iter().zip(&group.choices) {
                let Some(bot) = *bot else { continue };
                let habits = all.entry((bot, group.bots.len())).or_default();
                habits.declared += choices.declared;
                add_each(&mut habits.ranks, choices.ranks.iter().copied());
                for openings in choices.openings.values() {
                    habits.opened += openings.opened;
                    habits.errors += openings.errors;
                }
            }
        }
        all
    }

    /// Returns the distinct group of a match, after adding it if it is new, and the seat of the bot whose name sorts
    /// first; `None` if the group is left out.
    fn find_or_add_group(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
    ) -> Option<(&mut GroupChoices, Seat)> {
        let seats = game.bots.seats();
        let (first, _) = game.bots.enumerate().min_by_key(|&(_, bot)| bot).expect("at least two seats");
        let ordered_seats = || (0..seats.get()).map(|offset| seats.seat_at_offset(first, offset));
        let key = distinct_key(game, ordered_seats().map(|seat| &game.bots[seat]));
        if self.first_dropped_key.is_some_and(|from| key >= from) {
            return None;
        }
        let seat_pairs = &mut self.seat_pairs;
        let group = self.groups.entry(key).or_insert_with(|| {
            *seat_pairs += seats.get().pow(2);
            GroupChoices {
                bots: ordered_seats().map(|seat| numbers[seat]).collect(),
                choices: vec![BotChoices::default(); seats.get()],
            }
        });
        Some((group, first))
    }

    fn drop_excess_groups(&mut self) {
        while self.seat_pairs > MAX_SEAT_PAIRS
            && let Some((key, group)) = self.groups.pop_last()
        {
            self.seat_pairs -= group.seat_pair_count();
            self.first_dropped_key = Some(key);
        }
    }
}

impl GroupChoices {
    /// Returns the number of ordered pairs of seats, including the pairs of each seat with itself.
    fn seat_pair_count(&self) -> usize {
        self.bots.len().pow(2)
    }

    fn is_possible(&self, bots: usize) -> bool {
        let seats = self.bots.len();
        let is_bot = |bot: &Option<usize>| bot.is_none_or(|bot| bot < bots);
        (3..=MAX_SEATS).contains(&seats)
            && self.choices.len() == seats
            && self.bots.iter().all(is_bot)
            && self.choices.iter().all(|choices| choices.is_possible(seats))
    }
}

impl BotChoices {
    /// Adds choices of the same bot in the same distinct group; returns `None` if a sum is too large.
    fn merge(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; declared, opened);
        add_each_checked(&mut self.ranks, other.ranks, i64::checked_add)?;
        for (classes, more) in other.openings {
            self.openings.entry(classes).or_default().merge(more)?;
        }
        self.drop_excess_openings();
        Some(())
    }

    fn drop_excess_openings(&mut self) {
        while self.openings.len() > MAX_PLACE_CLASSES {
            self.openings.pop_last();
        }
    }

    fn is_possible(&self, seats: usize) -> bool {
        let others = seats - 1;
        let is_classes = |classes: &PlaceClasses| {
            classes.len() == others && classes.iter().all(|&class| (1..seats).contains(&class.into()))
        };
        let is_opening =
            |openings: &OpeningTakes| openings.opened <= self.opened && openings.is_possible(seats);
        (self.declared > 0 && self.ranks.len() == others || self.declared == 0 && self.ranks.is_empty())
            && self.openings.iter().all(|(classes, openings)| is_classes(classes) && is_opening(openings))
    }

    /// Returns how many ranks better than usual the bot declared each place; `None` if it declared no row.
    pub(super) fn declared_choice(&self, habits: &Habits) -> Option<Choice> {
        let places = habits.ranks.iter().zip(&self.ranks);
        let values = places.map(|(&usual, &rank)| {
            to_float(usual) / to_float(habits.declared) - to_float(rank) / to_float(self.declared)
        });
        (self.declared > 0).then(|| Choice {
            values: values.collect(),
            classes: vec![0; self.ranks.len()],
            weight: 1.0,
        })
    }

    /// Returns how many more ranks, per opened match, the bot's opening takes gained for each place than random errors
    /// at its usual rate would have.
    pub(super) fn opening_choices(&self, habits: &Habits) -> Vec<Choice> {
        let opened = to_float(self.opened);
        let share = to_float(habits.errors) / to_float(habits.opened) / to_float(UNITS_PER_RANK);
        let choices = self.openings.iter().map(|(classes, openings)| {
            let places = openings.gains.iter().zip(&openings.usual);
            let values = places.map(|(&gain, &usual)| (to_float(gain) - share * to_float(usual)) / opened);
            let weight = to_float(openings.errors) / opened;
            Choice { values: values.collect(), classes: classes.clone(), weight }
        });
        choices.collect()
    }
}

/// Returns the key of a match's distinct group. The bots are given in playing order, starting with the one whose name
/// sorts first.
fn distinct_key<'a>(game: &AuditedMatch<'_>, bots: impl Iterator<Item = &'a BotName>) -> u64 {
    let (piles, matrix) = (game.game.piles.as_slice(), &game.game.matrix);
    let seats = game.bots.seats();
    let rows = seats.iter().flat_map(|seat| matrix[seat].offsets().iter().map(|&offset| u64::from(offset)));
    let assigned = rows.take(if game.rows == RowSource::Assigned { usize::MAX } else { 0 });
    let ending = u64::from(game.game.ending == Ending::LastMoverWins);
    let sizes = [ending, seats.get() as u64, piles.len() as u64];
    let numbers = sizes.into_iter().chain(piles.iter().copied()).chain(assigned);
    SeededDraw::from_numbers(numbers.chain(bots.flat_map(name_as_numbers))).next_bits()
}

/// Encodes a name uniquely as numbers, including its length.
fn name_as_numbers(name: &BotName) -> impl Iterator<Item = u64> + use<> {
    let bytes = name.as_str().as_bytes();
    let word = |eight: &[u8]| eight.iter().fold(0, |word, &byte| (word << 8) | u64::from(byte));
    [bytes.len() as u64].into_iter().chain(bytes.chunks(8).map(word)).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the choices in one group with this many seats.
    fn one_group((key, seats): (u64, usize)) -> BlindChoices {
        let group = GroupChoices { bots: vec![None; seats], choices: vec![BotChoices::default(); seats] };
        BlindChoices {
            groups: BTreeMap::from([(key, group)]),
            seat_pairs: seats.pow(2),
            ..BlindChoices::default()
        }
    }

    #[test]
    fn the_same_groups_are_kept_in_any_order() {
        // There is room for 1,024 tables of 32 seats. Smaller tables with larger keys would fit beside 1,023 of them.
        let mut groups: Vec<(u64, usize)> = (0..1_023).map(|key| (key, 32)).collect();
        groups.extend([(1_023, 3), (1_024, 32), (1_025, 3), (1_026, 4)]);
        let kept_groups = |groups: &[(u64, usize)]| {
            let mut all = BlindChoices::default();
            for &group in groups {
                all.merge(one_group(group)).unwrap();
            }
            all.groups.into_keys().collect::<Vec<_>>()
        };
        let ordered = kept_groups(&groups);
        assert!(ordered.iter().copied().eq(0..1_024), "{} groups are kept", ordered.len());
        groups.reverse();
        assert_eq!(kept_groups(&groups), ordered);
        groups.rotate_left(2);
        assert_eq!(kept_groups(&groups), ordered);
    }
}
