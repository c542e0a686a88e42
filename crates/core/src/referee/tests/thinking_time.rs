//! Tests that each seat has a time bank, which runs only while the server waits for the seat.

use super::table::{
    BANK_MS, DECLARATION_MS, Table, declared_match, events_in, ms, refusals_in, reveals_rows, standard_match,
    takes_in, turns_in,
};
use crate::oracle::Mover;
use crate::referee::{
    Clock, EndReason, Event, ForfeitReason, MatchPhase, MatchSetup, RefereeInput, RefusalReason, SeatAction,
    Timestamp,
};
use std::time::Duration;

#[test]
fn a_record_knows_the_time_left_before_each_take() {
    let mut table = Table::open(standard_match(2, &[9]));
    for millis in [600, 0, 250, 100] {
        take_after(&mut table, millis);
    }
    table.take(0, 4, 5);
    let record = table.record();
    assert_eq!(record.state().phase(), MatchPhase::Ended);
    assert_eq!(record.time_left_percent(), [100, 100, 40, 100, 15]);
}

fn match_with_lag_credit(quota: u64, total: u64) -> MatchSetup {
    let mut setup = standard_match(2, &[50]);
    setup.terms.clock.lag_quota = ms(quota);
    setup.terms.clock.lag_total = ms(total);
    setup
}

/// Takes one counter after this many milliseconds, and returns the time charged and credited.
fn take_after(table: &mut Table, millis: u64) -> (Duration, Duration) {
    table.now = table.now + ms(millis);
    let state = table.record().state();
    let (ply, seat) = (state.ply(), state.position().to_move().index());
    let effects = table.take(seat, ply, 1);
    match events_in(&effects)[..] {
        [Event::Took { charged, credited, .. }] => (*charged, *credited),
        ref other => panic!("expected a take, got {other:?}"),
    }
}

#[test]
fn takes_are_charged_in_microseconds_and_add_the_increment() {
    let mut setup = standard_match(2, &[9]);
    setup.terms.clock.increment = ms(30);
    let mut table = Table::open(setup);
    table.now = table.now + Duration::from_micros(250_001);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), Duration::from_micros(1_030_000 - 250_001));
    assert_eq!(table.bank(1), ms(BANK_MS), "the other seat's clock did not run");
    assert_eq!(take_after(&mut table, 0), (ms(0), ms(0)));
    assert_eq!(table.bank(1), ms(BANK_MS + 30), "a bank may grow");
}

#[test]
fn a_turn_shows_the_time_left() {
    let mut table = Table::open(standard_match(2, &[9]));
    take_after(&mut table, 400);
    table.now = table.now + ms(10);
    let effects = table.take(1, 1, 1);
    assert_eq!(turns_in(&effects)[0].1.bank, ms(BANK_MS - 400));
}

#[test]
fn a_take_in_the_last_microsecond_of_the_bank_is_in_time() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.now = Timestamp::from_micros(table.referee.deadline().unwrap().as_micros() - 1);
    assert_eq!(takes_in(&table.take(0, 0, 1)), [(0, 0, 1, Mover::Bot)]);
    assert_eq!(table.bank(0), Duration::from_micros(1));
}

#[test]
fn a_take_exactly_at_the_deadline_is_late() {
    let mut table = Table::open(standard_match(3, &[9, 9]));
    table.now = table.referee.deadline().unwrap();
    let effects = table.take(0, 0, 1);
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
    let [(0, 0, stewards, Mover::Steward)] = takes_in(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(refusals_in(&effects), [(0, RefusalReason::Stale)]);
    let same = table.take(0, 0, stewards);
    assert_eq!(refusals_in(&same), [(0, RefusalReason::Stale)], "the bot did not make the steward's take");
}

#[test]
fn no_clock_runs_before_the_turn_is_announced() {
    let mut table = Table::open(standard_match(2, &[9]));
    let seat = table.seat(0);
    let action = SeatAction::take(0, 1, None);
    let effects = table.referee.handle_input(RefereeInput::Act { seat, action }, table.now);
    assert_eq!(turns_in(&effects).len(), 1);
    assert_eq!(table.referee.deadline(), None);
    table.now = table.now + ms(10 * BANK_MS);
    assert_eq!(
        table.referee.handle_input(RefereeInput::Tick, table.now),
        [],
        "no clock runs while the take is stored"
    );
    table.referee.mark_effects_announced(table.now);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
    assert_eq!(take_after(&mut table, 5), (ms(5), ms(0)));
}

#[test]
fn the_time_to_declare_does_not_count_for_the_bank() {
    let mut table = Table::open(declared_match(2, &[9]));
    table.wait_for_deadline();
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
}

#[test]
fn actions_of_others_do_not_restart_the_clock() {
    let mut table = Table::open(standard_match(4, &[99]));
    let deadline = table.referee.deadline();
    table.now = table.now + ms(100);
    table.resign(2);
    table.take(1, 0, 1);
    table.take(1, 7, 1);
    table.take(1, 0, 1);
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::Strikes));
    table.leave(3);
    table.join(3);
    table.declare(3, &[0, 1, 2, 3]);
    assert_eq!(table.referee.deadline(), deadline);
    assert_eq!(charge_of_first_take(&mut table), ms(100));
}

fn charge_of_first_take(table: &mut Table) -> Duration {
    let effects = table.take(0, 0, 1);
    match events_in(&effects)[0] {
        Event::Took { charged, .. } => *charged,
        other => panic!("expected a take, got {other:?}"),
    }
}

#[test]
fn refused_takes_and_reconnections_do_not_restart_the_clock() {
    let mut table = Table::open(standard_match(2, &[9]));
    let deadline = table.referee.deadline();
    table.now = table.now + ms(100);
    table.take(0, 0, 0);
    table.leave(0);
    let snapshot = table.join(0);
    assert_eq!(snapshot.turn.unwrap().bank, ms(BANK_MS - 100));
    assert_eq!(table.referee.deadline(), deadline);
}

#[test]
fn lag_credit_has_limits_per_take_and_per_match() {
    let mut table = Table::open(match_with_lag_credit(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(400));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS + 100)));
    assert_eq!(take_after(&mut table, 300), (ms(200), ms(100)), "100 ms a take");
    assert_eq!(take_after(&mut table, 300), (ms(300), ms(0)), "the other seat has no lag");
    assert_eq!(take_after(&mut table, 300), (ms(250), ms(50)), "150 ms in all");
    take_after(&mut table, 0);
    assert_eq!(take_after(&mut table, 300), (ms(300), ms(0)), "the lag credit is used up");
    assert_eq!(table.bank(0), ms(BANK_MS - 200 - 250 - 300));
}

#[test]
fn lag_credit_does_not_exceed_the_time_passed() {
    let mut table = Table::open(match_with_lag_credit(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(80));
    assert_eq!(take_after(&mut table, 30), (ms(0), ms(30)));
    assert_eq!(table.bank(0), ms(BANK_MS));
    assert_eq!(table.record().state().banks()[seat].lag_left(), ms(120));
}

#[test]
fn lag_credit_can_save_a_take_beyond_the_bank() {
    let mut table = Table::open(match_with_lag_credit(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(100));
    table.now = Timestamp::from_micros(table.referee.deadline().unwrap().as_micros() - 1);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), Duration::from_micros(1));
    take_after(&mut table, 0);
    table.wait(50);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
}

#[test]
fn lag_is_truncated_to_microseconds() {
    let mut table = Table::open(match_with_lag_credit(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, Duration::from_nanos(1_999));
    assert_eq!(take_after(&mut table, 1), (Duration::from_micros(999), Duration::from_micros(1)));
    table.referee.set_lag(seat, Duration::MAX);
    take_after(&mut table, 0);
    assert_eq!(take_after(&mut table, 200), (ms(100), ms(100)));
}

#[test]
fn times_in_the_record_never_decrease() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.wait(300);
    table.now = Timestamp::from_micros(0);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), ms(BANK_MS), "time before the turn was announced is not charged");
    let times: Vec<_> = table.record().events().iter().map(|event| event.at).collect();
    assert!(times.is_sorted());
}

#[test]
fn a_queued_take_is_timed_by_its_arrival() {
    let mut table = Table::open(standard_match(2, &[9]));
    let handed = table.now;
    table.now = handed + ms(BANK_MS + 500);
    table.referee.mark_effects_announced(table.now);
    table.now = handed + ms(BANK_MS - 1);
    table.take(0, 0, 1);
    assert_eq!(
        (table.forfeit_reason(0), table.bank(0)),
        (None, ms(1)),
        "the take arrived in time, although it was handled late"
    );
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::TimedOut));
}

#[test]
fn a_jump_in_time_forfeits_only_one_seat() {
    let mut table = Table::open(standard_match(4, &[9; 9]));
    let effects = table.wait(1_000 * 86_400_000);
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
    assert_eq!(turns_in(&effects)[0].0, 1);
    assert_eq!([1, 2, 3].map(|seat| table.forfeit_reason(seat)), [None; 3]);
    assert_eq!(take_after(&mut table, 10), (ms(10), ms(0)));
}

#[test]
fn all_deadlines_have_passed_at_the_largest_timestamp() {
    let mut table = Table::open(standard_match(2, &[9; 9]));
    table.now = Timestamp::from_micros(u64::MAX);
    table.handle_input(RefereeInput::Tick);
    assert_eq!(table.referee.deadline(), Some(table.now));
    table.handle_input(RefereeInput::Tick);
    assert!(matches!(table.end(), Some((EndReason::AllForfeited, Some(_)))));
}

#[test]
fn the_longest_clock_does_not_overflow() {
    let mut setup = standard_match(2, &[9]);
    let day = 86_400_000;
    setup.terms.clock = Clock {
        initial: ms(day),
        increment: ms(3_600_000),
        lag_quota: ms(10_000),
        lag_total: ms(600_000),
        declaration: ms(3_600_000),
        return_within: None,
    };
    let mut table = Table::open(setup);
    assert_eq!(take_after(&mut table, day - 1), (ms(day - 1), ms(0)));
    assert_eq!(table.bank(0), ms(3_600_001));
}

#[test]
fn no_clock_runs_while_the_server_stores() {
    let mut table = Table::open(standard_match(3, &[9; 9]));
    table.wait(100);
    let deadline = table.referee.deadline().unwrap();
    let stored_times = |table: &mut Table, from: Timestamp, millis| {
        table.now = from + ms(millis);
        table.referee.excuse_span(from, table.now);
        table.referee.mark_effects_announced(table.now);
    };
    let first = table.now;
    stored_times(&mut table, first, 5 * BANK_MS);
    table.now = table.now + ms(20);
    let second = table.now;
    stored_times(&mut table, second, 7 * BANK_MS);
    assert_eq!(table.referee.deadline(), Some(deadline + ms(12 * BANK_MS)));
    assert_eq!(table.join(0).turn.unwrap().bank, ms(BANK_MS - 120));
    // The input may have arrived before the first span, within one, between them or after them.
    for (arrived, charged) in [
        (Timestamp::from_micros(first.as_micros() - 30_000), 70),
        (first + ms(3 * BANK_MS), 100),
        (first + ms(5 * BANK_MS + 10), 110),
        (second + ms(BANK_MS), 120),
        (table.now + ms(30), 150),
    ] {
        let mut table = Table::open(standard_match(3, &[9; 9]));
        table.wait(100);
        stored_times(&mut table, first, 5 * BANK_MS);
        stored_times(&mut table, second, 7 * BANK_MS);
        table.now = arrived;
        assert_eq!(takes_in(&table.take(0, 0, 1)), [(0, 0, 1, Mover::Bot)]);
        assert_eq!(table.bank(0), ms(BANK_MS - charged));
        assert_eq!(table.bank(1), ms(BANK_MS));
    }
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)), "the next turn gets no extra time");
}

#[test]
fn a_clock_that_expired_before_storing_stays_expired() {
    let mut table = Table::open(standard_match(2, &[9]));
    let deadline = table.referee.deadline().unwrap();
    let until = deadline + ms(500);
    table.referee.excuse_span(deadline, until);
    table.now = until;
    table.take(0, 0, 1);
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
}

#[test]
fn the_declaration_clock_stops_during_storing() {
    let mut table = Table::open(declared_match(2, &[9]));
    table.wait(100);
    table.declare(0, &[0, 1]);
    let from = table.now;
    table.now = from + ms(2 * DECLARATION_MS);
    table.referee.excuse_span(from, table.now);
    assert_eq!(table.join(1).declaration_left, Some(ms(DECLARATION_MS - 100)));
    assert_eq!(table.wait(DECLARATION_MS - 101), []);
    assert!(reveals_rows(&table.wait_for_deadline()));
}

#[test]
fn cancelling_forfeits_no_seat() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.now = table.referee.deadline().unwrap() + ms(1);
    table.handle_input(RefereeInput::Cancel);
    assert_eq!(table.end(), Some((EndReason::Cancelled, None)));
    assert_eq!(table.forfeit_reason(0), None);
}
