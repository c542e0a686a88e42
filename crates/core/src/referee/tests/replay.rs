//! A record that was tampered with is refused by the event that does not fit.

use super::table::{Table, declared, ms, standard};
use crate::game::{AllianceMatrix, MatchId, Piles, Row, Seat, SeatCount};
use crate::oracle::Mover;
use crate::referee::{
    EndReason, Event, ForfeitReason, MatchSetup, Record, RefusalReason, RowDefault, TimedEvent, Timestamp,
};
use std::time::Duration;

fn seat(index: usize) -> Seat {
    SeatCount::new(32).unwrap().seat(index).unwrap()
}

fn took(ply: u32, index: usize, take: u64) -> Event {
    let (charged, credited) = (Duration::ZERO, Duration::ZERO);
    Event::Took { ply, seat: seat(index), take, mover: Mover::Bot, charged, credited, note_hash: None }
}

fn struck(index: usize, ply: u32, reason: RefusalReason) -> Event {
    Event::Struck { seat: seat(index), ply, reason }
}

fn forfeited(index: usize, reason: ForfeitReason) -> Event {
    Event::Forfeited { seat: seat(index), reason }
}

fn declares(index: usize, offsets: &[u64], defaulted: Option<RowDefault>) -> Event {
    let row = Row::parse(offsets, SeatCount::new(offsets.len()).unwrap()).unwrap();
    Event::Declared { seat: seat(index), row, defaulted, note_hash: None }
}

fn resigned(index: usize) -> Event {
    forfeited(index, ForfeitReason::Resigned)
}

fn ended(reason: EndReason, winner: Option<usize>) -> Event {
    Event::Ended { reason, winner: winner.map(seat) }
}

/// A first take that is charged and given back so many milliseconds.
fn timed(mover: Mover, charged: u64, credited: u64) -> Event {
    let (charged, credited) = (ms(charged), ms(credited));
    Event::Took { ply: 0, seat: seat(0), take: 1, mover, charged, credited, note_hash: None }
}

/// A match of one ply and two strikes, with some lag.
fn limited() -> Record {
    let mut setup = standard(3, &[9]);
    (setup.terms.max_plies, setup.terms.strikes) = (1, 2);
    setup.terms.clock.lag_quota = ms(5);
    setup.terms.clock.lag_total = ms(7);
    Table::open(setup).record().clone()
}

/// Adds events to a record, which fit but for the last, and says why that does not.
fn refusal(record: &Record, events: &[Event]) -> String {
    let mut record = record.clone();
    let at = record.events().last().unwrap().at;
    let (last, before) = events.split_last().unwrap();
    for event in before {
        record.push_event(TimedEvent { at, event: event.clone() }).unwrap();
    }
    let untouched = record.clone();
    let refused = record.push_event(TimedEvent { at, event: last.clone() }).unwrap_err();
    assert_eq!(record, untouched, "what does not fit changes nothing");
    let words = refused.to_string();
    let event = format!("event {}: ", record.events().len());
    words.strip_prefix(&event).unwrap_or_else(|| panic!("{words} names {event}")).to_owned()
}

#[test]
fn every_take_that_does_not_fit_is_refused_in_words() {
    let record = Table::open(standard(3, &[3, 4])).record().clone();
    let matrix = record.state().game().unwrap().matrix.clone();
    let limited = limited();
    let setup = Box::new(MatchSetup::clone(record.state().setup()));
    let (charged, credited) = (Duration::from_nanos(1_500), Duration::ZERO);
    let fraction =
        Event::Took { ply: 0, seat: seat(0), take: 1, mover: Mover::Bot, charged, credited, note_hash: None };
    let cases: [(&Record, &[Event], &str); 16] = [
        (&record, &[Event::Created(setup)], "a second `created`"),
        (&record, &[Event::Revealed { matrix }], "the revealed matrix is not what was declared or assigned"),
        (&record, &[declares(0, &[0, 1, 2], None)], "a row of seat 0 when the rows are settled"),
        (&record, &[took(1, 1, 1)], "ply 1 where ply 0 comes next"),
        (&record, &[took(0, 1, 1)], "seat 1 moves where seat 0 is to move"),
        (&record, &[took(0, 3, 1)], "seat 3 is none of the match's"),
        (&record, &[took(0, 0, 5)], "a take of 5 from pile 1, which holds 4: take 1 to 4"),
        (&record, &[took(0, 0, 0)], "a take of 0 from pile 1, which holds 4: take 1 to 4"),
        (&record, &[took(0, 0, 1), took(0, 0, 1)], "ply 0 where ply 1 comes next"),
        (
            &record,
            &[resigned(1), took(0, 0, 1), took(1, 1, 1)],
            "seat 1 is moved by the wrong hand: the steward moves for a seat exactly when it is forfeited",
        ),
        (
            &record,
            &[timed(Mover::Steward, 0, 0)],
            "seat 0 is moved by the wrong hand: the steward moves for a seat exactly when it is forfeited",
        ),
        (&record, &[timed(Mover::Bot, 1_001, 0)], "seat 0 is charged more time than it had"),
        (&record, &[timed(Mover::Bot, 0, 1)], "seat 0 is given back more lag than its quotas leave"),
        (&limited, &[timed(Mover::Bot, 0, 6)], "seat 0 is given back more lag than its quotas leave"),
        (&record, &[fraction], "seat 0 is charged or given back a fraction of a microsecond"),
        (&record, &[resigned(0), timed(Mover::Steward, 1, 0)], "seat 0 is charged for a take of the steward"),
    ];
    for (record, events, words) in cases {
        assert_eq!(refusal(record, events), words);
    }
}

#[test]
fn every_strike_loss_or_end_that_does_not_fit_is_refused_in_words() {
    let record = Table::open(standard(3, &[3, 4])).record().clone();
    let limited = limited();
    let cases: [(&Record, &[Event], &str); 14] = [
        (&record, &[resigned(3)], "seat 3 is none of the match's"),
        (&record, &[resigned(1), forfeited(1, ForfeitReason::Strikes)], "seat 1 is forfeited already"),
        (
            &record,
            &[forfeited(1, ForfeitReason::TimedOut)],
            "seat 1 is lost for its clock, which did not run",
        ),
        (&record, &[forfeited(2, ForfeitReason::NoShow)], "seat 2 is lost for its clock, which did not run"),
        (&record, &[struck(0, 0, RefusalReason::Stale)], "a strike for Stale: it costs none"),
        (&record, &[struck(0, 1, RefusalReason::IllegalTake)], "ply 1 where ply 0 comes next"),
        (&record, &[resigned(0), struck(0, 0, RefusalReason::IllegalTake)], "seat 0 is forfeited already"),
        (
            &limited,
            &[
                struck(0, 0, RefusalReason::IllegalTake),
                struck(0, 0, RefusalReason::FuturePly),
                struck(0, 0, RefusalReason::FuturePly),
            ],
            "seat 0 at 2 of 2 strikes: the last of them forfeits it, and none before",
        ),
        (
            &record,
            &[forfeited(0, ForfeitReason::Strikes)],
            "seat 0 at 0 of 3 strikes: the last of them forfeits it, and none before",
        ),
        (
            &limited,
            &[took(0, 0, 1), took(1, 1, 1)],
            "the match has come to its end, ply limit: only `ended` can follow",
        ),
        (
            &record,
            &[ended(EndReason::Finished, Some(0))],
            "the match did not come to this end: its reason does not hold",
        ),
        (
            &record,
            &[ended(EndReason::Cancelled, Some(0))],
            "the match did not come to this end: a cancelled match has no winner",
        ),
        (
            &record,
            &[took(0, 0, 4), took(1, 1, 3), ended(EndReason::Finished, Some(1))],
            "the match did not come to this end: another seat won",
        ),
        (
            &record,
            &[ended(EndReason::Cancelled, None), took(0, 0, 1)],
            "it stands after the end of the match",
        ),
    ];
    for (record, events, words) in cases {
        assert_eq!(refusal(record, events), words);
    }
}

#[test]
fn what_does_not_fit_the_declarations_is_refused() {
    let record = Table::open(declared(2, &[3])).record().clone();
    let standard = AllianceMatrix::standard(SeatCount::new(2).unwrap());
    let cases: [(&[Event], &str); 6] = [
        (&[took(0, 0, 1)], "a take before the rows are revealed"),
        (
            &[declares(1, &[0, 1], None), declares(1, &[0, 1], None)],
            "a row of seat 1 when the rows are settled",
        ),
        (&[declares(1, &[0, 1, 2], None)], "a row of 3 offsets in a match of 2 seats"),
        (
            &[declares(1, &[1, 0], Some(RowDefault::Late))],
            "seat 1 did not declare: the row in its place is not the standard row",
        ),
        (
            &[declares(0, &[1, 0], None), declares(1, &[0, 1], None), Event::Revealed { matrix: standard }],
            "the revealed matrix is not what was declared or assigned",
        ),
        (&[forfeited(0, ForfeitReason::TimedOut)], "seat 0 is lost for its clock, which did not run"),
    ];
    for (events, words) in cases {
        assert_eq!(refusal(&record, events), words);
    }
}

#[test]
fn a_record_begins_with_a_setup_that_can_be_played() {
    let id = MatchId::new(1, &[0; 10]);
    let begin = |change: &dyn Fn(&mut MatchSetup)| {
        let mut setup = standard(2, &[3]);
        change(&mut setup);
        let created = TimedEvent { at: Timestamp::default(), event: Event::Created(Box::new(setup)) };
        Record::replay(id, [created]).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(begin(&|_| ()), Ok(()));
    assert_eq!(
        begin(&|setup| setup.first = seat(2)),
        Err("event 0: first: seat 2: the seats are 0 to 1".into())
    );
    assert_eq!(
        begin(&|setup| setup.terms.strikes = 0),
        Err("event 0: strikes of 0: expected 1 to 100".into())
    );
    assert_eq!(
        begin(&|setup| setup.piles = Piles::parse_partly_emptied(&[0]).unwrap()),
        Err("event 0: 0 piles: a game has 1 to 1024".into())
    );
    let first = TimedEvent { at: Timestamp::default(), event: took(0, 0, 1) };
    assert_eq!(Record::replay(id, [first]).unwrap_err().to_string(), "event 0 is not `created`");
    assert_eq!(
        Record::replay(id, []).unwrap_err().to_string(),
        "a record without events: the first is `created`"
    );
}

#[test]
fn an_event_before_the_event_that_it_follows_is_refused() {
    let mut table = Table::open(standard(2, &[3]));
    table.wait(10);
    table.take(0, 0, 1);
    let mut events = table.record().events().to_vec();
    events[2].at = Timestamp::from_micros(1);
    let refused = Record::replay(table.record().id(), events).unwrap_err();
    assert_eq!(refused.to_string(), "event 2 is earlier than the event before it");
}
