//! The standings of a tournament that is not over, and when its bots are rated.

use lastnim_core::game::BotName;
use lastnim_tournament::{
    Appraisal, BotComparison, BoundedCrossTable, CrossTable, MatchResult, RatingEvidence, Rulings, Settings,
    Standing, Standings, TableGroups,
};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The least time between two ratings of a tournament that runs.
const RATING_INTERVAL: Duration = Duration::from_secs(5);
/// A tournament is not being rated for more than one part in so many of its time.
const RATING_SHARE: u32 = 10;

/// The standings, and their lines once somebody has asked for them since the last change.
#[derive(Debug)]
pub(crate) struct LiveStandings {
    standings: Standings,
    /// Locked by who rates, for as long as that takes.
    evidence: Arc<Mutex<RatingEvidence>>,
    /// Results that came meanwhile.
    waiting: Vec<MatchResult>,
    cross_table: BoundedCrossTable,
    appraisal: Option<Arc<Appraisal>>,
    rating: RatingNeed,
    rulings: Rulings,
    lines: Option<Arc<Vec<Standing>>>,
    /// How the bots compared when somebody asked last, and how many changes that has seen.
    compared: Option<(u64, Arc<Vec<BotComparison>>)>,
    /// How often what is compared has changed. It never goes back.
    changes: u64,
    /// How often all results were counted anew: ratings that were begun before do not fit those that count now.
    recounts: u64,
}

/// How the bots of a tournament compare.
#[derive(Debug)]
pub(crate) enum ComparedBots {
    /// What was worked out since the last change.
    Known(Arc<Vec<BotComparison>>),
    /// What it follows from, to be worked out where nobody waits for the standings, and how many changes that has seen.
    Uncompared { table: Arc<CrossTable>, appraisal: Arc<Appraisal>, changes: u64 },
}

/// Whether there is something to rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RatingNeed {
    /// All matches that were counted are rated, or being rated; not again before this moment.
    UpToDate(Option<Instant>),
    /// There are new matches; not before this moment.
    Old(Option<Instant>),
    /// The last ratings are there.
    Last,
}

/// What ratings follow from, for somebody to rate by. It is not a copy: that would take as long as many matches.
#[derive(Debug)]
pub(crate) struct LentEvidence {
    evidence: Arc<Mutex<RatingEvidence>>,
    /// What is not in it yet.
    waiting: Vec<MatchResult>,
    recounts: u64,
}

impl LentEvidence {
    /// Returns how often all results had been counted anew when it was lent.
    pub(crate) fn recounts(&self) -> u64 {
        self.recounts
    }

    /// Rates by all matches that were counted when it was lent. Results that come meanwhile wait.
    pub(crate) fn rate_with<T>(self, rate: impl FnOnce(&RatingEvidence) -> T) -> T {
        let mut evidence = self.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.iter().for_each(|result| evidence.add_result(result));
        rate(&evidence)
    }
}

impl LiveStandings {
    pub(crate) fn new(settings: &Settings, field: &[BotName]) -> Self {
        let standings = Standings::new(settings, field);
        Self::from_counted(standings, RatingEvidence::new(settings), BoundedCrossTable::default())
    }

    /// Goes on from results that were counted already.
    pub(crate) fn from_counted(
        standings: Standings,
        evidence: RatingEvidence,
        cross_table: BoundedCrossTable,
    ) -> Self {
        let rating =
            if evidence.added_count() > 0 { RatingNeed::Old(None) } else { RatingNeed::UpToDate(None) };
        let evidence = Arc::new(Mutex::new(evidence));
        let (waiting, appraisal, rulings, lines, compared, changes, recounts) = Default::default();
        Self {
            standings,
            evidence,
            waiting,
            cross_table,
            appraisal,
            rating,
            rulings,
            lines,
            compared,
            changes,
            recounts,
        }
    }

    /// Puts others in its place, to which no comparison and no rating belongs that was begun before.
    pub(crate) fn replace_with(&mut self, others: Self) {
        *self = Self { changes: self.changes + 1, recounts: self.recounts + 1, ..others };
    }

    /// Looks at all that was counted, unless somebody rates by it.
    pub(crate) fn inspect<T>(
        &mut self,
        look: impl FnOnce(&Standings, &RatingEvidence, &BoundedCrossTable) -> T,
    ) -> Option<T> {
        let mut evidence = match self.evidence.try_lock() {
            Ok(evidence) => evidence,
            Err(TryLockError::Poisoned(evidence)) => evidence.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        for result in self.waiting.drain(..) {
            evidence.add_result(&result);
        }
        Some(look(&self.standings, &evidence, &self.cross_table))
    }

    /// Takes what the organiser has ruled.
    pub(crate) fn set_rulings(&mut self, rulings: Rulings) {
        self.rulings = rulings;
        self.lines = None;
    }

    /// Gives a bot that joins a line.
    pub(crate) fn add_bot(&mut self, bot: &BotName) {
        self.standings.add_bot(bot);
        self.lines = None;
    }

    /// Counts a match.
    pub(crate) fn add_result(&mut self, result: &MatchResult) {
        self.standings.add_result(result);
        self.cross_table.add_result(result);
        self.changes += 1;
        match self.evidence.try_lock() {
            Ok(mut evidence) => evidence.add_result(result),
            Err(TryLockError::Poisoned(evidence)) => evidence.into_inner().add_result(result),
            Err(TryLockError::WouldBlock) => self.waiting.push(result.clone()),
        }
        if let RatingNeed::UpToDate(due) = self.rating {
            self.rating = RatingNeed::Old(due);
        }
        self.lines = None;
    }

    /// Gives bots that sat out what that scores, in a format with byes.
    pub(crate) fn set_bye_scores(&mut self, byes: &[(BotName, u64)], table_groups: TableGroups) {
        self.standings.set_bye_scores(byes, table_groups);
        self.lines = None;
    }

    /// Returns the lines by place, if they were made since the last change.
    pub(crate) fn cached_lines(&self) -> Option<Arc<Vec<Standing>>> {
        self.lines.clone()
    }

    /// Returns the lines by place.
    pub(crate) fn lines(&mut self) -> Arc<Vec<Standing>> {
        let Self { standings, appraisal, rulings, lines, .. } = self;
        Arc::clone(lines.get_or_insert_with(|| {
            let mut lines = standings.lines();
            if let Some(appraisal) = appraisal {
                appraisal.add_to_standings(&mut lines);
            }
            rulings.put_in_order(&mut lines);
            Arc::new(lines)
        }))
    }

    /// Returns the lines by place as results alone make them, without ratings.
    pub(crate) fn unrated_lines(&self) -> Vec<Standing> {
        let mut lines = self.standings.lines();
        self.rulings.put_in_order(&mut lines);
        lines
    }

    /// Returns what ratings follow from.
    pub(crate) fn lend_evidence(&mut self) -> LentEvidence {
        let (evidence, waiting) = (Arc::clone(&self.evidence), mem::take(&mut self.waiting));
        LentEvidence { evidence, waiting, recounts: self.recounts }
    }

    /// Returns what ratings follow from, if there is something new and the last time is long enough ago. Who gets it is to
    /// rate by it; nobody else gets it for a while.
    pub(crate) fn lend_evidence_if_due(&mut self, now: Instant) -> Option<LentEvidence> {
        let RatingNeed::Old(due) = self.rating else { return None };
        if due.is_some_and(|due| now < due) {
            return None;
        }
        self.rating = RatingNeed::UpToDate(Some(now + RATING_INTERVAL));
        Some(self.lend_evidence())
    }

    /// Takes ratings that were worked out from a moment to another, by evidence that was lent after so many recounts. It leaves them out if there
    /// was another recount meanwhile, or the last ratings are there.
    pub(crate) fn set_ratings(
        &mut self,
        (appraisal, recounts): (Appraisal, u64),
        began: Instant,
        now: Instant,
    ) {
        if recounts != self.recounts {
            return;
        }
        let next = now + RATING_INTERVAL.max(now.saturating_duration_since(began) * RATING_SHARE);
        match &mut self.rating {
            RatingNeed::UpToDate(due) | RatingNeed::Old(due) => *due = Some(next),
            RatingNeed::Last => return,
        }
        self.appraisal = Some(Arc::new(appraisal));
        self.lines = None;
        self.changes += 1;
    }

    /// Takes the last ratings.
    pub(crate) fn set_final_ratings(&mut self, appraisal: Appraisal) {
        self.rating = RatingNeed::Last;
        self.appraisal = Some(Arc::new(appraisal));
        self.lines = None;
        self.changes += 1;
    }

    /// Returns whether the bots were rated already.
    pub(crate) fn has_ratings(&self) -> bool {
        self.appraisal.is_some()
    }

    /// Returns whether the ratings are the last ones.
    pub(crate) fn has_final_ratings(&self) -> bool {
        self.rating == RatingNeed::Last
    }

    /// Returns how the bots compare, or what that follows from; none if they are not rated yet, or too many.
    pub(crate) fn compared_bots(&self) -> Option<ComparedBots> {
        if let Some(compared) = self.comparison_since(self.changes) {
            return Some(ComparedBots::Known(compared));
        }
        let (table, appraisal) = self.cross_table.table().cloned().zip(self.appraisal.clone())?;
        Some(ComparedBots::Uncompared { table, appraisal, changes: self.changes })
    }

    /// Returns how the bots compare, if somebody has worked that out after so many changes or more.
    pub(crate) fn comparison_since(&self, changes: u64) -> Option<Arc<Vec<BotComparison>>> {
        self.compared.as_ref().filter(|(seen, _)| *seen >= changes).map(|(_, compared)| Arc::clone(compared))
    }

    /// Takes how the bots compare, as that was worked out after so many changes.
    pub(crate) fn set_comparison(&mut self, compared: &Arc<Vec<BotComparison>>, changes: u64) {
        self.compared = Some((changes, Arc::clone(compared)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Seat;
    use lastnim_core::oracle::Budget;
    use lastnim_tournament::{
        AllianceSource, MatchOutcome, ReplicateCount, Schedule, ScheduleStep, SeatResult, plan_schedule,
        testing,
    };

    /// Has the next match won by its first seat.
    fn next_result(schedule: &mut dyn Schedule) -> MatchResult {
        let ScheduleStep::Match(pairing) = schedule.next() else { panic!("there is another match") };
        let seats = pairing.bots.map(|_| SeatResult::default());
        MatchResult::finished(&pairing, MatchOutcome { winner: Seat::FIRST, seats })
    }

    fn appraise(evidence: LentEvidence) -> Appraisal {
        let fewest = ReplicateCount::new(ReplicateCount::MIN).unwrap();
        evidence.rate_with(|evidence| evidence.appraise(fewest, &mut Budget::unbounded()).unwrap())
    }

    #[test]
    fn results_that_come_while_bots_are_rated_are_not_lost() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(3);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let results: Vec<_> = (0..9).map(|_| next_result(&mut *schedule)).collect();
        let mut all_at_once = LiveStandings::new(&settings, &bots);
        for result in &results {
            all_at_once.add_result(result);
        }
        let mut ranking = LiveStandings::new(&settings, &bots);
        for result in &results[..3] {
            ranking.add_result(result);
        }
        ranking.lend_evidence().rate_with(|_| {
            for result in &results[3..5] {
                ranking.add_result(result);
            }
        });
        assert_eq!(ranking.waiting.len(), 2, "somebody rates");
        for result in &results[5..7] {
            ranking.add_result(result);
        }
        let lent = ranking.lend_evidence();
        for result in &results[7..] {
            ranking.add_result(result);
        }
        assert_eq!(
            appraise(lent),
            appraise(all_at_once.lend_evidence()),
            "those that come before it begins count"
        );
        assert!(ranking.waiting.is_empty());
    }

    #[test]
    fn no_comparison_is_shown_that_was_begun_before_a_change() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(2);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let begin = |ranking: &LiveStandings| match ranking.compared_bots() {
            Some(ComparedBots::Uncompared { changes, .. }) => changes,
            other => panic!("{other:?}"),
        };
        let mut rated = || {
            let mut ranking = LiveStandings::new(&settings, &bots);
            ranking.add_result(&next_result(&mut *schedule));
            let appraisal = appraise(ranking.lend_evidence());
            ranking.set_final_ratings(appraisal);
            ranking
        };
        let (mut ranking, compared) = (rated(), Arc::default());
        let first = begin(&ranking);
        ranking.set_comparison(&compared, first);
        assert!(matches!(ranking.compared_bots(), Some(ComparedBots::Known(_))));
        let others = rated();
        assert_eq!(others.changes, first, "as many changes");
        ranking.replace_with(others);
        // What was begun before arrives late.
        ranking.set_comparison(&compared, first);
        let second = begin(&ranking);
        assert!(ranking.comparison_since(second).is_none());
        ranking.set_comparison(&compared, second);
        ranking.add_result(&next_result(&mut *plan_schedule(&settings, &bots).unwrap()));
        assert!(ranking.comparison_since(second).is_some(), "whoever asked before has it");
        assert!(ranking.comparison_since(begin(&ranking)).is_none());
    }

    #[test]
    fn ratings_that_were_begun_before_a_recount_are_left_out() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(2);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let mut ranking = LiveStandings::new(&settings, &bots);
        ranking.add_result(&next_result(&mut *schedule));
        let start = Instant::now();
        let stale = ranking.lend_evidence_if_due(start).expect("there is something to rate");
        let mut recounted = LiveStandings::new(&settings, &bots);
        recounted.add_result(&next_result(&mut *schedule));
        ranking.replace_with(recounted);
        let (recounts, stale_ratings) = (stale.recounts(), appraise(stale));
        ranking.set_ratings((stale_ratings, recounts), start, start);
        assert!(!ranking.has_ratings(), "a match counts no longer that these ratings count");
        assert!(ranking.lines().iter().all(|line| line.rating.is_none()));
        let fresh = ranking.lend_evidence_if_due(start).expect("what counts now is rated without a wait");
        let (recounts, fresh_ratings) = (fresh.recounts(), appraise(fresh));
        ranking.set_ratings((fresh_ratings, recounts), start, start);
        assert!(ranking.lines().iter().all(|line| line.rating.is_some()));
    }

    #[test]
    fn bots_are_rated_now_and_then() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(2);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let mut ranking = LiveStandings::new(&settings, &bots);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(ranking.lend_evidence_if_due(start).is_none(), "there is nothing to rate");
        let mut play = |ranking: &mut LiveStandings| ranking.add_result(&next_result(&mut *schedule));
        let rated = |ranking: &mut LiveStandings| ranking.lines().iter().all(|line| line.rating.is_some());
        play(&mut ranking);
        let evidence = ranking.lend_evidence_if_due(start).expect("there is");
        assert!(!rated(&mut ranking));
        ranking.set_ratings((appraise(evidence), 0), start, at(1));
        assert!(rated(&mut ranking));
        assert!(ranking.lend_evidence_if_due(at(99)).is_none(), "nothing is new");
        play(&mut ranking);
        assert!(rated(&mut ranking), "older ratings stay");
        assert!(ranking.lend_evidence_if_due(at(10)).is_none(), "what took 1 s is done every 10 s");
        let late = ranking.lend_evidence_if_due(at(11)).expect("it is time");
        play(&mut ranking);
        assert!(ranking.lend_evidence_if_due(at(15)).is_none(), "somebody is at it");
        let last = appraise(ranking.lend_evidence());
        ranking.set_final_ratings(last.clone());
        ranking.set_ratings((appraise(late), 0), at(11), at(12));
        assert_eq!(ranking.appraisal.as_deref(), Some(&last), "nothing comes after the last ratings");
        assert!(ranking.lend_evidence_if_due(at(999)).is_none());
    }
}
