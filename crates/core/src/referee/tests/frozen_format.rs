//! Tests that the formats of the hash chain and of the seal do not change: old signatures must verify forever.

use crate::game::{AllianceMatrix, Ending, MatchId, Piles, Row, Seat, SeatCount, TournamentId};
use crate::oracle::Mover;
use crate::referee::{
    Clock, EndReason, Event, EventHash, ForfeitReason, MatchSetup, NoteHash, Origin, Record, RefusalReason,
    RowDefault, SigningKey, Terms, TimedEvent, Timestamp, canonical_bytes,
};
use std::time::Duration;

/// The bytes and the hash of each event of [`eventful_record`].
const FROZEN_EVENTS: [(&str, &str); 11] = [
    (
        "0100401e18240a06000300000003000000616e6e05000000626f622d320100000063020000000200\
         0000000000002c010000000000000102008793030000000090d0030000000000a086010000000000\
         80841e0000000000404b4c000000000001000000900100000001018bcfe568007505850505050505\
         050502010000000000005600000000000000",
        "NEinbGpgEVqvrjcfbeVJNf3g3w/WJKuzZnxvComTn0g=",
    ),
    ("0284431e18240a0600010300000002000100", "fx7uZGEeNkAdvEwLoMlj4CnHiCzK/iXkrD/nWYOc1q4="),
    ("0285431e18240a0600020300000000010200", "ps0hOyYFNScd3BPA1HOHxsakZZykas5FvdKQvJ1lWYA="),
    ("02408b6a18240a060000030000000001020101", "2l1dPDURSvQrHYskvT/dVoKplJF6Sa8mRCo5WVptoM0="),
    (
        "03408b6a18240a060003000000030000000001020300000002000103000000000102",
        "53FjeLW/UI45chL9evSNLDbexG83bG6L6x5dcQTMeeE=",
    ),
    (
        "04e0116c18240a060000000000012b010000000000000171110100000000000102000000000000",
        "yqhqCZzxMtRpYl9g8VDYtSHwn5iv6jalVKQMoPKGdZk=",
    ),
    ("0580986d18240a0600020100000003", "VXOO4kHFoLxawwk+AqKYdxr+XSZ9/xKM1PWSN9ROvxo="),
    ("0680986d18240a06000204", "wQU0cubRr1vo5uwBvo4OYFUyqnJiriMB6mK7WgPyptA="),
    (
        "0480986d18240a0600010000000201000000000000000200000000000000000000000000000000",
        "IKJIJaN25n3bP1O5lq3KSH0DXiI2luW95JsyxqBaDw8=",
    ),
    (
        "04201f6f18240a0600020000000002000000000000000171110100000000000102000000000000",
        "twbmhTlPr3jZt28WrZLk5NvpBcwB07nP/N4jc/SYsd0=",
    ),
    ("07201f6f18240a0600010100", "0KySj34cP4uIJ+YJf7K2y0VpbTibeQX5XoL4hPkPzsk="),
];

fn seat_at(index: usize) -> Seat {
    SeatCount::new(3).unwrap().seat(index).unwrap()
}

fn row_of(offsets: &[u64]) -> Row {
    Row::parse(offsets, SeatCount::new(3).unwrap()).unwrap()
}

fn event_at(micros: u64, event: Event) -> TimedEvent {
    TimedEvent { at: Timestamp::from_micros(1_700_000_000_000_000 + micros), event }
}

/// Returns a record with every kind of event that can occur without dealt rows and talk.
fn eventful_record() -> Record {
    let bots = ["ann", "bob-2", "c"].map(|name| name.parse().unwrap()).to_vec();
    let ms = Duration::from_millis;
    let setup = MatchSetup {
        first: seat_at(1),
        ending: Ending::LastMoverWins,
        terms: Terms {
            clock: Clock {
                initial: ms(60_000),
                increment: ms(250),
                lag_quota: ms(100),
                lag_total: ms(2_000),
                declaration: ms(5_000),
                return_within: None,
            },
            strikes: 1,
            max_plies: 400,
            talk: None,
        },
        assigned: None,
        deal: None,
        origin: Some(Origin {
            tournament: TournamentId::new(1_700_000_000_000, &[5; 10]),
            number: 258,
            group: 86,
        }),
        ..MatchSetup::new(bots.try_into().unwrap(), Piles::parse(&[2, 300]).unwrap())
    };
    let zero = Duration::ZERO;
    let (charged, credited) = (Duration::from_micros(70_001), Duration::from_micros(513));
    let matrix = AllianceMatrix::parse(&[vec![0, 1, 2], vec![2, 0, 1], vec![0, 1, 2]]).unwrap();
    let take_event = |ply, index, take| Event::Took {
        ply,
        seat: seat_at(index),
        take,
        mover: Mover::Bot,
        charged,
        credited,
        note_hash: None,
    };
    let late = Some(RowDefault::Late);
    let events = [
        event_at(0, Event::Created(Box::new(setup))),
        event_at(
            900,
            Event::Declared { seat: seat_at(1), row: row_of(&[2, 0, 1]), defaulted: None, note_hash: None },
        ),
        event_at(
            901,
            Event::Declared { seat: seat_at(2), row: row_of(&[0, 1, 2]), defaulted: None, note_hash: None },
        ),
        event_at(
            5_000_000,
            Event::Declared { seat: seat_at(0), row: row_of(&[0, 1, 2]), defaulted: late, note_hash: None },
        ),
        event_at(5_000_000, Event::Revealed { matrix }),
        event_at(5_100_000, take_event(0, 1, 299)),
        event_at(5_200_000, Event::Struck { seat: seat_at(2), ply: 1, reason: RefusalReason::FuturePly }),
        event_at(5_200_000, Event::Forfeited { seat: seat_at(2), reason: ForfeitReason::Strikes }),
        event_at(
            5_200_000,
            Event::Took {
                ply: 1,
                seat: seat_at(2),
                take: 1,
                mover: Mover::Steward,
                charged: zero,
                credited: zero,
                note_hash: None,
            },
        ),
        event_at(5_300_000, take_event(2, 0, 2)),
        event_at(5_300_000, Event::Ended { reason: EndReason::Finished, winner: Some(seat_at(0)) }),
    ];
    Record::replay(MatchId::new(1_700_000_000_000, &[1; 10]), events).unwrap()
}

fn hex_digits(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[test]
fn bytes_hashes_and_seal_of_a_record_are_frozen() {
    let record = eventful_record();
    assert_eq!(
        EventHash::before_first_event(record.id()).to_string(),
        "JRgJ4VY74RkK0sGEAiwvQK8P4nkSQy+t/p2Z0/nHPz8="
    );
    let written = record.events().iter().zip(record.hashes());
    let written: Vec<_> =
        written.map(|(event, hash)| (hex_digits(&canonical_bytes(event)), hash.to_string())).collect();
    let frozen = FROZEN_EVENTS.map(|(bytes, hash)| (bytes.to_owned(), hash.to_owned()));
    assert_eq!(written, frozen);
    let seal = SigningKey::from_seed(&[42; 32]).seal(record.last_hash());
    assert_eq!(seal.signer.to_string(), "GX9rI+FshTLGq8g4+s1ep4m+DHaykgM0A5v6iz02jWE=");
    assert_eq!(
        seal.signature.to_string(),
        "rEhg4132a76EY52TzjrIOewxfvchutY0jXZqHE2FgaOcw8KCJGreh5HO8sHWdaPtmb7htDHQIpmW19WukPLBDw=="
    );
}

#[test]
fn bytes_of_a_setup_with_assigned_rows_end_with_the_rows() {
    let record = eventful_record();
    let assigned = Some(AllianceMatrix::standard(record.state().setup().seats()));
    let setup = MatchSetup { assigned, origin: None, ..MatchSetup::clone(record.state().setup()) };
    let bytes = hex_digits(&canonical_bytes(&event_at(0, Event::Created(Box::new(setup)))));
    let (origin, frozen) = (2 * (1 + 16 + 8 + 8), FROZEN_EVENTS[0].0);
    let common = &frozen[..frozen.len() - origin - 2];
    let rows = "03000000000102".repeat(3);
    assert_eq!(bytes, format!("{common}0103000000{rows}00"));
}

#[test]
fn a_note_hash_is_appended_under_a_separate_tag() {
    let record = eventful_record();
    let noted = Some(NoteHash::from_bytes([0xab; 32]));
    for (index, tag) in [(1, "08"), (5, "09")] {
        let mut timed = record.events()[index].clone();
        match &mut timed.event {
            Event::Declared { note_hash, .. } | Event::Took { note_hash, .. } => *note_hash = noted.clone(),
            other => panic!("expected a row or a take, got {other:?}"),
        }
        let rest = &FROZEN_EVENTS[index].0[2..];
        assert_eq!(hex_digits(&canonical_bytes(&timed)), format!("{tag}{rest}{}", "ab".repeat(32)));
    }
}

#[test]
fn the_numbers_of_encoded_values_are_frozen() {
    let numbers = |events: Vec<Event>, place: usize| -> Vec<u8> {
        events.into_iter().map(|event| canonical_bytes(&event_at(0, event))[place]).collect()
    };
    let strike_event = |reason| Event::Struck { seat: Seat::FIRST, ply: 0, reason };
    let numbers_to = |last: u8| (1..=last).collect::<Vec<u8>>();
    assert_eq!(numbers(RefusalReason::ALL.map(strike_event).to_vec(), 14), numbers_to(12));
    let forfeit_event = |reason| Event::Forfeited { seat: Seat::FIRST, reason };
    assert_eq!(numbers(ForfeitReason::ALL.map(forfeit_event).to_vec(), 10), numbers_to(6));
    let end_reasons =
        [EndReason::Finished, EndReason::PlyLimit, EndReason::AllForfeited, EndReason::Cancelled];
    let end_event = |reason| Event::Ended { reason, winner: None };
    assert_eq!(numbers(end_reasons.map(end_event).to_vec(), 9), numbers_to(4));
    let declared = |why| Event::Declared {
        seat: Seat::FIRST,
        row: row_of(&[0, 1, 2]),
        defaulted: Some(why),
        note_hash: None,
    };
    let defaults = [RowDefault::Late, RowDefault::Invalid, RowDefault::Forfeited];
    assert_eq!(numbers(defaults.map(declared).to_vec(), 18), numbers_to(3));
}
