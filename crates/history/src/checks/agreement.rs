//! Compares the messages that bots got about a match without a record: all messages must agree.

use super::{ends::end_words, forfeits::forfeit_words, takes::take_words};
use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
};
use lastnim_proto::pb::{self, play_response::Event};
use std::collections::BTreeMap;

/// The first statement about something, and where it was logged.
#[derive(Debug)]
struct FirstTold<T> {
    told: T,
    log: usize,
    line: u64,
}

/// Remembers the first statement about something. If `told` differs from it, returns where the first statement was
/// logged.
fn differs_from_first<T: PartialEq>(
    first: &mut Option<FirstTold<T>>,
    told: T,
    message: &LoggedMessage<'_>,
) -> Option<String> {
    match first {
        None => {
            *first = Some(FirstTold { told, log: message.log, line: message.line });
            None
        }
        Some(first) if first.told == told => None,
        Some(first) if first.log == message.log => Some(format!("line {}", first.line)),
        Some(first) => Some(format!("line {} of another log", first.line)),
    }
}

/// Like [`differs_from_first`], but for statements in words: returns a sentence that quotes both statements.
fn contradiction_words(
    first: &mut Option<FirstTold<String>>,
    told: String,
    message: &LoggedMessage<'_>,
) -> Option<String> {
    let words = told.clone();
    let place = differs_from_first(first, told, message)?;
    let first = first.as_ref().map(|first| first.told.as_str()).unwrap_or_default();
    Some(format!("{words}, but {place} says: {first}"))
}

#[derive(Default)]
struct ToldMatch<'a> {
    setup: Option<FirstTold<&'a Option<pb::MatchSetup>>>,
    matrix: Option<FirstTold<String>>,
    takes: BTreeMap<u32, Option<FirstTold<String>>>,
    forfeits: BTreeMap<u32, Option<FirstTold<String>>>,
    end: Option<FirstTold<String>>,
    audit: Option<FirstTold<&'a pb::Audit>>,
}

pub(super) fn check_agreement(log: &MatchLog<'_>, findings: &mut Findings) {
    let mut told = ToldMatch::default();
    for message in log.sessions.iter().flat_map(|session| &session.messages) {
        let Some(event) = message.received() else { continue };
        match event {
            Event::MatchStarted(started) => told.check_setup(started, message, findings),
            Event::Snapshot(snapshot) => {
                if let Some(started) = &snapshot.started {
                    told.check_setup(started, message, findings);
                }
                told.check_rows(snapshot.alliance_matrix.as_ref(), message, findings);
            }
            Event::Revealed(revealed) => {
                told.check_rows(revealed.alliance_matrix.as_ref(), message, findings);
            }
            Event::Took(took) => {
                let first = told.takes.entry(took.ply).or_default();
                let take = take_words(took.seat, took.take, took.steward);
                if let Some(words) = contradiction_words(first, take, message) {
                    findings.add(FindingKind::Take, message, took.ply, words);
                }
            }
            Event::Forfeited(forfeited) => told.check_forfeit(forfeited, message, findings),
            Event::MatchEnded(ended) => {
                let end = end_words(ended.reason(), ended.winner);
                if let Some(words) = contradiction_words(&mut told.end, end, message) {
                    findings.add(FindingKind::End, message, None, words);
                }
                if let Some(started) = &ended.started {
                    told.check_setup(started, message, findings);
                }
                for forfeited in &ended.forfeited {
                    told.check_forfeit(forfeited, message, findings);
                }
                if let Some(audit) = &ended.audit
                    && let Some(place) = differs_from_first(&mut told.audit, audit, message)
                {
                    let words = format!("the audit differs from that in {place}");
                    findings.add(FindingKind::Audit, message, None, words);
                }
            }
            _ => {}
        }
    }
}

impl<'a> ToldMatch<'a> {
    fn check_setup(
        &mut self,
        started: &'a pb::MatchStarted,
        message: &LoggedMessage<'_>,
        findings: &mut Findings,
    ) {
        if let Some(place) = differs_from_first(&mut self.setup, &started.setup, message) {
            let words = format!("the match's setup differs from that in {place}");
            findings.add(FindingKind::Setup, message, None, words);
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
        if let Some(words) = contradiction_words(&mut self.matrix, format!("the rows are {rows:?}"), message)
        {
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
        let told = forfeit_words(forfeited.seat, forfeited.reason());
        if let Some(words) = contradiction_words(first, told, message) {
            findings.add(FindingKind::Forfeit, message, None, words);
        }
    }
}
