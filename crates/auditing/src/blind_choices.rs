//! The choices that bots make before they can react to anyone.

use super::{
    AuditedMatch, RowSource,
    audited_match::OwnPly,
    estimate::to_float,
    permutations::PlacePermutations,
    permuted_choices::{Choice, PermutedChoices, PermutedGains},
};
use lastnim_core::game::{BotName, BySeat, Ending, Seat};
use lastnim_tournament::SeededDraw;
use std::collections::{BTreeMap, BTreeSet};

/// If the p-value of a single pair is at most this, the bot's declarations count as dependent on who sits where.
const DEPENDENT_P_VALUE: f64 = 0.01;

/// Maximum number of ordered pairs of seats in all kept groups together. It bounds the time of the permutations. It is
/// enough for 65,536 groups with 4 seats, or 1,024 with 32. The groups with the smallest keys are kept.
const MAX_SEAT_PAIRS: usize = 1 << 20;
/// Maximum number of views for which the opening errors of a bot in a distinct group are kept. The smallest views are
/// kept.
const MAX_VIEWS: usize = 16;

/// The choices that bots make before they can react to anyone, by distinct group: the rows that they declare, and the
/// take that opens a match.
///
/// Groups are **distinct** if they differ in the bots, in their playing order, in the piles or in the assigned rows. A
/// repetition of a group counts as the same group, since deterministic bots make the same choices again.
///
/// The state consists of integer sums by distinct group, so it does not depend on the order of the matches.
#[derive(Debug, Clone, Default)]
pub(super) struct BlindChoices {
    groups: BTreeMap<u64, GroupChoices>,
    /// The ordered pairs of seats of all groups, counting a seat with itself.
    seat_pairs: usize,
}

/// The choices of the bots of a distinct group.
#[derive(Debug, Clone)]
struct GroupChoices {
    /// The bots in playing order, from the first by name; `None` for a bot that exceeds the limit on bots.
    bots: Vec<Option<usize>>,
    /// Their choices, in the same order.
    choices: Vec<BotChoices>,
}

/// The choices of one bot in a distinct group.
#[derive(Debug, Clone, Default)]
struct BotChoices {
    /// Matches with declared rows.
    declared: i64,
    /// By offset from 1 on: the sum of the ranks that it declared for that place.
    ranks: Vec<i64>,
    /// Matches that it opened.
    opened: i64,
    /// Its errors in these takes.
    errors: BTreeMap<OpeningView, OpeningErrors>,
}

/// What distinguishes the places of the others for the bot that opens a match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OpeningView {
    /// By offset from 1 on: the rank of the place in the bot's own row.
    ranks: Vec<u8>,
    /// By offset from 1 on: the first offset with the same row. Bots at such places could be exchanged without
    /// changing the game.
    classes: Vec<u8>,
}

/// The errors by which a bot opened matches.
#[derive(Debug, Clone, Default)]
struct OpeningErrors {
    errors: i64,
    /// By offset from 1 on: the ranks that they gained the place.
    gains: Vec<i64>,
}

/// The habits of a bot at tables of one size, with any opponents.
#[derive(Debug, Clone, Default)]
struct Habits {
    /// Matches with declared rows.
    declared: i64,
    /// By offset from 1 on: the sum of the declared ranks.
    ranks: Vec<i64>,
    /// By rank in the bot's own row: the ranks that its opening errors gained that place, and their number.
    gains: BTreeMap<u8, (i64, i64)>,
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
        self.drop_surplus();
    }

    /// Adds the take that opened a match with three or more seats; ignores other takes and smaller tables.
    pub(super) fn add_opening(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
        ply: &OwnPly<'_>,
    ) {
        let (seats, seat) = (game.bots.seats(), ply.audit.seat);
        if seats.get() < 3 || ply.audit.ply != 0 {
            return;
        }
        let (group, first) = self.group_of(game, numbers);
        let choices = &mut group.choices[seats.distance_between(first, seat)];
        choices.opened += 1;
        if !ply.audit.is_optimal() {
            let errors = choices.errors.entry(OpeningView::of_seat(game, seat)).or_default();
            errors.errors += 1;
            let places = || (1..seats.get()).map(|offset| seats.seat_at_offset(seat, offset));
            add_each(&mut errors.gains, places().map(|place| -i64::from(ply.audit.cost(game.game, place))));
            if choices.errors.len() > MAX_VIEWS {
                choices.errors.pop_last();
            }
        }
        self.drop_surplus();
    }

    /// Permutes the places of the bots of each distinct group, for these ordered pairs of bots.
    ///
    /// If a bot declares different rows depending on who sits where, an equal row does not prove that it could be
    /// exchanged with another bot. The takes of such a bot follow from its rows. So the opening takes of these bots are
    /// not counted, and they keep their places when others are exchanged.
    pub(super) fn permute_places(
        &self,
        seed: u64,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> BTreeMap<(usize, usize), PermutedChoices> {
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
        permuted
    }

    /// Returns the keys of the groups in which each bot declared rows.
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

    /// Permutes the places of the bots in these groups, for the rows that one bot declared. Returns the ranks that
    /// these rows gave each other bot.
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

    /// Returns the habits of each bot, by number of seats.
    fn habits(&self) -> BTreeMap<(usize, usize), Habits> {
        let mut all: BTreeMap<_, Habits> = BTreeMap::new();
        for group in self.groups.values() {
            for (bot, choices) in group.bots.iter().zip(&group.choices) {
                let Some(bot) = *bot else { continue };
                let habits = all.entry((bot, group.bots.len())).or_default();
                habits.declared += choices.declared;
                add_each(&mut habits.ranks, choices.ranks.iter().copied());
                for (view, errors) in &choices.errors {
                    for (&rank, &gain) in view.ranks.iter().zip(&errors.gains) {
                        let (gains, count) = habits.gains.entry(rank).or_default();
                        *gains += gain;
                        *count += errors.errors;
                    }
                }
            }
        }
        all
    }

    /// Returns the distinct group of a match, and the seat of its first bot by name.
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

    fn drop_surplus(&mut self) {
        while self.seat_pairs > MAX_SEAT_PAIRS
            && let Some((_, group)) = self.groups.pop_last()
        {
            self.seat_pairs -= group.bots.len().pow(2);
        }
    }
}

impl BotChoices {
    /// Returns how many ranks better than usual it declares each place; `None` if it declared nothing.
    fn declared_choice(&self, habits: &Habits) -> Option<Choice> {
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

    /// Returns the ranks that its errors in opening takes gain each place beyond its habits, per opened match.
    fn opening_choices(&self, habits: &Habits) -> Vec<Choice> {
        let opened = to_float(self.opened);
        let choices = self.errors.iter().map(|(view, errors)| {
            let weight = to_float(errors.errors) / opened;
            let places = view.ranks.iter().zip(&errors.gains);
            let values = places.map(|(rank, &gain)| {
                let (gains, count) = habits.gains[rank];
                to_float(gain) / opened - weight * to_float(gains) / to_float(count)
            });
            Choice { values: values.collect(), classes: view.classes.clone(), weight }
        });
        choices.collect()
    }
}

impl OpeningView {
    fn of_seat(game: &AuditedMatch<'_>, seat: Seat) -> Self {
        let (seats, matrix) = (game.bots.seats(), &game.game.matrix);
        let place = |offset| seats.seat_at_offset(seat, offset);
        let offsets = || 1..seats.get();
        let class = |offset: usize| {
            let is_same = |&other: &usize| {
                game.rows == RowSource::Assigned || matrix[place(other)] == matrix[place(offset)]
            };
            offsets().find(is_same).unwrap_or(offset)
        };
        Self {
            ranks: offsets().map(|offset| matrix.rank(seat, place(offset)) as u8).collect(),
            classes: offsets().map(|offset| class(offset) as u8).collect(),
        }
    }
}

/// Returns the key of the distinct group of a match, whose bots are given in playing order from the first by name.
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

fn add_each(sums: &mut Vec<i64>, numbers: impl Iterator<Item = i64>) {
    for (at, number) in numbers.enumerate() {
        match sums.get_mut(at) {
            Some(sum) => *sum += number,
            None => sums.push(number),
        }
    }
}
