//! Tests that seats take turns, and that anything but a legal take of the seat to move is refused.

use super::table::{
    BANK_MS, DECLARATION_MS, Table, declared_match, events_in, ms, refusal_message, refusals_in,
    standard_match, takes_in, turns_in,
};
use crate::game::MAX_COUNTERS;
use crate::oracle::Mover;
use crate::referee::{
    Event, ForfeitReason, MatchPhase, RefereeEffect, RefusalReason, RowDefault, SeatMessage, TimedEvent,
};

fn strikes_of(table: &Table, seat: usize) -> u32 {
    table.record().state().strikes()[table.seat(seat)]
}

#[test]
fn a_take_is_announced_and_the_turn_passes_on() {
    let mut table = Table::open(standard_match(3, &[2, 3]));
    let effects = table.take(0, 0, 2);
    assert_eq!(takes_in(&effects), [(0, 0, 2, Mover::Bot)]);
    let [(seat, turn)] = turns_in(&effects)[..] else { panic!("one turn: {effects:?}") };
    assert_eq!((seat, turn.ply, turn.pile, turn.counters), (1, 1, 1, 1));
    let effects = table.take(1, 1, 1);
    let [(seat, turn)] = turns_in(&effects)[..] else { panic!("one turn: {effects:?}") };
    assert_eq!((seat, turn.ply, turn.pile, turn.counters), (2, 2, 0, 2));
    assert_eq!(turns_in(&table.take(2, 2, 1))[0].0, 0, "after the last seat comes the first");
}

#[test]
fn the_first_seat_of_the_setup_moves_first() {
    let mut setup = standard_match(3, &[3]);
    setup.first = setup.seats().seat(2).unwrap();
    let mut table = Table::open(setup);
    assert_eq!(refusals_in(&table.take(0, 0, 1)), [(0, RefusalReason::NotYourTurn)]);
    assert_eq!(turns_in(&table.take(2, 0, 1))[0].0, 0);
}

#[test]
fn a_repeated_take_is_acknowledged_without_effect() {
    let mut table = Table::open(standard_match(2, &[5]));
    table.take(0, 0, 2);
    for _ in 0..2 {
        let again = table.take(0, 0, 2);
        let [RefereeEffect::SendToSeat { seat, message: SeatMessage::TakeRepeated { ply: 0, take: 2 } }] =
            again[..]
        else {
            panic!("expected only an acknowledgement, got {again:?}")
        };
        assert_eq!(seat.index(), 0);
        table.take(1, 1, 1);
    }
    assert_eq!(table.record().state().ply(), 2);
}

#[test]
fn a_different_take_for_a_past_ply_is_stale_without_a_strike() {
    let mut table = Table::open(standard_match(2, &[5]));
    table.take(0, 0, 2);
    let stale = table.take(0, 0, 1);
    assert_eq!(refusals_in(&stale), [(0, RefusalReason::Stale)]);
    assert_eq!(refusal_message(&stale), "ply 0 is over: seat 0 took 2 there; the match has reached ply 1");
    assert_eq!(refusals_in(&table.take(1, 0, 2)), [(1, RefusalReason::Stale)], "another seat made that take");
    assert_eq!((strikes_of(&table, 0), strikes_of(&table, 1)), (0, 0));
}

#[test]
fn a_take_for_a_future_ply_or_out_of_turn_is_a_strike() {
    let mut table = Table::open(standard_match(3, &[9]));
    let future = table.take(0, 1, 1);
    assert_eq!(refusals_in(&future), [(0, RefusalReason::FuturePly)]);
    assert_eq!(refusal_message(&future), "ply 1 is in the future: the match has reached ply 0");
    assert_eq!(turns_in(&future)[0].0, 0, "it is still the seat's turn");
    assert_eq!(refusals_in(&table.take(0, u32::MAX, 1)), [(0, RefusalReason::FuturePly)]);
    let out_of_turn = table.take(1, 0, 1);
    assert_eq!(refusals_in(&out_of_turn), [(1, RefusalReason::NotYourTurn)]);
    assert_eq!(refusal_message(&out_of_turn), "ply 0 is seat 0's turn: you are seat 1");
    assert_eq!(turns_in(&out_of_turn), [], "it is not the seat's turn");
    assert_eq!([0, 1, 2].map(|seat| strikes_of(&table, seat)), [2, 1, 0]);
    assert_eq!(table.record().state().ply(), 0);
}

#[test]
fn a_take_before_the_rows_are_revealed_is_a_strike() {
    let mut table = Table::open(declared_match(2, &[9]));
    let early = table.take(0, 0, 1);
    assert_eq!(refusals_in(&early), [(0, RefusalReason::NotStarted)]);
    assert_eq!(refusal_message(&early), "rows are still being declared: wait for your turn");
    assert_eq!(strikes_of(&table, 0), 1);
}

/// Returns the messages to seats among the effects, in order.
fn messages_in(effects: &[RefereeEffect]) -> Vec<&SeatMessage> {
    let mut sent_messages = Vec::new();
    for effect in effects {
        if let RefereeEffect::SendToSeat { message, .. } = effect {
            sent_messages.push(message);
        }
    }
    sent_messages
}

#[test]
fn a_refusal_is_followed_by_the_current_turn() {
    let mut table = Table::open(standard_match(2, &[1, 3]));
    let mut expected = [BANK_MS, BANK_MS - 200].map(ms).into_iter();
    let refusals = [(0, 0, RefusalReason::IllegalTake), (7, 1, RefusalReason::FuturePly)];
    for (ply, take, reason) in refusals {
        let effects = table.take(0, ply, take);
        let [SeatMessage::Refused(refusal), SeatMessage::Turn(turn)] = messages_in(&effects)[..] else {
            panic!("{effects:?}")
        };
        assert_eq!((refusal.reason, turn.ply, turn.pile, turn.counters), (reason, 0, 1, 3));
        assert_eq!(Some(turn.bank), expected.next(), "the clock runs on");
        table.wait(200);
    }
    let again = table.declare(0, &[1, 0]);
    let [SeatMessage::Refused(refusal), SeatMessage::Turn(turn)] = messages_in(&again)[..] else {
        panic!("{again:?}")
    };
    assert_eq!((refusal.reason, turn.bank), (RefusalReason::AlreadyDeclared, ms(BANK_MS - 400)));
    table.take(0, 0, 1);
    assert_eq!(table.bank(0), ms(BANK_MS - 400), "repeated messages neither cost time nor give it back");
}

#[test]
fn a_refusal_before_declaration_is_followed_by_the_time_left() {
    let mut table = Table::open(declared_match(2, &[9]));
    table.wait(100);
    let early = table.take(0, 0, 1);
    let [SeatMessage::Refused(_), SeatMessage::Snapshot(snapshot)] = messages_in(&early)[..] else {
        panic!("{early:?}")
    };
    assert_eq!(
        (snapshot.phase, snapshot.declaration_left),
        (MatchPhase::Declaring, Some(ms(DECLARATION_MS - 100)))
    );
    assert!(
        matches!(messages_in(&table.declare(1, &[0]))[..], [SeatMessage::Refused(_)]),
        "the seat already has the standard row"
    );
    assert!(
        matches!(messages_in(&table.take(1, 0, 1))[..], [SeatMessage::Refused(_)]),
        "nothing is expected of the seat"
    );
    table.declare(0, &[0, 1]);
    assert_eq!(table.phase(), MatchPhase::Playing);
}

#[test]
fn a_bot_that_repeats_its_mistake_is_forfeited_after_the_last_strike() {
    let mut table = Table::open(standard_match(3, &[9]));
    let mut turn = Some(0);
    let mut asked = 0;
    // The bot answers every turn with the same mistake.
    while let Some(ply) = turn {
        asked += 1;
        let effects = table.take(0, ply, 10);
        turn = turns_in(&effects).iter().find(|(seat, _)| *seat == 0).map(|(_, turn)| turn.ply);
    }
    assert_eq!((asked, table.forfeit_reason(0)), (3, Some(ForfeitReason::Strikes)));
}

#[test]
fn an_illegal_take_is_refused_with_a_clear_message() {
    let mut table = Table::open(standard_match(2, &[1, 3]));
    let illegal = table.take(0, 0, 0);
    assert_eq!(refusals_in(&illegal), [(0, RefusalReason::IllegalTake)]);
    assert_eq!(refusal_message(&illegal), "a take of 0 from pile 1, which has 3 left: take 1 to 3");
    assert!(matches!(
        events_in(&illegal)[..],
        [Event::Struck { ply: 0, reason: RefusalReason::IllegalTake, .. }]
    ));
    let illegal = table.take(0, 0, 4);
    assert_eq!(refusal_message(&illegal), "a take of 4 from pile 1, which has 3 left: take 1 to 3");
    let refusal = illegal.iter().find_map(|effect| match effect {
        RefereeEffect::SendToSeat { message: SeatMessage::Refused(refusal), .. } => Some(refusal),
        _ => None,
    });
    let refusal = refusal.unwrap();
    assert_eq!((refusal.ply, refusal.strikes, refusal.strikes_left), (0, 2, 1));
    assert_eq!(takes_in(&table.take(0, 0, 3)), [(0, 0, 3, Mover::Bot)]);
}

#[test]
fn huge_takes_are_refused_like_any_others() {
    let mut table = Table::open(standard_match(2, &[MAX_COUNTERS]));
    let illegal = table.take(0, 0, u64::MAX);
    assert_eq!(
        refusal_message(&illegal),
        "a take of 18446744073709551615 from pile 0, which has 9223372036854775807 left: \
         take 1 to 9223372036854775807"
    );
    assert_eq!(refusals_in(&table.take(0, 0, MAX_COUNTERS + 1)), [(0, RefusalReason::IllegalTake)]);
    assert_eq!(takes_in(&table.take(0, 0, MAX_COUNTERS)), [(0, 0, MAX_COUNTERS, Mover::Bot)]);
}

#[test]
fn the_third_strike_forfeits_the_seat() {
    let mut table = Table::open(standard_match(3, &[9]));
    for _ in 0..2 {
        table.take(1, 0, 1);
        assert_eq!(table.forfeit_reason(1), None);
    }
    let third = table.take(1, 0, 1);
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::Strikes));
    assert!(matches!(
        events_in(&third)[..],
        [Event::Struck { .. }, Event::Forfeited { reason: ForfeitReason::Strikes, .. }]
    ));
    let fourth = table.take(1, 0, 1);
    assert_eq!(refusals_in(&fourth), [(1, RefusalReason::Forfeited)]);
    assert_eq!((events_in(&fourth), strikes_of(&table, 1)), (vec![], 3));
}

#[test]
fn one_strike_may_forfeit_a_seat() {
    let mut setup = declared_match(2, &[9]);
    setup.terms.strikes = 1;
    let mut table = Table::open(setup);
    table.take(0, 0, 1);
    assert_eq!(table.forfeit_reason(0), Some(ForfeitReason::Strikes));
    let defaulted_seat = |timed: &TimedEvent| match timed.event {
        Event::Declared { seat, defaulted, .. } => Some((seat.index(), defaulted)),
        _ => None,
    };
    let rows: Vec<_> = table.record().events().iter().filter_map(defaulted_seat).collect();
    assert_eq!(rows, [(0, Some(RowDefault::Forfeited))], "the standard row is used instead");
    assert_eq!(refusals_in(&table.take(0, 0, 1)), [(0, RefusalReason::Forfeited)]);
}

#[test]
fn the_steward_moves_at_once_for_a_struck_out_seat() {
    let mut table = Table::open(standard_match(3, &[9, 9]));
    table.take(0, 0, 0);
    table.take(0, 0, 0);
    let third = table.take(0, 0, 10);
    let [(0, 0, _, Mover::Steward)] = takes_in(&third)[..] else {
        panic!("expected the steward's move, got {third:?}")
    };
    assert_eq!(turns_in(&third)[0].0, 1);
}
