//! The standings and ratings of an unfinished tournament.

use lastnim_core::game::BotName;
use lastnim_tournament::{
    Appraisal, BotComparison, BoundedCrossTable, Bye, CrossTable, FormatVerdict, MatchResult, RatingEvidence,
    Rulings, Settings, Standing, Standings, TableGroups, TournamentState,
};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The minimum time between two ratings of a running tournament.
const RATING_INTERVAL: Duration = Duration::from_secs(5);
/// After a rating, the next one waits for at least this many times as long as the rating took.
const RATING_PAUSE_FACTOR: u32 = 10;

/// The standings of an unfinished tournament. Their lines are cached until the next change.
#[derive(Debug)]
pub(crate) struct LiveStandings {
    standings: Standings,
    /// The input for ratings, which is locked while bots are rated.
    evidence: Arc<Mutex<RatingEvidence>>,
    /// Results that arrived while the bots were being rated, and that are not part of `evidence` yet.
    pending_results: Vec<MatchResult>,
    cross_table: BoundedCrossTable,
    appraisal: Option<Arc<Appraisal>>,
    rating: RatingNeed,
    rulings: Rulings,
    lines: Option<Arc<Vec<Standing>>>,
    /// The last comparison of the bots, and the number of changes that it reflects.
    comparisons: Option<(u64, Arc<Vec<BotComparison>>)>,
    /// The number of changes so far to the data that comparisons use. It never decreases.
    changes: u64,
    /// How often all results were counted again. Ratings that began before a recount do not apply to the results after
    /// it.
    recounts: u64,
}

/// The comparison of a tournament's bots.
#[derive(Debug)]
pub(crate) enum Comparison {
    /// A comparison that was computed after the last change.
    Known(Arc<Vec<BotComparison>>),
    /// The input for the comparison, which the caller computes without locking the standings, and the number of changes
    /// that the input reflects.
    Outdated { table: Arc<CrossTable>, appraisal: Arc<Appraisal>, changes: u64 },
}

/// Whether a rating is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RatingNeed {
    /// All counted matches have been rated or are being rated. The next rating may not start before this time.
    UpToDate(Option<Instant>),
    /// There are matches to rate. The next rating may not start before this time.
    Old(Option<Instant>),
    /// The ratings are final.
    Last,
}

/// The input for ratings. It is lent instead of copied, because a copy would be slow.
#[derive(Debug)]
pub(crate) struct LentEvidence {
    evidence: Arc<Mutex<RatingEvidence>>,
    /// Results that are not part of `evidence` yet.
    pending_results: Vec<MatchResult>,
    recounts: u64,
}

impl LentEvidence {
    /// Returns the number of recounts before the evidence was lent.
    pub(crate) fn recounts(&self) -> u64 {
        self.recounts
    }

    /// Calls a function that rates the bots by all matches counted so far. Results that arrive during the rating have
    /// to wait.
    pub(crate) fn rate_with<T>(self, rate: impl FnOnce(&RatingEvidence) -> T) -> T {
        let mut evidence = self.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        self.pending_results.iter().for_each(|result| evidence.add_result(result));
        rate(&evidence)
    }
}

impl LiveStandings {
    pub(crate) fn new(settings: &Settings, field: &[BotName]) -> Self {
        let standings = Standings::new(settings, field);
        Self::from_counted(standings, RatingEvidence::new(settings), BoundedCrossTable::default())
    }

    /// Creates the standings from results that were counted before.
    pub(crate) fn from_counted(
        standings: Standings,
        evidence: RatingEvidence,
        cross_table: BoundedCrossTable,
    ) -> Self {
        let rating =
            if evidence.added_count() > 0 { RatingNeed::Old(None) } else { RatingNeed::UpToDate(None) };
        let evidence = Arc::new(Mutex::new(evidence));
        let (pending_results, appraisal, rulings, lines, comparisons, changes, recounts) = Default::default();
        Self {
            standings,
            evidence,
            pending_results,
            cross_table,
            appraisal,
            rating,
            rulings,
            lines,
            comparisons,
            changes,
            recounts,
        }
    }

    /// Replaces the counted results. Comparisons and ratings that began before do not apply to the new results.
    pub(crate) fn replace_with(&mut self, others: Self) {
        *self = Self { changes: self.changes + 1, recounts: self.recounts + 1, ..others };
    }

    /// Calls a function on the counted results; returns `None` if a rating is running.
    pub(crate) fn inspect<T>(
        &mut self,
        look: impl FnOnce(&Standings, &RatingEvidence, &BoundedCrossTable) -> T,
    ) -> Option<T> {
        let mut evidence = match self.evidence.try_lock() {
            Ok(evidence) => evidence,
            Err(TryLockError::Poisoned(evidence)) => evidence.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        for result in self.pending_results.drain(..) {
            evidence.add_result(&result);
        }
        Some(look(&self.standings, &evidence, &self.cross_table))
    }

    pub(crate) fn rulings(&self) -> &Rulings {
        &self.rulings
    }

    pub(crate) fn set_rulings(&mut self, rulings: Rulings) {
        self.rulings = rulings;
        self.lines = None;
    }

    /// Adds a line for a bot that has joined.
    pub(crate) fn add_bot(&mut self, bot: &BotName) {
        self.standings.add_bot(bot);
        self.lines = None;
    }

    /// Counts the result of a match.
    pub(crate) fn add_result(&mut self, result: &MatchResult) {
        self.standings.add_result(result);
        self.cross_table.add_result(result);
        self.changes += 1;
        match self.evidence.try_lock() {
            Ok(mut evidence) => evidence.add_result(result),
            Err(TryLockError::Poisoned(evidence)) => evidence.into_inner().add_result(result),
            Err(TryLockError::WouldBlock) => self.pending_results.push(result.clone()),
        }
        if let RatingNeed::UpToDate(due) = self.rating {
            self.rating = RatingNeed::Old(due);
        }
        self.lines = None;
    }

    /// Sets the scores that bots get for byes, in formats that have byes.
    pub(crate) fn set_bye_scores(&mut self, byes: &[Bye], table_groups: TableGroups) {
        self.standings.set_bye_scores(byes, table_groups);
        self.lines = None;
    }

    /// Returns the cached lines of the standings, by place; `None` if something has changed since they were cached.
    pub(crate) fn cached_lines(&self) -> Option<Arc<Vec<Standing>>> {
        self.lines.clone()
    }

    /// Returns the lines of the standings of the unfinished tournament, by place, and caches them.
    pub(crate) fn lines(&mut self, verdict: &FormatVerdict) -> Arc<Vec<Standing>> {
        let lines = self.lines.take().unwrap_or_else(|| self.lines_in(TournamentState::Running, verdict));
        Arc::clone(self.lines.insert(lines))
    }

    /// Returns the lines of the standings by place, as they are in this state of the tournament.
    pub(crate) fn lines_in(&self, state: TournamentState, verdict: &FormatVerdict) -> Arc<Vec<Standing>> {
        let mut lines = self.standings.lines_for_rulings(state, &self.rulings);
        if let Some(appraisal) = &self.appraisal {
            appraisal.add_to_standings(&mut lines, state);
        }
        self.rulings.rank_standings(&mut lines, verdict);
        if let Some(appraisal) = &self.appraisal {
            appraisal.add_place_ranges(&mut lines);
        }
        Arc::new(lines)
    }

    /// Sets the final lines.
    pub(crate) fn set_final_lines(&mut self, lines: &Arc<Vec<Standing>>) {
        self.lines = Some(Arc::clone(lines));
    }

    /// Returns the lines of the standings of the unfinished tournament by place, without ratings.
    pub(crate) fn unrated_lines(&self, verdict: &FormatVerdict) -> Vec<Standing> {
        let mut lines = self.standings.lines_for_rulings(TournamentState::Running, &self.rulings);
        self.rulings.rank_standings(&mut lines, verdict);
        lines
    }

    /// Lends the input for ratings.
    pub(crate) fn lend_evidence(&mut self) -> LentEvidence {
        let (evidence, pending_results) = (Arc::clone(&self.evidence), mem::take(&mut self.pending_results));
        LentEvidence { evidence, pending_results, recounts: self.recounts }
    }

    /// Lends the input for ratings if there are new results and the last rating was long enough ago. The caller must
    /// then rate the bots, because no other caller gets the input for a while.
    pub(crate) fn lend_evidence_if_due(&mut self, now: Instant) -> Option<LentEvidence> {
        let RatingNeed::Old(due) = self.rating else { return None };
        if due.is_some_and(|due| now < due) {
            return None;
        }
        self.rating = RatingNeed::UpToDate(Some(now + RATING_INTERVAL));
        Some(self.lend_evidence())
    }

    /// Sets ratings that were computed from `began` to `now`, from evidence lent after `recounts` recounts. They are
    /// ignored if there has been another recount since, or if the ratings are already final.
    pub(crate) fn set_ratings(
        &mut self,
        (appraisal, recounts): (Appraisal, u64),
        began: Instant,
        now: Instant,
    ) {
        if recounts != self.recounts {
            return;
        }
        let next = now + RATING_INTERVAL.max(now.saturating_duration_since(began) * RATING_PAUSE_FACTOR);
        match &mut self.rating {
            RatingNeed::UpToDate(due) | RatingNeed::Old(due) => *due = Some(next),
            RatingNeed::Last => return,
        }
        self.appraisal = Some(Arc::new(appraisal));
        self.lines = None;
        self.changes += 1;
    }

    /// Sets the final ratings.
    pub(crate) fn set_final_ratings(&mut self, appraisal: Appraisal) {
        self.rating = RatingNeed::Last;
        self.appraisal = Some(Arc::new(appraisal));
        self.lines = None;
        self.changes += 1;
    }

    pub(crate) fn has_ratings(&self) -> bool {
        self.appraisal.is_some()
    }

    pub(crate) fn has_final_ratings(&self) -> bool {
        self.rating == RatingNeed::Last
    }

    /// Returns the comparison of the bots, or the input for it; `None` if the bots are not rated yet, or there are too
    /// many of them.
    pub(crate) fn comparison(&self) -> Option<Comparison> {
        if let Some(comparisons) = self.comparison_since(self.changes) {
            return Some(Comparison::Known(comparisons));
        }
        let (table, appraisal) = self.cross_table.table().cloned().zip(self.appraisal.clone())?;
        Some(Comparison::Outdated { table, appraisal, changes: self.changes })
    }

    /// Returns the last comparison of the bots if it reflects at least the first `changes` changes.
    pub(crate) fn comparison_since(&self, changes: u64) -> Option<Arc<Vec<BotComparison>>> {
        self.comparisons
            .as_ref()
            .filter(|(seen, _)| *seen >= changes)
            .map(|(_, comparisons)| Arc::clone(comparisons))
    }

    /// Sets the comparison of the bots, which reflects the first `changes` changes.
    pub(crate) fn set_comparison(&mut self, comparisons: &Arc<Vec<BotComparison>>, changes: u64) {
        self.comparisons = Some((changes, Arc::clone(comparisons)));
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

    /// Returns a result of the next match in which the first seat wins.
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
    fn results_that_arrive_during_a_rating_are_not_lost() {
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
        assert_eq!(ranking.pending_results.len(), 2, "a rating is running");
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
            "results that arrive before the rating count"
        );
        assert!(ranking.pending_results.is_empty());
    }

    #[test]
    fn a_comparison_begun_before_a_change_is_not_shown() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(2);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let begin = |ranking: &LiveStandings| match ranking.comparison() {
            Some(Comparison::Outdated { changes, .. }) => changes,
            other => panic!("{other:?}"),
        };
        let mut rated = || {
            let mut ranking = LiveStandings::new(&settings, &bots);
            ranking.add_result(&next_result(&mut *schedule));
            let appraisal = appraise(ranking.lend_evidence());
            ranking.set_final_ratings(appraisal);
            ranking
        };
        let (mut ranking, comparisons) = (rated(), Arc::default());
        let first = begin(&ranking);
        ranking.set_comparison(&comparisons, first);
        assert!(matches!(ranking.comparison(), Some(Comparison::Known(_))));
        let others = rated();
        assert_eq!(others.changes, first, "both have the same number of changes");
        ranking.replace_with(others);
        // A comparison that began before the results were replaced arrives late.
        ranking.set_comparison(&comparisons, first);
        let second = begin(&ranking);
        assert!(ranking.comparison_since(second).is_none());
        ranking.set_comparison(&comparisons, second);
        ranking.add_result(&next_result(&mut *plan_schedule(&settings, &bots).unwrap()));
        assert!(ranking.comparison_since(second).is_some(), "the caller of this comparison gets it");
        assert!(ranking.comparison_since(begin(&ranking)).is_none());
    }

    #[test]
    fn ratings_begun_before_a_recount_are_ignored() {
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
        assert!(!ranking.has_ratings(), "these ratings include a match that no longer counts");
        assert!(ranking.lines(&FormatVerdict::Standings).iter().all(|line| line.rating.is_none()));
        let fresh = ranking.lend_evidence_if_due(start).expect("a recount is rated at once");
        let (recounts, fresh_ratings) = (fresh.recounts(), appraise(fresh));
        ranking.set_ratings((fresh_ratings, recounts), start, start);
        assert!(ranking.lines(&FormatVerdict::Standings).iter().all(|line| line.rating.is_some()));
    }

    #[test]
    fn ratings_run_rarely_and_final_ratings_stay() {
        let settings = testing::settings(2, 3, AllianceSource::Declared);
        let bots = testing::field(2);
        let mut schedule = plan_schedule(&settings, &bots).unwrap();
        let mut ranking = LiveStandings::new(&settings, &bots);
        let start = Instant::now();
        let time_at = |seconds| start + Duration::from_secs(seconds);
        assert!(ranking.lend_evidence_if_due(start).is_none(), "there is nothing to rate");
        let mut play = |ranking: &mut LiveStandings| ranking.add_result(&next_result(&mut *schedule));
        let rated = |ranking: &mut LiveStandings| {
            ranking.lines(&FormatVerdict::Standings).iter().all(|line| line.rating.is_some())
        };
        play(&mut ranking);
        let evidence = ranking.lend_evidence_if_due(start).expect("there is");
        assert!(!rated(&mut ranking));
        ranking.set_ratings((appraise(evidence), 0), start, time_at(1));
        assert!(rated(&mut ranking));
        assert!(ranking.lend_evidence_if_due(time_at(99)).is_none(), "nothing is new");
        play(&mut ranking);
        assert!(rated(&mut ranking), "older ratings stay");
        assert!(
            ranking.lend_evidence_if_due(time_at(10)).is_none(),
            "after a rating of 1 s, the next one waits for 10 s"
        );
        let late = ranking.lend_evidence_if_due(time_at(11)).expect("it is time");
        play(&mut ranking);
        assert!(ranking.lend_evidence_if_due(time_at(15)).is_none(), "a rating is running");
        let last = appraise(ranking.lend_evidence());
        ranking.set_final_ratings(last.clone());
        ranking.set_ratings((appraise(late), 0), time_at(11), time_at(12));
        assert_eq!(ranking.appraisal.as_deref(), Some(&last), "final ratings stay");
        assert!(ranking.lend_evidence_if_due(time_at(999)).is_none());
    }
}
