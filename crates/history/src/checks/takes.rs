//! Checks the takes sent to bots and the takes sent by bots.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog, SessionOfMatch},
    replayed_match::{RecordedTake, ReplayedMatch},
};
use lastnim_core::{game::Seat, oracle::Mover};
use lastnim_proto::pb::{self, play_response::Event};

pub(super) fn check_takes(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for message in log.sessions.iter().flat_map(|session| &session.messages) {
        if let Some(Event::Took(took)) = message.received() {
            check_reported_take(took, replayed, message, findings);
        }
    }
    for (seat, name) in replayed.setup().bots.enumerate() {
        let sessions: Vec<_> = log.sessions.iter().filter(|session| session.bot == name.as_str()).collect();
        if !sessions.is_empty() {
            check_sent_takes(&sessions, seat, replayed, findings);
        }
    }
}

fn check_reported_take(
    took: &pb::Took,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let reported = take_text(took.seat, took.take, took.steward);
    let Some(recorded) = replayed.takes.get(took.ply as usize) else {
        let detail = format!("{reported}, but the record ends before this take");
        findings.add(FindingKind::TakeMissing, message, took.ply, detail);
        return;
    };
    let steward = recorded.mover == Mover::Steward;
    if (took.seat, took.take, took.steward) != (recorded.seat.into(), recorded.take, steward) {
        let recorded = take_text(recorded.seat.into(), recorded.take, steward);
        findings.add(
            FindingKind::Take,
            message,
            took.ply,
            format!("{reported}, but the record says {recorded}"),
        );
    }
}

/// Describes a take.
pub(super) fn take_text(seat: u32, take: u64, steward: bool) -> String {
    if steward {
        format!("the steward took {take} for seat {seat}")
    } else {
        format!("seat {seat} took {take}")
    }
}

/// Checks that the bot sent every take that the record attributes to it, if its log covers the ply.
fn check_sent_takes(
    sessions: &[&SessionOfMatch<'_>],
    seat: Seat,
    replayed: &ReplayedMatch<'_>,
    findings: &mut Findings,
) {
    for (ply, recorded) in (0_u32..).zip(&replayed.takes) {
        if recorded.seat != seat || recorded.mover == Mover::Steward {
            continue;
        }
        let covered = sessions.iter().find_map(|session| Some((session.place, session.bracket_of_ply(ply)?)));
        let Some((place, bracket)) = covered else { continue };
        let before = sessions.iter().filter(|other| other.place <= place).flat_map(|other| {
            let is_last = other.place == place;
            other.messages.iter().take_while(move |message| !is_last || message.line < bracket.after.line)
        });
        let offered: Vec<_> =
            before.filter_map(LoggedMessage::sent_take).filter(|take| take.ply == ply).collect();
        if offered.iter().any(|take| is_recorded_take(take, recorded)) {
            continue;
        }
        let detail = format!(
            "in the record, seat {seat} takes {}{}, but up to this line its bot sent {}",
            recorded.take,
            if recorded.note_hash.is_empty() { "" } else { " with a note hash" },
            sent_takes_text(&offered)
        );
        findings.add(FindingKind::TakeNeverSent, bracket.after, ply, detail);
    }
}

fn is_recorded_take(sent: &pb::Take, recorded: &RecordedTake) -> bool {
    sent.take == recorded.take && sent.note_hash == recorded.note_hash
}

fn sent_takes_text(sent: &[&pb::Take]) -> String {
    if sent.is_empty() {
        return "no take for this ply".to_owned();
    }
    let takes = sent.iter().map(|take| {
        let hash = if take.note_hash.is_empty() { "" } else { " with a note hash" };
        format!("a take of {}{hash}", take.take)
    });
    let takes: Vec<_> = takes.collect();
    takes.join(" and ")
}
