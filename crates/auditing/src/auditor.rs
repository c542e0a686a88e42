//! The audit of many matches.

use super::{
    AuditFindings, AuditedMatch, BotFindings, KingmakingTally, MatchGroup, RowSource,
    bootstrap::BootstrapWeights,
    declaration_counterfactuals::{is_win_forgone, winner_if_exchanged, winner_if_self_first},
    declaration_tally::RankSums,
    figures::{FigureSums, FigureTally},
    group::GroupCounter,
    mover_tally::MoverTally,
    outcome_tally::OutcomeSums,
    pair::PairTally,
    pair_tests::test_pairs,
    permutations::PlacePermutations,
    place_sums::{self, FavourSums},
    preference::PreferenceTally,
    puzzles::{DEFAULT_PUZZLES, WorstPuzzles},
};
use lastnim_core::game::{BotName, BySeat, Seat, SeatCount, SeatVersions};
use lastnim_core::oracle::TakeSafetyCounts;
use lastnim_tournament::VersionTally;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of bots in the audit of a field: every two bots make two pairs of up to 190 KiB.
pub const MAX_FIELD: usize = 32;

/// Maximum number of bots in the audit of one bot, including itself.
pub const MAX_BOTS: usize = 512;

/// The subject of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditSubject {
    /// One bot, and its effects on each other bot and theirs on it.
    Bot(BotName),
    /// Every bot and every pair, for the first [`MAX_FIELD`] bots.
    Field,
}

/// Audits many matches, one at a time, in bounded memory.
///
/// The findings do not depend on the order of the matches unless a limit is reached: on the number of bots or rows, or
/// on the work for the rows that explain a bot. It is fastest if the matches of a group are consecutive.
#[derive(Debug, Clone)]
pub struct Auditor {
    scope: AuditSubject,
    seed: u64,
    puzzles: usize,
    matches: u64,
    groups: GroupCounter,
    numbers: HashMap<BotName, usize>,
    bots: Vec<KnownBot>,
    pairs: BTreeMap<(usize, usize), PairTally>,
    crowded_out: u64,
    open: Option<OpenGroup>,
}

/// A bot that has appeared.
#[derive(Debug, Clone)]
struct KnownBot {
    name: BotName,
    /// Its findings, if it is audited.
    tally: Option<BotTally>,
    /// Its habits, independent of opponents.
    mover: MoverTally,
}

#[derive(Debug, Clone)]
struct BotTally {
    figures: FigureTally,
    preferences: BTreeMap<(SeatCount, RowSource), PreferenceTally>,
    safety: TakeSafetyCounts,
    kingmaking: KingmakingTally,
    puzzles: WorstPuzzles,
    versions: VersionTally,
}

/// Sums over consecutive matches of the current group.
#[derive(Debug, Clone)]
struct OpenGroup {
    group: MatchGroup,
    figures: BTreeMap<usize, FigureSums>,
    /// The favours of the mover's errors to each opponent's place, by mover and its exchangeable opponents, ordered by name.
    places: BTreeMap<(usize, Vec<usize>), Vec<FavourSums>>,
    /// By mover and its opponents, in the order of names: the ranks that it declared for their places.
    declared: BTreeMap<(usize, Vec<usize>), Vec<RankSums>>,
    /// The bots that declared rows.
    declaring: BTreeSet<usize>,
}

impl Auditor {
    /// Creates an auditor; the seed is for the bootstrap and the permutations.
    pub fn new(scope: AuditSubject, seed: u64) -> Self {
        Self {
            scope,
            seed,
            puzzles: DEFAULT_PUZZLES,
            matches: 0,
            groups: GroupCounter::unbounded(),
            numbers: HashMap::new(),
            bots: Vec::new(),
            pairs: BTreeMap::new(),
            crowded_out: 0,
            open: None,
        }
    }

    /// Keeps this many puzzles of each bot instead of [`DEFAULT_PUZZLES`], at most [`MAX_PUZZLES`](super::MAX_PUZZLES).
    #[must_use]
    pub fn with_max_puzzles(self, puzzles: usize) -> Self {
        Self { puzzles: puzzles.min(super::MAX_PUZZLES), ..self }
    }

    /// Returns the number of matches counted.
    pub fn counted_matches(&self) -> u64 {
        self.matches
    }

    /// Adds a match; a match without audited bots is not counted.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub fn add_match(&mut self, game: &AuditedMatch<'_>) {
        if let AuditSubject::Bot(bot) = &self.scope
            && !game.bots.iter().any(|other| other == bot)
        {
            return;
        }
        self.matches += 1;
        if self.open.as_ref().is_none_or(|open| open.group != game.group) {
            self.close_group();
            self.groups.add_group(game.group.key());
        }
        let mut open = self.open.take().unwrap_or_else(|| OpenGroup::new(game.group));
        let numbers = BySeat::from_fn(game.bots.seats(), |seat| self.number_of_bot(&game.bots[seat]));
        self.add_figures(game, &numbers, &mut open);
        self.add_plies(game, &numbers, &mut open);
        if game.rows == RowSource::Declared {
            open.declaring.extend(numbers.iter().flatten());
            self.add_declarations(game, &numbers, &mut open);
        }
        self.open = Some(open);
    }

    /// Returns the findings.
    pub fn finish(mut self) -> AuditFindings {
        self.close_group();
        let mover = |bot: usize| (&self.bots[bot].name, &self.bots[bot].mover);
        let mut pairs = test_pairs(&self.pairs, mover);
        pairs.sort_by(|one, other| (&one.mover, &one.other).cmp(&(&other.mover, &other.other)));
        let audited = self.bots.into_iter().filter_map(|bot| Some((bot.name, bot.tally?)));
        let mut bots: Vec<_> = audited.map(|(bot, tally)| tally.into_findings(bot)).collect();
        bots.sort_by(|one, other| one.bot.cmp(&other.bot));
        AuditFindings {
            scope: self.scope,
            seed: self.seed,
            matches: self.matches,
            groups: self.groups.count(),
            bots,
            pairs,
            crowded_out: self.crowded_out,
        }
    }

    /// Returns the number of a bot; `None` if there are too many bots.
    fn number_of_bot(&mut self, bot: &BotName) -> Option<usize> {
        if let Some(&number) = self.numbers.get(bot) {
            return Some(number);
        }
        let (limit, is_audited) = match &self.scope {
            AuditSubject::Bot(audited) => (MAX_BOTS, audited == bot),
            AuditSubject::Field => (MAX_FIELD, true),
        };
        // The audited bot always has a place.
        let taken = self.bots.len()
            + usize::from(matches!(&self.scope, AuditSubject::Bot(audited)
            if audited != bot && !self.numbers.contains_key(audited)));
        if taken >= limit {
            self.crowded_out += 1;
            return None;
        }
        let number = self.bots.len();
        self.numbers.insert(bot.clone(), number);
        self.bots.push(KnownBot {
            name: bot.clone(),
            tally: is_audited.then(|| BotTally::new(self.puzzles)),
            mover: MoverTally::new(),
        });
        Some(number)
    }

    fn add_figures(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
        open: &mut OpenGroup,
    ) {
        let seats = game.bots.seats();
        for (seat, number) in numbers.enumerate() {
            let Some(number) = *number else { continue };
            let strength = &mut self.bots[number].mover.strength;
            strength.matches += 1;
            strength.wins += u64::from(game.credit(seat).won);
            if let Some(tally) = &mut self.bots[number].tally {
                open.figures.entry(number).or_insert_with(FigureSums::zero).add_match(game, seat);
                let preference = tally.preferences.entry((seats, game.rows));
                preference.or_insert_with(|| PreferenceTally::new(seats, game.rows)).add_match(game, seat);
                let versions = game.versions.get(seat.index()).map_or(&[][..], SeatVersions::as_slice);
                if game.credit(seat).attended {
                    tally.versions.add_match(versions, game.credit(seat).won);
                }
            }
            for other in seats.iter().filter(|&other| other != seat) {
                if let Some(pair) = numbers[other].and_then(|other| self.pair_tally(number, other)) {
                    pair.matches += 1;
                }
            }
        }
    }

    fn add_plies(&mut self, game: &AuditedMatch<'_>, numbers: &BySeat<Option<usize>>, open: &mut OpenGroup) {
        let seats = game.bots.seats();
        let mut optimal = BySeat::filled(seats, &OutcomeSums::default());
        game.own_plies(
            |seat| numbers[seat].is_some(),
            |ply| {
                let seat = ply.audit.seat;
                let Some(mover) = numbers[seat] else { return };
                if let Some(tally) = &mut self.bots[mover].tally {
                    open.figures.entry(mover).or_insert_with(FigureSums::zero).add_ply(game, &ply);
                    if let Some(preference) = tally.preferences.get_mut(&(seats, game.rows)) {
                        preference.add_ply(game, &ply);
                    }
                    tally.safety.add_take(ply.audit.safety, ply.audit.guarantee);
                    tally.kingmaking.add_ply(game, &ply);
                    tally.puzzles.add_ply(game, &ply);
                }
                let rank = |winner| game.game.matrix.rank(seat, winner);
                let (before, in_the_end) = (rank(ply.audit.predicted_before), rank(game.audit.winner));
                let strength = &mut self.bots[mover].mover.strength;
                strength.plies += 1;
                if ply.audit.is_optimal() {
                    optimal[seat].add_take(before, in_the_end);
                    return;
                }
                strength.errors += 1;
                let favours = place_sums::favours_by_seat(game, &ply);
                for other in seats.iter().filter(|&other| other != seat) {
                    if let Some(pair) = numbers[other].and_then(|other| self.pair_tally(mover, other)) {
                        pair.add_error_cost(ply.audit.cost(game.game, other), seats);
                        if favours[other.index()] > 0 {
                            pair.outcomes.helping.add_take(before, in_the_end);
                        }
                    }
                }
                for places in self.exchangeable_seats(game, seat, numbers) {
                    let others: Vec<usize> = places.iter().map(|&(other, _)| other).collect();
                    let sums = open.places.entry((mover, others));
                    let sums = sums.or_insert_with(|| vec![FavourSums::zero(); places.len()]);
                    for (sum, &(other, place)) in sums.iter_mut().zip(&places) {
                        sum.add_favour(game, &ply, place, favours[place.index()]);
                        if let Some(pair) = self.pair_tally(mover, other) {
                            pair.errors_with_a_like += 1;
                        }
                    }
                }
            },
        );
        for (seat, number) in numbers.enumerate() {
            let Some(mover) = *number else { continue };
            for other in seats.iter().filter(|&other| other != seat) {
                if let Some(pair) = numbers[other].and_then(|other| self.pair_tally(mover, other)) {
                    pair.outcomes.optimal.add_sums(&optimal[seat]);
                }
            }
        }
    }

    fn add_declarations(
        &mut self,
        game: &AuditedMatch<'_>,
        numbers: &BySeat<Option<usize>>,
        open: &mut OpenGroup,
    ) {
        let seats = game.bots.seats();
        for (seat, number) in numbers.enumerate() {
            let Some(mover) = *number else { continue };
            let others = numbers.enumerate().filter(|&(other, _)| other != seat);
            let mut others: Vec<(usize, Seat)> =
                others.filter_map(|(place, other)| Some(((*other)?, place))).collect();
            for &(other, _) in &others {
                if let Some(pair) = self.pair_tally(mover, other) {
                    pair.declared += 1;
                }
            }
            let is_kept = |&(other, _): &(usize, Seat)| self.is_pair_audited(mover, other);
            if others.len() < 2 || !others.iter().any(is_kept) {
                continue;
            }
            others.sort_by(|&(one, _), &(other, _)| self.bots[one].name.cmp(&self.bots[other].name));
            let rank = |place: Seat| game.game.matrix.rank(seat, place);
            let sums = open.declared.entry((mover, others.iter().map(|&(other, _)| other).collect()));
            let sums = sums.or_insert_with(|| vec![RankSums::zero(); others.len()]);
            for (sum, &(_, place)) in sums.iter_mut().zip(&others) {
                let offset = seats.distance_between(seat, place);
                sum.add_rank(offset, rank(place));
                self.bots[mover].mover.usual.add_rank(offset, rank(place));
            }
            let winner = game.audit.predicted_winner;
            let is_forgone = is_win_forgone(game, seat);
            let if_self_first = winner_if_self_first(game, seat);
            for &(other, place) in &others {
                let Some(pair) = self.pair_tally(mover, other) else { continue };
                let tally = &mut pair.declarations;
                tally.declared += 1;
                tally.seats += seats.get() as u64;
                tally.own_wins_lost += u64::from(if_self_first == seat && winner != seat);
                tally.own_wins_gained += u64::from(if_self_first != seat && winner == seat);
                tally.forgone.add_match(is_forgone);
                let is_ceded = rank(place) < rank(seat);
                tally.ceded.add_match(is_ceded);
                tally.ceded_and_forgone += u64::from(is_ceded && is_forgone == Some(true));
                let if_exchanged = winner_if_exchanged(game, seat, place);
                tally.wins_given += u64::from(winner == place && if_exchanged != place);
                tally.wins_taken += u64::from(winner != place && if_exchanged == place);
            }
            // With many bots and seats there would be too many pairs of opponents to keep them all.
            let is_audited: Vec<bool> =
                others.iter().map(|&(other, _)| self.bots[other].tally.is_some()).collect();
            let tally = &mut self.bots[mover].mover;
            for (&(other, place), &audited) in others.iter().zip(&is_audited) {
                tally.ceded.add_match(rank(place) < rank(seat));
                for (&(third, its_place), &third_audited) in others.iter().zip(&is_audited) {
                    if third > other && (audited || third_audited || third < MAX_FIELD) {
                        tally.add_order(other, third, rank(place) < rank(its_place), seats.get());
                    }
                }
            }
        }
    }

    /// Returns the sets of two or more opponents that can be exchanged without changing the game, in the order of
    /// names; without sets of which no pair is kept.
    fn exchangeable_seats(
        &self,
        game: &AuditedMatch<'_>,
        mover: Seat,
        numbers: &BySeat<Option<usize>>,
    ) -> Vec<Vec<(usize, Seat)>> {
        let mut sets: Vec<Vec<(usize, Seat)>> = Vec::new();
        for (seat, number) in numbers.enumerate().filter(|&(seat, _)| seat != mover) {
            let Some(number) = *number else { continue };
            let belongs = |set: &Vec<(usize, Seat)>| {
                let row = |seat: Seat| &game.game.matrix[seat];
                game.rows == RowSource::Assigned || row(set[0].1) == row(seat)
            };
            match sets.iter_mut().find(|set| belongs(set)) {
                Some(set) => set.push((number, seat)),
                None => sets.push(vec![(number, seat)]),
            }
        }
        sets.retain(|set| {
            let kept = |&(other, _): &(usize, Seat)| {
                numbers[mover].is_some_and(|mover| self.is_pair_audited(mover, other))
            };
            set.len() > 1 && set.iter().any(kept)
        });
        for set in &mut sets {
            set.sort_by(|&(one, _), &(other, _)| self.bots[one].name.cmp(&self.bots[other].name));
        }
        sets
    }

    /// Returns whether one of the two is audited.
    fn is_pair_audited(&self, mover: usize, other: usize) -> bool {
        self.bots[mover].tally.is_some() || self.bots[other].tally.is_some()
    }

    fn pair_tally(&mut self, mover: usize, other: usize) -> Option<&mut PairTally> {
        self.is_pair_audited(mover, other)
            .then(|| self.pairs.entry((mover, other)).or_insert_with(PairTally::new))
    }

    fn close_group(&mut self) {
        let Some(OpenGroup { group, figures, places, declared, declaring }) = self.open.take() else {
            return;
        };
        let (key, weights) = (group.key(), BootstrapWeights::of_group(self.seed, &group));
        for (number, sums) in figures {
            if let Some(tally) = &mut self.bots[number].tally {
                tally.figures.add_group(key, &weights, &sums);
            }
        }
        for ((mover, others), places) in places {
            for place in &places {
                self.bots[mover].mover.habits.add_sums(place);
            }
            if places.iter().all(|place| *place == places[0]) {
                continue;
            }
            let permutations = self.permutations(&group, mover, &others);
            for (held, other) in others.into_iter().enumerate() {
                if let Some(pair) = self.pair_tally(mover, other) {
                    pair.company.extend(&declaring);
                    pair.favouritism.add_group(key, &places, held, permutations.places_of_bot(held));
                }
            }
        }
        for ((mover, others), places) in declared {
            let permutations = self.permutations(&group, mover, &others);
            for (held, other) in others.into_iter().enumerate() {
                if let Some(pair) = self.pair_tally(mover, other) {
                    pair.declarations.add_group(key, &places, held, permutations.places_of_bot(held));
                }
            }
        }
    }

    /// Draws the permutations of opponents: the same for takes and declarations, so that both are tested as one family.
    fn permutations(&self, group: &MatchGroup, mover: usize, others: &[usize]) -> PlacePermutations {
        let names = [mover].into_iter().chain(others.iter().copied());
        let names = names.flat_map(|number| name_as_numbers(&self.bots[number].name));
        PlacePermutations::draw(self.seed, group, names, others.len())
    }
}

impl OpenGroup {
    fn new(group: MatchGroup) -> Self {
        Self {
            group,
            figures: BTreeMap::new(),
            places: BTreeMap::new(),
            declared: BTreeMap::new(),
            declaring: BTreeSet::new(),
        }
    }
}

impl BotTally {
    fn new(puzzles: usize) -> Self {
        Self {
            figures: FigureTally::new(),
            preferences: BTreeMap::new(),
            safety: TakeSafetyCounts::default(),
            kingmaking: KingmakingTally::default(),
            puzzles: WorstPuzzles::up_to(puzzles),
            versions: VersionTally::default(),
        }
    }

    fn into_findings(self, bot: BotName) -> BotFindings {
        BotFindings {
            bot,
            figures: self.figures.figures(),
            preferences: self.preferences.values().map(PreferenceTally::to_findings).collect(),
            safety: self.safety,
            kingmaking: self.kingmaking,
            puzzles: self.puzzles.into_worst_first(),
            versions: self.versions.played_versions(),
        }
    }
}

/// Encodes a name uniquely as numbers, including its length.
fn name_as_numbers(name: &BotName) -> impl Iterator<Item = u64> {
    let bytes = name.as_str().as_bytes();
    let word = |eight: &[u8]| eight.iter().fold(0, |word, &byte| (word << 8) | u64::from(byte));
    [bytes.len() as u64].into_iter().chain(bytes.chunks(8).map(word)).collect::<Vec<_>>().into_iter()
}
