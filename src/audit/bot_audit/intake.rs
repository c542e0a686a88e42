//! Counts the records of an audit.

use super::{
    seen_matches::{MatchSighting, MissingMatches, SeenMatches},
    summary::{IntakeSummary, RecordPlace},
    trust::KeyTrust,
};
use crate::played_matches::SkippedMatches;
use lastnim_auditing::Auditor;
use lastnim_core::{
    referee::{Origin, Record},
    shown_number::shown_number,
};
use lastnim_llm::ModelMeasurer;
use lastnim_proto::admission::{AdmittedMatch, RecordAdmission, RecordRefusal};

/// The maximum number of tournaments that are reported with missing matches.
const MAX_TOURNAMENTS_WITH_MISSING: usize = 100;

/// Counts the matches of an audit.
pub trait MatchCounter {
    /// A description of the records that this counter does not count.
    const UNCOUNTED_DESCRIPTION: &'static str;

    /// Counts a match if it is relevant to this counter.
    fn count_match(&mut self, played: &AdmittedMatch);

    /// Returns how many matches have been counted so far.
    fn match_count(&self) -> u64;
}

impl MatchCounter for Auditor {
    const UNCOUNTED_DESCRIPTION: &'static str = "without this bot";

    fn count_match(&mut self, played: &AdmittedMatch) {
        played.with_audited_match(|game| self.add_match(game));
    }

    fn match_count(&self) -> u64 {
        self.match_count()
    }
}

impl MatchCounter for ModelMeasurer {
    const UNCOUNTED_DESCRIPTION: &'static str = "without questions in the transcripts";

    fn count_match(&mut self, played: &AdmittedMatch) {
        self.add_match(played);
    }

    fn match_count(&self) -> u64 {
        self.match_count()
    }
}

/// Passes the records of an audit to a counter of matches, and counts the records that are left out.
pub struct RecordIntake<C> {
    pub(super) counter: C,
    pub(super) seen: SeenMatches,
    /// Whether every match of each tournament is expected, and not only those of one bot.
    pub(super) expects_all_matches: bool,
    pub(super) summary: IntakeSummary,
}

impl<C: MatchCounter> RecordIntake<C> {
    pub fn new(counter: C, trust: KeyTrust) -> Self {
        let summary = IntakeSummary::new(C::UNCOUNTED_DESCRIPTION, trust);
        Self { counter, seen: SeenMatches::default(), expects_all_matches: true, summary }
    }

    /// Returns how many matches have been counted so far.
    pub fn match_count(&self) -> u64 {
        self.counter.match_count()
    }

    /// Processes a record; `place` identifies it in the message if it is refused.
    pub fn add_record(
        &mut self,
        place: impl FnOnce() -> RecordPlace,
        admitted: Result<RecordAdmission, RecordRefusal>,
    ) {
        self.summary.records += 1;
        match admitted {
            Ok(RecordAdmission::Counts(played)) => match self.seen.mark_counted(played.record()) {
                MatchSighting::First => self.count_match(&played),
                MatchSighting::Untracked => {
                    self.summary.untracked += 1;
                    self.count_match(&played);
                }
                MatchSighting::Again => self.summary.given_twice += 1,
                sighting => {
                    let why = describe_surplus(played.record(), sighting);
                    self.summary.note_refused(place(), why);
                }
            },
            Ok(RecordAdmission::NotOver) => {
                self.summary.note_refused(place(), "its match is not over".to_owned());
            }
            Ok(RecordAdmission::Cancelled(record)) => {
                self.seen.mark_uncounted(&record);
                self.summary.cancelled += 1;
            }
            Ok(RecordAdmission::OtherTournament) => self.summary.of_other_tournaments += 1,
            Err(refusal) => self.summary.note_refused(place(), refusal.to_string()),
        }
    }

    fn count_match(&mut self, played: &AdmittedMatch) {
        let (before, read) = (self.counter.match_count(), &mut self.summary);
        self.counter.count_match(played);
        if self.counter.match_count() == before {
            read.without_bot += 1;
            for bot in &played.record().state().setup().bots {
                read.note_other_bot(bot);
            }
            return;
        }
        match played.signer().map(|signer| signer.to_string()) {
            None => read.unsigned += 1,
            Some(signer) => read.note_signer(signer, 1),
        }
    }

    /// Counts an unreadable record as refused.
    pub fn note_refused(&mut self, place: RecordPlace, why: String) {
        self.summary.records += 1;
        self.summary.note_refused(place, why);
    }

    /// Counts matches of a server that have no usable record. Quarantined matches are counted as cancelled, because
    /// neither kind counts for any bot. Damaged records have already been reported.
    pub fn count_left_out(&mut self, left_out: SkippedMatches) {
        let SkippedMatches { still_open, quarantined, pruned, damaged } = left_out;
        self.summary.records += still_open + quarantined + pruned + damaged;
        self.summary.still_open += still_open;
        self.summary.cancelled += quarantined;
        self.summary.pruned += pruned;
        self.summary.refused += damaged;
    }

    /// Notes that only the matches of one bot are read, so gaps in the match numbers are not reported.
    pub fn expect_gaps(&mut self) {
        self.expects_all_matches = false;
    }

    /// Sets how far the key that signed the records is trusted.
    pub fn set_key_trust(&mut self, trust: KeyTrust) {
        self.summary.trust = trust;
    }

    /// Returns the counter and the summary.
    pub fn finish(self) -> (C, IntakeSummary) {
        let mut summary = self.summary;
        let missing = self.seen.missing_by_tournament().map(|missing| {
            let numbers = if self.expects_all_matches { missing.numbers } else { 0 };
            MissingMatches { numbers, ..missing }
        });
        let some =
            missing.filter(|missing| missing.numbers > 0 || missing.groups.is_some_and(|(_, some)| some > 0));
        summary.missing = some.take(MAX_TOURNAMENTS_WITH_MISSING).collect();
        (self.counter, summary)
    }
}

/// Explains why a record does not count when an earlier record excludes it.
fn describe_surplus(record: &Record, sighting: MatchSighting) -> String {
    let id = record.id();
    let setup = record.state().setup();
    let Some(origin) = &setup.origin else {
        return format!("another record of match {id} was already counted");
    };
    let Origin { tournament, number, group } = origin;
    let [number, group] = [*number, *group].map(shown_number);
    match sighting {
        MatchSighting::NumberTaken => format!(
            "match {id} has the number {number} of tournament {tournament}, but another match with this number was already counted"
        ),
        MatchSighting::OutsideGroup => format!(
            "match {id} is number {number} of tournament {tournament}, but its duplicate group {group}, which has {} rotations, does not contain this number",
            setup.seats()
        ),
        MatchSighting::RotationTaken => format!(
            "match {id} does not count: the duplicate group {group} of tournament {tournament} already has a match with the same bots at the same seats"
        ),
        _ => format!("another record of match {id} was already counted"),
    }
}
