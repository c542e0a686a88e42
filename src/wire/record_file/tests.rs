//! Files of records: frozen ones, and files of which one byte was changed.

use super::*;
use crate::referee::testing::scene;
use crate::referee::{PublicKey, SigningKey};
use crate::wire::record::verify_record;
use proptest::prelude::*;

/// Records as this program wrote them once, by [`RecordForm`]: they stay readable, and stay what is written.
const FROZEN: [&str; 3] = [
    include_str!("../../../tests/data/record.json"),
    include_str!("../../../tests/data/record.pretty.json"),
    include_str!("../../../tests/data/record.txt"),
];
/// The same with note hashes, made by `tests/python/verify.py`'s idea of the canonical bytes: a line of JSON, and text.
const NOTED: [&str; 2] =
    [include_str!("../../../tests/data/noted.json"), include_str!("../../../tests/data/noted.txt")];
/// The key of the seed 0, 1, .., 31, which signed them.
const FROZEN_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

/// Whether `lastnim verify` would pass it: it reads, it is whole and signed by the key, and every byte is in its place.
fn passes(text: &str, key: &PublicKey) -> bool {
    let Ok(given) = read_record(text) else { return false };
    let Ok(sealed) = verify_record(&given) else { return false };
    let signed = sealed.seal().is_some_and(|seal| seal.signer == *key);
    signed && layout_difference(text, sealed.record(), sealed.seal()).is_none()
}

#[test]
fn frozen_records_verify_and_are_written_the_same_again() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    let seed = std::array::from_fn(|index| index as u8);
    assert_eq!(SigningKey::from_seed(&seed).public_key(), key);
    let [json, pretty, text] = FROZEN.map(|file| verify_record(&read_record(file).unwrap()).unwrap());
    assert!(json == text && pretty == text);
    for (form, file) in RecordForm::ALL.into_iter().zip(FROZEN) {
        assert_eq!(form.write(json.record(), json.seal()), file, "{form:?}");
        assert!(passes(file, &key), "{form:?}");
    }
    assert_eq!(SigningKey::from_seed(&seed).seal(json.record().last_hash()), *json.seal().unwrap());
}

#[test]
fn frozen_records_with_note_hashes_verify_and_are_written_the_same_again() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    let [json, text] = NOTED.map(|file| verify_record(&read_record(file).unwrap()).unwrap());
    assert!(json == text);
    for (form, file) in [RecordForm::Json, RecordForm::Text].into_iter().zip(NOTED) {
        assert_eq!(form.write(json.record(), json.seal()), file, "{form:?}");
        assert!(passes(file, &key), "{form:?}");
        assert!(file.matches("note_hash").count() == 3);
    }
}

/// As version 0.1 refuses a note hash, which it does not know.
#[test]
fn a_field_of_a_later_version_is_refused_by_its_name() {
    let refusal =
        |file: &str| read_record(&file.replacen("note_hash", "mood_hash", 1)).unwrap_err().to_string();
    let [json, text] = NOTED.map(refusal);
    assert!(json.starts_with("events[1]: unknown field `mood_hash`, expected one of "), "{json}");
    assert_eq!(text, "line 18: \"mood_hash\" where the line should end");
}

#[test]
fn a_changed_bit_in_any_byte_of_a_frozen_record_is_found() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    let [json, _, text] = FROZEN;
    for file in [json, text].into_iter().chain(NOTED) {
        for place in 0..file.len() {
            let mut bytes = file.as_bytes().to_vec();
            bytes[place] ^= 1 << (place % 7);
            let changed = String::from_utf8(bytes).unwrap();
            assert!(!passes(&changed, &key), "byte {place}");
        }
    }
}

#[test]
fn other_layouts_hold_the_same_record_and_are_told() {
    let [json, pretty, text] = FROZEN;
    let record = verify_record(&read_record(json).unwrap()).unwrap();
    let first = |text: &str| {
        assert_eq!(verify_record(&read_record(text).unwrap()).unwrap(), record);
        let found = layout_difference(text, record.record(), record.seal()).unwrap();
        (found.line, found.column)
    };
    assert_eq!(first(&json.replacen("{\"", "{ \"", 1)), (1, 2));
    assert_eq!(first(json.trim_end()), (1, json.len()));
    assert_eq!(first(&format!("{json}\n")), (2, 1));
    assert_eq!(first(&json.replacen("match_id", "matchId", 1)), (1, 8));
    assert_eq!(first(&format!("{{\"record\":{}}}", json.trim_end())), (1, 3));
    assert_eq!(first(&pretty.replacen("  \"events\": [", "  \"events\":  [", 1)), (3, 13));
    assert_eq!(first(&text.replacen("\nseat 1 ", "\nseat  1 ", 1)), (5, 6));
    let number = json.replacen("\"charged_us\":\"", "\"charged_us\":\"0", 1);
    assert_eq!(first(&number).0, 1);
    // The last character before the padding of 32 bytes holds two bits that count for nothing.
    let loose = json.replacen(&format!("{FROZEN_KEY}\""), &FROZEN_KEY.replacen("Mbg=", "Mbh=", 1), 1);
    assert!(read_record(&loose).is_err() || !passes(&loose, &FROZEN_KEY.parse().unwrap()));
}

#[test]
fn what_is_no_record_is_refused() {
    for text in
        ["", "x", "[]", "\u{feff}{}", "LASTNIM record 1\n", "{", "{}", "{\"events\":3}", "lastnim record 1"]
    {
        let refused = match read_record(text) {
            Err(error) => error.to_string(),
            Ok(given) => verify_record(&given).unwrap_err().to_string(),
        };
        assert!(!refused.is_empty(), "{text:?}");
    }
    let refused = read_record("{\"events\":[{},{\"at_us\":\"x\"}]}").unwrap_err().to_string();
    assert!(refused.starts_with("events[1]: "), "{refused}");
}

proptest! {
    // Signing is slow in a test that is not optimised.
    #![proptest_config(crate::game::testing::cases(100))]

    #[test]
    fn every_form_round_trips(scene in scene(), seed: [u8; 32]) {
        let record = scene.finish(&mut |_| ());
        let seal = SigningKey::from_seed(&seed).seal(record.last_hash());
        for form in RecordForm::ALL {
            let text = form.write(&record, Some(&seal));
            let given = read_record(&text).unwrap();
            prop_assert_eq!(&given, &super::pb::MatchRecord::of(&record, Some(&seal)));
            let read = verify_record(&given).unwrap();
            prop_assert_eq!(layout_difference(&text, read.record(), read.seal()), None);
            if record.state().game().is_some() {
                prop_assert_eq!((read.record(), read.seal()), (&record, Some(&seal)));
            }
        }
    }
}

proptest! {
    #[test]
    fn a_byte_that_was_changed_doubled_deleted_or_put_in_is_found(
        scene in scene(),
        place: prop::sample::Index,
        byte in prop_oneof![any::<u8>(), prop::sample::select(b" \n\t0123456789{}[],:;\"=ATZ".as_slice())],
        change in 0..4,
        form in prop::sample::select(RecordForm::ALL.as_slice()),
    ) {
        let record = scene.finish(&mut |_| ());
        prop_assume!(record.state().game().is_some());
        let key = SigningKey::from_seed(&[9; 32]);
        let written = form.write(&record, Some(&key.seal(record.last_hash()))).into_bytes();
        let mut bytes = written.clone();
        let place = place.index(bytes.len());
        match change {
            0 => bytes[place] = byte,
            1 => bytes.insert(place, bytes[place]),
            2 => drop(bytes.remove(place)),
            _ => bytes.insert(place, byte),
        }
        let passed = str::from_utf8(&bytes).is_ok_and(|text| passes(text, &key.public_key()));
        prop_assert_eq!(passed, bytes == written, "byte {}", place);
    }
}
