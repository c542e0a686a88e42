//! Each seat has a bank of time, which runs while it is waited for and never otherwise.

use super::table::{
    BANK, DECLARATION, Table, declared, happened, ms, refused, reveals, standard, takes, turns,
};
use crate::oracle::Mover;
use crate::referee::{
    Clock, EndReason, Event, ForfeitReason, MatchSetup, RefereeInput, RefusalReason, SeatAction, Timestamp,
};
use std::time::Duration;

fn with_lag(quota: u64, total: u64) -> MatchSetup {
    let mut setup = standard(2, &[50]);
    setup.terms.clock.lag_quota = ms(quota);
    setup.terms.clock.lag_total = ms(total);
    setup
}

/// Takes one counter after so many milliseconds, and returns what was charged and given back.
fn think(table: &mut Table, millis: u64) -> (Duration, Duration) {
    table.now = table.now + ms(millis);
    let state = table.record().state();
    let (ply, seat) = (state.ply(), state.position().to_move().index());
    let effects = table.take(seat, ply, 1);
    match happened(&effects)[..] {
        [Event::Took { charged, credited, .. }] => (*charged, *credited),
        ref other => panic!("a take: {other:?}"),
    }
}

#[test]
fn thinking_is_charged_to_the_microsecond_and_the_increment_is_added() {
    let mut setup = standard(2, &[9]);
    setup.terms.clock.increment = ms(30);
    let mut table = Table::open(setup);
    table.now = table.now + Duration::from_micros(250_001);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), Duration::from_micros(1_030_000 - 250_001));
    assert_eq!(table.bank(1), ms(BANK), "the other's clock stood still");
    assert_eq!(think(&mut table, 0), (ms(0), ms(0)));
    assert_eq!(table.bank(1), ms(BANK + 30), "a bank may grow");
}

#[test]
fn a_turn_says_what_is_left_of_the_bank() {
    let mut table = Table::open(standard(2, &[9]));
    think(&mut table, 400);
    table.now = table.now + ms(10);
    let effects = table.take(1, 1, 1);
    assert_eq!(turns(&effects)[0].1.bank, ms(BANK - 400));
}

#[test]
fn the_bank_is_there_to_its_last_microsecond() {
    let mut table = Table::open(standard(2, &[9]));
    table.now = Timestamp::from_micros(table.referee.deadline().unwrap().as_micros() - 1);
    assert_eq!(takes(&table.take(0, 0, 1)), [(0, 0, 1, Mover::Bot)]);
    assert_eq!(table.bank(0), Duration::from_micros(1));
}

#[test]
fn a_take_in_the_instant_of_the_deadline_is_too_late() {
    let mut table = Table::open(standard(3, &[9, 9]));
    table.now = table.referee.deadline().unwrap();
    let effects = table.take(0, 0, 1);
    assert_eq!(table.lost(0), Some(ForfeitReason::TimedOut));
    let [(0, 0, stewards, Mover::Steward)] = takes(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(refused(&effects), [(0, RefusalReason::Stale)]);
    let same = table.take(0, 0, stewards);
    assert_eq!(refused(&same), [(0, RefusalReason::Stale)], "the steward's take is not the bot's");
}

#[test]
fn no_clock_runs_before_the_turn_is_announced() {
    let mut table = Table::open(standard(2, &[9]));
    let seat = table.seat(0);
    let action = SeatAction::take(0, 1, None);
    let effects = table.referee.handle_input(RefereeInput::Act { seat, action }, table.now);
    assert_eq!(turns(&effects).len(), 1);
    assert_eq!(table.referee.deadline(), None);
    table.now = table.now + ms(10 * BANK);
    assert_eq!(table.referee.handle_input(RefereeInput::Tick, table.now), [], "storing the take took long");
    table.referee.effects_announced(table.now);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK)));
    assert_eq!(think(&mut table, 5), (ms(5), ms(0)));
}

#[test]
fn the_time_to_declare_does_not_count_for_the_bank() {
    let mut table = Table::open(declared(2, &[9]));
    table.wait_for_deadline();
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK)));
}

#[test]
fn what_others_do_does_not_restart_the_running_clock() {
    let mut table = Table::open(standard(4, &[99]));
    let deadline = table.referee.deadline();
    table.now = table.now + ms(100);
    table.resign(2);
    table.take(1, 0, 1);
    table.take(1, 7, 1);
    table.take(1, 0, 1);
    assert_eq!(table.lost(1), Some(ForfeitReason::Strikes));
    table.leave(3);
    table.join(3);
    table.declare(3, &[0, 1, 2, 3]);
    assert_eq!(table.referee.deadline(), deadline);
    assert_eq!(think_after_all(&mut table), ms(100));
}

fn think_after_all(table: &mut Table) -> Duration {
    let effects = table.take(0, 0, 1);
    match happened(&effects)[0] {
        Event::Took { charged, .. } => *charged,
        other => panic!("a take: {other:?}"),
    }
}

#[test]
fn its_own_refused_takes_and_reconnections_do_not_restart_the_running_clock() {
    let mut table = Table::open(standard(2, &[9]));
    let deadline = table.referee.deadline();
    table.now = table.now + ms(100);
    table.take(0, 0, 0);
    table.leave(0);
    let snapshot = table.join(0);
    assert_eq!(snapshot.turn.unwrap().bank, ms(BANK - 100));
    assert_eq!(table.referee.deadline(), deadline);
}

#[test]
fn lag_is_given_back_up_to_a_quota_for_each_take_and_in_all() {
    let mut table = Table::open(with_lag(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(400));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK + 100)));
    assert_eq!(think(&mut table, 300), (ms(200), ms(100)), "100 ms a take");
    assert_eq!(think(&mut table, 300), (ms(300), ms(0)), "the other seat has no lag");
    assert_eq!(think(&mut table, 300), (ms(250), ms(50)), "150 ms in all");
    think(&mut table, 0);
    assert_eq!(think(&mut table, 300), (ms(300), ms(0)), "and no more");
    assert_eq!(table.bank(0), ms(BANK - 200 - 250 - 300));
}

#[test]
fn no_more_lag_is_given_back_than_time_has_passed() {
    let mut table = Table::open(with_lag(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(80));
    assert_eq!(think(&mut table, 30), (ms(0), ms(30)));
    assert_eq!(table.bank(0), ms(BANK));
    assert_eq!(table.record().state().banks()[seat].lag_left(), ms(120));
}

#[test]
fn lag_may_carry_a_seat_beyond_its_bank_and_leaves_it_nothing() {
    let mut table = Table::open(with_lag(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, ms(100));
    table.now = Timestamp::from_micros(table.referee.deadline().unwrap().as_micros() - 1);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), Duration::from_micros(1));
    think(&mut table, 0);
    table.wait(50);
    table.wait_for_deadline();
    assert_eq!(table.lost(0), Some(ForfeitReason::TimedOut));
}

#[test]
fn lag_counts_in_whole_microseconds_so_that_the_record_holds_it() {
    let mut table = Table::open(with_lag(100, 150));
    let seat = table.seat(0);
    table.referee.set_lag(seat, Duration::from_nanos(1_999));
    assert_eq!(think(&mut table, 1), (Duration::from_micros(999), Duration::from_micros(1)));
    table.referee.set_lag(seat, Duration::MAX);
    think(&mut table, 0);
    assert_eq!(think(&mut table, 200), (ms(100), ms(100)));
}

#[test]
fn the_record_never_runs_backwards() {
    let mut table = Table::open(standard(2, &[9]));
    table.wait(300);
    table.now = Timestamp::from_micros(0);
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), ms(BANK), "what came before the turn was handed out costs nothing");
    let times: Vec<_> = table.record().events().iter().map(|event| event.at).collect();
    assert!(times.is_sorted());
}

#[test]
fn a_take_that_waited_for_the_referee_counts_from_its_arrival() {
    let mut table = Table::open(standard(2, &[9]));
    let handed = table.now;
    table.now = handed + ms(BANK + 500);
    table.referee.effects_announced(table.now);
    table.now = handed + ms(BANK - 1);
    table.take(0, 0, 1);
    assert_eq!((table.lost(0), table.bank(0)), (None, ms(1)), "it was in time, though it is read late");
    table.wait_for_deadline();
    assert_eq!(table.lost(1), Some(ForfeitReason::TimedOut));
}

#[test]
fn a_leap_of_time_costs_one_seat_its_clock_and_no_more() {
    let mut table = Table::open(standard(4, &[9; 9]));
    let effects = table.wait(1_000 * 86_400_000);
    assert_eq!(table.lost(0), Some(ForfeitReason::TimedOut));
    assert_eq!(turns(&effects)[0].0, 1);
    assert_eq!([1, 2, 3].map(|seat| table.lost(seat)), [None; 3]);
    assert_eq!(think(&mut table, 10), (ms(10), ms(0)));
}

#[test]
fn at_the_end_of_time_every_deadline_has_come() {
    let mut table = Table::open(standard(2, &[9; 9]));
    table.now = Timestamp::from_micros(u64::MAX);
    table.input(RefereeInput::Tick);
    assert_eq!(table.referee.deadline(), Some(table.now));
    table.input(RefereeInput::Tick);
    assert!(matches!(table.end(), Some((EndReason::AllForfeited, Some(_)))));
}

#[test]
fn the_longest_clock_does_not_overflow() {
    let mut setup = standard(2, &[9]);
    let day = 86_400_000;
    setup.terms.clock = Clock {
        initial: ms(day),
        increment: ms(3_600_000),
        lag_quota: ms(10_000),
        lag_total: ms(600_000),
        declaration: ms(3_600_000),
    };
    let mut table = Table::open(setup);
    assert_eq!(think(&mut table, day - 1), (ms(day - 1), ms(0)));
    assert_eq!(table.bank(0), ms(3_600_001));
}

#[test]
fn no_clock_runs_while_something_else_is_stored() {
    let mut table = Table::open(standard(3, &[9; 9]));
    table.wait(100);
    let deadline = table.referee.deadline().unwrap();
    let stored = |table: &mut Table, from: Timestamp, millis| {
        table.now = from + ms(millis);
        table.referee.excuse_span(from, table.now);
        table.referee.effects_announced(table.now);
    };
    let first = table.now;
    stored(&mut table, first, 5 * BANK);
    table.now = table.now + ms(20);
    let second = table.now;
    stored(&mut table, second, 7 * BANK);
    assert_eq!(table.referee.deadline(), Some(deadline + ms(12 * BANK)));
    assert_eq!(table.join(0).turn.unwrap().bank, ms(BANK - 120));
    // What is read now may have arrived before the first of the two, while one lasted, between them or after them.
    for (arrived, charged) in [
        (Timestamp::from_micros(first.as_micros() - 30_000), 70),
        (first + ms(3 * BANK), 100),
        (first + ms(5 * BANK + 10), 110),
        (second + ms(BANK), 120),
        (table.now + ms(30), 150),
    ] {
        let mut table = Table::open(standard(3, &[9; 9]));
        table.wait(100);
        stored(&mut table, first, 5 * BANK);
        stored(&mut table, second, 7 * BANK);
        table.now = arrived;
        assert_eq!(takes(&table.take(0, 0, 1)), [(0, 0, 1, Mover::Bot)]);
        assert_eq!(table.bank(0), ms(BANK - charged));
        assert_eq!(table.bank(1), ms(BANK));
    }
    table.wait_for_deadline();
    assert_eq!(table.lost(0), Some(ForfeitReason::TimedOut));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK)), "the next turn is excused of nothing");
}

#[test]
fn a_clock_that_ran_out_before_something_was_stored_has_run_out() {
    let mut table = Table::open(standard(2, &[9]));
    let deadline = table.referee.deadline().unwrap();
    let until = deadline + ms(500);
    table.referee.excuse_span(deadline, until);
    table.now = until;
    table.take(0, 0, 1);
    assert_eq!(table.lost(0), Some(ForfeitReason::TimedOut));
}

#[test]
fn the_time_to_declare_stands_still_while_a_row_is_stored() {
    let mut table = Table::open(declared(2, &[9]));
    table.wait(100);
    table.declare(0, &[0, 1]);
    let from = table.now;
    table.now = from + ms(2 * DECLARATION);
    table.referee.excuse_span(from, table.now);
    assert_eq!(table.join(1).declaration_left, Some(ms(DECLARATION - 100)));
    assert_eq!(table.wait(DECLARATION - 101), []);
    assert!(reveals(&table.wait_for_deadline()));
}

#[test]
fn nobody_is_lost_because_the_match_is_called_off() {
    let mut table = Table::open(standard(2, &[9]));
    table.now = table.referee.deadline().unwrap() + ms(1);
    table.input(RefereeInput::Cancel);
    assert_eq!(table.end(), Some((EndReason::Cancelled, None)));
    assert_eq!(table.lost(0), None);
}
