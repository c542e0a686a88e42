//! Compares the messages that bots got about a match without a record: all messages must agree.

use super::{ends::end_text, forfeits::forfeit_text, takes::take_text};
use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
};
use lastnim_proto::pb::{self, play_response::Event};
use std::collections::BTreeMap;

/// The first statement in any log about some fact, and the line that contains it.
#[derive(Debug)]
struct FirstStatement<T> {
    reported: T,
    log: usize,
    line: u64,
}

/// Remembers the first statement about a fact. If `reported` differs from it, returns where the first statement was
/// logged.
fn differs_from_first<T: PartialEq>(
    first: &mut Option<FirstStatement<T>>,
    reported: T,
    message: &LoggedMessage<'_>,
) -> Option<String> {
    match first {
        None => {
            *first = Some(FirstStatement { reported, log: message.log, line: message.line });
            None
        }
        Some(first) if first.reported == reported => None,
        Some(first) if first.log == message.log => Some(format!("line {}", first.line)),
        Some(first) => Some(format!("line {} of another log", first.line)),
    }
}

/// Like [`differs_from_first`], but for statements that are text: returns a sentence that quotes both statements.
fn contradiction_text(
    first: &mut Option<FirstStatement<String>>,
    reported: String,
    message: &LoggedMessage<'_>,
) -> Option<String> {
    let detail = reported.clone();
    let place = differs_from_first(first, reported, message)?;
    let first = first.as_ref().map(|first| first.reported.as_str()).unwrap_or_default();
    Some(format!("{detail}, but {place} says: {first}"))
}

/// The first statement in any log about each fact of a match.
#[derive(Default)]
struct MatchStatements<'a> {
    setup: Option<FirstStatement<&'a Option<pb::MatchSetup>>>,
    matrix: Option<FirstStatement<String>>,
    takes: BTreeMap<u32, Option<FirstStatement<String>>>,
    forfeits: BTreeMap<u32, Option<FirstStatement<String>>>,
    end: Option<FirstStatement<String>>,
    audit: Option<FirstStatement<&'a pb::Audit>>,
}

pub(super) fn check_agreement(log: &MatchLog<'_>, findings: &mut Findings) {
    let mut reported = MatchStatements::default();
    for message in log.sessions.iter().flat_map(|session| &session.messages) {
        let Some(event) = message.received() else { continue };
        match event {
            Event::MatchStarted(started) => reported.check_setup(started, message, findings),
            Event::Snapshot(snapshot) => {
                if let Some(started) = &snapshot.started {
                    reported.check_setup(started, message, findings);
                }
                reported.check_rows(snapshot.alliance_matrix.as_ref(), message, findings);
            }
            Event::Revealed(revealed) => {
                reported.check_rows(revealed.alliance_matrix.as_ref(), message, findings);
            }
            Event::Took(took) => {
                let first = reported.takes.entry(took.ply).or_default();
                let take = take_text(took.seat, took.take, took.steward);
                if let Some(words) = contradiction_text(first, take, message) {
                    findings.add(FindingKind::Take, message, took.ply, words);
                }
            }
            Event::Forfeited(forfeited) => reported.check_forfeit(forfeited, message, findings),
            Event::MatchEnded(ended) => {
                let end = end_text(ended.reason(), ended.winner);
                if let Some(words) = contradiction_text(&mut reported.end, end, message) {
                    findings.add(FindingKind::End, message, None, words);
                }
                if let Some(started) = &ended.started {
                    reported.check_setup(started, message, findings);
                }
                for forfeited in &ended.forfeited {
                    reported.check_forfeit(forfeited, message, findings);
                }
                if let Some(audit) = &ended.audit
                    && let Some(place) = differs_from_first(&mut reported.audit, audit, message)
                {
                    let detail = format!("the audit differs from that in {place}");
                    findings.add(FindingKind::Audit, message, None, detail);
                }
            }
            _ => {}
        }
    }
}

impl<'a> MatchStatements<'a> {
    fn check_setup(
        &mut self,
        started: &'a pb::MatchStarted,
        message: &LoggedMessage<'_>,
        findings: &mut Findings,
    ) {
        if let Some(place) = differs_from_first(&mut self.setup, &started.setup, message) {
            let detail = format!("the match's setup differs from that in {place}");
            findings.add(FindingKind::Setup, message, None, detail);
        }
    }

    fn check_rows(
        &mut self,
        matrix: Option<&'a pb::AllianceMatrix>,
        message: &LoggedMessage<'_>,
        findings: &mut Findings,
    ) {
        let Some(matrix) = matrix else { return };
        let rows: Vec<_> = matrix.rows.iter().map(|row| row.offsets.as_slice()).collect();
        if let Some(words) = contradiction_text(&mut self.matrix, format!("the rows are {rows:?}"), message) {
            findings.add(FindingKind::Rows, message, None, words);
        }
    }

    fn check_forfeit(
        &mut self,
        forfeited: &pb::Forfeited,
        message: &LoggedMessage<'_>,
        findings: &mut Findings,
    ) {
        let first = self.forfeits.entry(forfeited.seat).or_default();
        let reported = forfeit_text(forfeited.seat, forfeited.reason());
        if let Some(words) = contradiction_text(first, reported, message) {
            findings.add(FindingKind::Forfeit, message, None, words);
        }
    }
}
