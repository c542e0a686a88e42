//! Tests of dealt rows: each seat sees only its own row, the setup contains commitments to the rows, and everybody sees
//! the rows once the match has a winner.

use super::table::{Table, events_in};
use crate::game::Row;
use crate::oracle::DealtRanks;
use crate::referee::{
    DealHash, EndReason, Event, MatchSetup, MatchSetupError, Record, RefereeInput, TimedEvent,
    canonical_bytes,
};
use std::time::Duration;

const DEALT_ROWS: [&[u64]; 3] = [&[1, 2, 0], &[0, 2, 1], &[2, 0, 1]];

fn dealt_table() -> Table {
    Table::open_dealt(&DEALT_ROWS, &[2, 1])
}

fn is_dealt(event: &Event) -> bool {
    matches!(event, Event::Dealt(_))
}

/// Declares the standard row for every seat.
fn declare_all(table: &mut Table) {
    (0..3).for_each(|seat| drop(table.declare(seat, &[0, 1, 2])));
}

fn play_to_end(table: &mut Table) {
    declare_all(table);
    table.take(0, 0, 1);
    table.take(1, 1, 2);
}

/// Changes the events of a record, and returns the error of replaying them.
fn replay_error(record: &Record, change: impl FnOnce(&mut Vec<TimedEvent>)) -> String {
    let mut events = record.events().to_vec();
    change(&mut events);
    Record::replay(record.id(), events).unwrap_err().to_string()
}

#[test]
fn a_seat_sees_only_its_own_dealt_row() {
    let mut table = dealt_table();
    for round in 0..2 {
        for (seat, row) in DEALT_ROWS.iter().enumerate() {
            let snapshot = table.join(seat);
            let own: Vec<u64> =
                snapshot.dealt_row.unwrap().offsets().iter().map(|&offset| offset.into()).collect();
            assert_eq!(own, *row);
            assert!(snapshot.setup.deal.is_some() && (round == 1) == snapshot.matrix.is_some());
        }
        declare_all(&mut table);
    }
}

#[test]
fn dealt_rows_are_public_once_the_match_has_a_winner() {
    let mut table = dealt_table();
    let is_secret = |table: &Table| {
        let record = table.record();
        let shown = record.public_events().any(|timed| is_dealt(&timed.event));
        assert_eq!(record.public_head().is_some(), !shown, "hashes are shown together with the dealt rows");
        assert_eq!(record.state().opened_rows().is_none(), !shown);
        !shown
    };
    assert!(is_secret(&table));
    declare_all(&mut table);
    assert!(is_secret(&table));
    table.take(0, 0, 1);
    assert!(is_secret(&table));
    table.take(1, 1, 2);
    assert!(!is_secret(&table));
    let record = table.record();
    assert_eq!(record.public_events().count(), record.events().len());
    assert_eq!(record.state().opened_rows().unwrap().to_string(), "1 2 0; 0 2 1; 2 0 1");
}

#[test]
fn a_cancelled_match_keeps_its_dealt_rows_secret() {
    for declares in [false, true] {
        let mut table = dealt_table();
        if declares {
            declare_all(&mut table);
        }
        let effects = table.handle_input(RefereeInput::Cancel);
        assert!(matches!(events_in(&effects)[..], [Event::Ended { reason: EndReason::Cancelled, .. }]));
        let record = table.record();
        assert!(record.state().opened_rows().is_none());
        let public: Vec<_> = record.public_events().cloned().collect();
        assert!(!public.iter().any(|timed| is_dealt(&timed.event)));
        let shown = Record::replay(record.id(), public).unwrap();
        assert_eq!(shown.public_head(), record.public_head());
    }
}

#[test]
fn a_record_with_rows_that_were_not_committed_is_rejected() {
    let mut table = dealt_table();
    play_to_end(&mut table);
    let record = table.record();
    assert!(Record::replay(record.id(), record.events().to_vec()).is_ok());
    let index = record.events().iter().position(|timed| is_dealt(&timed.event)).unwrap();
    assert_eq!(index, 1);
    let expected = "event 1: the dealt rows and salts do not match the commitments in `created`, or do not come directly after it";
    let Event::Dealt(dealt) = &record.events()[1].event else { unreachable!() };
    for seat in dealt.matrix.seats().iter() {
        let mut forged = dealt.clone();
        forged.salts[seat] = DealHash::from_bytes([9; 32]);
        assert_eq!(replay_error(record, |events| events[1].event = Event::Dealt(forged)), expected, "a salt");
        let mut forged = dealt.clone();
        let mut rows = dealt.matrix.rows().clone();
        rows[seat] = Row::standard(rows.seats());
        forged.matrix = crate::game::AllianceMatrix::from_rows(rows).unwrap();
        assert_eq!(replay_error(record, |events| events[1].event = Event::Dealt(forged)), expected, "a row");
    }
    let again = record.events()[1].clone();
    let twice = replay_error(record, |events| events.insert(1, again.clone()));
    assert_eq!(twice, expected.replace("event 1", "event 2"));
    let late = replay_error(record, |events| events[1..3].reverse());
    assert_eq!(late, expected.replace("event 1", "event 2"));
    let last = record.events().len() - 1;
    assert_eq!(
        replay_error(record, |events| drop(events.remove(1))),
        format!("event {}: the match ended with a winner, but `dealt` is missing", last - 1)
    );
    let undealt = MatchSetup { deal: None, ..record.state().setup().clone() };
    assert_eq!(replay_error(record, |events| events[0].event = Event::Created(Box::new(undealt))), expected);
}

#[test]
fn the_audit_compares_declarations_and_play_with_the_dealt_rows() {
    let mut table = dealt_table();
    play_to_end(&mut table);
    let audit = table.record().audit().unwrap();
    let dealt = audit.dealt.as_ref().unwrap();
    let rank = |seat, winner| dealt.matrix.rank(seat, winner) as u32;
    for (seat, ranks) in dealt.seats.enumerate() {
        let winners = [dealt.honest_winner, audit.predicted_winner, audit.winner];
        let [rank_honest, rank_declared, rank_actual] = winners.map(|winner| rank(seat, winner));
        assert_eq!(*ranks, DealtRanks { rank_honest, rank_declared, rank_actual });
        assert_eq!(audit.rank_scored(seat), rank_actual);
        let play_cost: i32 = dealt.ledger.iter().map(|costs| costs[seat]).sum();
        assert_eq!(play_cost, rank_actual.cast_signed() - rank_declared.cast_signed());
    }
    let mut declared = Table::open(super::table::declared_match(3, &[2, 1]));
    play_to_end(&mut declared);
    let plain = declared.record().audit().unwrap();
    assert!(plain.dealt.is_none());
    assert_eq!(
        (plain.winner, &plain.ledger),
        (audit.winner, &audit.ledger),
        "play follows the declared rows"
    );
}

#[test]
fn a_deal_must_fit_the_match() {
    let table = dealt_table();
    let setup = table.record().state().setup();
    let refusal = |change: &dyn Fn(&mut MatchSetup)| {
        let mut setup = setup.clone();
        change(&mut setup);
        setup.validate().unwrap_err()
    };
    let assigned =
        refusal(&|setup| setup.assigned = Some(crate::game::AllianceMatrix::standard(setup.seats())));
    assert_eq!(assigned, [MatchSetupError::AssignedAndDealt]);
    let two = vec![DealHash::from_bytes([0; 32]); 2];
    let few = refusal(&|setup| setup.deal.as_mut().unwrap().commitments = two.clone().try_into().unwrap());
    assert_eq!(few[0].to_string(), "2 commitments to dealt rows, but the match has 3 seats");
}

#[test]
fn a_deal_is_encoded_after_the_rest_of_the_setup() {
    let table = dealt_table();
    let created = &table.record().events()[0];
    let setup = MatchSetup { deal: None, ..table.record().state().setup().clone() };
    let plain = canonical_bytes(&TimedEvent { at: created.at, event: Event::Created(Box::new(setup)) });
    let dealt_bytes = canonical_bytes(created);
    assert_eq!((plain[0], dealt_bytes[0]), (1, 10));
    assert_eq!(plain[1..], dealt_bytes[1..plain.len()], "the deal follows the rest of the setup");
    assert_eq!(dealt_bytes.len() - plain.len(), 1 + 4 + 3 * 32);
    let waits = Duration::from_millis(1);
    assert_ne!(dealt_bytes, canonical_bytes(&TimedEvent { at: created.at + waits, ..created.clone() }));
}
