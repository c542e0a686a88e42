//! The numbers of records that were read for an audit, and of those that were left out.

use super::{seen_matches::MissingMatches, trust::KeyTrust};
use crate::{Failure, screen};
use lastnim_auditing::AuditSubject;
use lastnim_core::game::BotName;
use lastnim_report::words::count_with_noun;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::Write as _,
};

/// The maximum number of refusals that are printed in full.
const MAX_PRINTED_REFUSALS: usize = 10;
/// The maximum number of signers that are counted separately.
const MAX_SIGNERS: usize = 16;
/// The maximum number of other bots that are named if the requested bot did not play.
const MAX_OTHER_BOTS: usize = 8;

/// The place where a record was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordPlace {
    /// The name of the file, or the match of a server.
    pub source: String,
    /// The line, from 1, in a file with one record per line.
    pub line: Option<u64>,
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}: line {line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

/// The number of records read, and the reasons why some do not count.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct IntakeSummary {
    pub(super) records: u64,
    pub(super) still_open: u64,
    pub(super) cancelled: u64,
    pub(super) pruned: u64,
    pub(super) of_other_tournaments: u64,
    pub(super) without_bot: u64,
    /// A description of the records that `without_bot` counts.
    #[serde(skip)]
    uncounted_description: &'static str,
    pub(super) given_twice: u64,
    pub(super) untracked: u64,
    pub(super) refused: u64,
    /// Why the first refused records were refused, by their place in the input.
    named_refusals: BTreeMap<RecordPlace, String>,
    pub(super) unsigned: u64,
    /// The number of counted records of each signer, for the first signers in alphabetical order.
    signers: BTreeMap<String, u64>,
    /// The number of counted records of all other signers together.
    of_other_signers: u64,
    /// The bots in the records without the audited bot, up to a limit, in alphabetical order.
    other_bots: BTreeSet<BotName>,
    #[serde(skip)]
    pub(super) missing: Vec<MissingMatches>,
    pub(super) trust: KeyTrust,
}

impl IntakeSummary {
    pub(super) fn new(uncounted_description: &'static str, trust: KeyTrust) -> Self {
        Self { uncounted_description, trust, ..Self::default() }
    }

    /// Sets the description of the records that `without_bot` counts. Files do not contain it.
    pub(super) fn with_description(self, uncounted_description: &'static str) -> Self {
        Self { uncounted_description, ..self }
    }

    pub(super) fn note_refused(&mut self, place: RecordPlace, why: String) {
        self.refused += 1;
        self.name_refusal(place, why);
    }

    fn name_refusal(&mut self, place: RecordPlace, why: String) {
        self.named_refusals.insert(place, why);
        if self.named_refusals.len() > MAX_PRINTED_REFUSALS {
            self.named_refusals.pop_last();
        }
    }

    pub(super) fn note_other_bot(&mut self, bot: &BotName) {
        if !self.other_bots.contains(bot) {
            self.other_bots.insert(bot.clone());
            if self.other_bots.len() > MAX_OTHER_BOTS {
                self.other_bots.pop_last();
            }
        }
    }

    pub(super) fn note_signer(&mut self, signer: String, records: u64) {
        *self.signers.entry(signer).or_default() += records;
        if self.signers.len() > MAX_SIGNERS
            && let Some((_, records)) = self.signers.pop_last()
        {
            self.of_other_signers += records;
        }
    }

    /// Adds the counts of another part of an audit, in which keys are trusted for the same reason.
    pub(super) fn merge(&mut self, other: Self) {
        self.records += other.records;
        self.still_open += other.still_open;
        self.cancelled += other.cancelled;
        self.pruned += other.pruned;
        self.of_other_tournaments += other.of_other_tournaments;
        self.without_bot += other.without_bot;
        self.given_twice += other.given_twice;
        self.untracked += other.untracked;
        self.refused += other.refused;
        self.unsigned += other.unsigned;
        self.of_other_signers += other.of_other_signers;
        for (place, why) in other.named_refusals {
            self.name_refusal(place, why);
        }
        for (signer, records) in other.signers {
            self.note_signer(signer, records);
        }
        for bot in &other.other_bots {
            self.note_other_bot(bot);
        }
    }

    /// Returns the number of records by signer; the last entry may be that of all other signers.
    fn records_by_signer(&self) -> BTreeMap<String, u64> {
        let others = (self.of_other_signers > 0).then(|| ("others".to_owned(), self.of_other_signers));
        self.signers.clone().into_iter().chain(others).collect()
    }

    /// Returns how many records were refused.
    pub fn refused_count(&self) -> u64 {
        self.refused
    }

    /// Prints the first refusals on standard error.
    pub fn print_refusals(&self) {
        // Write errors are ignored, because the exit code reports the refusals too.
        let mut errors = screen::stderr();
        for (place, why) in &self.named_refusals {
            let _ = writeln!(errors, "left out: {place}: {why}");
        }
        let more = self.refused.saturating_sub(self.named_refusals.len() as u64);
        if more > 0 && !self.named_refusals.is_empty() {
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
        if !self.other_bots.is_empty() {
            let others: Vec<_> = self.other_bots.iter().map(BotName::as_str).collect();
            let more = if others.len() == MAX_OTHER_BOTS { " and others" } else { "" };
            let records = record_count_text(self.without_bot);
            return Failure::input(format!(
                "{bot} does not play in any match that counts ({records}): expected one of {}{more}",
                others.join(", ")
            ));
        }
        let left_out = match self.left_out_sentences().as_slice() {
            [] => String::new(),
            left_out => format!(": {}", left_out.join(", ")),
        };
        let what = format!("no match in {} counts for {bot}{left_out}", record_count_text(self.records));
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
            (self.of_other_tournaments, "of other tournaments"),
            (self.without_bot, self.uncounted_description),
            (self.given_twice, "given twice"),
            (self.refused, "refused"),
        ];
        let some = kinds.into_iter().filter(|&(count, _)| count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect()
    }

    /// Describes who signed the counted records, and whether the keys are known; `None` if no record counts.
    fn signers_sentence(&self) -> Option<String> {
        let by_signer = self.records_by_signer();
        let signers = by_signer.iter().map(|(signer, records)| format!("{records} by {signer}"));
        let unsigned = (self.unsigned > 0).then(|| format!("none on {}", record_count_text(self.unsigned)));
        let signed: Vec<_> = signers.chain(unsigned).collect();
        let trust = self.trust.words(by_signer.keys());
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
                record_count_text(self.untracked)
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
            "of_other_tournaments": self.of_other_tournaments,
            "without_bot": self.without_bot,
            "given_twice": self.given_twice,
            "not_checked_for_doubles": self.untracked,
            "refused": self.refused,
            "unsigned": self.unsigned,
            "by_signer": self.records_by_signer(),
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

fn record_count_text(count: u64) -> String {
    count_with_noun(count, "record", "records")
}
