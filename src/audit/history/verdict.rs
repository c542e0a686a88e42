//! The result of checking logs, as text and JSON.

use lastnim_core::shown_number::shown_number;
use lastnim_history::{Certainty, Finding, FindingKind, LogCounts};
use lastnim_report::words::count_with_noun;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::{self, Write},
};

/// The result of checking logs.
#[derive(Debug, Default)]
pub struct HistoryVerdict {
    /// Where the records came from, in the words of the text output.
    pub record_source: String,
    /// The number of matches whose records the server no longer keeps.
    pub pruned: u64,
    logs: Vec<(String, LogCounts)>,
    bots: usize,
    matches: usize,
    /// The ids of the matches that were compared with their records.
    checked: BTreeSet<String>,
    /// The number of matches without a record, for which only logs were compared with each other.
    unrecorded: u64,
    /// The locations of the records that cannot be read, each with the reason.
    unreadable: Vec<(String, String)>,
    /// The findings. A finding about a match that has a record comes with the location of that record.
    findings: Vec<(Finding, Option<String>)>,
}

impl HistoryVerdict {
    /// Adds a log that was read.
    pub fn add_log(&mut self, name: String, counts: LogCounts) {
        self.logs.push((name, counts));
    }

    /// Adds a match that was compared with its record.
    pub fn add_checked(&mut self, id: &str, place: &str, findings: Vec<Finding>) {
        self.checked.insert(id.to_owned());
        self.findings.extend(findings.into_iter().map(|finding| (finding, Some(place.to_owned()))));
    }

    /// Adds the findings about a match that has no record.
    pub fn add_unrecorded(&mut self, findings: Vec<Finding>) {
        self.unrecorded += 1;
        self.findings.extend(findings.into_iter().map(|finding| (finding, None)));
    }

    /// Adds a finding about a record.
    pub fn add_record_finding(&mut self, kind: FindingKind, id: &str, place: &str, message: String) {
        let finding = Finding { kind, match_id: id.to_owned(), ply: None, line: None, message };
        self.findings.push((finding, Some(place.to_owned())));
    }

    /// Adds a record that cannot be read.
    pub fn add_unreadable(&mut self, place: &str, why: String) {
        self.unreadable.push((place.to_owned(), why));
    }

    /// Returns whether a match was compared with a record.
    pub fn is_checked(&self, id: &str) -> bool {
        self.checked.contains(id)
    }

    /// Finishes the check: stores the numbers of bots and matches in the logs, and sorts the findings.
    pub fn finish(&mut self, bots: usize, matches: usize) {
        (self.bots, self.matches) = (bots, matches);
        self.findings
            .sort_by(|(one, _), (other, _)| (&one.match_id, one.line).cmp(&(&other.match_id, other.line)));
    }

    /// Returns the number of contradictions, which includes unreadable records.
    pub fn contradiction_count(&self) -> u64 {
        (self.findings_of_certainty(Certainty::Contradiction).count() + self.unreadable.len()) as u64
    }

    fn findings_of_certainty(
        &self,
        certainty: Certainty,
    ) -> impl Iterator<Item = &(Finding, Option<String>)> {
        self.findings.iter().filter(move |(finding, _)| finding.kind.certainty() == certainty)
    }

    /// Returns the place of a finding: a line of a log, or a record.
    fn finding_location(&self, finding: &Finding, record: Option<&str>) -> String {
        match finding.line {
            Some((log, line)) => format!("{}:{line}", self.logs[log].0),
            None => record.unwrap_or_default().to_owned(),
        }
    }

    /// Writes the verdict as text.
    pub fn print_text(&self, output: &mut impl Write) -> io::Result<()> {
        for (place, why) in &self.unreadable {
            writeln!(output, "{place}: not a valid record: {why}")?;
        }
        for (finding, record) in &self.findings {
            let doubt = if finding.kind.certainty() == Certainty::Doubt { "doubt: " } else { "" };
            let place = self.finding_location(finding, record.as_deref());
            let ply = finding.ply.map(|ply| format!(", take {}", shown_number(ply))).unwrap_or_default();
            writeln!(output, "{place}: match {}{ply}: {doubt}{}", finding.match_id, finding.message)?;
        }
        let counts = self.total_counts();
        let logs = count_with_noun(self.logs.len() as u64, "log", "logs");
        let bots = count_with_noun(self.bots as u64, "bot", "bots");
        let lines = count_with_noun(counts.lines, "line", "lines");
        writeln!(
            output,
            "{logs} of {bots}: {lines}, {}",
            count_with_noun(counts.sessions, "session", "sessions")
        )?;
        let cut_off = [
            (counts.torn, "truncated because a program was killed"),
            (counts.left_out, "omitted by the bots' programs"),
            (counts.unknown, "written by a newer version of lastnim and skipped"),
        ];
        for (count, what) in cut_off.into_iter().filter(|&(count, _)| count > 0) {
            writeln!(output, "{}: {what}", count_with_noun(count, "line", "lines"))?;
        }
        let matches = count_with_noun(self.matches as u64, "match", "matches");
        write!(output, "{matches}: {} compared with {}", self.checked.len(), self.record_source)?;
        if self.unrecorded > 0 {
            write!(output, "; {} had no record, so only the logs were compared", self.unrecorded)?;
        }
        if self.pruned > 0 {
            write!(output, " ({} pruned)", count_with_noun(self.pruned, "record was", "records were"))?;
        }
        let doubts = self.findings_of_certainty(Certainty::Doubt).count() as u64;
        let contradictions = count_with_noun(self.contradiction_count(), "contradiction", "contradictions");
        writeln!(output, "\n{contradictions}, {}", count_with_noun(doubts, "doubt", "doubts"))
    }

    fn total_counts(&self) -> LogCounts {
        self.logs.iter().fold(LogCounts::default(), |sum, (_, counts)| LogCounts {
            lines: sum.lines + counts.lines,
            runs: sum.runs + counts.runs,
            sessions: sum.sessions + counts.sessions,
            torn: sum.torn + counts.torn,
            left_out: sum.left_out + counts.left_out,
            unknown: sum.unknown + counts.unknown,
        })
    }

    /// Returns the verdict as JSON.
    pub fn json(&self) -> Value {
        let log = |(file, counts): &(String, LogCounts)| {
            let LogCounts { lines, runs, sessions, torn, left_out, unknown } = counts;
            json!({
                "file": file,
                "lines": lines,
                "runs": runs,
                "sessions": sessions,
                "torn": torn,
                "left_out": left_out,
                "unknown": unknown,
            })
        };
        let findings_json = |certainty| {
            let found = self
                .findings_of_certainty(certainty)
                .map(|(finding, record)| self.finding_json(finding, record.as_deref()));
            found.collect::<Vec<_>>()
        };
        let unreadable = self.unreadable.iter().map(|(file, why)| json!({ "record": file, "message": why }));
        json!({
            "logs": self.logs.iter().map(log).collect::<Vec<_>>(),
            "bots": self.bots,
            "matches": self.matches,
            "checked": self.checked.len(),
            "unrecorded": self.unrecorded,
            "pruned": self.pruned,
            "contradictions": findings_json(Certainty::Contradiction),
            "doubts": findings_json(Certainty::Doubt),
            "unreadable": unreadable.collect::<Vec<_>>(),
        })
    }

    fn finding_json(&self, finding: &Finding, record: Option<&str>) -> Value {
        json!({
            "kind": finding.kind.as_str(),
            "match_id": finding.match_id,
            "ply": finding.ply,
            "log": finding.line.map(|(log, _)| self.logs[log].0.as_str()),
            "line": finding.line.map(|(_, line)| line),
            "record": record,
            "message": finding.message,
        })
    }
}
