//! Checks the messages to bots about lost seats, and whether the reasons for the losses are valid.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{DirectedMessage, LoggedMessage, MatchLog, SessionOfMatch},
    replayed_match::{RecordedForfeit, ReplayedMatch},
};
use lastnim_core::{game::Seat, referee::ForfeitReason};
use lastnim_proto::pb::{self, play_request::Action, play_response::Event};

pub(super) fn check_forfeits(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for session in &log.sessions {
        for message in &session.messages {
            match message.received() {
                Some(Event::Forfeited(forfeited)) => {
                    check_reported_forfeit(forfeited, replayed, message, findings);
                }
                Some(Event::MatchEnded(ended)) if ended.started.is_some() => {
                    for forfeited in &ended.forfeited {
                        check_reported_forfeit(forfeited, replayed, message, findings);
                    }
                    check_missed_end_forfeits(&ended.forfeited, replayed, message, findings);
                }
                _ => {}
            }
        }
        check_forfeits_announced(session, replayed, findings);
        if let Some(seat) = replayed.seat_of_bot(session.bot)
            && let Some(forfeit) = replayed.forfeits[seat]
        {
            check_own_loss(log, session, seat, forfeit, findings);
        }
    }
    for (seat, forfeit) in replayed.forfeits.enumerate() {
        if let Some(RecordedForfeit { reason: ForfeitReason::NoShow, ply, had_acted: true, .. }) = forfeit {
            let detail = format!("seat {seat} was lost as a no-show, but its bot had acted before");
            findings.add_record_finding(FindingKind::ForfeitReason, *ply, detail);
        }
    }
}

/// Describes how a seat was lost.
pub(super) fn forfeit_text(seat: u32, reason: pb::ForfeitReason) -> String {
    let reason = reason.as_str_name().trim_start_matches("FORFEIT_REASON_").to_ascii_lowercase();
    format!("seat {seat} was lost ({reason})")
}

fn check_reported_forfeit(
    reported: &pb::Forfeited,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let seat = replayed.setup().seats().seat(reported.seat as usize).ok();
    let recorded = seat.and_then(|seat| replayed.forfeits[seat]).map(|forfeit| forfeit.reason);
    if recorded.map(pb::ForfeitReason::from) != Some(reported.reason()) {
        let recorded = recorded
            .map_or_else(|| "it was not".to_owned(), |reason| forfeit_text(reported.seat, reason.into()));
        let detail =
            format!("{}, but the record says {recorded}", forfeit_text(reported.seat, reported.reason()));
        findings.add(FindingKind::Forfeit, message, None, detail);
    }
}

/// Checks that a match end that is sent together with the setup, because the bot may not know the match, lists all lost
/// seats.
fn check_missed_end_forfeits(
    reported: &[pb::Forfeited],
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    for (seat, forfeit) in replayed.forfeits.enumerate() {
        if let Some(forfeit) = forfeit
            && !reported.iter().any(|reported| reported.seat == u32::from(seat))
        {
            let recorded = forfeit_text(seat.into(), forfeit.reason.into());
            let detail =
                format!("the record says {recorded}, but the message about the end does not list this loss");
            findings.add(FindingKind::Forfeit, message, forfeit.ply, detail);
        }
    }
}

/// Checks that a session that was open from the start to the end of the match received a report of every lost seat.
fn check_forfeits_announced(
    session: &SessionOfMatch<'_>,
    replayed: &ReplayedMatch<'_>,
    findings: &mut Findings,
) {
    let is_beginning =
        |message: &&LoggedMessage<'_>| matches!(message.received(), Some(Event::MatchStarted(_)));
    let is_end = |message: &&LoggedMessage<'_>| matches!(message.received(), Some(Event::MatchEnded(_)));
    let (Some(begin), Some(end)) =
        (session.messages.iter().find(is_beginning), session.messages.iter().find(is_end))
    else {
        return;
    };
    if begin.gaps != end.gaps {
        return;
    }
    for (seat, forfeit) in replayed.forfeits.enumerate() {
        let Some(forfeit) = forfeit else { continue };
        let is_reported = session.messages.iter().any(|message| match message.received() {
            Some(Event::Forfeited(reported)) => reported.seat == u32::from(seat),
            Some(Event::Snapshot(snapshot)) => snapshot.forfeited.contains(&seat.into()),
            Some(Event::MatchEnded(ended)) => {
                ended.forfeited.iter().any(|reported| reported.seat == u32::from(seat))
            }
            _ => false,
        });
        if !is_reported {
            let recorded = forfeit_text(seat.into(), forfeit.reason.into());
            let detail = format!(
                "the record says {recorded}, but the server did not report this loss in this session"
            );
            findings.add(FindingKind::Forfeit, end, forfeit.ply, detail);
        }
    }
}

/// Checks that the bot's log is consistent with the recorded reason for the loss of its seat.
fn check_own_loss(
    log: &MatchLog<'_>,
    session: &SessionOfMatch<'_>,
    seat: Seat,
    forfeit: RecordedForfeit,
    findings: &mut Findings,
) {
    let reported = session.messages.iter().find(
        |message| matches!(message.received(), Some(Event::Forfeited(loss)) if loss.seat == u32::from(seat)),
    );
    let Some(reported) = reported else { return };
    let earlier = || session.messages.iter().take_while(|message| message.line < reported.line);
    let knows_match = |message: &&LoggedMessage<'_>| {
        matches!(message.received(), Some(Event::MatchStarted(_) | Event::Snapshot(_)))
    };
    let is_request = |message: &&LoggedMessage<'_>| match message.received() {
        Some(Event::Turn(turn)) => turn.ply == forfeit.ply,
        Some(Event::Snapshot(snapshot)) => snapshot.turn.as_ref().is_some_and(|turn| turn.ply == forfeit.ply),
        _ => false,
    };
    let refuted = match forfeit.reason {
        ForfeitReason::NoShow => earlier().find(knows_match).map(|first| {
            format!("as a no-show, but the server announced the match in this session in line {}", first.line)
        }),
        ForfeitReason::Disconnected => earlier().find(is_request).map(|turn| {
            format!(
                "by disconnection, but this session was open from the turn in line {} until here",
                turn.line
            )
        }),
        ForfeitReason::Resigned => {
            let covered = earlier().find(knows_match).is_some_and(|first| first.gaps == reported.gaps);
            (covered && !has_resigned(log, session.bot))
                .then(|| "by resignation, but its bot did not resign".to_owned())
        }
        ForfeitReason::TimedOut | ForfeitReason::Strikes | ForfeitReason::Disqualified => None,
    };
    if let Some(why) = refuted {
        let detail = format!("according to the record, seat {seat} was lost {why}");
        findings.add(FindingKind::ForfeitReason, reported, forfeit.ply, detail);
    }
}

fn has_resigned(log: &MatchLog<'_>, bot: &str) -> bool {
    let own = log.sessions.iter().filter(|session| session.bot == bot);
    let mut messages = own.flat_map(|session| &session.messages);
    messages.any(|message| matches!(message.content, DirectedMessage::Sent(Action::Resign(_))))
}
