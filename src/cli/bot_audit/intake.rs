//! What was read, and what of it counted.

use super::admission::{Admitted, Refusal};
use crate::auditing::{Auditor, Findings, Scope};
use std::{
    collections::BTreeMap,
    io::{self, Write as _},
};

/// The refusals that are named one by one.
const MAX_NAMED: usize = 10;
/// The signers that are told apart.
const MAX_SIGNERS: usize = 16;

/// Records on their way to the auditor.
pub(super) struct Intake {
    auditor: Auditor,
    read: Read,
}

/// What was read, and what of it counted.
#[derive(Debug, Default)]
pub(super) struct Read {
    records: u64,
    not_over: u64,
    cancelled: u64,
    elsewhere: u64,
    refused: u64,
    /// The first of them, by their place in the input.
    named: BTreeMap<u64, String>,
    unsigned: u64,
    signers: BTreeMap<String, u64>,
}

impl Intake {
    pub(super) fn new(auditor: Auditor) -> Self {
        Self { auditor, read: Read::default() }
    }

    /// Returns how many matches counted so far.
    pub(super) fn matches(&self) -> u64 {
        self.auditor.matches()
    }

    /// Takes in a record, the `number`th of the input; `place` names it should it be refused.
    pub(super) fn add(
        &mut self,
        number: u64,
        place: impl FnOnce() -> String,
        admitted: Result<Admitted, Refusal>,
    ) {
        let read = &mut self.read;
        read.records += 1;
        match admitted {
            Ok(Admitted::Counts(played)) => {
                match played.signer().map(|signer| signer.to_string()) {
                    None => read.unsigned += 1,
                    Some(signer)
                        if read.signers.len() < MAX_SIGNERS || read.signers.contains_key(&signer) =>
                    {
                        *read.signers.entry(signer).or_default() += 1;
                    }
                    Some(_) => *read.signers.entry("others".to_owned()).or_default() += 1,
                }
                played.show(|game| self.auditor.add(game));
            }
            Ok(Admitted::NotOver) => read.not_over += 1,
            Ok(Admitted::Cancelled) => read.cancelled += 1,
            Ok(Admitted::Elsewhere) => read.elsewhere += 1,
            Err(refusal) => read.refuse(number, format!("{}: {refusal}", place())),
        }
    }

    /// Refuses what could not be read.
    pub(super) fn refuse(&mut self, number: u64, words: String) {
        self.read.records += 1;
        self.read.refuse(number, words);
    }

    /// Counts matches that the server did not give out because they are not over.
    pub(super) fn count_open(&mut self, matches: u64) {
        self.read.records += matches;
        self.read.not_over += matches;
    }

    /// Counts matches of which the server has no whole record; it has named them.
    pub(super) fn count_damaged(&mut self, matches: u64) {
        self.read.records += matches;
        self.read.refused += matches;
    }

    pub(super) fn finish(self) -> (Findings, Read) {
        (self.auditor.finish(), self.read)
    }
}

impl Read {
    fn refuse(&mut self, number: u64, words: String) {
        self.refused += 1;
        self.named.insert(number, words);
        if self.named.len() > MAX_NAMED {
            self.named.pop_last();
        }
    }

    /// Returns how many records were refused.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Names on standard error what was refused, the first of them.
    pub(super) fn warn(&self) {
        // The exit code tells as well, should standard error be closed.
        let mut errors = io::stderr().lock();
        for words in self.named.values() {
            let _ = writeln!(errors, "left out: {words}");
        }
        let more = self.refused.saturating_sub(self.named.len() as u64);
        if more > 0 && !self.named.is_empty() {
            let _ = writeln!(errors, "left out: {more} more");
        }
    }

    /// Says that there was nothing to audit.
    pub(super) fn nothing(&self, scope: &Scope) -> String {
        let what = match scope {
            Scope::Bot(bot) => format!("no match of {bot} that counts"),
            Scope::Field => "no match that counts".to_owned(),
        };
        match self.left_out().as_slice() {
            [] => format!("{what} among {} records", self.records),
            left_out => format!("{what} among {} records: {}", self.records, left_out.join(", ")),
        }
    }

    /// Says what was left out, and why.
    pub(super) fn left_out(&self) -> Vec<String> {
        let kinds = [
            (self.not_over, "not over"),
            (self.cancelled, "cancelled"),
            (self.elsewhere, "of other tournaments"),
            (self.refused, "refused"),
        ];
        let some = kinds.into_iter().filter(|&(count, _)| count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect()
    }

    /// Returns who signed, and how many records each.
    pub(super) fn signers(&self) -> &BTreeMap<String, u64> {
        &self.signers
    }

    /// Returns how many records that counted nobody signed.
    pub(super) fn unsigned(&self) -> u64 {
        self.unsigned
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "read": self.records,
            "not_over": self.not_over,
            "cancelled": self.cancelled,
            "of_other_tournaments": self.elsewhere,
            "refused": self.refused,
            "unsigned": self.unsigned,
            "by_signer": self.signers,
        })
    }
}
