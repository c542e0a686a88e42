//! Tests of the time that disconnected bots have to return.

use super::table::{BANK_MS, DECLARATION_MS, Table, declared_match, ms, standard_match};
use crate::game::BySeat;
use crate::referee::{ForfeitReason, MatchPhase, MatchSetup, Referee};
use std::time::Duration;

/// The time to return, in milliseconds.
const RETURN_MS: u64 = 30;

/// Lets the bots of a match be away for [`RETURN_MS`].
fn with_time_to_return(mut setup: MatchSetup) -> MatchSetup {
    setup.terms.clock.return_within = Some(ms(RETURN_MS));
    setup
}

/// Returns how long the running clock lasts from now.
fn time_left(table: &Table) -> Duration {
    table.referee.deadline().expect("a clock is running").since(table.now)
}

#[test]
fn a_bot_to_move_that_stays_away_loses_its_seat_before_its_bank_is_empty() {
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    assert_eq!(time_left(&table), ms(BANK_MS), "a connected bot has its whole bank");
    table.wait(40);
    table.leave(0);
    assert_eq!(time_left(&table), ms(RETURN_MS));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Disconnected));
    assert_eq!(table.record().state().ply(), 1, "the steward has moved");
}

#[test]
fn a_bot_that_returns_in_time_has_its_bank_again() {
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    table.leave(0);
    table.wait(RETURN_MS - 1);
    let snapshot = table.join(0);
    assert_eq!(snapshot.turn.unwrap().bank, ms(BANK_MS - RETURN_MS + 1), "the clock ran on");
    assert_eq!(time_left(&table), ms(BANK_MS - RETURN_MS + 1));
    table.wait(1);
    table.leave(0);
    table.wait(1);
    table.leave(0);
    assert_eq!(time_left(&table), ms(RETURN_MS - 1), "each absence counts from its own beginning");
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Disconnected));
}

#[test]
fn an_absence_during_the_turns_of_others_does_not_count() {
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    table.leave(1);
    table.wait(5 * RETURN_MS);
    table.take(0, 0, 1);
    assert_eq!(time_left(&table), ms(RETURN_MS));
    table.wait(RETURN_MS - 1);
    table.join(1);
    table.take(1, 1, 1);
    assert_eq!(table.forfeit_reason(1), None);
}

#[test]
fn a_bot_that_never_came_has_the_same_time() {
    let mut table = Table::open_with_present(&[false, true], with_time_to_return(standard_match(2, &[9])));
    assert_eq!(time_left(&table), ms(RETURN_MS));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::NoShow));
}

#[test]
fn the_time_to_return_never_exceeds_the_bank() {
    let mut setup = standard_match(2, &[9]);
    setup.terms.clock.return_within = Some(ms(2 * BANK_MS));
    let mut table = Table::open(setup);
    table.wait(BANK_MS - 5);
    table.leave(0);
    assert_eq!(time_left(&table), ms(5));
}

#[test]
fn absent_bots_have_the_whole_time_to_declare() {
    let setup = with_time_to_return(declared_match(2, &[9]));
    let mut table = Table::open(setup);
    table.leave(0);
    assert_eq!(time_left(&table), ms(DECLARATION_MS));
    table.declare(1, &[0, 1]);
    table.wait_for_deadline();
    assert_eq!((table.phase(), table.forfeit_reason(0)), (MatchPhase::Playing, None));
    assert_eq!(time_left(&table), ms(RETURN_MS), "it is to move");
}

#[test]
fn the_time_to_return_stands_still_while_the_server_stores_or_is_paused() {
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    table.wait(20);
    // This span began before the bot left: only the rest of it counts.
    table.referee.excuse_span(table.now.minus(ms(4)), table.now + ms(6));
    table.leave(0);
    assert_eq!(time_left(&table), ms(RETURN_MS + 6));
    table.referee.excuse_span(table.now + ms(10), table.now + ms(15));
    assert_eq!(time_left(&table), ms(RETURN_MS + 11));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Disconnected));
}

#[test]
fn a_resumed_match_gives_absent_bots_the_whole_time_again() {
    const HOLD_MS: u64 = 200;
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    table.leave(0);
    table.wait(RETURN_MS - 1);
    let absent = BySeat::filled(table.record().state().setup().seats(), &false);
    table.now = table.now + ms(100_000);
    let (referee, _) = Referee::resume(table.record().clone(), absent, table.now, ms(HOLD_MS));
    table.referee = referee;
    table.referee.mark_effects_announced(table.now);
    assert_eq!(time_left(&table), ms(HOLD_MS));
    assert_eq!(table.wait_for_deadline(), []);
    assert_eq!(time_left(&table), ms(RETURN_MS));
    table.join(0);
    table.leave(0);
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Disconnected));
}

#[test]
fn a_bot_whose_stream_the_server_lost_gets_both_spans() {
    const GRACE_MS: u64 = 200;
    let mut table = Table::open(with_time_to_return(standard_match(2, &[9])));
    table.wait(10);
    let seat = table.seat(0);
    table.referee.hold_for_seat(seat, table.now, ms(GRACE_MS));
    table.leave(0);
    assert_eq!(time_left(&table), ms(GRACE_MS + RETURN_MS));
}
