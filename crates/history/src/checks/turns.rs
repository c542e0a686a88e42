//! Checks the turns given to bots.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
    replayed_match::ReplayedMatch,
};
use lastnim_core::game::Seat;
use lastnim_proto::pb::{self, play_response::Event};
use std::time::Duration;

/// How a turn is announced. This shows whether the seat's clock may have been running already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnNotice {
    /// The turn is announced for the first time, as it begins.
    First,
    /// The turn is announced again, or in a snapshot.
    Repeated,
}

pub(super) fn check_turns(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for session in &log.sessions {
        let Some(seat) = replayed.seat_of_bot(session.bot) else { continue };
        // `lost` is the line that announced the loss of the bot's seat, if this session has one.
        let (mut rows_sent, mut lost) = (false, None);
        let mut previous: Option<&LoggedMessage<'_>> = None;
        let begins = session
            .messages
            .iter()
            .any(|message| matches!(message.received(), Some(Event::MatchStarted(_))) && message.gaps == 0);
        for message in &session.messages {
            let Some(event) = message.received() else { continue };
            match event {
                Event::Revealed(_) => rows_sent = true,
                Event::Snapshot(snapshot) => {
                    rows_sent |= snapshot.alliance_matrix.is_some();
                    if let Some(turn) = &snapshot.turn {
                        check_turn(turn, seat, TurnNotice::Repeated, replayed, message, findings);
                    }
                }
                Event::Forfeited(forfeited) if forfeited.seat == u32::from(seat) => lost = Some(message.line),
                Event::Turn(turn) => {
                    if begins && !rows_sent && message.gaps == 0 {
                        let detail = "the server sent a turn before it revealed the rows".to_owned();
                        findings.add(FindingKind::Turn, message, turn.ply, detail);
                    }
                    if let Some(line) = lost {
                        let detail =
                            format!("the server sent a turn, but line {line} says that the seat is lost");
                        findings.add(FindingKind::Turn, message, turn.ply, detail);
                    }
                    let notice = notice_of_turn(turn, message, previous);
                    check_turn(turn, seat, notice, replayed, message, findings);
                }
                _ => {}
            }
            previous = Some(message);
        }
    }
}

/// Returns how a turn is announced. It counts as announced again after a refusal, after another message about the same
/// turn, and where lines are missing.
fn notice_of_turn(
    turn: &pb::Turn,
    message: &LoggedMessage<'_>,
    previous: Option<&LoggedMessage<'_>>,
) -> TurnNotice {
    let begins = previous.is_some_and(|previous| {
        let announced_before = match previous.received() {
            Some(Event::Refused(_)) | None => true,
            Some(Event::Turn(reported)) => reported.ply == turn.ply,
            Some(Event::Snapshot(snapshot)) => snapshot.ply == turn.ply,
            Some(_) => false,
        };
        previous.gaps == message.gaps && !announced_before
    });
    if begins { TurnNotice::First } else { TurnNotice::Repeated }
}

fn check_turn(
    turn: &pb::Turn,
    seat: Seat,
    notice: TurnNotice,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let Some(state) = replayed.ply_state(turn.ply) else {
        let detail = "the server sent a turn, but the record ends before this take".to_owned();
        findings.add(FindingKind::Turn, message, turn.ply, detail);
        return;
    };
    let position = &state.position;
    if position.to_move() != seat {
        let to_move = position.to_move();
        let detail =
            format!("seat {seat} is given a turn, but according to the record, seat {to_move} is to move");
        findings.add(FindingKind::Turn, message, turn.ply, detail);
        return;
    }
    let (pile, counters) = (position.pile_index(), position.counters());
    if (turn.pile as usize, turn.counters) != (pile, counters) {
        let detail = format!(
            "the turn is about pile {} with {} left, but the record has pile {pile} with {counters} left",
            turn.pile, turn.counters
        );
        findings.add(FindingKind::Turn, message, turn.ply, detail);
    }
    check_bank(turn.bank_ms, state.banks[seat], notice, (seat, turn.ply), message, findings);
}

/// Checks the time left in a bank. At the start of a turn it must be the time that follows from the record, and during
/// the turn it must not be more than that.
pub(super) fn check_bank(
    reported_ms: u32,
    left: Duration,
    notice: TurnNotice,
    (seat, ply): (Seat, u32),
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let left_ms = u32::try_from(left.as_millis()).unwrap_or(u32::MAX);
    let fits = match notice {
        TurnNotice::First => reported_ms == left_ms,
        TurnNotice::Repeated => reported_ms <= left_ms,
    };
    if !fits {
        let detail = format!(
            "seat {seat} has {reported_ms} ms in its bank, but the charges in the record leave {left_ms} ms"
        );
        findings.add(FindingKind::Bank, message, ply, detail);
    }
}
