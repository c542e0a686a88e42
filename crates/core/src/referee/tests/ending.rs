//! Tests of the ways in which a match ends: the last counter, the ply limit, the last forfeit, or cancellation.

use super::table::{Table, declared_match, events_in, refusals_in, standard_match, turns_in};
use crate::game::{Ending, MAX_COUNTERS, Seat};
use crate::oracle::{Mover, Solution};
use crate::referee::{EndReason, Event, MatchPhase, RecordError, RefereeInput, RefusalReason};

/// Returns the winner under optimal play from here.
fn oracle_winner(table: &Table) -> usize {
    let state = table.record().state();
    Solution::new(state.game().unwrap()).winner(state.position()).index()
}

#[test]
fn the_ending_decides_the_winner_when_no_counter_is_left() {
    for (ending, winner) in [(Ending::ToMoveWins, 2), (Ending::LastMoverWins, 1)] {
        let mut setup = standard_match(3, &[1, 4]);
        setup.ending = ending;
        let mut table = Table::open(setup);
        table.take(0, 0, 4);
        let effects = table.take(1, 1, 1);
        assert_eq!(table.end(), Some((EndReason::Finished, Some(winner))));
        assert!(matches!(events_in(&effects)[..], [Event::Took { .. }, Event::Ended { .. }]));
        assert_eq!(turns_in(&effects), [], "nobody is told to move");
        assert_eq!(table.record().audit().unwrap().winner.index(), winner);
    }
}

#[test]
fn the_oracle_decides_if_every_seat_is_forfeited() {
    let mut table = Table::open(standard_match(3, &[5, 4]));
    table.take(0, 0, 2);
    table.resign(2);
    table.resign(0);
    let winner = oracle_winner(&table);
    table.resign(1);
    assert_eq!(table.end(), Some((EndReason::AllForfeited, Some(winner))));
    assert_eq!(table.record().state().ply(), 1, "the match ends when every seat is forfeited");
    assert_eq!(table.record().audit().unwrap().winner.index(), winner);
}

#[test]
fn a_match_without_bots_ends_when_the_rows_are_revealed() {
    let mut table = Table::open_with_present(&[false; 3], declared_match(3, &[5]));
    table.wait_for_deadline();
    assert_eq!(table.phase(), MatchPhase::Ended);
    let winner = oracle_winner(&table);
    assert_eq!(table.end(), Some((EndReason::AllForfeited, Some(winner))));
    let audit = table.record().audit().unwrap();
    assert_eq!((audit.winner, audit.plies.len()), (audit.predicted_winner, 0));
}

#[test]
fn a_match_ends_without_a_take_if_all_resign_before_play() {
    let mut table = Table::open(declared_match(2, &[5]));
    table.resign(0);
    table.resign(1);
    assert!(matches!(table.end(), Some((EndReason::AllForfeited, Some(_)))));
}

#[test]
fn the_oracle_decides_at_the_ply_limit() {
    let mut setup = standard_match(3, &[5, 4]);
    setup.terms.max_plies = 2;
    let mut table = Table::open(setup);
    table.play_single_takes(2);
    assert_eq!(table.end(), Some((EndReason::PlyLimit, Some(oracle_winner(&table)))));
}

#[test]
fn a_match_that_is_over_at_its_ply_limit_is_finished() {
    let mut setup = standard_match(3, &[2]);
    setup.terms.max_plies = 2;
    let mut table = Table::open(setup);
    table.play_single_takes(2);
    assert_eq!(table.end(), Some((EndReason::Finished, Some(2))));
}

#[test]
fn the_stewards_takes_count_towards_the_ply_limit() {
    let mut setup = standard_match(2, &[MAX_COUNTERS; 3]);
    setup.terms.max_plies = 3;
    let mut table = Table::open(setup);
    table.play_single_takes(1);
    table.resign(1);
    table.play_single_takes(1);
    assert!(matches!(table.end(), Some((EndReason::PlyLimit, Some(_)))));
    assert_eq!(table.record().state().takes()[1].mover, Mover::Steward);
}

#[test]
fn single_takes_from_the_largest_piles_end_at_the_ply_limit() {
    let mut setup = standard_match(3, &[MAX_COUNTERS, MAX_COUNTERS]);
    setup.terms.max_plies = 500;
    let mut table = Table::open(setup);
    table.play_single_takes(500);
    assert_eq!(table.end(), Some((EndReason::PlyLimit, Some(oracle_winner(&table)))));
    let left: Vec<_> = table.record().state().position().piles().collect();
    assert_eq!(left, [MAX_COUNTERS, MAX_COUNTERS - 500]);
    assert_eq!(table.record().audit().unwrap().plies.len(), 500);
}

#[test]
fn a_cancelled_match_has_no_winner_and_no_audit() {
    for mut table in [Table::open(declared_match(2, &[5])), Table::open(standard_match(2, &[5]))] {
        let effects = table.handle_input(RefereeInput::Cancel);
        assert!(matches!(
            events_in(&effects)[..],
            [Event::Ended { reason: EndReason::Cancelled, winner: None }]
        ));
        assert_eq!(table.record().audit(), Err(RecordError::Cancelled { plies: 0 }));
        assert_eq!(table.handle_input(RefereeInput::Cancel), [], "a match is cancelled only once");
    }
}

#[test]
fn rows_of_a_match_cancelled_before_they_were_revealed_stay_secret() {
    let mut table = Table::open(declared_match(2, &[5]));
    table.declare(0, &[1, 0]);
    table.handle_input(RefereeInput::Cancel);
    let open: Vec<_> = table.record().public_events().map(|timed| &timed.event).collect();
    assert!(matches!(open[..], [Event::Created(_), Event::Ended { .. }]));
    assert_eq!(table.join(1).matrix, None);
}

#[test]
fn an_open_match_has_no_audit() {
    let mut table = Table::open(standard_match(2, &[5]));
    table.play_single_takes(2);
    assert_eq!(table.record().audit(), Err(RecordError::NotEnded { plies: 2 }));
}

#[test]
fn everything_after_the_end_is_refused_and_changes_nothing() {
    let mut table = Table::open(standard_match(2, &[1]));
    table.play_single_takes(1);
    let record = table.record().clone();
    for seat in 0..2 {
        for effects in
            [table.take(seat, 0, 1), table.take(seat, 1, 0), table.resign(seat), table.declare(seat, &[0, 1])]
        {
            assert_eq!(refusals_in(&effects), [(seat, RefusalReason::MatchEnded)]);
            assert_eq!(events_in(&effects), [] as [&Event; 0]);
        }
        table.leave(seat);
        assert_eq!(table.join(seat).phase, MatchPhase::Ended);
    }
    assert_eq!((table.referee.deadline(), table.wait(1_000_000)), (None, vec![]));
    assert_eq!(table.handle_input(RefereeInput::Cancel), []);
    assert_eq!(table.record(), &record);
}

#[test]
fn a_match_of_32_seats_and_1024_piles_ends() {
    let mut table = Table::open(standard_match(32, &[MAX_COUNTERS; 1_024]));
    for seat in 1..32 {
        table.resign(seat);
    }
    while table.phase() == MatchPhase::Playing {
        let state = table.record().state();
        let (ply, counters) = (state.ply(), state.position().counters());
        assert_eq!(state.position().to_move(), Seat::FIRST);
        assert_eq!(refusals_in(&table.take(0, ply, counters)), []);
    }
    assert!(matches!(table.end(), Some((EndReason::Finished | EndReason::PlyLimit, Some(_)))));
}
