//! The choices that bots make before they can react to anyone.

use super::{
    AuditedMatch, RowSource,
    audited_match::BotPly,
    estimate::to_float,
    permutations::PlacePermutations,
    permuted_choices::{Choice, PermutedChoices, PermutedGains},
};
use lastnim_core::game::{BotName, BySeat, Ending, Seat};
use lastnim_tournament::SeededDraw;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
};

/// If the p-value of a single pair is at most this, the first bot's declarations count as dependent on who sits where.
const DEPENDENT_P_VALUE: f64 = 0.01;

/// Maximum number of ordered pairs of seats in all kept groups together. It bounds the time that the permutations take.
/// It is enough for 65,536 groups with 4 seats, or 1,024 with 32. The groups with the smallest keys are kept.
const MAX_SEAT_PAIRS: usize = 1 << 20;
/// Maximum number of different [`PlaceClasses`] for which the opening takes of one bot in a distinct group are kept.
/// Beyond it, the largest ones are dropped.
const MAX_PLACE_CLASSES: usize = 16;
/// Maximum number of seats at a table for which the effects of the best takes for other bots are kept.
const MAX_HELP_SEATS: usize = 8;
/// The number of units into which a rank is divided, so that mean gains can be stored as integers.
const UNITS_PER_RANK: i64 = 1 << 16;

/// The choices that bots make before they can react to anyone, by distinct group: the rows that they declare, and the
/// take that opens a match.
///
/// Groups are **distinct** if they differ in the bots, in their playing order, in the piles or in the assigned rows. A
/// repetition of a group counts as the same group, since deterministic bots make the same choices again.
///
/// The state consists of integer sums by distinct group, so it does not depend on the order of the matches.
#[derive(Debug, Clone, Default)]
pub(super) struct BlindChoices {
    pub(super) groups: BTreeMap<u64, GroupChoices>,
    /// The number of ordered pairs of seats in all groups, including the pairs of each seat with itself.
    seat_pairs: usize,
}

/// The choices that bots made in a distinct group.
#[derive(Debug, Clone)]
pub(super) struct GroupChoices {
    /// The bots in playing order, starting with the one whose name sorts first; `None` for a bot beyond the limit on
    /// bots.
    pub(super) bots: Vec<Option<usize>>,
    /// The choices of these bots, in the same order.
    pub(super) choices: Vec<BotChoices>,
}

/// The choices of one bot in a distinct group.
#[derive(Debug, Clone, Default)]
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

/// The classes of the other places, as seen by the bot that opens a match. For each offset from 1 on, the class is the
/// first offset whose place has the same row; with assigned rows, all places are in one class. Bots at places of the
/// same class could be exchanged without changing the game.
type PlaceClasses = Vec<u8>;

/// The takes by which a bot opened matches where an error was possible.
#[derive(Debug, Clone, Default)]
pub(super) struct OpeningTakes {
    /// The number of opening takes.
    pub(super) opened: i64,
    /// The number of errors among the opening takes.
    pub(super) errors: i64,
    /// By offset, from 1 on: the ranks that these takes gained for the place at this offset.
    pub(super) gains: Vec<i64>,
    /// By offset, from 1 on: how much an error would have gained on average for the place at this offset, in units of
    /// which [`UNITS_PER_RANK`] make up one rank.
    pub(super) usual: Vec<i64>,
    /// By offset, from 1 on: the effects that the best takes for the place at this offset would have had; empty at
    /// tables with more than [`MAX_HELP_SEATS`] seats.
    pub(super) help: Vec<Help>,
}

/// The effects that the best takes for one place would have had.
#[derive(Debug, Clone, Default)]
pub(super) struct Help {
    /// The number of errors among the best takes.
    pub(super) errors: i32,
    /// By offset, from 1 on: the ranks that these takes would have gained for the place at this offset.
    pub(super) gains: Vec<i32>,
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
        let (group, first) = self.group_of(game, numbers);
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
        let (group, first) = self.group_of(game, numbers);
        let choices = &mut group.choices[seats.distance_between(first, seat)];
        choices.opened += 1;
        if ply.outcomes.iter().any(|&(winner, _)| winner != ply.audit.predicted_before) {
            let openings = choices.openings.entry(place_classes(game, seat)).or_default();
            openings.add_opening(game, ply);
            if choices.openings.len() > MAX_PLACE_CLASSES {
                choices.openings.pop_last();
            }
        }
        self.drop_excess_groups();
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
    /// first.
    fn group_of(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
    ) -> (&mut GroupChoices, Seat) {
        let seats = game.bots.seats();
        let (first, _) = game.bots.enumerate().min_by_key(|&(_, bot)| bot).expect("at least two seats");
        let in_order = || (0..seats.get()).map(|offset| seats.seat_at_offset(first, offset));
        let key = distinct_key(game, in_order().map(|seat| &game.bots[seat]));
        let seat_pairs = &mut self.seat_pairs;
        let group = self.groups.entry(key).or_insert_with(|| {
            *seat_pairs += seats.get().pow(2);
            GroupChoices {
                bots: in_order().map(|seat| numbers[seat]).collect(),
                choices: vec![BotChoices::default(); seats.get()],
            }
        });
        (group, first)
    }

    fn drop_excess_groups(&mut self) {
        while self.seat_pairs > MAX_SEAT_PAIRS
            && let Some((_, group)) = self.groups.pop_last()
        {
            self.seat_pairs -= group.bots.len().pow(2);
        }
    }
}

impl BotChoices {
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

impl OpeningTakes {
    fn add_opening(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let (seats, matrix) = (game.bots.seats(), &game.game.matrix);
        let places: Vec<Seat> =
            (1..seats.get()).map(|offset| seats.seat_at_offset(ply.audit.seat, offset)).collect();
        let best = ply.audit.predicted_before;
        let gain = |place: Seat, winner: Seat| {
            matrix.rank(place, best).cast_signed() as i64 - matrix.rank(place, winner).cast_signed() as i64
        };
        self.opened += 1;
        self.errors += i64::from(!ply.audit.is_optimal());
        add_each(&mut self.gains, places.iter().map(|&place| gain(place, ply.audit.predicted_after)));
        let errors = || ply.outcomes.iter().filter(|&&(winner, _)| winner != best);
        let takes: i128 = errors().map(|&(_, takes)| i128::from(takes)).sum();
        let usual = |place: Seat| {
            let gains = errors().map(|&(winner, takes)| i128::from(takes) * i128::from(gain(place, winner)));
            i64::try_from(i128::from(UNITS_PER_RANK) * gains.sum::<i128>() / takes)
                .expect("a mean gain is small")
        };
        add_each(&mut self.usual, places.iter().map(|&place| usual(place)));
        if seats.get() <= MAX_HELP_SEATS {
            self.help.resize_with(places.len(), Help::default);
            for (help, &helped) in self.help.iter_mut().zip(&places) {
                let winners = ply.outcomes.iter().map(|&(winner, _)| winner);
                let winner = winners.min_by_key(|&winner| matrix.rank(helped, winner)).unwrap_or(best);
                help.errors += i32::from(winner != best);
                add_each(&mut help.gains, places.iter().map(|&place| gain(place, winner) as i32));
            }
        }
    }
}

/// Returns the classes of the other places, as seen from a seat.
fn place_classes(game: &AuditedMatch<'_>, seat: Seat) -> PlaceClasses {
    let (seats, matrix) = (game.bots.seats(), &game.game.matrix);
    let row = |offset| &matrix[seats.seat_at_offset(seat, offset)];
    let class = |offset: usize| {
        let is_same = |&other: &usize| game.rows == RowSource::Assigned || row(other) == row(offset);
        (1..seats.get()).find(is_same).unwrap_or(offset) as u8
    };
    (1..seats.get()).map(class).collect()
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

fn add_each<N: AddAssign>(sums: &mut Vec<N>, numbers: impl Iterator<Item = N>) {
    for (at, number) in numbers.enumerate() {
        match sums.get_mut(at) {
            Some(sum) => *sum += number,
            None => sums.push(number),
        }
    }
}
