//! A bot may add a hash of a note to its row and to each of its takes.

use super::table::{Table, declared, happened, refused, standard, takes, turns, words};
use crate::game::Row;
use crate::referee::{
    Event, MatchPhase, NoteHash, NoteHashError, Record, RefereeEffect, RefusalReason, SeatAction,
    SeatMessage, TimedEvent,
};

fn note(byte: u8) -> NoteHash {
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
fn it_stands_in_the_record_with_the_row_and_the_take() {
    let mut table = Table::open(declared(2, &[5]));
    let row = Row::standard(table.record().state().setup().seats());
    assert_eq!(happened(&table.act(0, SeatAction::declare(&row, Some(note(1))))).len(), 1);
    table.declare(1, &[0, 1]);
    table.act(0, SeatAction::take(0, 1, Some(note(2))));
    table.take(1, 1, 1);
    assert_eq!(note_hashes(&table), [Some(note(1)), None, Some(note(2)), None]);
}

#[test]
fn the_first_one_counts_when_a_row_or_a_take_is_sent_again() {
    let mut table = Table::open(declared(2, &[5]));
    let row = Row::standard(table.record().state().setup().seats());
    let first = table.seat(0);
    for byte in [1, 2] {
        let effects = table.act(0, SeatAction::declare(&row, Some(note(byte))));
        assert!(effects.contains(&RefereeEffect::Tell {
            seat: first,
            tell: SeatMessage::Declared { row: row.clone() }
        }));
    }
    table.declare(1, &[0, 1]);
    table.take(0, 0, 1);
    let again = table.act(0, SeatAction::take(0, 1, Some(note(3))));
    assert_eq!(
        again,
        [RefereeEffect::Tell { seat: first, tell: SeatMessage::TookAgain { ply: 0, take: 1 } }]
    );
    assert_eq!(note_hashes(&table), [Some(note(1)), None, None]);
}

#[test]
fn one_of_another_length_is_refused_without_a_strike_and_the_bot_is_asked_again() {
    let mut table = Table::open(standard(2, &[5]));
    let seat = table.seat(0);
    let note_hash = Err(NoteHashError { given: 31 });
    let effects = table.act(0, SeatAction::Take { ply: 0, take: 1, note_hash });
    assert_eq!(refused(&effects), [(0, RefusalReason::Malformed)]);
    assert_eq!(words(&effects), "a note hash of 31 bytes: it has 32, or is left out");
    assert!(happened(&effects).is_empty(), "it costs no strike");
    assert_eq!(turns(&effects).len(), 1);
    assert_eq!(takes(&table.act(0, SeatAction::take(0, 1, Some(note(1))))).len(), 1);

    let mut table = Table::open(declared(2, &[5]));
    let note_hash = Err(NoteHashError { given: 64 });
    let effects = table.act(0, SeatAction::Declare { offsets: vec![0, 1], note_hash });
    assert_eq!(refused(&effects), [(0, RefusalReason::Malformed)]);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, RefereeEffect::Tell { tell: SeatMessage::Snapshot(_), .. })),
        "its row is still awaited"
    );
    assert_eq!((table.phase(), table.record().state().row_of_seat(seat)), (MatchPhase::Declaring, None));
}

#[test]
fn what_is_not_the_bots_own_has_none() {
    let mut table = Table::open(declared(2, &[5]));
    let row = SeatAction::Declare { offsets: vec![7], note_hash: Ok(Some(note(1))) };
    assert_eq!(refused(&table.act(0, row)), [(0, RefusalReason::InvalidRow)]);
    table.declare(1, &[0, 1]);
    table.resign(0);
    assert_eq!(note_hashes(&table), [const { None }; 3], "a defaulted row, a row, and the steward's take");

    // A record that says otherwise does not replay.
    let events = table.record().events();
    for index in [1, 5] {
        let mut events = events.to_vec();
        match &mut events[index].event {
            Event::Declared { note_hash, .. } | Event::Took { note_hash, .. } => *note_hash = Some(note(1)),
            other => panic!("a row or a take: {other:?}"),
        }
        let refused = Record::replay(table.record().id(), events).unwrap_err();
        let words = "a note hash of seat 0, whose bot did not act: it stands with a bot's own row or take";
        assert_eq!(refused.to_string(), format!("event {index}: {words}"));
    }
}
