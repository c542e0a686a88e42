//! Tests that a snapshot contains everything that a bot needs to play on, and nothing secret.

use super::table::{BANK_MS, DECLARATION_MS, Table, declared_match, ms, standard_match};
use crate::game::BySeat;
use crate::referee::{
    ForfeitReason, MatchPhase, MatchSnapshot, RefereeEffect, RefereeInput, SeatAction, SeatMessage,
};

fn bank_millis(snapshot: &MatchSnapshot) -> Vec<u64> {
    snapshot.banks.iter().map(|bank| bank.as_millis() as u64).collect()
}

#[test]
fn a_snapshot_during_declaration_shows_the_time_left_but_no_rows() {
    let mut table = Table::open(declared_match(3, &[2, 7]));
    table.declare(0, &[2, 1, 0]);
    table.wait(100);
    for seat in 0..3 {
        let snapshot = table.join(seat);
        assert_eq!((snapshot.seat.index(), snapshot.phase), (seat, MatchPhase::Declaring));
        assert_eq!((snapshot.matrix, snapshot.turn), (None, None));
        let left = (seat > 0).then_some(ms(DECLARATION_MS - 100));
        assert_eq!(snapshot.declaration_left, left, "a seat with a settled row has no time to declare");
        assert_eq!((snapshot.ply, snapshot.pile, snapshot.counters), (0, 1, 7));
        assert_eq!(&snapshot.setup, table.record().state().setup());
    }
}

#[test]
fn before_the_announcement_all_time_is_left() {
    let mut table = Table::open(declared_match(2, &[2]));
    table.declare(0, &[1, 0]);
    let seat = table.seat(1);
    let action = SeatAction::Declare { offsets: vec![0, 1], note_hash: Ok(None) };
    table.now = table.now + ms(DECLARATION_MS / 2);
    let effects = table.referee.handle_input(RefereeInput::Act { seat, action }, table.now);
    assert!(!effects.is_empty());
    table.now = table.now + ms(DECLARATION_MS);
    let snapshot = table.join(0);
    assert_eq!((snapshot.phase, snapshot.turn.unwrap().bank), (MatchPhase::Playing, ms(BANK_MS)));
}

#[test]
fn a_snapshot_in_play_shows_rows_banks_and_turn() {
    let mut table = Table::open(standard_match(3, &[2, 7]));
    table.wait(100);
    table.take(0, 0, 7);
    table.wait(40);
    let waiting = table.join(0);
    assert_eq!((waiting.phase, waiting.turn), (MatchPhase::Playing, None));
    assert_eq!(waiting.matrix, table.record().state().setup().assigned);
    assert_eq!((waiting.ply, waiting.pile, waiting.counters, waiting.to_move.index()), (1, 0, 2, 1));
    assert_eq!(
        bank_millis(&waiting),
        [BANK_MS - 100, BANK_MS - 40, BANK_MS],
        "the running clock is deducted"
    );
    let moving = table.join(1);
    let turn = moving.turn.unwrap();
    assert_eq!((turn.ply, turn.pile, turn.counters, turn.bank), (1, 0, 2, ms(BANK_MS - 40)));
    assert_eq!(moving.declaration_left, None);
}

#[test]
fn a_snapshot_shows_strikes_and_forfeits() {
    let mut table = Table::open(standard_match(3, &[99]));
    table.take(1, 0, 1);
    table.resign(2);
    table.wait_for_deadline();
    let snapshot = table.join(2);
    assert_eq!(snapshot.strikes, BySeat::try_from(vec![0, 1, 0]).unwrap());
    let lost = vec![Some(ForfeitReason::TimedOut), None, Some(ForfeitReason::Resigned)];
    assert_eq!(snapshot.forfeited, BySeat::try_from(lost).unwrap());
    assert_eq!(snapshot.turn, None);
}

#[test]
fn a_snapshot_after_the_end_shows_the_end() {
    let mut table = Table::open(standard_match(2, &[3]));
    table.take(0, 0, 3);
    let snapshot = table.join(1);
    assert_eq!((snapshot.phase, snapshot.turn, snapshot.counters), (MatchPhase::Ended, None, 0));
    assert!(snapshot.matrix.is_some());
}

#[test]
fn a_bot_that_joins_at_its_deadline_is_forfeited() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.leave(0);
    table.now = table.referee.deadline().unwrap();
    let seat = table.seat(0);
    let effects = table.handle_input(RefereeInput::Joined { seat });
    let snapshot = effects.into_iter().find_map(|effect| match effect {
        RefereeEffect::SendToSeat { message: SeatMessage::Snapshot(snapshot), .. } => Some(snapshot),
        _ => None,
    });
    let snapshot = snapshot.unwrap();
    assert_eq!(snapshot.forfeited[seat], Some(ForfeitReason::Disconnected));
    assert_eq!((snapshot.turn, snapshot.ply), (None, 1));
}
