//! Tests that rows are declared in secret and revealed together.

use super::table::{
    DECLARATION_MS, Table, assigned_match, declared_match, events_in, refusal_message, refusals_in,
    reveals_rows, turns_in,
};
use crate::game::{AllianceMatrix, SeatCount};
use crate::referee::{
    Event, ForfeitReason, MatchPhase, RefereeEffect, RefusalReason, RowDefault, SeatMessage,
};

fn matrix_text(table: &Table) -> String {
    table.record().state().game().expect("the rows are revealed").matrix.to_string()
}

#[test]
fn no_row_is_revealed_before_the_last_one_is_declared() {
    let mut table = Table::open(declared_match(3, &[3]));
    for (seat, row) in [(2, [1, 0, 2]), (0, [2, 1, 0])] {
        let effects = table.declare(seat, &row);
        assert!(!reveals_rows(&effects) && turns_in(&effects).is_empty());
        let replies: Vec<_> =
            effects.iter().filter(|effect| matches!(effect, RefereeEffect::SendToSeat { .. })).collect();
        assert!(
            matches!(replies[..], [RefereeEffect::SendToSeat { seat: receiver, message: SeatMessage::Declared { .. } }] if receiver.index() == seat),
            "only the seat that declared a row is told about it: {replies:?}"
        );
        assert!(table.record().public_events().all(|event| matches!(event.event, Event::Created(_))));
        assert_eq!(table.phase(), MatchPhase::Declaring);
    }
    let effects = table.declare(1, &[0, 1, 2]);
    assert!(reveals_rows(&effects));
    assert_eq!(matrix_text(&table), "2 1 0; 0 1 2; 1 0 2");
    assert_eq!(turns_in(&effects).len(), 1, "the first turn follows at once");
    assert_eq!(table.record().public_events().count(), table.record().events().len());
}

#[test]
fn a_late_row_counts_as_the_standard_row() {
    let mut table = Table::open(declared_match(3, &[3]));
    table.declare(1, &[2, 1, 0]);
    let effects = table.wait_for_deadline();
    let late: Vec<_> = events_in(&effects)
        .into_iter()
        .filter_map(|event| match event {
            Event::Declared { seat, defaulted, .. } => Some((seat.index(), *defaulted)),
            _ => None,
        })
        .collect();
    assert_eq!(late, [(0, Some(RowDefault::Late)), (2, Some(RowDefault::Late))]);
    assert_eq!(matrix_text(&table), "0 1 2; 2 1 0; 0 1 2");
    assert_eq!(table.forfeit_reason(0), None, "a connected bot that does not declare is not forfeited");
    let too_late = table.declare(0, &[2, 1, 0]);
    assert_eq!(refusals_in(&too_late), [(0, RefusalReason::AlreadyDeclared)]);
    assert_eq!(refusal_message(&too_late), "the row of seat 0 is already 0 1 2: a row is declared only once");
}

#[test]
fn a_row_exactly_at_the_deadline_is_late() {
    let mut table = Table::open(declared_match(2, &[3]));
    table.now = table.referee.deadline().unwrap();
    let effects = table.declare(0, &[1, 0]);
    assert!(reveals_rows(&effects));
    assert_eq!(refusals_in(&effects), [(0, RefusalReason::AlreadyDeclared)]);
    assert_eq!(matrix_text(&table), "0 1; 0 1");
}

#[test]
fn an_invalid_row_is_refused_and_replaced_by_the_standard_row() {
    let mut table = Table::open(declared_match(2, &[3]));
    let effects = table.declare(0, &[1, 1]);
    assert_eq!(refusals_in(&effects), [(0, RefusalReason::InvalidRow)]);
    assert_eq!(
        refusal_message(&effects),
        "offset 1 appears twice in the row, at places 0 and 1: each of 0 to 1 must appear once; \
         the standard row is used instead"
    );
    assert!(
        matches!(events_in(&effects)[..], [Event::Declared { defaulted: Some(RowDefault::Invalid), .. }]),
        "an invalid row costs no strike"
    );
    let again = table.declare(0, &[1, 0]);
    assert_eq!(refusals_in(&again), [(0, RefusalReason::AlreadyDeclared)]);
    assert!(reveals_rows(&table.declare(1, &[2])), "an invalid row may be the last to arrive");
    assert_eq!(matrix_text(&table), "0 1; 0 1");
}

#[test]
fn a_row_of_the_wrong_length_is_invalid() {
    let mut table = Table::open(declared_match(2, &[3]));
    assert_eq!(refusals_in(&table.declare(1, &[0, 1, 2])), [(1, RefusalReason::InvalidRow)]);
}

#[test]
fn a_repeated_row_is_acknowledged_and_a_different_one_refused() {
    let mut table = Table::open(declared_match(3, &[3]));
    let first = table.declare(0, &[1, 2, 0]);
    assert_eq!(events_in(&first).len(), 1);
    let acknowledged = |effects: &[RefereeEffect]| {
        matches!(effects, [RefereeEffect::SendToSeat { message: SeatMessage::Declared { .. }, .. }])
    };
    assert!(acknowledged(&table.declare(0, &[1, 2, 0])));
    let another = table.declare(0, &[0, 1, 2]);
    assert_eq!(refusals_in(&another), [(0, RefusalReason::AlreadyDeclared)]);
    assert_eq!(refusal_message(&another), "the row of seat 0 is already 1 2 0: a row is declared only once");
    assert!(events_in(&another).is_empty(), "a second row costs no strike");
    assert_eq!(refusals_in(&table.declare(0, &[7])), [(0, RefusalReason::AlreadyDeclared)]);
    table.declare(1, &[0, 1, 2]);
    table.declare(2, &[0, 1, 2]);
    assert!(
        acknowledged(&table.declare(0, &[1, 2, 0])),
        "a repeated row is acknowledged even after the rows are revealed"
    );
    assert_eq!(matrix_text(&table), "1 2 0; 0 1 2; 0 1 2");
}

#[test]
fn a_bot_that_does_not_connect_to_declare_is_forfeited() {
    let mut table = Table::open_with_present(&[true, false, false, true], declared_match(4, &[9]));
    table.leave(3);
    table.wait(DECLARATION_MS / 2);
    table.join(2);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), None);
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::NoShow));
    assert_eq!(table.forfeit_reason(2), None, "a bot that connects late is not a no-show");
    assert_eq!(table.forfeit_reason(3), None, "a bot that connected and left may still return");
    assert_eq!(table.phase(), MatchPhase::Playing);
}

#[test]
fn the_time_to_declare_begins_when_the_match_is_announced() {
    let setup = declared_match(2, &[3]);
    let mut table = Table::open(setup.clone());
    assert_eq!(table.referee.deadline(), Some(table.now + setup.clock().declaration));
    table.wait(DECLARATION_MS - 1);
    assert!(reveals_rows(&table.wait(1)));
}

#[test]
fn assigned_rows_are_revealed_at_once_and_cannot_be_declared() {
    let mut table = Table::open(assigned_match(&[&[1, 0], &[1, 0]], &[3]));
    assert_eq!(table.phase(), MatchPhase::Playing);
    assert_eq!(matrix_text(&table), "1 0; 1 0");
    for row in [[0, 1], [1, 0]] {
        let effects = table.declare(0, &row);
        assert_eq!(refusals_in(&effects), [(0, RefusalReason::AlreadyDeclared)]);
        assert_eq!(
            refusal_message(&effects),
            "the rows of this match are assigned: there is nothing to declare"
        );
    }
}

#[test]
fn a_seat_that_resigns_keeps_the_row_it_declared() {
    let mut table = Table::open(declared_match(3, &[4, 4, 4]));
    table.declare(0, &[2, 1, 0]);
    table.resign(0);
    table.resign(1);
    assert_eq!(refusals_in(&table.declare(1, &[2, 1, 0])), [(1, RefusalReason::AlreadyDeclared)]);
    let effects = table.declare(2, &[1, 0, 2]);
    assert!(reveals_rows(&effects));
    assert_eq!(matrix_text(&table), "2 1 0; 0 1 2; 1 0 2");
    assert_eq!(turns_in(&effects).len(), 1, "the steward has moved for seats 0 and 1, and seat 2 is to move");
    assert_eq!(turns_in(&effects)[0].0, 2);
}

#[test]
fn late_rows_make_the_standard_matrix() {
    let mut table = Table::open(declared_match(5, &[4]));
    table.wait_for_deadline();
    let five = SeatCount::new(5).unwrap();
    assert_eq!(table.record().state().game().unwrap().matrix, AllianceMatrix::standard(five));
}
