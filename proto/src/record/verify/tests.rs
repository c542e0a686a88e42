//! Tests of which flaws are found in changed records.

use super::*;
use lastnim_core::game::Piles;
use lastnim_core::oracle::Mover;
use lastnim_core::referee::testing::{record_shown_to_all, scenario};
use lastnim_core::referee::{EndReason, Event, MatchSetup, NoteHash, SigningKey, Timestamp};
use proptest::prelude::*;
use std::time::Duration;

fn key() -> SigningKey {
    SigningKey::from_seed(&[5; SigningKey::SEED_BYTES])
}

/// Returns the record of a match in which two bots take one counter each in turn from a pile of four. Its events are:
/// created, two rows, revealed, four takes, ended.
fn played_record() -> Record {
    let id = MatchId::new(1_700_000_000_000, &[3; 10]);
    let bots = vec!["alice".parse().unwrap(), "bob".parse().unwrap()].try_into().unwrap();
    let setup = MatchSetup::new(bots, Piles::parse(&[4]).unwrap());
    let seats = setup.seats();
    let seat = |index| seats.seat(index).unwrap();
    let row = || lastnim_core::game::Row::standard(seats);
    let mut events = vec![
        Event::Created(Box::new(setup)),
        Event::Declared { seat: seat(0), row: row(), defaulted: None, note_hash: None },
        Event::Declared { seat: seat(1), row: row(), defaulted: None, note_hash: None },
        Event::Revealed { matrix: lastnim_core::game::AllianceMatrix::standard(seats) },
    ];
    events.extend((0..4).map(|ply| Event::Took {
        ply,
        seat: seat(ply as usize % 2),
        take: 1,
        mover: Mover::Bot,
        charged: Duration::from_micros(70),
        credited: Duration::ZERO,
        note_hash: (ply == 2).then(|| NoteHash::from_bytes([4; NoteHash::BYTES])),
    }));
    events.push(Event::Ended { reason: EndReason::Finished, winner: Some(seat(0)) });
    let timed = (1..).zip(events).map(|(at, event)| TimedEvent { at: Timestamp::from_micros(at), event });
    Record::replay(id, timed).unwrap()
}

fn signed_message(record: &Record) -> pb::MatchRecord {
    pb::MatchRecord::of(record, Some(&key().seal(record.last_hash())))
}

fn flaw_after(change: impl FnOnce(&mut pb::MatchRecord)) -> RecordFlaw {
    let mut record = signed_message(&played_record());
    change(&mut record);
    verify_record(&record).unwrap_err()
}

fn take_of(event: &mut pb::RecordEvent) -> &mut pb::TookEvent {
    match &mut event.event {
        Some(pb::record_event::Event::Took(took)) => took,
        other => panic!("a take: {other:?}"),
    }
}

#[test]
fn changes_to_a_record_are_named() {
    type Change = fn(&mut pb::MatchRecord);
    let cases: [(Change, RecordFlaw); 20] = [
        (|record| take_of(&mut record.events[5]).charged_us = 71, RecordFlaw::Changed { index: 5 }),
        (|record| take_of(&mut record.events[7]).steward = true, RecordFlaw::Changed { index: 7 }),
        (|record| take_of(&mut record.events[6]).note_hash[0] = 5, RecordFlaw::Changed { index: 6 }),
        (|record| take_of(&mut record.events[6]).note_hash.clear(), RecordFlaw::Changed { index: 6 }),
        (|record| take_of(&mut record.events[7]).note_hash = vec![4; 32], RecordFlaw::Changed { index: 7 }),
        (|record| record.events[8].at_us += 1, RecordFlaw::Changed { index: 8 }),
        (|record| record.events[0].at_us = 0, RecordFlaw::Beginning),
        (|record| record.match_id.replace_range(35.., "0"), RecordFlaw::Beginning),
        (|record| record.events[5].hash[31] ^= 1, RecordFlaw::HashChanged { index: 5 }),
        (|record| record.events[8].hash[0] ^= 128, RecordFlaw::HashChanged { index: 8 }),
        (|record| record.events[5].hash.clear(), RecordFlaw::NoHash { index: 5 }),
        (
            |record| drop(record.events.remove(1)),
            RecordFlaw::Removed { index: 1, misfit: InvalidEvent::Revealed },
        ),
        (
            |record| drop(record.events.remove(5)),
            RecordFlaw::Removed { index: 5, misfit: InvalidEvent::Ply { given: 2, expected: 1 } },
        ),
        (
            |record| drop(record.events.drain(1..4)),
            RecordFlaw::Removed { index: 1, misfit: InvalidEvent::NotRevealed },
        ),
        (
            |record| record.events.insert(6, record.events[5].clone()),
            RecordFlaw::Inserted { first: 6, last: 6 },
        ),
        (|record| record.events.swap(4, 6), RecordFlaw::Inserted { first: 4, last: 5 }),
        (|record| record.events.truncate(8), RecordFlaw::CutShort { last: 7 }),
        (|record| record.signature[63] ^= 1, RecordFlaw::Signature),
        (
            |record| record.signer = SigningKey::from_seed(&[6; 32]).public_key().as_bytes().to_vec(),
            RecordFlaw::Signature,
        ),
        (
            |record| {
                record.events.iter_mut().for_each(|event| event.hash.clear());
                record.events[6].at_us = 6;
            },
            RecordFlaw::SignatureWithoutHashes,
        ),
    ];
    for (change, flaw) in cases {
        assert_eq!(flaw_after(change), flaw);
    }
}

#[test]
fn strike_with_a_made_up_hash_is_named() {
    let flaw = flaw_after(|record| {
        let before = EventHash::from_bytes(record.events[4].hash.as_slice().try_into().unwrap());
        let struck = Event::Struck {
            seat: SeatCount::new(2).unwrap().seat(0).unwrap(),
            ply: 1,
            reason: lastnim_core::referee::RefusalReason::NotYourTurn,
        };
        let timed = TimedEvent { at: Timestamp::from_micros(record.events[4].at_us), event: struck };
        let hash = before.hash_of_next(&timed).as_bytes().to_vec();
        record.events.insert(5, pb::RecordEvent { hash, ..(&timed).into() });
    });
    assert_eq!(flaw, RecordFlaw::Inserted { first: 5, last: 5 });
    assert_eq!(flaw.to_string(), "event 5 was inserted: event 6 follows event 4");
    assert_eq!((flaw.event(), flaw.kind().as_str()), (Some(5), "inserted"));
}

#[test]
fn replaced_record_breaks_the_rules_or_its_signature() {
    let mut record = played_record();
    let seal = key().seal(record.last_hash());
    let mut events = record.events().to_vec();
    events[5].at = Timestamp::from_micros(7);
    record = Record::replay(record.id(), events).unwrap();
    assert_eq!(verify_record(&pb::MatchRecord::of(&record, Some(&seal))), Err(RecordFlaw::Signature));

    let mut unhashed = signed_message(&record);
    unhashed.events.iter_mut().for_each(|event| event.hash.clear());
    take_of(&mut unhashed.events[5]).take = 9;
    let flaw = verify_record(&unhashed).unwrap_err();
    assert_eq!(flaw.to_string(), "event 5: a take of 9 from pile 0, which has 3 left: take 1 to 3");
    assert_eq!((flaw.event(), flaw.kind()), (Some(5), RecordFlawKind::RuleViolation));
}

#[test]
fn invalid_fields_are_named() {
    type Change = fn(&mut pb::MatchRecord);
    let cases: [(Change, &str); 8] = [
        (|record| record.match_id.clear(), "match_id: match id \"\""),
        (|record| record.events.clear(), "the record has no events"),
        (|record| drop(record.events.remove(0)), "event 0 is not `created`"),
        (
            |record| take_of(&mut record.events[5]).seat = 2,
            "event 5 cannot be read: events[5].seat: seat 2: ",
        ),
        (
            |record| take_of(&mut record.events[6]).note_hash.truncate(8),
            "event 6 cannot be read: events[6].note_hash: a note hash of 8 bytes: expected 32 bytes, or no note hash",
        ),
        (
            |record| record.events[5].hash.truncate(31),
            "event 5 cannot be read: events[5].hash: 31 bytes: expected 32 in a hash",
        ),
        (|record| record.signer.clear(), "signer of 0 bytes: expected 32"),
        (|record| record.signature.push(0), "signature of 65 bytes: expected 64"),
    ];
    for (change, words) in cases {
        let flaw = flaw_after(change);
        assert!(flaw.to_string().starts_with(words), "{flaw}");
        assert_eq!(flaw.event().is_some(), words.starts_with("event "), "{flaw}");
    }
}

proptest! {
    // Signatures are slow without optimisation, so the number of cases is small.
    #![proptest_config(lastnim_core::game::testing::cases(80))]

    #[test]
    fn written_records_verify(scenario in scenario()) {
        let record = record_shown_to_all(&scenario.finish(&mut |_| ()));
        let given = signed_message(&record);
        let verified = verify_record(&given).unwrap();
        if record.state().is_all_public() {
            prop_assert_eq!(verified.record(), &record);
            prop_assert_eq!(verified.seal().unwrap().signer, key().public_key());
            let mut unhashed = given.clone();
            unhashed.events.iter_mut().for_each(|event| event.hash.clear());
            prop_assert_eq!(verify_record(&unhashed), Ok(verified));
        } else {
            prop_assert_eq!(verified.seal(), None);
            prop_assert!(given.events.iter().all(|event| event.hash.is_empty()), "hashes would expose rows");
        }
        let open = scenario.play(&mut |_| ()).0.into_record();
        let verified = verify_record(&pb::MatchRecord::from(&open)).unwrap();
        prop_assert_eq!(verified.seal(), None);
    }

    #[test]
    fn dropped_doubled_or_swapped_events_are_found(
        scenario in scenario(),
        places in any::<[prop::sample::Index; 2]>(),
        change in 0..4,
    ) {
        let record = record_shown_to_all(&scenario.finish(&mut |_| ()));
        prop_assume!(record.state().is_all_public());
        let mut given = signed_message(&record);
        let [first, second] = places.map(|place| place.index(given.events.len()));
        match change {
            0 => drop(given.events.remove(first)),
            1 => given.events.swap(first, second),
            2 => given.events.insert(second, given.events[first].clone()),
            _ => given.events.truncate(first),
        }
        if given != signed_message(&record) {
            let flaw = verify_record(&given).unwrap_err();
            let least = if change == 1 { first.min(second) } else { first };
            // The flaw must be reported at the changed event or at the event right after it.
            if let (Some(named), 0 | 1) = (flaw.event(), change) {
                prop_assert!((least..=least + 1).contains(&named), "{flaw}: {least}");
            }
        }
    }
}
