//! Tests of note hashes on rows and takes.

use super::table::{
    Table, declared_match, events_in, refusal_message, refusals_in, standard_match, takes_in, turns_in,
};
use crate::game::Row;
use crate::referee::{
    Event, MatchPhase, NoteHash, NoteHashError, Record, RefereeEffect, RefusalReason, SeatAction,
    SeatMessage, TimedEvent,
};

fn test_note_hash(byte: u8) -> NoteHash {
    NoteHash::from_bytes([byte; NoteHash::BYTES])
}

/// Returns the note hashes of a record, in order.
fn note_hashes(table: &Table) -> Vec<Option<NoteHash>> {
    let note_hash = |timed: &TimedEvent| match &timed.event {
        Event::Declared { note_hash, .. } | Event::Took { note_hash, .. } => Some(note_hash.clone()),
        _ => None,
    };
    table.record().events().iter().filter_map(note_hash).collect()
}

#[test]
fn note_hashes_are_recorded_with_rows_and_takes() {
    let mut table = Table::open(declared_match(2, &[5]));
    let row = Row::standard(table.record().state().setup().seats());
    assert_eq!(events_in(&table.act(0, SeatAction::declare(&row, Some(test_note_hash(1))))).len(), 1);
    table.declare(1, &[0, 1]);
    table.act(0, SeatAction::take(0, 1, Some(test_note_hash(2))));
    table.take(1, 1, 1);
    assert_eq!(note_hashes(&table), [Some(test_note_hash(1)), None, Some(test_note_hash(2)), None]);
}

#[test]
fn the_first_note_hash_counts_if_a_row_or_take_is_repeated() {
    let mut table = Table::open(declared_match(2, &[5]));
    let row = Row::standard(table.record().state().setup().seats());
    let first = table.seat(0);
    for byte in [1, 2] {
        let effects = table.act(0, SeatAction::declare(&row, Some(test_note_hash(byte))));
        assert!(effects.contains(&RefereeEffect::SendToSeat {
            seat: first,
            message: SeatMessage::Declared { row: row.clone() }
        }));
    }
    table.declare(1, &[0, 1]);
    table.take(0, 0, 1);
    let again = table.act(0, SeatAction::take(0, 1, Some(test_note_hash(3))));
    assert_eq!(
        again,
        [RefereeEffect::SendToSeat { seat: first, message: SeatMessage::TakeRepeated { ply: 0, take: 1 } }]
    );
    assert_eq!(note_hashes(&table), [Some(test_note_hash(1)), None, None]);
}

#[test]
fn a_note_hash_of_the_wrong_length_is_refused_without_a_strike() {
    let mut table = Table::open(standard_match(2, &[5]));
    let seat = table.seat(0);
    let note_hash = Err(NoteHashError { given: 31 });
    let effects = table.act(0, SeatAction::Take { ply: 0, take: 1, note_hash });
    assert_eq!(refusals_in(&effects), [(0, RefusalReason::Malformed)]);
    assert_eq!(refusal_message(&effects), "a note hash of 31 bytes: expected 32 bytes, or no note hash");
    assert!(events_in(&effects).is_empty(), "an invalid note hash costs no strike");
    assert_eq!(turns_in(&effects).len(), 1);
    assert_eq!(takes_in(&table.act(0, SeatAction::take(0, 1, Some(test_note_hash(1))))).len(), 1);

    let mut table = Table::open(declared_match(2, &[5]));
    let note_hash = Err(NoteHashError { given: 64 });
    let effects = table.act(0, SeatAction::Declare { offsets: vec![0, 1], note_hash });
    assert_eq!(refusals_in(&effects), [(0, RefusalReason::Malformed)]);
    assert!(
        effects.iter().any(|effect| matches!(
            effect,
            RefereeEffect::SendToSeat { message: SeatMessage::Snapshot(_), .. }
        )),
        "the seat may still declare its row"
    );
    assert_eq!((table.phase(), table.record().state().row_of_seat(seat)), (MatchPhase::Declaring, None));
}

#[test]
fn rows_and_takes_that_the_bot_did_not_choose_have_no_note_hash() {
    let mut table = Table::open(declared_match(2, &[5]));
    let row = SeatAction::Declare { offsets: vec![7], note_hash: Ok(Some(test_note_hash(1))) };
    assert_eq!(refusals_in(&table.act(0, row)), [(0, RefusalReason::InvalidRow)]);
    table.declare(1, &[0, 1]);
    table.resign(0);
    assert_eq!(note_hashes(&table), [const { None }; 3], "neither row nor the steward's take has one");

    // A record in which one of these events has a note hash does not replay.
    let events = table.record().events();
    for index in [1, 5] {
        let mut events = events.to_vec();
        match &mut events[index].event {
            Event::Declared { note_hash, .. } | Event::Took { note_hash, .. } => {
                *note_hash = Some(test_note_hash(1));
            }
            other => panic!("expected a row or a take, got {other:?}"),
        }
        let refused = Record::replay(table.record().id(), events).unwrap_err();
        let reason = "a note hash for a row or a take of seat 0 that its bot did not choose: only a bot's own rows and takes have note hashes";
        assert_eq!(refused.to_string(), format!("event {index}: {reason}"));
    }
}
