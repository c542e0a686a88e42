//! Tests that seats are forfeited for silence, resignation or disqualification, and that the steward then plays for
//! them without changing the predicted winner.

use super::table::{
    Table, assigned_match, declared_match, events_in, refusals_in, standard_match, takes_in, turns_in,
};
use crate::oracle::{Mover, Solution};
use crate::referee::{Event, ForfeitReason, MatchPhase, RefusalReason};

#[test]
fn a_connected_silent_bot_times_out() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
    assert_eq!(table.forfeit_reason(1), None);
}

#[test]
fn a_bot_absent_at_its_deadline_is_forfeited_as_disconnected() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.leave(0);
    assert_eq!(table.forfeit_reason(0), None, "a disconnected seat is not forfeited while its clock runs");
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Disconnected));
}

#[test]
fn a_bot_that_returns_plays_on() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.leave(0);
    table.wait(300);
    table.join(0);
    assert_eq!(takes_in(&table.take(0, 0, 1)), [(0, 0, 1, Mover::Bot)]);
}

#[test]
fn only_the_latest_connection_state_matters() {
    let mut table = Table::open(standard_match(3, &[9, 9, 9]));
    table.leave(0);
    table.leave(0);
    table.join(0);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::TimedOut));
    table.join(1);
    table.join(1);
    table.leave(1);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::Disconnected));
}

#[test]
fn a_bot_that_never_connected_is_a_no_show() {
    let mut table = Table::open_with_present(&[true, false], standard_match(2, &[9]));
    table.take(0, 0, 1);
    table.leave(1);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::NoShow));
    assert_eq!(table.phase(), MatchPhase::Playing);
}

#[test]
fn a_bot_may_resign_when_it_is_to_move() {
    let mut table = Table::open(standard_match(3, &[9, 9]));
    let effects = table.resign(0);
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Resigned));
    let [(0, 0, _, Mover::Steward)] = takes_in(&effects)[..] else {
        panic!("the steward moves: {effects:?}")
    };
    assert_eq!(turns_in(&effects)[0].0, 1);
}

#[test]
fn a_bot_may_resign_when_another_is_to_move() {
    let mut table = Table::open(standard_match(3, &[9, 9]));
    let effects = table.resign(1);
    assert!(matches!(events_in(&effects)[..], [Event::Forfeited { reason: ForfeitReason::Resigned, .. }]));
    assert_eq!(turns_in(&effects), [], "nobody is told to move twice");
    let effects = table.take(0, 0, 1);
    assert_eq!(takes_in(&effects).len(), 2, "the steward moves when it is its turn: {effects:?}");
    assert_eq!(turns_in(&effects)[0].0, 2);
}

#[test]
fn the_steward_plays_for_a_bot_that_is_disqualified() {
    let mut table = Table::open(standard_match(3, &[9, 9]));
    let effects = table.disqualify(1);
    let lost = Event::Forfeited { seat: table.seat(1), reason: ForfeitReason::Disqualified };
    assert_eq!(events_in(&effects), [&lost]);
    assert_eq!(table.disqualify(1), [], "a seat is disqualified only once");
    assert_eq!(takes_in(&table.take(0, 0, 1)).len(), 2);
    let mut early = Table::open(declared_match(3, &[9]));
    early.disqualify(1);
    assert_eq!(
        (early.forfeit_reason(1), early.phase()),
        (Some(ForfeitReason::Disqualified), MatchPhase::Declaring)
    );
}

#[test]
fn a_bot_may_resign_while_rows_are_declared() {
    let mut table = Table::open(declared_match(3, &[9]));
    table.resign(1);
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::Resigned));
    assert_eq!(table.phase(), MatchPhase::Declaring);
    assert_eq!(refusals_in(&table.take(1, 0, 1)), [(1, RefusalReason::Forfeited)]);
}

#[test]
fn a_second_resignation_is_refused() {
    for mut table in [Table::open(standard_match(3, &[9])), Table::open(declared_match(3, &[9]))] {
        table.resign(1);
        let again = table.resign(1);
        assert_eq!((refusals_in(&again), events_in(&again)), (vec![(1, RefusalReason::Forfeited)], vec![]));
    }
}

#[test]
fn a_forfeited_seat_cannot_take() {
    let mut table = Table::open(standard_match(3, &[99]));
    table.resign(1);
    for ply in [0, 1, 7] {
        assert_eq!(refusals_in(&table.take(1, ply, 1)), [(1, RefusalReason::Forfeited)]);
    }
    assert_eq!(table.record().state().strikes()[table.seat(1)], 0);
}

#[test]
fn takes_before_a_forfeit_are_still_acknowledged() {
    let mut table = Table::open(standard_match(2, &[9]));
    table.take(0, 0, 2);
    table.resign(0);
    assert_eq!(refusals_in(&table.take(0, 0, 2)), []);
    assert_eq!(refusals_in(&table.take(0, 0, 1)), [(0, RefusalReason::Stale)]);
}

#[test]
fn the_steward_makes_the_smallest_optimal_take() {
    let rows: [&[u64]; 3] = [&[2, 0, 1], &[1, 2, 0], &[0, 2, 1]];
    let mut others = 0;
    for counters in 1..8 {
        for first in 1..6 {
            let mut table = Table::open(assigned_match(&rows, &[first, counters]));
            let game = table.record().state().game().unwrap().clone();
            let position = table.record().state().position().clone();
            let smallest = Solution::new(&game).optimal_takes(&position).smallest().unwrap();
            assert_eq!(takes_in(&table.resign(0))[0], (0, 0, smallest, Mover::Steward));
            others += u32::from(smallest > 1);
        }
    }
    assert!(others > 0, "taking one counter is not always optimal");
}

#[test]
fn the_stewards_takes_are_optimal_and_keep_the_predicted_winner() {
    let rows: [&[u64]; 4] = [&[3, 1, 0, 2], &[1, 2, 0, 3], &[0, 2, 1, 3], &[2, 3, 1, 0]];
    let mut table = Table::open(assigned_match(&rows, &[5, 3, 7, 2, 9]));
    table.play_single_takes(3);
    table.resign(1);
    table.resign(3);
    while table.phase() == MatchPhase::Playing {
        table.play_single_takes(1);
    }
    let audit = table.record().audit().unwrap();
    let stewards: Vec<_> = audit.plies.iter().filter(|ply| ply.mover == Mover::Steward).collect();
    assert!(stewards.len() >= 4, "{}", stewards.len());
    for ply in stewards {
        assert_eq!((ply.regret, ply.predicted_before), (0, ply.predicted_after), "{ply}");
    }
}

#[test]
fn the_stewards_takes_cost_no_thinking_time() {
    let mut table = Table::open(standard_match(2, &[9; 9]));
    table.resign(0);
    let bank = table.bank(0);
    table.play_single_takes(3);
    assert_eq!(table.bank(0), bank);
}
