//! The audit of many matches.

use super::{
    AuditFindings, AuditedMatch, BotAnswers, BotFindings, FLAGGED_P_VALUE, KingmakingTally, MatchGroup,
    RowSource,
    blind_choices::BlindChoices,
    bootstrap::BootstrapWeights,
    declaration_counterfactuals::{is_win_forgone, winner_if_exchanged, winner_if_self_first},
    equal_answers::AnswerTally,
    figures::{FigureSums, FigureTally},
    group::GroupCounter,
    mover_tally::MoverTally,
    outcome_tally::OutcomeSums,
    pair::PairTally,
    pair_tests::{TestedPairs, test_pairs},
    power::HelpSimulation,
    preference::PreferenceTally,
    puzzles::{DEFAULT_PUZZLES, WorstPuzzles},
    similar_choices::SimilarChoices,
    talk_tally::{TalkSums, TalkTally},
};
use lastnim_core::game::{BotName, BySeat, Seat, SeatCount, SeatVersions};
use lastnim_core::oracle::TakeSafetyCounts;
use lastnim_tournament::VersionTally;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of bots in the audit of a field. It is small because every two bots make two ordered pairs.
pub const MAX_FIELD_BOTS: usize = 32;

/// Maximum number of bots in the audit of one bot, including itself.
pub const MAX_BOTS: usize = 512;

/// The subject of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditSubject {
    /// One bot: its effects on each other bot, and their effects on it.
    Bot(BotName),
    /// Every bot and every pair among the first [`MAX_FIELD_BOTS`] bots that appear in the matches.
    Field,
}

/// Audits many matches, one at a time, in bounded memory.
///
/// The findings do not depend on the order of the matches unless the limit on the number of bots is reached. The state
/// can be [written](Self::to_bytes), and [merged](Self::merge) with the states of audits of other matches. Adding
/// matches is fastest if the matches of a group are consecutive.
#[derive(Debug, Clone)]
pub struct Auditor {
    pub(super) subject: AuditSubject,
    pub(super) seed: u64,
    /// Maximum number of puzzles kept per bot.
    pub(super) puzzles: usize,
    pub(super) without_power: bool,
    pub(super) matches: u64,
    pub(super) groups: GroupCounter,
    pub(super) numbers: HashMap<BotName, usize>,
    pub(super) bots: Vec<KnownBot>,
    pub(super) pairs: BTreeMap<(usize, usize), PairTally>,
    pub(super) choices: BlindChoices,
    /// The bots' answers to equal states; empty in the audit of a field.
    pub(super) answers: AnswerTally,
    /// Number of seats taken by bots beyond the limit on bots.
    pub(super) crowded_out: u64,
    /// The group of the last match; its sums are not in the tallies yet.
    pub(super) open: Option<OpenGroup>,
}

/// A bot that has appeared in a match.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KnownBot {
    pub(super) name: BotName,
    /// The running findings about the bot, if it is audited.
    pub(super) tally: Option<BotTally>,
    /// How the bot plays and declares against any opponents.
    pub(super) mover: MoverTally,
    /// Whether fewer than [`MAX_FIELD_BOTS`] known bots have a name that sorts before this one.
    #[serde(skip)]
    pub(super) is_among_first: bool,
}

/// The running findings about an audited bot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct BotTally {
    pub(super) figures: FigureTally,
    pub(super) preferences: BTreeMap<(SeatCount, RowSource), PreferenceTally>,
    pub(super) safety: TakeSafetyCounts,
    pub(super) kingmaking: KingmakingTally,
    pub(super) puzzles: WorstPuzzles,
    pub(super) versions: VersionTally,
    pub(super) similar: SimilarChoices,
    /// `None` without matches with talk.
    pub(super) talk: Option<TalkTally>,
}

/// Sums over consecutive matches of the current group.
#[derive(Debug, Clone)]
pub(super) struct OpenGroup {
    group: MatchGroup,
    figures: BTreeMap<usize, FigureSums>,
    talk: BTreeMap<usize, TalkSums>,
}

impl Auditor {
    /// Creates an auditor; the seed is for the bootstrap and the permutations.
    pub fn new(subject: AuditSubject, seed: u64) -> Self {
        Self {
            subject,
            seed,
            puzzles: DEFAULT_PUZZLES,
            without_power: false,
            matches: 0,
            groups: GroupCounter::default(),
            numbers: HashMap::new(),
            bots: Vec::new(),
            pairs: BTreeMap::new(),
            choices: BlindChoices::default(),
            answers: AnswerTally::default(),
            crowded_out: 0,
            open: None,
        }
    }

    /// Sets how many puzzles of each bot are kept, instead of [`DEFAULT_PUZZLES`]. Numbers above
    /// [`MAX_PUZZLES`](super::MAX_PUZZLES) are reduced to it.
    #[must_use]
    pub fn with_max_puzzles(self, puzzles: usize) -> Self {
        Self { puzzles: puzzles.min(super::MAX_PUZZLES), ..self }
    }

    /// Leaves out the estimates of the [power of the tests](super::HelpPower), which take much of the time of a short
    /// audit.
    #[must_use]
    pub fn without_power(self) -> Self {
        Self { without_power: true, ..self }
    }

    /// Returns the subject of the audit.
    pub fn subject(&self) -> &AuditSubject {
        &self.subject
    }

    /// Returns the number of matches counted.
    pub fn match_count(&self) -> u64 {
        self.matches
    }

    /// Adds a match. An audit of one bot does not count matches without that bot.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub fn add_match(&mut self, game: &AuditedMatch<'_>) {
        if let AuditSubject::Bot(bot) = &self.subject
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
        let numbers = BySeat::from_fn(game.bots.seats(), |seat| self.find_or_add_bot(&game.bots[seat]));
        self.add_figures(game, &numbers, &mut open);
        self.add_plies(game, &numbers, &mut open);
        if game.rows == RowSource::Declared {
            self.add_declarations(game, &numbers);
        }
        self.open = Some(open);
    }

    /// Returns the findings.
    pub fn finish(mut self) -> AuditFindings {
        self.sort_bots();
        let mover = |bot: usize| (&self.bots[bot].name, &self.bots[bot].mover);
        let permuted = self.choices.permute_places(self.seed, self.pairs.keys().copied());
        let tested = test_pairs(&self.pairs, &permuted.pairs, mover);
        let TestedPairs { mut pairs, sets, sets_tested, tests } = tested;
        pairs.sort_by(|one, other| (&one.mover, &one.other).cmp(&(&other.mover, &other.other)));
        let answers = self.compare_answers();
        let powers = if self.without_power {
            Vec::new()
        } else {
            let critical_value = tests.critical_value(FLAGGED_P_VALUE);
            let met = pairs.iter().filter(|pair| pair.mover < pair.other);
            let numbers = met.map(|pair| [&pair.mover, &pair.other].map(|bot| self.numbers[bot]));
            HelpSimulation::new(&self.choices, &permuted.dependent, critical_value)
                .powers(self.seed, numbers.collect())
        };
        let audited = self.bots.into_iter().filter_map(|bot| Some((bot.name, bot.tally?)));
        let mut bots: Vec<_> = audited.map(|(bot, tally)| tally.into_findings(bot)).collect();
        if let [bot] = bots.as_mut_slice() {
            bot.answers = answers;
        }
        bots.sort_by(|one, other| one.bot.cmp(&other.bot));
        AuditFindings {
            subject: self.subject,
            seed: self.seed,
            matches: self.matches,
            groups: self.groups.count(),
            bots,
            pairs,
            sets,
            sets_tested,
            powers,
            crowded_out: self.crowded_out,
        }
    }

    /// Compares the answers of the audited bot with each other and with the answers of every other bot, the most alike
    /// first.
    fn compare_answers(&self) -> Vec<BotAnswers> {
        let AuditSubject::Bot(audited) = &self.subject else { return Vec::new() };
        let Some(&audited) = self.numbers.get(audited) else { return Vec::new() };
        let others = self.bots.iter().enumerate();
        let compared = others.filter_map(|(number, other)| {
            let answers = self.answers.compare(audited, number)?;
            Some(BotAnswers { other: other.name.clone(), answers })
        });
        let mut compared: Vec<_> = compared.collect();
        compared.sort_by(|one, other| {
            other.answers.equal.total_cmp(&one.answers.equal).then_with(|| one.other.cmp(&other.other))
        });
        compared
    }

    /// Returns the number of a bot, after giving it one if it is new; `None` if there are too many bots.
    fn find_or_add_bot(&mut self, bot: &BotName) -> Option<usize> {
        if let Some(&number) = self.numbers.get(bot) {
            return Some(number);
        }
        // One place is reserved for the audited bot.
        let taken = self.bots.len()
            + usize::from(matches!(&self.subject, AuditSubject::Bot(audited)
            if audited != bot && !self.numbers.contains_key(audited)));
        if taken >= self.subject.max_bots() {
            self.crowded_out += 1;
            return None;
        }
        let number = self.bots.len();
        self.numbers.insert(bot.clone(), number);
        self.bots.push(self.new_bot(bot));
        self.mark_first_bots();
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
                if let Some(talk) = game.talk {
                    open.talk.entry(number).or_insert_with(TalkSums::zero).add_match(talk, seat);
                }
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
                    if let Some(talk) = game.talk.filter(|talk| talk.allows_pacts && !talk.may_hide_pacts()) {
                        pair.trust.get_or_insert_default().add_match(game.group.key(), talk, seat, other);
                    }
                }
            }
        }
    }

    fn add_plies(&mut self, game: &AuditedMatch<'_>, numbers: &BySeat<Option<usize>>, open: &mut OpenGroup) {
        let seats = game.bots.seats();
        let mut optimal = BySeat::filled(seats, &OutcomeSums::default());
        game.visit_bot_plies(
            |seat| numbers[seat].is_some(),
            |ply| {
                let seat = ply.audit.seat;
                let Some(mover) = numbers[seat] else { return };
                self.choices.add_opening(game, numbers, &ply);
                if matches!(self.subject, AuditSubject::Bot(_)) {
                    self.answers.add_ply(mover, game, &ply);
                }
                if let Some(tally) = &mut self.bots[mover].tally {
                    open.figures.entry(mover).or_insert_with(FigureSums::zero).add_ply(game, &ply);
                    if let Some(preference) = tally.preferences.get_mut(&(seats, game.rows)) {
                        preference.add_ply(game, &ply);
                    }
                    if matches!(self.subject, AuditSubject::Bot(_)) {
                        tally.similar.add_ply(game, &ply);
                    }
                    tally.safety.add_take(ply.audit.safety, ply.audit.guarantee);
                    tally.kingmaking.add_ply(game, &ply);
                    tally.puzzles.add_ply(game, &ply);
                }
                let rank = |winner| game.game.matrix.rank(seat, winner);
                let (before, final_rank) = (rank(ply.audit.predicted_before), rank(game.audit.winner));
                let strength = &mut self.bots[mover].mover.strength;
                strength.plies += 1;
                if ply.audit.is_optimal() {
                    optimal[seat].add_take(before, final_rank);
                    return;
                }
                strength.errors += 1;
                for other in seats.iter().filter(|&other| other != seat) {
                    if let Some(pair) = numbers[other].and_then(|other| self.pair_tally(mover, other)) {
                        let cost = ply.audit.cost(game.game, other);
                        pair.add_error_cost(cost, seats);
                        if ply.audit.ply == 0 {
                            pair.add_opening_error(game, &ply, other);
                        }
                        if cost < 0 {
                            pair.outcomes.helping.add_take(before, final_rank);
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

    fn add_declarations(&mut self, game: &AuditedMatch<'_>, numbers: &BySeat<Option<usize>>) {
        let seats = game.bots.seats();
        self.choices.add_declarations(game, numbers);
        for (seat, number) in numbers.enumerate() {
            let Some(mover) = *number else { continue };
            let others = numbers.enumerate().filter(|&(other, _)| other != seat);
            let others: Vec<(usize, Seat)> =
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
            let rank = |place: Seat| game.game.matrix.rank(seat, place);
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
                let is_given = winner == place && if_exchanged != place;
                tally.wins_given += u64::from(is_given);
                tally.wins_taken += u64::from(winner != place && if_exchanged == place);
                if is_given {
                    pair.keep_given_match(game.id);
                }
            }
            // With many bots and seats there would be too many pairs of opponents to keep them all.
            let is_kept = others
                .iter()
                .enumerate()
                .flat_map(|(at, &(other, _))| others[at + 1..].iter().map(move |&(third, _)| (other, third)));
            let is_kept: Vec<bool> = is_kept.map(|(other, third)| self.is_order_kept(other, third)).collect();
            let tally = &mut self.bots[mover].mover;
            let mut is_kept = is_kept.into_iter();
            for (at, &(other, place)) in others.iter().enumerate() {
                tally.ceded.add_match(rank(place) < rank(seat));
                for &(third, its_place) in &others[at + 1..] {
                    if is_kept.next() == Some(true) {
                        tally.add_order(other, third, rank(place) < rank(its_place), seats.get());
                    }
                }
            }
        }
    }

    /// Returns whether the auditor counts how often other bots rank one of these two bots before the other.
    pub(super) fn is_order_kept(&self, one: usize, other: usize) -> bool {
        self.is_pair_audited(one, other) || [one, other].iter().all(|&bot| self.bots[bot].is_among_first)
    }

    /// Returns whether at least one of the two bots is audited.
    pub(super) fn is_pair_audited(&self, mover: usize, other: usize) -> bool {
        self.bots[mover].tally.is_some() || self.bots[other].tally.is_some()
    }

    fn pair_tally(&mut self, mover: usize, other: usize) -> Option<&mut PairTally> {
        self.is_pair_audited(mover, other).then(|| self.pairs.entry((mover, other)).or_default())
    }

    pub(super) fn close_group(&mut self) {
        let Some(OpenGroup { group, figures, talk }) = self.open.take() else { return };
        let (key, weights) = (group.key(), BootstrapWeights::of_group(self.seed, &group));
        for (number, sums) in figures {
            if let Some(tally) = &mut self.bots[number].tally {
                tally.figures.add_group(key, &weights, &sums);
            }
        }
        for (number, sums) in talk {
            if let Some(tally) = &mut self.bots[number].tally {
                tally.talk.get_or_insert_with(TalkTally::new).add_group(key, &weights, &sums);
            }
        }
    }
}

impl OpenGroup {
    fn new(group: MatchGroup) -> Self {
        Self { group, figures: BTreeMap::new(), talk: BTreeMap::new() }
    }
}

impl BotTally {
    pub(super) fn new(puzzles: usize) -> Self {
        Self {
            figures: FigureTally::new(),
            preferences: BTreeMap::new(),
            safety: TakeSafetyCounts::default(),
            kingmaking: KingmakingTally::default(),
            puzzles: WorstPuzzles::up_to(puzzles),
            versions: VersionTally::default(),
            similar: SimilarChoices::default(),
            talk: None,
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
            conditions: self.similar.findings(),
            talk: self.talk.as_ref().map(TalkTally::figures),
            answers: Vec::new(),
        }
    }
}
