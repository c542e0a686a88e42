//! Checks charges and losses on time, by the times in the record and by the bots' own clocks.
//!
//! All times in a record come from one clock, so its charges and losses on time can be checked exactly. A bot measures
//! the time from the arrival of a turn to the departure of its take. This differs from the time that the server
//! measures by two network delays, which no log shows. So a finding by a bot's clock is a doubt, and is reported only
//! if the margin is several times the slowest answer in the session.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog, SessionOfMatch},
    replayed_match::{RecordedForfeit, RecordedRow, ReplayedMatch},
};
use lastnim_core::{
    game::Seat,
    referee::{ForfeitReason, RowDefault},
};
use lastnim_proto::pb::play_response::Event;
use std::time::Duration;

/// The minimum margin: a take or row that was sent with less time left may have been late because of the network.
const MIN_MARGIN: Duration = Duration::from_millis(250);
/// The minimum margin as a multiple of the slowest answer in the session.
const MARGIN_IN_ANSWERS: u32 = 4;

pub(super) fn check_times(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    check_charges(replayed, findings);
    check_losses(replayed, findings);
    for session in &log.sessions {
        let Some(seat) = replayed.seat_of_bot(session.bot) else { continue };
        let margin = min_margin(session);
        if let Some(forfeit) = replayed.forfeits[seat] {
            check_late_take(session, seat, forfeit, margin, replayed, findings);
        }
        if let Some(row) = &replayed.rows[seat] {
            check_late_row(session, seat, row, margin, replayed, findings);
        }
        check_own_charges(session, seat, margin, replayed, findings);
    }
}

/// Checks that the charge and the lag credit for a take together do not exceed the time since the previous take.
fn check_charges(replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for (ply, (take, state)) in (0_u32..).zip(replayed.takes.iter().zip(&replayed.plies)) {
        let (passed, counted) = (take.at.since(state.began), take.charged + take.credited);
        if counted > passed {
            let detail = format!(
                "seat {} is charged {} and credited {} of lag for a ply that lasted only {}",
                take.seat,
                milliseconds(take.charged),
                milliseconds(take.credited),
                milliseconds(passed)
            );
            findings.add_record_finding(FindingKind::Time, ply, detail);
        }
    }
}

/// Checks that no seat was lost on time before its bank was used up, and that no row was late before the time limit.
fn check_losses(replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    let is_by_clock = |reason| {
        matches!(reason, ForfeitReason::TimedOut | ForfeitReason::Disconnected | ForfeitReason::NoShow)
    };
    for (seat, forfeit) in replayed.forfeits.enumerate() {
        let Some(forfeit) = forfeit.filter(|forfeit| forfeit.in_play && is_by_clock(forfeit.reason)) else {
            continue;
        };
        let Some(state) = replayed.ply_state(forfeit.ply) else { continue };
        let (passed, left) = (forfeit.at.since(state.began), state.banks[seat]);
        if passed < left {
            let detail = format!(
                "according to the record, seat {seat} ran out of time {} after the ply began, but its bank had {} when the ply began",
                milliseconds(passed),
                milliseconds(left)
            );
            findings.add_record_finding(FindingKind::Time, forfeit.ply, detail);
        }
    }
    let deadline = replayed.setup().clock().declaration;
    for (seat, row) in replayed.rows.enumerate() {
        let Some(row) = row.as_ref().filter(|row| row.defaulted == Some(RowDefault::Late)) else { continue };
        let passed = row.at.since(replayed.created());
        if passed < deadline {
            let detail = format!(
                "according to the record, seat {seat} ran out of time to declare {} after the match began, but the time limit is {}",
                milliseconds(passed),
                milliseconds(deadline)
            );
            findings.add_record_finding(FindingKind::Time, 0, detail);
        }
    }
}

/// Returns the minimum margin for a finding by a bot's clock, which is well above the slowest answer in its session.
fn min_margin(session: &SessionOfMatch<'_>) -> Duration {
    let slowest = session.messages.iter().filter_map(|sent| {
        let take = sent.sent_take()?;
        let answers = |message: &&LoggedMessage<'_>| {
            message.line > sent.line
                && matches!(message.received(), Some(Event::Took(took)) if took.ply == take.ply && !took.steward)
        };
        Some(session.messages.iter().find(answers)?.micros_since(sent))
    });
    MIN_MARGIN.max(Duration::from_micros(slowest.max().unwrap_or_default()) * MARGIN_IN_ANSWERS)
}

/// Returns the message that announced the bot's turn in this ply, and the time that was left in its bank.
fn turn_of_ply<'s, 'a>(
    session: &'s SessionOfMatch<'a>,
    ply: u32,
) -> Option<(&'s LoggedMessage<'a>, Duration)> {
    session.messages.iter().find_map(|message| {
        let turn = match message.received()? {
            Event::Turn(turn) => turn,
            Event::Snapshot(snapshot) => snapshot.turn.as_ref()?,
            _ => return None,
        };
        (turn.ply == ply).then(|| (message, Duration::from_millis(turn.bank_ms.into())))
    })
}

fn check_late_take(
    session: &SessionOfMatch<'_>,
    seat: Seat,
    forfeit: RecordedForfeit,
    margin: Duration,
    replayed: &ReplayedMatch<'_>,
    findings: &mut Findings,
) {
    if !matches!(forfeit.reason, ForfeitReason::TimedOut) {
        return;
    }
    let Some((turn, bank)) = turn_of_ply(session, forfeit.ply) else { return };
    let Some(state) = replayed.ply_state(forfeit.ply) else { return };
    let answer = session.messages.iter().find(|message| {
        let legal = |take: &lastnim_proto::pb::Take| {
            take.ply == forfeit.ply && state.position.check_take(take.take).is_ok()
        };
        message.sent_take().is_some_and(legal)
    });
    let Some(answer) = answer else { return };
    // It is certain that the take was sent at all only if the session lasted until the bot received the loss of its
    // seat.
    let lasted = session.messages.iter().any(|message| {
        message.line > answer.line
            && matches!(message.received(), Some(Event::Forfeited(loss)) if loss.seat == u32::from(seat))
    });
    let thought = Duration::from_micros(answer.micros_since(turn));
    let left = bank.saturating_sub(thought);
    if lasted && left > margin {
        let detail = format!(
            "seat {seat} was forfeited because its time ran out, but its take was sent {} after its turn arrived (line {}), with {} left: the take was late only if the network delayed the turn and the take by more than that in total",
            milliseconds(thought),
            turn.line,
            milliseconds(left)
        );
        findings.add(FindingKind::Late, answer, forfeit.ply, detail);
    }
}

fn check_late_row(
    session: &SessionOfMatch<'_>,
    seat: Seat,
    row: &RecordedRow,
    margin: Duration,
    replayed: &ReplayedMatch<'_>,
    findings: &mut Findings,
) {
    if row.defaulted != Some(RowDefault::Late) {
        return;
    }
    let Some(bracket) = session.bracket_of_rows() else { return };
    let mut messages = session.messages.iter().take_while(|message| message.line < bracket.after.line);
    let Some(answer) = messages.find(|message| message.sent_declaration().is_some()) else { return };
    let given = match bracket.before.received() {
        Some(Event::Snapshot(snapshot)) => Duration::from_millis(snapshot.declaration_left_ms.into()),
        _ => replayed.setup().clock().declaration,
    };
    let thought = Duration::from_micros(answer.micros_since(bracket.before));
    let left = given.saturating_sub(thought);
    if left > margin {
        let detail = format!(
            "the row of seat {seat} was late, but it was sent {} after it was requested (line {}), with {} left: the row was late only if the network delayed the request and the row by more than that in total",
            milliseconds(thought),
            bracket.before.line,
            milliseconds(left)
        );
        findings.add(FindingKind::Late, answer, None, detail);
    }
}

/// Checks that the charge for a take is not much larger than the time from the arrival of the turn to the arrival of
/// the acknowledgement.
fn check_own_charges(
    session: &SessionOfMatch<'_>,
    seat: Seat,
    margin: Duration,
    replayed: &ReplayedMatch<'_>,
    findings: &mut Findings,
) {
    for message in &session.messages {
        let Some(Event::Took(took)) = message.received() else { continue };
        if took.seat != u32::from(seat) || took.steward {
            continue;
        }
        let Some(recorded) = replayed.takes.get(took.ply as usize) else { continue };
        let Some((turn, _)) = turn_of_ply(session, took.ply).filter(|(turn, _)| turn.line < message.line)
        else {
            continue;
        };
        let lasted = Duration::from_micros(message.micros_since(turn));
        if recorded.charged > lasted + margin {
            let detail = format!(
                "seat {seat} is charged {} for a take that was acknowledged {} after its turn arrived (line {}): this is correct only if the network delayed the turn by the difference",
                milliseconds(recorded.charged),
                milliseconds(lasted),
                turn.line
            );
            findings.add(FindingKind::Charge, message, took.ply, detail);
        }
    }
}

fn milliseconds(span: Duration) -> String {
    let micros = span.as_micros();
    format!("{}.{:03} ms", micros / 1_000, micros % 1_000)
}
