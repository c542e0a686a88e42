//! A match ends with its last counter, at the ply limit, with its last seat, or by the organiser's word.

use super::table::{Table, declared, happened, refused, standard, turns};
use crate::game::{Ending, MAX_COUNTERS, Seat};
use crate::oracle::{Mover, Solution};
use crate::referee::{EndReason, Event, MatchPhase, RecordError, RefereeInput, RefusalReason};

/// Returns who wins from here if everybody plays optimally.
fn oracles_winner(table: &Table) -> usize {
    let state = table.record().state();
    Solution::new(state.game().unwrap()).winner(state.position()).index()
}

#[test]
fn the_seat_to_move_wins_when_no_counter_is_left_unless_the_last_mover_does() {
    for (ending, winner) in [(Ending::ToMoveWins, 2), (Ending::LastMoverWins, 1)] {
        let mut setup = standard(3, &[1, 4]);
        setup.ending = ending;
        let mut table = Table::open(setup);
        table.take(0, 0, 4);
        let effects = table.take(1, 1, 1);
        assert_eq!(table.end(), Some((EndReason::Finished, Some(winner))));
        assert!(matches!(happened(&effects)[..], [Event::Took { .. }, Event::Ended { .. }]));
        assert_eq!(turns(&effects), [], "nobody is told to move");
        assert_eq!(table.record().audit().unwrap().winner.index(), winner);
    }
}

#[test]
fn the_oracle_names_the_winner_when_every_seat_is_lost() {
    let mut table = Table::open(standard(3, &[5, 4]));
    table.take(0, 0, 2);
    table.resign(2);
    table.resign(0);
    let winner = oracles_winner(&table);
    table.resign(1);
    assert_eq!(table.end(), Some((EndReason::AllForfeited, Some(winner))));
    assert_eq!(table.record().state().ply(), 1, "nobody is left to play for");
    assert_eq!(table.record().audit().unwrap().winner.index(), winner);
}

#[test]
fn a_match_to_which_nobody_comes_ends_when_the_rows_are_revealed() {
    let mut table = Table::attended_by(&[false; 3], declared(3, &[5]));
    table.wait_for_deadline();
    assert_eq!(table.phase(), MatchPhase::Ended);
    let winner = oracles_winner(&table);
    assert_eq!(table.end(), Some((EndReason::AllForfeited, Some(winner))));
    let audit = table.record().audit().unwrap();
    assert_eq!((audit.winner, audit.plies.len()), (audit.predicted_winner, 0));
}

#[test]
fn a_match_that_everybody_resigns_before_play_ends_without_a_take() {
    let mut table = Table::open(declared(2, &[5]));
    table.resign(0);
    table.resign(1);
    assert!(matches!(table.end(), Some((EndReason::AllForfeited, Some(_)))));
}

#[test]
fn the_oracle_names_the_winner_at_the_ply_limit() {
    let mut setup = standard(3, &[5, 4]);
    setup.terms.max_plies = 2;
    let mut table = Table::open(setup);
    table.play_ones(2);
    assert_eq!(table.end(), Some((EndReason::PlyLimit, Some(oracles_winner(&table)))));
}

#[test]
fn a_match_that_is_over_at_its_ply_limit_is_finished() {
    let mut setup = standard(3, &[2]);
    setup.terms.max_plies = 2;
    let mut table = Table::open(setup);
    table.play_ones(2);
    assert_eq!(table.end(), Some((EndReason::Finished, Some(2))));
}

#[test]
fn the_stewards_plies_count_for_the_limit() {
    let mut setup = standard(2, &[MAX_COUNTERS; 3]);
    setup.terms.max_plies = 3;
    let mut table = Table::open(setup);
    table.play_ones(1);
    table.resign(1);
    table.play_ones(1);
    assert!(matches!(table.end(), Some((EndReason::PlyLimit, Some(_)))));
    assert_eq!(table.record().state().takes()[1].mover, Mover::Steward);
}

#[test]
fn timid_bots_before_the_highest_piles_come_to_an_end() {
    let mut setup = standard(3, &[MAX_COUNTERS, MAX_COUNTERS]);
    setup.terms.max_plies = 500;
    let mut table = Table::open(setup);
    table.play_ones(500);
    assert_eq!(table.end(), Some((EndReason::PlyLimit, Some(oracles_winner(&table)))));
    let left: Vec<_> = table.record().state().position().piles().collect();
    assert_eq!(left, [MAX_COUNTERS, MAX_COUNTERS - 500]);
    assert_eq!(table.record().audit().unwrap().plies.len(), 500);
}

#[test]
fn a_cancelled_match_has_no_winner_and_no_audit() {
    for mut table in [Table::open(declared(2, &[5])), Table::open(standard(2, &[5]))] {
        let effects = table.input(RefereeInput::Cancel);
        assert!(matches!(
            happened(&effects)[..],
            [Event::Ended { reason: EndReason::Cancelled, winner: None }]
        ));
        assert_eq!(table.record().audit(), Err(RecordError::Cancelled { plies: 0 }));
        assert_eq!(table.input(RefereeInput::Cancel), [], "it is cancelled once");
    }
}

#[test]
fn rows_of_a_match_cancelled_before_they_were_revealed_stay_secret() {
    let mut table = Table::open(declared(2, &[5]));
    table.declare(0, &[1, 0]);
    table.input(RefereeInput::Cancel);
    let open: Vec<_> = table.record().public_events().map(|timed| &timed.event).collect();
    assert!(matches!(open[..], [Event::Created(_), Event::Ended { .. }]));
    assert_eq!(table.join(1).matrix, None);
}

#[test]
fn an_open_match_has_no_audit() {
    let mut table = Table::open(standard(2, &[5]));
    table.play_ones(2);
    assert_eq!(table.record().audit(), Err(RecordError::NotEnded { plies: 2 }));
}

#[test]
fn everything_after_the_end_is_refused_and_changes_nothing() {
    let mut table = Table::open(standard(2, &[1]));
    table.play_ones(1);
    let record = table.record().clone();
    for seat in 0..2 {
        for effects in
            [table.take(seat, 0, 1), table.take(seat, 1, 0), table.resign(seat), table.declare(seat, &[0, 1])]
        {
            assert_eq!(refused(&effects), [(seat, RefusalReason::MatchEnded)]);
            assert_eq!(happened(&effects), [] as [&Event; 0]);
        }
        table.leave(seat);
        assert_eq!(table.join(seat).phase, MatchPhase::Ended);
    }
    assert_eq!((table.referee.deadline(), table.wait(1_000_000)), (None, vec![]));
    assert_eq!(table.input(RefereeInput::Cancel), []);
    assert_eq!(table.record(), &record);
}

#[test]
fn thirty_two_seats_before_a_thousand_piles_are_refereed_to_the_end() {
    let mut table = Table::open(standard(32, &[MAX_COUNTERS; 1_024]));
    for seat in 1..32 {
        table.resign(seat);
    }
    while table.phase() == MatchPhase::Playing {
        let state = table.record().state();
        let (ply, counters) = (state.ply(), state.position().counters());
        assert_eq!(state.position().to_move(), Seat::FIRST);
        assert_eq!(refused(&table.take(0, ply, counters)), []);
    }
    assert!(matches!(table.end(), Some((EndReason::Finished | EndReason::PlyLimit, Some(_)))));
}
