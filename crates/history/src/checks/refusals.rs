//! Checks refusals and strikes.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog, SessionOfMatch},
    replayed_match::{RecordedStrike, ReplayedMatch},
};
use lastnim_core::{
    game::{Row, Seat},
    oracle::Mover,
    referee::RefusalReason,
};
use lastnim_proto::{
    FromWire as _,
    pb::{self, play_response::Event},
};

pub(super) fn check_refusals(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for session in &log.sessions {
        let Some(seat) = replayed.seat_of_bot(session.bot) else { continue };
        let mut refused = 0;
        for message in &session.messages {
            let Some(Event::Refused(refusal)) = message.received() else { continue };
            refused += 1;
            let Some(reason) = RefusalReason::from_wire(refusal.reason) else { continue };
            if reason.is_strike() {
                check_reported_strike(refusal, reason, seat, replayed, message, findings);
            }
            let Some(actions) = session.sent_before(message) else { continue };
            let unfounded = if actions.len() < refused {
                Some(format!(
                    "the bot sent fewer messages ({}) than were refused so far ({refused})",
                    actions.len()
                ))
            } else {
                unjustified_refusal_text(refusal, reason, seat, &actions, replayed)
            };
            if let Some(why) = unfounded {
                findings.add(
                    FindingKind::Refusal,
                    message,
                    refusal.ply,
                    format!("refused ({reason}): {why}"),
                );
            }
        }
        for strike in replayed.strikes.iter().filter(|strike| strike.seat == seat) {
            check_strike_was_reported(log, session, strike, findings);
        }
    }
}

/// Checks that a strike reported to a bot is in the record.
fn check_reported_strike(
    refusal: &pb::Refused,
    reason: RefusalReason,
    seat: Seat,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let is_reported = |strike: &RecordedStrike| {
        (strike.seat, strike.ply, strike.reason, strike.number)
            == (seat, refusal.ply, reason, refusal.strikes)
    };
    if !replayed.strikes.iter().any(is_reported) {
        let detail = format!(
            "strike {} of seat {seat} for {reason} is not in the record at this take",
            refusal.strikes
        );
        findings.add(FindingKind::Strike, message, refusal.ply, detail);
    }
    let limit = replayed.setup().terms.strikes;
    if refusal.strikes.checked_add(refusal.strikes_left) != Some(limit) {
        let detail = format!(
            "the refusal says that {} of the seat's strikes are used and {} are left, but the limit is {limit}",
            refusal.strikes, refusal.strikes_left
        );
        findings.add(FindingKind::Strike, message, refusal.ply, detail);
    }
}

/// Checks that a strike in the record was reported to the bot, if the log covers its ply.
fn check_strike_was_reported(
    log: &MatchLog<'_>,
    session: &SessionOfMatch<'_>,
    strike: &RecordedStrike,
    findings: &mut Findings,
) {
    let Some(bracket) = session.bracket_of_ply(strike.ply) else { return };
    // A refusal may be lost when its session ends. The snapshot of the next session then counts the strike.
    if let Some(Event::Snapshot(snapshot)) = bracket.before.received()
        && snapshot.strikes.get(strike.seat.index()).is_none_or(|&counted| counted >= strike.number)
    {
        return;
    }
    let sessions = log.sessions.iter().filter(|other| other.bot == session.bot);
    let is_reported = sessions.flat_map(|other| &other.messages).any(|message| {
        matches!(message.received(), Some(Event::Refused(refusal))
            if (refusal.ply, refusal.strikes) == (strike.ply, strike.number)
                && RefusalReason::from_wire(refusal.reason) == Some(strike.reason))
    });
    if !is_reported {
        let RecordedStrike { seat, number, reason, .. } = strike;
        let detail = format!(
            "strike {number} of seat {seat} for {reason} is in the record, but the server did not report it to the bot"
        );
        findings.add(FindingKind::Strike, bracket.after, strike.ply, detail);
    }
}

/// Returns why a refusal is unjustified; `None` if an earlier message could have caused it.
fn unjustified_refusal_text(
    refusal: &pb::Refused,
    reason: RefusalReason,
    seat: Seat,
    actions: &[&LoggedMessage<'_>],
    replayed: &ReplayedMatch<'_>,
) -> Option<String> {
    let ply = refusal.ply;
    let state = replayed.ply_state(ply)?;
    let takes = || actions.iter().filter_map(|message| message.sent_take());
    let rows = || actions.iter().filter_map(|message| message.sent_declaration());
    let is_own_turn = state.position.to_move() == seat;
    let founded = match reason {
        RefusalReason::IllegalTake => {
            takes().any(|take| take.ply == ply && state.position.check_take(take.take).is_err())
        }
        RefusalReason::NotYourTurn if is_own_turn => {
            return Some(format!("according to the record, seat {seat} is to make this take"));
        }
        RefusalReason::NotYourTurn => takes().any(|take| take.ply == ply),
        RefusalReason::FuturePly => takes().any(|take| take.ply > ply),
        RefusalReason::Stale => takes().any(|take| is_stale(take, ply, seat, replayed)),
        RefusalReason::NotStarted => takes().next().is_some(),
        RefusalReason::InvalidRow => rows().any(|declare| {
            let offsets = declare.row.as_ref().map(|row| row.offsets.as_slice()).unwrap_or_default();
            let offsets: Vec<u64> = offsets.iter().copied().map(u64::from).collect();
            Row::parse(&offsets, replayed.setup().seats()).is_err()
        }),
        RefusalReason::AlreadyDeclared => rows().next().is_some(),
        RefusalReason::Forfeited if replayed.forfeits[seat].is_none() => {
            return Some(format!("according to the record, seat {seat} was not lost"));
        }
        RefusalReason::MatchEnded if replayed.end().is_none() => {
            return Some("according to the record, the match had not ended".to_owned());
        }
        RefusalReason::Forfeited
        | RefusalReason::MatchEnded
        | RefusalReason::UnknownMatch
        | RefusalReason::Malformed
        | RefusalReason::InvalidTalk => true,
    };
    (!founded).then(|| "no earlier message in this session justifies it".to_owned())
}

/// Returns whether a take is for a past ply and differs from the take that was played in that ply.
fn is_stale(take: &pb::Take, reached: u32, seat: Seat, replayed: &ReplayedMatch<'_>) -> bool {
    take.ply < reached
        && replayed
            .takes
            .get(take.ply as usize)
            .is_none_or(|made| (made.seat, made.take, made.mover) != (seat, take.take, Mover::Bot))
}
