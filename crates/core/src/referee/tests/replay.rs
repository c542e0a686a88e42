//! Tests that the replay of a tampered record fails at the event that does not fit.

use super::table::{Table, declared_match, ms, standard_match};
use crate::game::{AllianceMatrix, MatchId, Piles, Row, Seat, SeatCount};
use crate::oracle::Mover;
use crate::referee::{
    EndReason, Event, ForfeitReason, MatchSetup, Record, RefusalReason, RowDefault, TimedEvent, Timestamp,
};
use std::time::Duration;

fn seat_at(index: usize) -> Seat {
    SeatCount::new(32).unwrap().seat(index).unwrap()
}

fn took_event(ply: u32, index: usize, take: u64) -> Event {
    let (charged, credited) = (Duration::ZERO, Duration::ZERO);
    Event::Took { ply, seat: seat_at(index), take, mover: Mover::Bot, charged, credited, note_hash: None }
}

fn struck_event(index: usize, ply: u32, reason: RefusalReason) -> Event {
    Event::Struck { seat: seat_at(index), ply, reason }
}

fn forfeited_event(index: usize, reason: ForfeitReason) -> Event {
    Event::Forfeited { seat: seat_at(index), reason }
}

fn declared_event(index: usize, offsets: &[u64], defaulted: Option<RowDefault>) -> Event {
    let row = Row::parse(offsets, SeatCount::new(offsets.len()).unwrap()).unwrap();
    Event::Declared { seat: seat_at(index), row, defaulted, note_hash: None }
}

fn resigned_event(index: usize) -> Event {
    forfeited_event(index, ForfeitReason::Resigned)
}

fn ended_event(reason: EndReason, winner: Option<usize>) -> Event {
    Event::Ended { reason, winner: winner.map(seat_at) }
}

/// Returns a first take with this many milliseconds charged and credited.
fn timed_take(mover: Mover, charged: u64, credited: u64) -> Event {
    let (charged, credited) = (ms(charged), ms(credited));
    Event::Took { ply: 0, seat: seat_at(0), take: 1, mover, charged, credited, note_hash: None }
}

/// Returns the record of a match that allows one ply, two strikes and some lag credit.
fn limited_match() -> Record {
    let mut setup = standard_match(3, &[9]);
    (setup.terms.max_plies, setup.terms.strikes) = (1, 2);
    setup.terms.clock.lag_quota = ms(5);
    setup.terms.clock.lag_total = ms(7);
    Table::open(setup).record().clone()
}

/// Appends events to a copy of a record, and returns the text of the error for the last one. The record must accept all
/// others.
fn refusal_text(record: &Record, events: &[Event]) -> String {
    let mut record = record.clone();
    let at = record.events().last().unwrap().at;
    let (last, before) = events.split_last().unwrap();
    for event in before {
        record.push_event(TimedEvent { at, event: event.clone() }).unwrap();
    }
    let untouched = record.clone();
    let refused = record.push_event(TimedEvent { at, event: last.clone() }).unwrap_err();
    assert_eq!(record, untouched, "a rejected event does not change the record");
    let message = refused.to_string();
    let event = format!("event {}: ", record.events().len());
    message
        .strip_prefix(&event)
        .unwrap_or_else(|| panic!("expected {message:?} to begin with {event:?}"))
        .to_owned()
}

#[test]
fn misplaced_setups_rows_and_takes_have_clear_errors() {
    let record = Table::open(standard_match(3, &[3, 4])).record().clone();
    let matrix = record.state().game().unwrap().matrix.clone();
    let limited = limited_match();
    let setup = Box::new(MatchSetup::clone(record.state().setup()));
    let (charged, credited) = (Duration::from_nanos(1_500), Duration::ZERO);
    let fraction = Event::Took {
        ply: 0,
        seat: seat_at(0),
        take: 1,
        mover: Mover::Bot,
        charged,
        credited,
        note_hash: None,
    };
    let cases: [(&Record, &[Event], &str); 16] = [
        (&record, &[Event::Created(setup)], "a second `created` event"),
        (
            &record,
            &[Event::Revealed { matrix }],
            "the rows are revealed twice or too early, or differ from the declared or assigned rows",
        ),
        (
            &record,
            &[declared_event(0, &[0, 1, 2], None)],
            "a row for seat 0, although its row is already settled",
        ),
        (&record, &[took_event(1, 1, 1)], "ply 1, but ply 0 comes next"),
        (&record, &[took_event(0, 1, 1)], "seat 1 moved out of turn: seat 0 is to move"),
        (&record, &[took_event(0, 3, 1)], "the match has no seat 3"),
        (&record, &[took_event(0, 0, 5)], "a take of 5 from pile 1, which has 4 left: take 1 to 4"),
        (&record, &[took_event(0, 0, 0)], "a take of 0 from pile 1, which has 4 left: take 1 to 4"),
        (&record, &[took_event(0, 0, 1), took_event(0, 0, 1)], "ply 0, but ply 1 comes next"),
        (
            &record,
            &[resigned_event(1), took_event(0, 0, 1), took_event(1, 1, 1)],
            "the wrong player moved for seat 1: the steward moves for forfeited seats, and bots move for all others",
        ),
        (
            &record,
            &[timed_take(Mover::Steward, 0, 0)],
            "the wrong player moved for seat 0: the steward moves for forfeited seats, and bots move for all others",
        ),
        (&record, &[timed_take(Mover::Bot, 1_001, 0)], "seat 0 is charged more time than it had left"),
        (&record, &[timed_take(Mover::Bot, 0, 1)], "seat 0 is credited more lag than its quotas allow"),
        (&limited, &[timed_take(Mover::Bot, 0, 6)], "seat 0 is credited more lag than its quotas allow"),
        (&record, &[fraction], "seat 0 is charged or credited a fraction of a microsecond"),
        (
            &record,
            &[resigned_event(0), timed_take(Mover::Steward, 1, 0)],
            "seat 0 is charged or credited time for a take by the steward",
        ),
    ];
    for (record, events, words) in cases {
        assert_eq!(refusal_text(record, events), words);
    }
}

#[test]
fn misplaced_strikes_forfeits_and_ends_have_clear_errors() {
    let record = Table::open(standard_match(3, &[3, 4])).record().clone();
    let limited = limited_match();
    let cases: [(&Record, &[Event], &str); 14] = [
        (&record, &[resigned_event(3)], "the match has no seat 3"),
        (
            &record,
            &[resigned_event(1), forfeited_event(1, ForfeitReason::Strikes)],
            "seat 1 is already forfeited",
        ),
        (
            &record,
            &[forfeited_event(1, ForfeitReason::TimedOut)],
            "seat 1 is forfeited because its time ran out, but its clock was not running",
        ),
        (
            &record,
            &[forfeited_event(2, ForfeitReason::NoShow)],
            "seat 2 is forfeited because its time ran out, but its clock was not running",
        ),
        (
            &record,
            &[struck_event(0, 0, RefusalReason::Stale)],
            "a strike for \"stale\", which is never a reason for a strike",
        ),
        (&record, &[struck_event(0, 1, RefusalReason::IllegalTake)], "ply 1, but ply 0 comes next"),
        (
            &record,
            &[resigned_event(0), struck_event(0, 0, RefusalReason::IllegalTake)],
            "seat 0 is already forfeited",
        ),
        (
            &limited,
            &[
                struck_event(0, 0, RefusalReason::IllegalTake),
                struck_event(0, 0, RefusalReason::FuturePly),
                struck_event(0, 0, RefusalReason::FuturePly),
            ],
            "seat 0 has 2 of 2 strikes: a seat is forfeited for strikes at the limit, and only then",
        ),
        (
            &record,
            &[forfeited_event(0, ForfeitReason::Strikes)],
            "seat 0 has 0 of 3 strikes: a seat is forfeited for strikes at the limit, and only then",
        ),
        (
            &limited,
            &[took_event(0, 0, 1), took_event(1, 1, 1)],
            "the match must end now (ply limit): only `ended` can follow",
        ),
        (
            &record,
            &[ended_event(EndReason::Finished, Some(0))],
            "the end of the match is wrong: the match did not end for this reason",
        ),
        (
            &record,
            &[ended_event(EndReason::Cancelled, Some(0))],
            "the end of the match is wrong: a cancelled match has no winner",
        ),
        (
            &record,
            &[took_event(0, 0, 4), took_event(1, 1, 3), ended_event(EndReason::Finished, Some(1))],
            "the end of the match is wrong: it must name the seat that won",
        ),
        (
            &record,
            &[ended_event(EndReason::Cancelled, None), took_event(0, 0, 1)],
            "the event follows the match's end",
        ),
    ];
    for (record, events, words) in cases {
        assert_eq!(refusal_text(record, events), words);
    }
}

#[test]
fn misplaced_declarations_are_rejected() {
    let record = Table::open(declared_match(2, &[3])).record().clone();
    let standard = AllianceMatrix::standard(SeatCount::new(2).unwrap());
    let cases: [(&[Event], &str); 6] = [
        (&[took_event(0, 0, 1)], "a take before the rows are revealed"),
        (
            &[declared_event(1, &[0, 1], None), declared_event(1, &[0, 1], None)],
            "a row for seat 1, although its row is already settled",
        ),
        (&[declared_event(1, &[0, 1, 2], None)], "a row of 3 offsets in a match with 2 seats"),
        (
            &[declared_event(1, &[1, 0], Some(RowDefault::Late))],
            "seat 1 has a default row that is not the standard row",
        ),
        (
            &[
                declared_event(0, &[1, 0], None),
                declared_event(1, &[0, 1], None),
                Event::Revealed { matrix: standard },
            ],
            "the rows are revealed twice or too early, or differ from the declared or assigned rows",
        ),
        (
            &[forfeited_event(0, ForfeitReason::TimedOut)],
            "seat 0 is forfeited because its time ran out, but its clock was not running",
        ),
    ];
    for (events, words) in cases {
        assert_eq!(refusal_text(&record, events), words);
    }
}

#[test]
fn a_record_begins_with_a_valid_setup() {
    let id = MatchId::new(1, &[0; 10]);
    let begin = |change: &dyn Fn(&mut MatchSetup)| {
        let mut setup = standard_match(2, &[3]);
        change(&mut setup);
        let created = TimedEvent { at: Timestamp::default(), event: Event::Created(Box::new(setup)) };
        Record::replay(id, [created]).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(begin(&|_| ()), Ok(()));
    assert_eq!(
        begin(&|setup| setup.first = seat_at(2)),
        Err("event 0: first: seat 2: expected 0 to 1".into())
    );
    assert_eq!(
        begin(&|setup| setup.terms.strikes = 0),
        Err("event 0: strikes is 0: expected 1 to 100".into())
    );
    assert_eq!(
        begin(&|setup| setup.piles = Piles::parse_partly_emptied(&[0]).unwrap()),
        Err("event 0: 0 piles: expected 1 to 1024".into())
    );
    let first = TimedEvent { at: Timestamp::default(), event: took_event(0, 0, 1) };
    assert_eq!(Record::replay(id, [first]).unwrap_err().to_string(), "event 0 is not `created`");
    assert_eq!(
        Record::replay(id, []).unwrap_err().to_string(),
        "the record has no events: expected `created` first"
    );
}

#[test]
fn an_event_earlier_than_its_predecessor_is_rejected() {
    let mut table = Table::open(standard_match(2, &[3]));
    table.wait(10);
    table.take(0, 0, 1);
    let mut events = table.record().events().to_vec();
    events[2].at = Timestamp::from_micros(1);
    let refused = Record::replay(table.record().id(), events).unwrap_err();
    assert_eq!(refused.to_string(), "the time of event 2 is before that of the previous event");
}
