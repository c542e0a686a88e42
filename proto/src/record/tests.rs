//! Tests that read records back, unchanged and changed.

use super::*;
use crate::json::{MessageJson, message_from_proto3_json};
use lastnim_core::game::MAX_SEATS;
use lastnim_core::referee::testing::{Scenario, record_shown_to_all, scenario};
use proptest::prelude::*;
use prost::Message as _;
use serde_json::Value;

fn json_round_trip(record: &pb::MatchRecord) -> pb::MatchRecord {
    message_from_proto3_json(&serde_json::to_value(MessageJson::canonical(record)).unwrap()).unwrap()
}

fn bytes_round_trip(record: &pb::MatchRecord) -> pb::MatchRecord {
    pb::MatchRecord::decode(record.encode_to_vec().as_slice()).unwrap()
}

fn finish(scenario: &Scenario) -> Record {
    record_shown_to_all(&scenario.finish(&mut |_| ()))
}

/// Checks that a record either is read and is consistent, or is refused with an error that names a field or event.
fn check_parsing(record: &pb::MatchRecord) {
    match parse_record(record) {
        Ok(parsed) => {
            let events = parsed.events().iter().cloned();
            assert_eq!(Record::replay(parsed.id(), events), Ok(parsed.clone()));
            let written = pb::MatchRecord::from(&parsed);
            assert_eq!(written.events.len(), parsed.public_events().count());
            if parsed.state().is_all_public() {
                assert_eq!(parse_record(&written), Ok(parsed));
            }
        }
        Err(RecordParseError::Fields(violations)) => {
            let is_named = |field: &str| field == "match_id" || field.starts_with("events[");
            assert!(violations.as_slice().iter().all(|violation| is_named(&violation.field)), "{violations}");
        }
        Err(refused @ (RecordParseError::Events(_) | RecordParseError::Hash { .. })) => {
            let message = refused.to_string();
            assert!(message.contains("event"), "{message}");
        }
    }
}

fn refusal(record: &pb::MatchRecord) -> String {
    parse_record(record).unwrap_err().to_string()
}

/// Returns a record of two seats that contains no moves.
fn created_message() -> pb::MatchRecord {
    let bots = vec!["a".parse().unwrap(), "b".parse().unwrap()].try_into().unwrap();
    let setup =
        lastnim_core::referee::MatchSetup::new(bots, lastnim_core::game::Piles::parse(&[2, 3]).unwrap());
    let created =
        pb::RecordEvent { at_us: 7, event: Some(Wire::Created((&setup).into())), ..Default::default() };
    let match_id = "01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
    pb::MatchRecord { match_id, events: vec![created], ..Default::default() }
}

fn record_with(event: Wire) -> pb::MatchRecord {
    let mut record = created_message();
    record.events.push(pb::RecordEvent { at_us: 7, event: Some(event), ..Default::default() });
    record
}

fn setup_of(record: &mut pb::MatchRecord) -> &mut pb::MatchSetup {
    match &mut record.events[0].event {
        Some(Wire::Created(setup)) => setup,
        other => panic!("`created`: {other:?}"),
    }
}

#[test]
fn invalid_events_are_refused_by_field() {
    let row = |offsets: &[u32]| Some(pb::Row { offsets: offsets.to_vec() });
    let declared =
        |seat, row| Wire::Declared(pb::DeclaredEvent { seat, row, defaulted: 9, ..Default::default() });
    let cases = [
        (
            record_with(declared(2, row(&[0, 2]))),
            "events[1].seat: seat 2: expected 0 to 1; \
             events[1].row.offsets: offset 2 at place 1 of the row: expected 0 to 1 with 2 seats; \
             events[1].defaulted: 9 is not a known value: expected 0 to 3",
        ),
        (record_with(Wire::Declared(pb::DeclaredEvent::default())), "events[1].row: missing"),
        (record_with(Wire::Revealed(pb::RevealedEvent::default())), "events[1].alliance_matrix: missing"),
        (
            record_with(Wire::Took(pb::TookEvent { seat: 256, ..Default::default() })),
            "events[1].seat: seat 256: expected 0 to 1",
        ),
        (
            record_with(Wire::Took(pb::TookEvent { note_hash: vec![1; 33], ..Default::default() })),
            "events[1].note_hash: a note hash of 33 bytes: expected 32 bytes, or no note hash",
        ),
        (
            record_with(Wire::Struck(pb::StruckEvent { reason: 99, ..Default::default() })),
            "events[1].reason: 99 is not a known reason",
        ),
        (
            record_with(Wire::Forfeited(pb::ForfeitedEvent { seat: 7, reason: -1 })),
            "events[1].seat: seat 7: expected 0 to 1; \
             events[1].reason: -1 is not a known reason",
        ),
        (
            record_with(Wire::Ended(pb::EndedEvent { reason: 0, winner: Some(u32::MAX) })),
            "events[1].reason: 0 is not a known reason; \
             events[1].winner: seat 4294967295: expected 0 to 1",
        ),
        (
            record_with(Wire::Created(pb::MatchSetup::default())),
            "events[1]: a second `created`: only the first event may be `created`",
        ),
    ];
    for (record, words) in cases {
        assert_eq!(refusal(&record), words);
    }
    let mut nothing = created_message();
    nothing.events.push(pb::RecordEvent::default());
    assert_eq!(refusal(&nothing), "events[1]: missing");
}

#[test]
fn invalid_records_are_refused() {
    assert_eq!(refusal(&pb::MatchRecord::default()), "the record has no events: expected `created` first");
    let mut record = record_with(Wire::Ended(pb::EndedEvent { reason: 4, winner: None }));
    assert!(parse_record(&record).is_ok());
    record.match_id.clear();
    assert!(refusal(&record).starts_with("match_id: match id \"\": expected a UUID such as"));
    record.events.remove(0);
    assert_eq!(refusal(&record), "event 0 is not `created`");
}

#[test]
fn every_mistake_in_a_setup_is_named() {
    let mut record = created_message();
    let setup = setup_of(&mut record);
    setup.bots = vec!["a".into(), "B".into()];
    setup.piles = vec![0];
    setup.ending = 5;
    setup.clock = None;
    setup.tournament_id = "x".into();
    let message = refusal(&record);
    for field in ["clock", "tournament_id", "bots[1]", "piles", "ending"] {
        assert!(message.contains(&format!("events[0].created.{field}: ")), "{field} in {message}");
    }
    let mut record = created_message();
    let setup = setup_of(&mut record);
    setup.bots[1] = "a".into();
    setup.strikes = 101;
    setup.first = 2;
    setup.clock.as_mut().unwrap().lag_quota_ms = 10_001;
    let row = pb::Row { offsets: vec![0, 1, 2] };
    setup.assigned = Some(pb::AllianceMatrix { rows: vec![row; 3] });
    assert_eq!(
        refusal(&record),
        "events[0].created.strikes: strikes is 101: expected 1 to 100; \
         events[0].created.clock.lag_quota_ms: lag_quota_ms is 10001 ms: expected a whole number of ms from 0 to 10000; \
         events[0].created.bots: bot a has seats 0 and 1: expected one seat per bot in a match; \
         events[0].created.assigned: an assigned matrix for 3 seats, but the match has 2 seats; \
         events[0].created.first: seat 2: expected 0 to 1"
    );
}

#[test]
fn excessive_lengths_are_refused() {
    let mut record = created_message();
    let event = Some(Wire::Took(pb::TookEvent::default()));
    let event = pb::RecordEvent { at_us: 7, event, ..Default::default() };
    record.events.resize(MAX_EVENTS + 1, event);
    assert_eq!(
        refusal(&record),
        format!("{} events: expected at most {MAX_EVENTS} in a record", MAX_EVENTS + 1)
    );

    let mut record = created_message();
    let setup = setup_of(&mut record);
    setup.bots = vec![String::new(); 100_000];
    setup.piles = vec![1; 100_000];
    setup.assigned = Some(pb::AllianceMatrix { rows: vec![pb::Row::default(); 100_000] });
    assert_eq!(
        refusal(&record),
        "events[0].created.bots: 100000 seats: expected 2 to 32; \
         events[0].created.piles: 100000 piles: expected 1 to 1024; \
         events[0].created.assigned.rows: 100000 seats: expected 2 to 32"
    );

    let row = Some(pb::Row { offsets: vec![0; 100_000] });
    let record = record_with(Wire::Declared(pb::DeclaredEvent { row, ..Default::default() }));
    assert_eq!(
        refusal(&record),
        "events[1].row.offsets: a row of 100000 offsets: expected 2, the offsets 0 to 1 in order of preference"
    );
}

/// Lists the paths of all values in a JSON document.
fn visit(value: &Value, paths: &mut Vec<String>, path: String) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                visit(member, paths, format!("{path}/{name}"));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                visit(element, paths, format!("{path}/{index}"));
            }
        }
        _ => {}
    }
    paths.push(path);
}

fn any_leaf() -> impl Strategy<Value = Value> {
    let number = prop_oneof![0..40_u64, any::<u64>()];
    prop_oneof![
        number.clone().prop_map(Value::from),
        number.prop_map(|number| number.to_string().into()),
        (-2..13_i64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::sample::select(vec![
            "FORFEIT_REASON_STRIKES",
            "END_REASON_CANCELLED",
            "ROW_DEFAULT_FORFEITED",
            "x",
            ""
        ])
        .prop_map(Value::from),
    ]
}

fn any_event() -> impl Strategy<Value = pb::RecordEvent> {
    let number = || prop_oneof![9 => 0..5_u32, 1 => any::<u32>()];
    let large = || prop_oneof![9 => 0..5_u64, 1 => any::<u64>()];
    let row = || prop::collection::vec(number(), 0..5).prop_map(|offsets| pb::Row { offsets });
    let matrix = || {
        let rows = prop::collection::vec(row(), 0..=MAX_SEATS + 1);
        prop::option::of(rows.prop_map(|rows| pb::AllianceMatrix { rows }))
    };
    let reason = || -1..13_i32;
    let note_hash = || {
        prop_oneof![
            2 => Just(Vec::new()),
            2 => prop::collection::vec(any::<u8>(), 32),
            1 => prop::collection::vec(any::<u8>(), 0..40),
        ]
    };
    let event = prop_oneof![
        (number(), prop::option::of(row()), reason(), note_hash()).prop_map(
            |(seat, row, defaulted, note_hash)| Wire::Declared(pb::DeclaredEvent {
                seat,
                row,
                defaulted,
                note_hash
            })
        ),
        matrix().prop_map(|alliance_matrix| Wire::Revealed(pb::RevealedEvent { alliance_matrix })),
        (number(), number(), large(), any::<bool>(), large(), large(), note_hash()).prop_map(
            |(ply, seat, take, steward, charged_us, lag_us, note_hash)| Wire::Took(pb::TookEvent {
                ply,
                seat,
                take,
                steward,
                charged_us,
                lag_us,
                note_hash
            })
        ),
        (number(), number(), reason()).prop_map(|(seat, ply, reason)| Wire::Struck(pb::StruckEvent {
            seat,
            ply,
            reason
        })),
        (number(), reason()).prop_map(|(seat, reason)| Wire::Forfeited(pb::ForfeitedEvent { seat, reason })),
        (reason(), prop::option::of(number()))
            .prop_map(|(reason, winner)| Wire::Ended(pb::EndedEvent { reason, winner })),
    ];
    let hash = prop_oneof![9 => Just(Vec::new()), 1 => prop::collection::vec(any::<u8>(), 0..40)];
    (large(), prop::option::weighted(0.95, event), hash).prop_map(|(at_us, event, hash)| pb::RecordEvent {
        at_us,
        event,
        hash,
    })
}

proptest! {
    #[test]
    fn record_reads_back_from_bytes_and_json(scenario in scenario()) {
        let open = scenario.play(&mut |_| ()).0.into_record();
        for record in [finish(&scenario), open] {
            let written = pb::MatchRecord::from(&record);
            prop_assert_eq!(&bytes_round_trip(&written), &written);
            prop_assert_eq!(&json_round_trip(&written), &written);
            let parsed = parse_record(&json_round_trip(&bytes_round_trip(&written))).unwrap();
            if record.state().is_all_public() {
                prop_assert_eq!(parsed, record_shown_to_all(&record));
            } else {
                prop_assert!(parsed.events().iter().eq(record.public_events()));
            }
        }
    }

    #[test]
    fn records_with_shuffled_dropped_or_doubled_events_are_handled(
        scenario in scenario(),
        places in any::<[prop::sample::Index; 2]>(),
        change in 0..4,
    ) {
        let mut record = pb::MatchRecord::from(&finish(&scenario));
        let [first, second] = places.map(|place| place.index(record.events.len()));
        match change {
            0 => drop(record.events.remove(first)),
            1 => record.events.swap(first, second),
            2 => record.events.insert(second, record.events[first].clone()),
            _ => record.events.truncate(first),
        }
        check_parsing(&record);
    }

    #[test]
    fn records_with_a_changed_value_are_handled(
        scenario in scenario(),
        place in any::<prop::sample::Index>(),
        leaf in any_leaf(),
    ) {
        let record = pb::MatchRecord::from(&finish(&scenario));
        let mut document = serde_json::to_value(MessageJson::canonical(&record)).unwrap();
        let mut paths = Vec::new();
        visit(&document, &mut paths, String::new());
        *document.pointer_mut(&paths[place.index(paths.len())]).unwrap() = leaf;
        if let Ok(record) = message_from_proto3_json(&document) {
            check_parsing(&record);
        }
    }

    #[test]
    fn records_with_garbage_events_are_handled(
        scenario in scenario(),
        kept in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any_event(), 0..8),
    ) {
        let mut record = pb::MatchRecord::from(&finish(&scenario));
        record.events.truncate(kept.index(record.events.len() + 1));
        let at_us = record.events.last().map_or(0, |last| last.at_us);
        record.events.extend(garbage.into_iter().map(|mut event| {
            event.at_us = event.at_us.saturating_add(at_us);
            event
        }));
        check_parsing(&record);
    }

    #[test]
    fn any_bytes_are_handled_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(record) = pb::MatchRecord::decode(bytes.as_slice()) {
            check_parsing(&record);
        }
    }
}
