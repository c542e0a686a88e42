//! The data from which ratings and skills are computed, and the code that adds these to the standings.

use super::checkpoint::{CheckpointError, ensure_valid};
use super::place_range::ClearOrder;
use super::{
    EloByNumber, EloRatings, LadderSettings, MatchResult, RatedResults, Rating, RatingMeasure, RegretTally,
    ReplicateCount, Resampling, Settings, SkillEstimate, Standing, StandingsOrder, StrengthLead,
    StrengthRatings, TournamentFormat, TournamentState, tie_break::rank_lines_by,
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of budget steps in one attempt to compute the final ratings: about ten seconds of work.
const MAX_FINAL_STEPS: u64 = 1_000_000_000;

/// The number of newest duplicate groups that count in an open-ended ladder. With three seats they take about 15 MB,
/// including old groups that have not been dropped yet.
const MAX_NEWEST_GROUPS: u64 = 50_000;

/// The results of a tournament, aggregated for computing ratings and skills. The order of the results does not
/// matter.
///
/// In an open-ended ladder only the newest 50,000 duplicate groups count, so memory is bounded and ratings reflect
/// recent play.
///
/// Computing ratings is slow, so it is done from time to time and not after every match. The same results with the same
/// seed always give the same ratings, bit for bit.
#[derive(Debug, Clone)]
pub struct RatingEvidence {
    seed: u64,
    /// Number of results added.
    added: u64,
    matches: RatedResults,
    skills: RegretTally,
    /// How many of the newest groups count; `None` if all groups count.
    max_groups: Option<u64>,
    /// The number of the newest group.
    newest: u64,
    /// The value of `newest` when old groups were last dropped.
    forgotten_at: u64,
    /// Plain Elo; `None` unless matches have two seats and ratings measure wins.
    elo: Option<EloByNumber>,
    order: StandingsOrder,
}

/// The ratings and skills of a tournament's bots.
#[derive(Debug, Clone, PartialEq)]
pub struct Appraisal {
    ratings: Option<StrengthRatings>,
    /// `None` in a knockout, if not all ratings can be compared, and if comparing them would be too much work.
    clear_order: Option<ClearOrder>,
    skills: BTreeMap<BotName, SkillEstimate>,
    elo: Option<EloRatings>,
    order: StandingsOrder,
}

/// The state that is stored in a checkpoint: `added`, `newest`, `forgotten_at`, `matches`, `skills` and `elo` of
/// [`RatingEvidence`].
type EvidenceState = (u64, u64, u64, RatedResults, RegretTally, Option<EloByNumber>);

impl RatingEvidence {
    /// Creates evidence without any matches.
    pub fn new(settings: &Settings) -> Self {
        let is_endless =
            matches!(settings.format, TournamentFormat::Ladder(LadderSettings { groups: None, .. }));
        let measure = settings.rating_measure();
        let has_elo = settings.seats.get() == 2 && measure == RatingMeasure::Wins;
        Self {
            seed: settings.seed,
            added: 0,
            matches: RatedResults::new(measure),
            skills: RegretTally::new(),
            max_groups: is_endless.then_some(MAX_NEWEST_GROUPS),
            newest: 0,
            forgotten_at: 0,
            elo: has_elo.then(EloByNumber::default),
            order: settings.format.final_order(false),
        }
    }

    /// Adds the result of one match. Each match must be added exactly once. Bots that did not show up are left out.
    pub fn add_result(&mut self, result: &MatchResult) {
        self.added += 1;
        self.matches.add_result(result);
        self.skills.add_result(result);
        if let Some(elo) = &mut self.elo {
            elo.add_result(result);
        }
        self.newest = self.newest.max(result.group);
        if self.max_groups.is_some_and(|max_groups| self.newest - self.forgotten_at >= max_groups) {
            self.forget_old_groups();
            self.forgotten_at = self.newest;
        }
    }

    /// Returns the number of matches added, including cancelled ones.
    pub fn added_count(&self) -> u64 {
        self.added
    }

    /// Returns the state that is stored in a checkpoint.
    pub(super) fn state(&self) -> impl Serialize {
        (self.added, self.newest, self.forgotten_at, &self.matches, &self.skills, &self.elo)
    }

    /// Restores the evidence of a tournament with these settings from its decoded state.
    pub(super) fn restore(
        settings: &Settings,
        (added, newest, forgotten_at, matches, skills, elo): EvidenceState,
    ) -> Result<Self, CheckpointError> {
        ensure_valid(
            forgotten_at <= newest && newest < u64::MAX,
            "the groups that it dropped are newer than its newest group",
        )?;
        matches.ensure_consistent(settings.rating_measure())?;
        let fresh = Self::new(settings);
        ensure_valid(
            elo.is_some() == fresh.elo.is_some(),
            "plain Elo is missing, or present in a tournament that does not compute it",
        )?;
        if let Some(elo) = &elo {
            elo.ensure_consistent()?;
        }
        Ok(Self { added, matches, skills, newest, forgotten_at, elo, ..fresh })
    }

    /// Drops the groups that no longer count.
    fn forget_old_groups(&mut self) {
        if let Some(max_groups) = self.max_groups {
            let first = (self.newest + 1).saturating_sub(max_groups);
            self.matches.forget_groups_before(first);
            self.skills.forget_groups_before(first);
        }
    }

    /// Computes skills and ratings; the intervals of the ratings are computed from this many replicates.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn appraise(&self, replicates: ReplicateCount, budget: &mut Budget) -> Result<Appraisal, HaltReason> {
        if self.max_groups.is_some() {
            let mut newest = self.clone();
            newest.forget_old_groups();
            newest.appraise_all(replicates, budget)
        } else {
            self.appraise_all(replicates, budget)
        }
    }

    fn appraise_all(&self, replicates: ReplicateCount, budget: &mut Budget) -> Result<Appraisal, HaltReason> {
        let resampling = Resampling { seed: self.seed, replicates };
        let is_empty = self.matches.is_empty();
        let ratings = if is_empty { None } else { Some(self.matches.compute_ratings(&resampling, budget)?) };
        let clear_order = match &ratings {
            Some(ratings) if self.order != StandingsOrder::Bracket => {
                match ratings.clear_order(replicates, budget) {
                    // The ratings are worth more than the ranges of places.
                    Err(HaltReason::OutOfSteps { .. }) => None,
                    found => found?,
                }
            }
            _ => None,
        };
        Ok(Appraisal { ratings, clear_order, ..self.appraise_without_ratings() })
    }

    /// Computes the final ratings with 400 replicates, or with 50 if 400 are too much work. If even 50 are too much
    /// work, it returns no ratings. The limit is a number of steps, so the result does not depend on the speed of the
    /// machine.
    ///
    /// # Errors
    /// If `may_continue` returns false before the ratings are computed.
    pub fn final_appraisal(&self, may_continue: &dyn Fn() -> bool) -> Result<Appraisal, HaltReason> {
        let fewest = ReplicateCount::new(ReplicateCount::MIN).unwrap_or_default();
        for replicates in [ReplicateCount::default(), fewest] {
            match self.appraise(replicates, &mut Budget::interruptible(MAX_FINAL_STEPS, may_continue)) {
                Err(HaltReason::OutOfSteps { .. }) => {}
                done => return done,
            }
        }
        Ok(self.appraise_without_ratings())
    }

    fn appraise_without_ratings(&self) -> Appraisal {
        let skills =
            self.skills.skill_by_bot().into_iter().map(|(bot, skill)| (bot.clone(), skill)).collect();
        let elo = self.elo.as_ref().map(EloByNumber::elo);
        Appraisal { ratings: None, clear_order: None, skills, elo, order: self.order }
    }
}

impl Appraisal {
    /// Returns the ratings; `None` if no match counts or computing them was too much work.
    pub(super) fn ratings(&self) -> Option<&StrengthRatings> {
        self.ratings.as_ref()
    }

    /// Returns the lead of one bot over another; `None` if either is unrated or no chain of matches connects them.
    pub(super) fn lead_between(&self, one: &BotName, other: &BotName) -> Option<StrengthLead> {
        self.ratings.as_ref()?.lead_between(one, other)
    }

    /// Adds ratings, Elo and skills to the standings of a tournament in this state. Sorts them by rating, with unrated
    /// bots last, if [that is their order](StandingsOrder).
    pub fn add_to_standings(&self, lines: &mut [Standing], state: TournamentState) {
        self.add_figures(lines);
        if self.order.in_state(state, lines) == StandingsOrder::Rating {
            let points = |line: &Standing| line.rating.map_or(f64::NEG_INFINITY, |rating| rating.points);
            rank_lines_by(lines, |one, other| points(other).total_cmp(&points(one)));
        }
    }

    /// Sets the place ranges of standings that have their final order.
    pub fn add_place_ranges(&self, lines: &mut [Standing]) {
        if let Some(order) = &self.clear_order {
            order.add_place_ranges(lines);
        }
    }

    fn add_figures(&self, lines: &mut [Standing]) {
        for line in lines {
            line.rating = self.ratings.as_ref().and_then(|ratings| ratings.get(&line.bot));
            line.elo = self.elo.as_ref().and_then(|elo| elo.get(&line.bot)).map(Rating::points);
            line.skill = self.skills.get(&line.bot).map(|skill| skill.regret_per_match);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LadderPairing;
    use crate::{
        AllianceSource, SeatLoss, SeededDraw, SettingsDraft, StandingRating, Standings, Streak, TableGroups,
        TournamentState,
        checkpoint::{decode_state, encode_state},
        rating::testing::match_of_group,
        testing,
    };

    #[test]
    fn standings_get_ratings_except_for_no_shows() {
        let (settings, bots) = (testing::settings(3, 1, AllianceSource::Declared), testing::field(4));
        let (mut standings, mut evidence) =
            (Standings::new(&settings, &bots), RatingEvidence::new(&settings));
        let mut results: Vec<_> = (0..12_u64)
            .map(|number| {
                match_of_group(number, &bots[..3], SeededDraw::new(7, number).number_below(3) as usize)
            })
            .collect();
        for played in &mut results[..6] {
            let outcome = played.outcome.as_mut().unwrap();
            let absent = outcome.seats.seats().seat(2).unwrap();
            outcome.seats[absent].lost = Some(SeatLoss::NoShow);
        }
        for result in &results {
            standings.add_result(result);
            evidence.add_result(result);
        }
        let lines = |evidence: &RatingEvidence| {
            let mut lines = standings.lines(TournamentState::Finished);
            evidence
                .final_appraisal(&|| true)
                .unwrap()
                .add_to_standings(&mut lines, TournamentState::Finished);
            lines
        };
        let ordered = lines(&evidence);
        for line in &ordered {
            assert_eq!(line.rating.is_some(), line.bot != bots[3], "{line:?}");
            assert_eq!(line.skill.is_some(), line.bot != bots[3], "{line:?}");
            let held = |rating: &StandingRating| {
                rating.interval.low + 1.0 < rating.points && rating.points < rating.interval.high - 1.0
            };
            assert!(line.rating.as_ref().is_none_or(held), "{line:?}");
        }
        let mut reversed = RatingEvidence::new(&settings);
        results.iter().rev().for_each(|result| reversed.add_result(result));
        assert_eq!(lines(&reversed), ordered, "the order of results does not matter");
        assert!(matches!(evidence.final_appraisal(&|| false), Err(HaltReason::Stopped { .. })));
        let mut nothing = standings.lines(TournamentState::Finished);
        RatingEvidence::new(&settings)
            .final_appraisal(&|| true)
            .unwrap()
            .add_to_standings(&mut nothing, TournamentState::Finished);
        assert_eq!(
            nothing,
            standings.lines(TournamentState::Finished),
            "without a match there are no ratings or skills"
        );
    }

    #[test]
    fn an_open_ended_ladder_is_rated_by_its_newest_groups() {
        let bots = testing::field(5);
        let played_result = |number: u64| {
            let mut draw = SeededDraw::new(3, number);
            // The first two bots only play at the beginning.
            let from = if number < 40 { 0 } else { 2 };
            let group = number / 2;
            MatchResult {
                number,
                ..match_of_group(group, &bots[from..from + 3], draw.number_below(3) as usize)
            }
        };
        let endless = LadderSettings {
            groups: None,
            table_groups: TableGroups::ONE,
            suspend_after: Streak::new(5).unwrap(),
            pairing: LadderPairing::default(),
        };
        let settings = |format| {
            let plain = testing::settings(3, 1, AllianceSource::Declared);
            Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap()
        };
        assert_eq!(RatingEvidence::new(&settings(TournamentFormat::RoundRobin)).max_groups, None);
        let new_evidence = || {
            let evidence = RatingEvidence::new(&settings(TournamentFormat::Ladder(endless)));
            assert_eq!(evidence.max_groups, Some(MAX_NEWEST_GROUPS));
            RatingEvidence { max_groups: Some(30), ..evidence }
        };
        let appraised = |evidence: &RatingEvidence| evidence.final_appraisal(&|| true).unwrap();
        let restored = |evidence: &RatingEvidence| {
            let state = encode_state(&evidence.state());
            let settings = settings(TournamentFormat::Ladder(endless));
            let restored = RatingEvidence::restore(&settings, decode_state(&state).unwrap()).unwrap();
            RatingEvidence { max_groups: Some(30), ..restored }
        };
        let (mut in_order, mut backwards, mut newest, mut kept) =
            (new_evidence(), new_evidence(), new_evidence(), new_evidence());
        for number in 0..200 {
            in_order.add_result(&played_result(number));
            kept.add_result(&played_result(number));
            if number % 7 == 0 {
                kept = restored(&kept);
            }
            backwards.add_result(&played_result(199 - number));
            let RatedResults::Wins(kept) = &in_order.matches else { panic!("wins are scored") };
            assert!(kept.len() <= 2 * 2 * 30, "{} matches are kept", kept.len());
        }
        (140..200).for_each(|number| newest.add_result(&played_result(number)));
        let expected = appraised(&newest);
        assert_eq!(appraised(&in_order), expected);
        assert_eq!(appraised(&kept), expected, "the restored state continues identically");
        assert_eq!(appraised(&backwards), expected, "the order of results does not matter");
        let is_rated = |bot: usize| expected.ratings.as_ref().unwrap().get(&bots[bot]).is_some();
        assert_eq!([0, 1, 2, 3, 4].map(is_rated), [false, false, true, true, true]);
        assert!(!expected.skills.contains_key(&bots[0]) && expected.skills.contains_key(&bots[2]));
    }

    #[test]
    fn an_unfinished_tournament_is_ordered_by_rating() {
        let (settings, bots) = (testing::settings(2, 1, AllianceSource::Declared), testing::field(3));
        let (mut standings, mut evidence) =
            (Standings::new(&settings, &bots), RatingEvidence::new(&settings));
        // Bots 0 and 1 win three matches each against each other. Bot 2 wins its only match.
        let results = (0..6).map(|number| match_of_group(number, &bots[..2], usize::from(number > 2)));
        let last = match_of_group(6, &[bots[0].clone(), bots[2].clone()], 1);
        for result in results.chain([last]) {
            standings.add_result(&result);
            evidence.add_result(&result);
        }
        let appraisal = evidence.final_appraisal(&|| true).unwrap();
        let ordered = |state| {
            let mut lines = standings.lines(state);
            appraisal.add_to_standings(&mut lines, state);
            let order = StandingsOrder::of_lines(&settings.format, state, &lines);
            (order, lines.iter().map(|line| line.bot.to_string()).collect::<Vec<_>>())
        };
        let (order, bots) = ordered(TournamentState::Running);
        assert_eq!((order, bots[0].as_str()), (StandingsOrder::Rating, "bot2"));
        assert_eq!(ordered(TournamentState::Cancelled), (order, bots));
        let (order, bots) = ordered(TournamentState::Finished);
        assert_eq!((order, bots[2].as_str()), (StandingsOrder::Points, "bot2"));
    }

    #[test]
    fn elo_is_shown_for_matches_with_two_seats() {
        let (settings, bots) = (testing::settings(2, 1, AllianceSource::Declared), testing::field(3));
        let (mut standings, mut evidence) =
            (Standings::new(&settings, &bots), RatingEvidence::new(&settings));
        // The second match is reported first.
        for (number, winner) in [(1, 1), (0, 0)] {
            let result = MatchResult { number, ..match_of_group(0, &bots[..2], winner) };
            standings.add_result(&result);
            evidence.add_result(&result);
        }
        let mut lines = standings.lines(TournamentState::Finished);
        evidence.final_appraisal(&|| true).unwrap().add_to_standings(&mut lines, TournamentState::Finished);
        let elo = |bot: &BotName| {
            let line = lines.iter().find(|line| line.bot == *bot).unwrap();
            line.elo.map(|points| format!("{points:.2}"))
        };
        assert_eq!(elo(&bots[0]).as_deref(), Some("1499.42"));
        assert_eq!(elo(&bots[1]).as_deref(), Some("1500.58"));
        assert_eq!(elo(&bots[2]), None, "the bot has not played");
    }

    #[test]
    fn a_ladder_is_sorted_by_rating() {
        let bots = testing::field(6);
        let plain = testing::settings(2, 1, AllianceSource::Declared);
        let table_groups = TableGroups::new(1).unwrap();
        let ladder = LadderSettings {
            groups: None,
            table_groups,
            suspend_after: Streak::new(5).unwrap(),
            pairing: LadderPairing::default(),
        };
        let format = TournamentFormat::Ladder(ladder);
        let settings = Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap();
        let (mut standings, mut evidence) =
            (Standings::new(&settings, &bots), RatingEvidence::new(&settings));
        // Bot 0 usually beats bot 1, and bot 1 usually beats bot 2. Bots 3 and 4 win more often than bot 1, but only
        // because they meet bot 2 and not bot 0. They are equally strong, and bot 5 has not played.
        let pairs = [(0, 1, 9), (1, 2, 8), (2, 3, 3), (2, 4, 3)];
        for (number, round) in (0..40_u64).map(|number| (number, number / 4)) {
            let (one, other, wins) = pairs[(number % 4) as usize];
            let table = [bots[one].clone(), bots[other].clone()];
            let result = match_of_group(number, &table, usize::from(round >= wins));
            standings.add_result(&result);
            evidence.add_result(&result);
        }
        let before: Vec<_> =
            standings.lines(TournamentState::Finished).iter().map(|line| line.bot.to_string()).collect();
        assert_eq!(before[0], "bot0");
        let mut lines = standings.lines(TournamentState::Finished);
        evidence.final_appraisal(&|| true).unwrap().add_to_standings(&mut lines, TournamentState::Finished);
        let rating = |line: &Standing| line.rating.map(|rating| rating.points);
        assert!(lines[..5].is_sorted_by(|one, other| rating(one) >= rating(other)), "{lines:?}");
        let order: Vec<_> = lines.iter().map(|line| line.bot.as_str()).collect();
        assert_ne!(order, before, "points per match give a different order");
        assert_eq!(order[5], "bot5", "a bot without a rating comes last");
        assert_eq!(lines.iter().map(|line| line.place).collect::<Vec<_>>()[..3], [1, 2, 3]);
    }
}
