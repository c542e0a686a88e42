//! Counts the records of an audit, and those that were left out.

use super::{
    seen_matches::{MatchSighting, MissingMatches, SeenMatches},
    trust::KeyTrust,
};
use crate::{Failure, played_matches::SkippedMatches, screen};
use lastnim_auditing::{AuditSubject, Auditor};
use lastnim_core::{
    game::BotName,
    referee::{Origin, Record},
};
use lastnim_llm::ModelMeasurer;
use lastnim_proto::admission::{AdmittedMatch, RecordAdmission, RecordRefusal};
use lastnim_report::words::count_with_noun;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
};

/// The maximum number of refusals that are printed in full.
const MAX_NAMED: usize = 10;
/// The maximum number of signers that are counted separately.
const MAX_SIGNERS: usize = 16;
/// The maximum number of other bots that are named if the requested bot did not play.
const MAX_OTHER_BOTS: usize = 8;
/// The maximum number of tournaments that are reported with missing matches.
const MAX_MISSING: usize = 100;

/// Counts the matches of an audit.
pub trait MatchCounter {
    /// A description of the records that this counter does not count.
    const UNCOUNTED_DESCRIPTION: &'static str;

    /// Counts a match if it is relevant to this counter.
    fn count_match(&mut self, played: &AdmittedMatch);

    /// Returns how many matches have been counted so far.
    fn counted_matches(&self) -> u64;
}

impl MatchCounter for Auditor {
    const UNCOUNTED_DESCRIPTION: &'static str = "without this bot";

    fn count_match(&mut self, played: &AdmittedMatch) {
        played.with_audited_match(|game| self.add_match(game));
    }

    fn counted_matches(&self) -> u64 {
        self.counted_matches()
    }
}

impl MatchCounter for ModelMeasurer {
    const UNCOUNTED_DESCRIPTION: &'static str = "without questions in the transcripts";

    fn count_match(&mut self, played: &AdmittedMatch) {
        self.add_match(played);
    }

    fn counted_matches(&self) -> u64 {
        self.counted_matches()
    }
}

/// Passes the records of an audit to a counter of matches, and counts the records that are left out.
pub struct RecordIntake<C> {
    counter: C,
    given: SeenMatches,
    /// Whether every match of each tournament is expected, and not only those of one bot.
    is_whole: bool,
    read: IntakeSummary,
}

/// The number of records read, and the reasons why some do not count.
#[derive(Debug, Default)]
pub struct IntakeSummary {
    records: u64,
    still_open: u64,
    cancelled: u64,
    pruned: u64,
    elsewhere: u64,
    without_bot: u64,
    /// A description of the records that `without_bot` counts.
    uncounted: &'static str,
    given_twice: u64,
    untracked: u64,
    refused: u64,
    /// Descriptions of the first refused records, by their place in the input.
    named: BTreeMap<u64, String>,
    unsigned: u64,
    signers: BTreeMap<String, u64>,
    others: BTreeSet<BotName>,
    missing: Vec<MissingMatches>,
    trust: KeyTrust,
}

impl<C: MatchCounter> RecordIntake<C> {
    pub fn new(counter: C, trust: KeyTrust) -> Self {
        let read = IntakeSummary { trust, uncounted: C::UNCOUNTED_DESCRIPTION, ..IntakeSummary::default() };
        Self { counter, given: SeenMatches::default(), is_whole: true, read }
    }

    /// Returns how many matches have been counted so far.
    pub fn counted_matches(&self) -> u64 {
        self.counter.counted_matches()
    }

    /// Processes the `number`th record of the input; `place` identifies the record in the message if it is refused.
    pub fn add_record(
        &mut self,
        number: u64,
        place: impl FnOnce() -> String,
        admitted: Result<RecordAdmission, RecordRefusal>,
    ) {
        self.read.records += 1;
        match admitted {
            Ok(RecordAdmission::Counts(played)) => match self.given.mark_counted(played.record()) {
                MatchSighting::First => self.count_match(&played),
                MatchSighting::Untracked => {
                    self.read.untracked += 1;
                    self.count_match(&played);
                }
                MatchSighting::Again => self.read.given_twice += 1,
                sighting => {
                    let why = describe_surplus(played.record(), sighting);
                    self.read.note_refused(number, format!("{}: {why}", place()));
                }
            },
            Ok(RecordAdmission::NotOver) => {
                self.read.note_refused(number, format!("{}: its match is not over", place()));
            }
            Ok(RecordAdmission::Cancelled(record)) => {
                self.given.mark_uncounted(&record);
                self.read.cancelled += 1;
            }
            Ok(RecordAdmission::OtherTournament) => self.read.elsewhere += 1,
            Err(refusal) => self.read.note_refused(number, format!("{}: {refusal}", place())),
        }
    }

    fn count_match(&mut self, played: &AdmittedMatch) {
        let (before, read) = (self.counter.counted_matches(), &mut self.read);
        self.counter.count_match(played);
        if self.counter.counted_matches() == before {
            read.without_bot += 1;
            for bot in &played.record().state().setup().bots {
                if read.others.len() < MAX_OTHER_BOTS && !read.others.contains(bot) {
                    read.others.insert(bot.clone());
                }
            }
            return;
        }
        match played.signer().map(|signer| signer.to_string()) {
            None => read.unsigned += 1,
            Some(signer) if read.signers.len() < MAX_SIGNERS || read.signers.contains_key(&signer) => {
                *read.signers.entry(signer).or_default() += 1;
            }
            Some(_) => *read.signers.entry("others".to_owned()).or_default() += 1,
        }
    }

    /// Counts an unreadable record as refused.
    pub fn note_refused(&mut self, number: u64, words: String) {
        self.read.records += 1;
        self.read.note_refused(number, words);
    }

    /// Counts matches of a server that have no usable record. Quarantined matches are counted as cancelled, because
    /// neither kind counts for any bot. Damaged records have already been reported.
    pub fn count_left_out(&mut self, left_out: SkippedMatches) {
        let SkippedMatches { still_open, quarantined, pruned, damaged } = left_out;
        self.read.records += still_open + quarantined + pruned + damaged;
        self.read.still_open += still_open;
        self.read.cancelled += quarantined;
        self.read.pruned += pruned;
        self.read.refused += damaged;
    }

    /// Notes that only the matches of one bot are read, so gaps in the match numbers are not reported.
    pub fn expect_gaps(&mut self) {
        self.is_whole = false;
    }

    /// Sets how far the key that signed the records is trusted.
    pub fn set_key_trust(&mut self, trust: KeyTrust) {
        self.read.trust = trust;
    }

    /// Returns the counter and the summary.
    pub fn finish(self) -> (C, IntakeSummary) {
        let mut read = self.read;
        let missing = self.given.missing_by_tournament().map(|missing| {
            let numbers = if self.is_whole { missing.numbers } else { 0 };
            MissingMatches { numbers, ..missing }
        });
        let some =
            missing.filter(|missing| missing.numbers > 0 || missing.groups.is_some_and(|(_, some)| some > 0));
        read.missing = some.take(MAX_MISSING).collect();
        (self.counter, read)
    }
}

/// Explains why a record does not count when an earlier record excludes it.
fn describe_surplus(record: &Record, sighting: MatchSighting) -> String {
    let id = record.id();
    let setup = record.state().setup();
    let Some(origin) = &setup.origin else {
        return format!("another record of match {id} already counts");
    };
    let Origin { tournament, number, group } = origin;
    match sighting {
        MatchSighting::NumberTaken => format!(
            "match {id} has the number {number} of tournament {tournament}, but another match with this number already counts"
        ),
        MatchSighting::OutsideGroup => format!(
            "match {id} is number {number} of tournament {tournament}, but its duplicate group {group}, of {} rotations, does not contain this number",
            setup.seats()
        ),
        MatchSighting::RotationTaken => format!(
            "match {id} does not count: the duplicate group {group} of tournament {tournament} already has a match with the same bots at the same seats"
        ),
        _ => format!("another record of match {id} already counts"),
    }
}

impl IntakeSummary {
    fn note_refused(&mut self, number: u64, words: String) {
        self.refused += 1;
        self.named.insert(number, words);
        if self.named.len() > MAX_NAMED {
            self.named.pop_last();
        }
    }

    /// Returns how many records were refused.
    pub fn refused_count(&self) -> u64 {
        self.refused
    }

    /// Prints the first refusals on standard error.
    pub fn print_refusals(&self) {
        // Write errors are ignored, because the exit code reports the refusals too.
        let mut errors = screen::stderr();
        for words in self.named.values() {
            let _ = writeln!(errors, "left out: {words}");
        }
        let more = self.refused.saturating_sub(self.named.len() as u64);
        if more > 0 && !self.named.is_empty() {
            let _ = writeln!(errors, "left out: {more} more");
        }
    }

    /// Returns the failure of an audit that counted no match. It is an input error if some records could count, but the
    /// bot plays in none of them.
    pub fn nothing_read_failure(&self, scope: &AuditSubject) -> Failure {
        let bot = match scope {
            AuditSubject::Bot(bot) => bot.as_str(),
            AuditSubject::Field => "any bot",
        };
        if !self.others.is_empty() {
            let others: Vec<_> = self.others.iter().map(BotName::as_str).collect();
            let more = if others.len() == MAX_OTHER_BOTS { " and others" } else { "" };
            let records = records_counted(self.without_bot);
            return Failure::input(format!(
                "{bot} does not play in any match that counts ({records}): expected one of {}{more}",
                others.join(", ")
            ));
        }
        let left_out = match self.left_out_sentences().as_slice() {
            [] => String::new(),
            left_out => format!(": {}", left_out.join(", ")),
        };
        let what = format!("no match in {} counts for {bot}{left_out}", records_counted(self.records));
        Failure::Runtime(anyhow::Error::msg(what))
    }

    /// Describes the records that were left out, the matches that are missing, and the signers.
    pub fn sentences(&self) -> Vec<String> {
        let left_out = self.left_out_sentences();
        let left_out = (!left_out.is_empty()).then(|| format!("Left out: {}.", left_out.join(", ")));
        left_out.into_iter().chain(self.missing_sentences()).chain(self.signers_sentence()).collect()
    }

    /// Describes the records that were left out, with reasons.
    fn left_out_sentences(&self) -> Vec<String> {
        let kinds = [
            (self.still_open, "still open"),
            (self.cancelled, "cancelled"),
            (self.pruned, "pruned"),
            (self.elsewhere, "of other tournaments"),
            (self.without_bot, self.uncounted),
            (self.given_twice, "given twice"),
            (self.refused, "refused"),
        ];
        let some = kinds.into_iter().filter(|&(count, _)| count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect()
    }

    /// Describes who signed the counted records, and whether the keys are known; `None` if no record counts.
    fn signers_sentence(&self) -> Option<String> {
        let signers = self.signers.iter().map(|(signer, records)| format!("{records} by {signer}"));
        let unsigned = (self.unsigned > 0).then(|| format!("none on {}", records_counted(self.unsigned)));
        let signed: Vec<_> = signers.chain(unsigned).collect();
        let trust = self.trust.words(self.signers.keys());
        (!signed.is_empty()).then(|| format!("Signatures: {}{trust}.", signed.join(", ")))
    }

    /// Describes missing matches, and records that were not checked for duplicates.
    fn missing_sentences(&self) -> Vec<String> {
        let tournaments = self.missing.iter().map(|missing| {
            let incomplete = missing.groups.filter(|&(_, incomplete)| incomplete > 0);
            let incomplete = incomplete.map(|(groups, incomplete)| {
                let are = if incomplete == 1 { "is" } else { "are" };
                let groups = count_with_noun(groups, "duplicate group", "duplicate groups");
                format!("{incomplete} of {groups} {are} incomplete")
            });
            let numbers = (missing.numbers > 0).then(|| match missing.numbers {
                1 => "1 match number below the highest is missing".to_owned(),
                numbers => format!("{numbers} match numbers below the highest are missing"),
            });
            let what: Vec<_> = incomplete.into_iter().chain(numbers).collect();
            format!("Tournament {}: {}.", missing.tournament, what.join(", "))
        });
        let untracked = (self.untracked > 0).then(|| {
            format!(
                "{} came after the limit on remembered matches was reached, so repeated matches among them may have been counted twice.",
                records_counted(self.untracked)
            )
        });
        tournaments.chain(untracked).collect()
    }

    /// Returns the counts as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "read": self.records,
            "still_open": self.still_open,
            "cancelled": self.cancelled,
            "pruned": self.pruned,
            "of_other_tournaments": self.elsewhere,
            "without_bot": self.without_bot,
            "given_twice": self.given_twice,
            "not_checked_for_doubles": self.untracked,
            "refused": self.refused,
            "unsigned": self.unsigned,
            "by_signer": self.signers,
            "key": self.trust.name(),
            "missing": self.missing.iter().map(|missing| serde_json::json!({
                "tournament_id": missing.tournament.to_string(),
                "groups": missing.groups.map(|(groups, _)| groups),
                "incomplete_groups": missing.groups.map(|(_, incomplete)| incomplete),
                "missing_numbers": missing.numbers.to_string(),
            })).collect::<serde_json::Value>(),
        })
    }
}

fn records_counted(count: u64) -> String {
    count_with_noun(count, "record", "records")
}
