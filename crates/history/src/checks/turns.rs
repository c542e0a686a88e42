//! The turns that bots were given.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
    replayed_match::ReplayedMatch,
};
use lastnim_core::game::Seat;
use lastnim_proto::pb::{self, play_response::Event};
use std::time::Duration;

/// Whether time of the turn may have passed when it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnTelling {
    /// It is told as it begins.
    Begins,
    /// It is told again, or in a snapshot.
    Stands,
}

pub(super) fn check_turns(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    for session in &log.sessions {
        let Some(seat) = replayed.seat_of_bot(session.bot) else { continue };
        // What is told of the own seat in this session.
        let (mut rows_told, mut lost) = (false, None);
        let mut previous: Option<&LoggedMessage<'_>> = None;
        let begins = session
            .messages
            .iter()
            .any(|message| matches!(message.received(), Some(Event::MatchStarted(_))) && message.gaps == 0);
        for message in &session.messages {
            let Some(event) = message.received() else { continue };
            match event {
                Event::Revealed(_) => rows_told = true,
                Event::Snapshot(snapshot) => {
                    rows_told |= snapshot.alliance_matrix.is_some();
                    if let Some(turn) = &snapshot.turn {
                        check_turn(turn, seat, TurnTelling::Stands, replayed, message, findings);
                    }
                }
                Event::Forfeited(forfeited) if forfeited.seat == u32::from(seat) => lost = Some(message.line),
                Event::Turn(turn) => {
                    if begins && !rows_told && message.gaps == 0 {
                        let words = "a turn, and the rows were not revealed before".to_owned();
                        findings.add(FindingKind::Turn, message, turn.ply, words);
                    }
                    if let Some(line) = lost {
                        let words = format!("a turn, and line {line} has told that the seat is lost");
                        findings.add(FindingKind::Turn, message, turn.ply, words);
                    }
                    let telling = telling_of_turn(turn, message, previous);
                    check_turn(turn, seat, telling, replayed, message, findings);
                }
                _ => {}
            }
            previous = Some(message);
        }
    }
}

/// Returns how a turn is told: it stands where a refusal or a snapshot has told it before, or where that may have been left out.
fn telling_of_turn(
    turn: &pb::Turn,
    message: &LoggedMessage<'_>,
    previous: Option<&LoggedMessage<'_>>,
) -> TurnTelling {
    let begins = previous.is_some_and(|previous| {
        let told_before = match previous.received() {
            Some(Event::Refused(_)) | None => true,
            Some(Event::Turn(told)) => told.ply == turn.ply,
            Some(Event::Snapshot(snapshot)) => snapshot.ply == turn.ply,
            Some(_) => false,
        };
        previous.gaps == message.gaps && !told_before
    });
    if begins { TurnTelling::Begins } else { TurnTelling::Stands }
}

fn check_turn(
    turn: &pb::Turn,
    seat: Seat,
    telling: TurnTelling,
    replayed: &ReplayedMatch<'_>,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let Some(state) = replayed.ply_state(turn.ply) else {
        let plies = replayed.takes.len();
        let words = format!("a turn, and the record ends after {plies} plies");
        findings.add(FindingKind::Turn, message, turn.ply, words);
        return;
    };
    let position = &state.position;
    if position.to_move() != seat {
        let to_move = position.to_move();
        let words = format!("seat {seat} is given a turn; by the record seat {to_move} is to move");
        findings.add(FindingKind::Turn, message, turn.ply, words);
        return;
    }
    let (pile, counters) = (position.pile_index(), position.counters());
    if (turn.pile as usize, turn.counters) != (pile, counters) {
        let words = format!(
            "the turn shows {} counters in pile {}; by the record there are {counters} in pile {pile}",
            turn.counters, turn.pile
        );
        findings.add(FindingKind::Turn, message, turn.ply, words);
    }
    check_bank(turn.bank_ms, state.banks[seat], telling, (seat, turn.ply), message, findings);
}

/// A bank that is told is what the record leaves: exactly as a turn begins, and at most that while it lasts.
pub(super) fn check_bank(
    told_ms: u32,
    left: Duration,
    telling: TurnTelling,
    (seat, ply): (Seat, u32),
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    let left_ms = u32::try_from(left.as_millis()).unwrap_or(u32::MAX);
    let fits = match telling {
        TurnTelling::Begins => told_ms == left_ms,
        TurnTelling::Stands => told_ms <= left_ms,
    };
    if !fits {
        let words = format!(
            "seat {seat} is told of {told_ms} ms in its bank; what the record charges leaves {left_ms} ms"
        );
        findings.add(FindingKind::Bank, message, ply, words);
    }
}
