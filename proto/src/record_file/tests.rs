//! Tests with frozen record files, and with files in which one byte was changed.

use super::*;
use crate::record::verify_record;
use lastnim_core::referee::testing::{record_shown_to_all, scenario};
use lastnim_core::referee::{PublicKey, SigningKey};
use proptest::prelude::*;
use serde_json::Value;

/// Records that an earlier version wrote in the formats [`RecordForm::JSON`]. They must stay readable, and the writer
/// must reproduce them.
const FROZEN: [&str; 2] =
    [include_str!("../../../tests/data/record.json"), include_str!("../../../tests/data/record.pretty.json")];
/// The same record as text, which the writer must reproduce.
const FROZEN_TEXT: &str = include_str!("../../../tests/data/record.txt");
/// A record with note hashes, as one line of JSON and as text. `tests/python/verify.py` made both files from the
/// canonical bytes.
const FROZEN_WITH_NOTES: &str = include_str!("../../../tests/data/noted.json");
const FROZEN_TEXT_WITH_NOTES: &str = include_str!("../../../tests/data/noted.txt");
/// The public key of the signer of these records; the seed is the bytes 0, 1, .., 31.
const FROZEN_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

/// Returns whether `lastnim record verify` would accept the text: it must be a whole record in one of the formats that
/// lastnim writes, and signed by the key.
fn is_accepted(text: &str, key: &PublicKey) -> bool {
    let Ok(given) = read_record(text) else { return false };
    let Ok(sealed) = verify_record(&given) else { return false };
    let signed = sealed.seal().is_some_and(|seal| seal.signer == *key);
    signed && layout_difference(text, sealed.record(), sealed.seal()).is_none()
}

#[test]
fn frozen_records_verify_and_are_reproduced() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    let seed = std::array::from_fn(|index| index as u8);
    assert_eq!(SigningKey::from_seed(&seed).public_key(), key);
    let [json, pretty] = FROZEN.map(|file| verify_record(&read_record(file).unwrap()).unwrap());
    assert!(json == pretty);
    for (form, file) in RecordForm::JSON.into_iter().zip(FROZEN) {
        assert_eq!(form.write(json.record(), json.seal()), file, "{form:?}");
        assert!(is_accepted(file, &key), "{form:?}");
    }
    assert_eq!(RecordForm::Text.write(json.record(), json.seal()), FROZEN_TEXT);
    assert_eq!(SigningKey::from_seed(&seed).seal(json.record().last_hash()), *json.seal().unwrap());
}

#[test]
fn frozen_records_with_note_hashes_verify_and_are_reproduced() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    let noted = verify_record(&read_record(FROZEN_WITH_NOTES).unwrap()).unwrap();
    assert!(is_accepted(FROZEN_WITH_NOTES, &key));
    for (form, file) in [(RecordForm::Json, FROZEN_WITH_NOTES), (RecordForm::Text, FROZEN_TEXT_WITH_NOTES)] {
        assert_eq!(form.write(noted.record(), noted.seal()), file, "{form:?}");
        assert!(file.matches("note_hash").count() == 3);
    }
}

/// For example, version 0.1 does not know note hashes and refuses them in this way.
#[test]
fn unknown_field_is_refused_by_name() {
    let refusal =
        read_record(&FROZEN_WITH_NOTES.replacen("note_hash", "mood_hash", 1)).unwrap_err().to_string();
    let expected = "events[1].declared: unknown key \"mood_hash\": did you mean \"note_hash\"? expected one of \"seat\", ";
    assert!(refusal.starts_with(expected), "{refusal}");
}

#[test]
fn changed_bit_in_any_byte_is_found() {
    let key: PublicKey = FROZEN_KEY.parse().unwrap();
    for file in [FROZEN[0], FROZEN_WITH_NOTES] {
        for place in 0..file.len() {
            let mut bytes = file.as_bytes().to_vec();
            bytes[place] ^= 1 << (place % 7);
            let changed = String::from_utf8(bytes).unwrap();
            assert!(!is_accepted(&changed, &key), "byte {place}");
        }
    }
}

#[test]
fn other_layouts_are_read_but_reported() {
    let [json, pretty] = FROZEN;
    let record = verify_record(&read_record(json).unwrap()).unwrap();
    let first_line = |text: &str| {
        assert_eq!(verify_record(&read_record(text).unwrap()).unwrap(), record);
        let found = layout_difference(text, record.record(), record.seal()).unwrap();
        (found.line, found.column)
    };
    assert_eq!(first_line(&json.replacen("{\"", "{ \"", 1)), (1, 2));
    assert_eq!(first_line(json.trim_end()), (1, json.len()));
    assert_eq!(first_line(&format!("{json}\n")), (2, 1));
    assert_eq!(first_line(&json.replacen("match_id", "matchId", 1)), (1, 8));
    assert_eq!(first_line(&format!("{{\"record\":{}}}", json.trim_end())), (1, 3));
    assert_eq!(first_line(&pretty.replacen("  \"events\": [", "  \"events\":  [", 1)), (3, 13));
    let number = json.replacen("\"charged_us\":\"1100\"", "\"charged_us\":1.1e3", 1);
    assert_eq!(first_line(&number).0, 1);
    // In the base64 form of 32 bytes, the last character before the padding has two unused bits.
    let loose = json.replacen(&format!("{FROZEN_KEY}\""), &FROZEN_KEY.replacen("Mbg=", "Mbh=", 1), 1);
    assert!(read_record(&loose).is_err() || !is_accepted(&loose, &FROZEN_KEY.parse().unwrap()));
}

#[test]
fn invalid_texts_are_refused() {
    for text in
        ["", "x", "[]", "\u{feff}{}", "LASTNIM record 1\n", "{", "{}", "{\"events\":3}", "lastnim record 1"]
    {
        let refused = match read_record(text) {
            Err(error) => error.to_string(),
            Ok(given) => verify_record(&given).unwrap_err().to_string(),
        };
        assert!(!refused.is_empty(), "{text:?}");
    }
    let refused = read_record(FROZEN_TEXT).unwrap_err().to_string();
    assert!(refused.starts_with("this is a record as text, for people to read: give its JSON"), "{refused}");
    let refused = read_record("{\"events\":[{},{\"at_us\":\"x\"}]}").unwrap_err().to_string();
    assert_eq!(refused, "events[1].at_us: \"x\" is not a whole number");
}

/// Returns the new key and value of a member of an object; `None` keeps the member.
type MemberChange<'a> = &'a dyn Fn(&str, &Value) -> Option<(String, Value)>;

/// Applies `change` to all members in a document.
fn changed_members(json: &Value, change: MemberChange<'_>) -> Value {
    match json {
        Value::Array(list) => list.iter().map(|value| changed_members(value, change)).collect(),
        Value::Object(members) => {
            let changed = members.iter().map(|(key, value)| {
                change(key, value).unwrap_or_else(|| (key.clone(), changed_members(value, change)))
            });
            Value::Object(changed.collect())
        }
        value => value.clone(),
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// Returns versions of a document in which values that were absent are written out, with a name for each version.
fn layouts_of_absent_fields(json: &Value) -> [(&'static str, Value); 3] {
    [
        (
            "null for absent",
            changed_members(json, &|key, value| {
                let mut event = value.as_object().filter(|_| key == "took" || key == "declared")?.clone();
                for absent in ["seat", "ply", "lag_us", "charged_us", "steward", "note_hash", "defaulted"] {
                    let known = absent == "seat"
                        || absent == "note_hash"
                        || (key == "declared") == (absent == "defaulted");
                    if known && !event.contains_key(absent) {
                        event.insert(absent.to_owned(), Value::Null);
                    }
                }
                Some((key.to_owned(), Value::Object(event)))
            }),
        ),
        (
            "null for other events",
            changed_members(json, &|key, value| {
                let events = value.as_array().filter(|_| key == "events")?.iter().map(|event| {
                    let mut event = event.clone();
                    for other in ["created", "declared", "revealed", "took", "struck", "forfeited", "ended"] {
                        event.as_object_mut().unwrap().entry(other).or_insert(Value::Null);
                    }
                    event
                });
                Some((key.to_owned(), events.collect()))
            }),
        ),
        (
            "defaults written out",
            changed_members(json, &|key, value| {
                let mut event = value.as_object().filter(|_| key == "took")?.clone();
                for (field, default) in [
                    ("seat", 0.into()),
                    ("ply", "0".into()),
                    ("steward", false.into()),
                    ("note_hash", "".into()),
                ] {
                    event.entry(field).or_insert(default);
                }
                Some((key.to_owned(), Value::Object(event)))
            }),
        ),
    ]
}

#[test]
fn every_proto3_layout_reads_as_the_same_record() {
    let json: Value = serde_json::from_str(FROZEN[0]).unwrap();
    let record = read_record(FROZEN[0]).unwrap();
    let is_number =
        |value: &Value| value.is_u64() || value.as_str().is_some_and(|text| text.parse::<u64>().is_ok());
    let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let write_numbers = |written: &dyn Fn(&str) -> Value| {
        changed_members(&json, &|key, value| match value {
            Value::Array(list) if !list.is_empty() && list.iter().all(is_number) => {
                Some((key.to_owned(), list.iter().map(|value| written(&as_text(value))).collect()))
            }
            value if is_number(value) => Some((key.to_owned(), written(&as_text(value)))),
            _ => None,
        })
    };
    let bytes = ["hash", "signer", "signature"];
    let write_bytes = |written: &dyn Fn(&str) -> String| {
        let change = |key: &str, value: &Value| {
            let text = value.as_str().filter(|_| bytes.contains(&key))?;
            Some((key.to_owned(), Value::from(written(text))))
        };
        changed_members(&json, &change)
    };
    let numbers =
        [("ENDING_LAST_MOVER_WINS", 2), ("ROW_DEFAULT_LATE", 1), ("REFUSAL_REASON_ILLEGAL_TAKE", 1)];
    let numbers: std::collections::BTreeMap<_, _> =
        numbers.into_iter().chain([("FORFEIT_REASON_RESIGNED", 5), ("END_REASON_FINISHED", 1)]).collect();
    let url_safe = |text: &str| text.replace('+', "-").replace('/', "_");
    let layouts = [
        (
            "camel case",
            changed_members(&json, &|key, value| {
                let camel = camel_case(key);
                (camel != key && !value.is_object()).then_some((camel, value.clone()))
            }),
        ),
        ("numbers", write_numbers(&|text| Value::from(text.parse::<u64>().unwrap()))),
        ("numbers as strings", write_numbers(&|text| Value::from(text))),
        ("zero fractions", write_numbers(&|text| Value::from(format!("{text}.00")))),
        ("exponents", write_numbers(&|text| Value::from(format!("{text}.0E+0")))),
        ("doubles", write_numbers(&|text| Value::from(text.parse::<f64>().unwrap()))),
        (
            "numbers of enumerations",
            changed_members(&json, &|key, value| {
                Some((key.to_owned(), (*numbers.get(value.as_str()?)?).into()))
            }),
        ),
        ("base64 for URLs", write_bytes(&url_safe)),
        ("base64 without padding", write_bytes(&|text| text.trim_end_matches('=').to_owned())),
        ("both", write_bytes(&|text| url_safe(text).trim_end_matches('=').to_owned())),
    ];
    for (what, layout) in layouts.into_iter().chain(layouts_of_absent_fields(&json)) {
        assert_ne!(layout, json, "{what}");
        let text = layout.to_string();
        assert_eq!(read_record(&text).unwrap_or_else(|error| panic!("{what}: {error}")), record, "{what}");
        let wrapped = format!("{{\"record\":{text}}}");
        assert_eq!(read_record(&wrapped).unwrap(), record, "{what}");
        let sealed = verify_record(&record).unwrap();
        assert!(layout_difference(&text, sealed.record(), sealed.seal()).is_some(), "{what}");
    }
}

#[test]
fn error_names_the_field_and_the_value() {
    let changed_text = |from: &str, to: &str| {
        let text = FROZEN[0].replacen(from, to, 1);
        assert_ne!(text, FROZEN[0], "{from}");
        match read_record(&text) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{to} is read"),
        }
    };
    let cases = [
        ("\"take\":\"2\"", "\"take\":\"many\"", "events[5].took.take: \"many\" is not a whole number"),
        ("\"take\":\"2\"", "\"take\":-1", "events[5].took.take: -1 is out of range: expected 0 to "),
        ("\"take\":\"2\"", "\"take\":\"2.5\"", "events[5].took.take: \"2.5\" is not a whole number"),
        (
            "\"take\":",
            "\"taken\":",
            "events[5].took: unknown key \"taken\": did you mean \"take\"? expected one of \"ply\", ",
        ),
        ("\"first\":1", "\"first\":4294967296", "events[0].created.first: 4294967296 is out of range: "),
        ("\"first\":1", "\"first\":[1]", "events[0].created.first: [1] is not a whole number"),
        ("[\"alice\",", "[null,", "events[0].created.bots[0]: null is not a string"),
        (
            "ENDING_LAST_MOVER_WINS",
            "last_mover_wins",
            "events[0].created.ending: unknown word \"last_mover_wins\": ",
        ),
        ("\"steward\":true", "\"steward\":1", "events[9].took.steward: 1 is not true or false"),
        ("\"hash\":\"6HQ", "\"hash\":\"!HQ", "events[0].hash: \"!HQMGj"),
        ("\"match_id\":", "\"matchId\":\"x\",\"match_id\":", "the key \"match_id\" appears twice"),
        (
            "\"match_id\":",
            "\"match_id\":\"x\",\"match_id\":",
            "the key \"match_id\" appears a second time at column 26",
        ),
        ("\"winner\":0", "\"winner\":0},\"took\":{", "events[10]: \"ended\" and \"took\" are alternatives"),
        (
            "{\"match_id\"",
            "{\"record\":null,\"match_id\"",
            "unknown key \"match_id\": expected one of \"record\"",
        ),
        ("\"events\":[", "\"events\":\"none\",\"x\":[", "events: \"none\" is not a list"),
        (",", ";", "not valid JSON: expected `,` or `}` at column "),
    ];
    for (from, to, words) in cases {
        let refusal = changed_text(from, to);
        assert!(refusal.starts_with(words), "{to}: {refusal}");
        assert!(!refusal.contains("struct") && !refusal.contains("untagged"), "{refusal}");
    }
    for (text, words) in [
        ("{\"record\":null}", "record: null is not a record"),
        ("{\"record\":7}", "record: 7 is not an object"),
    ] {
        assert_eq!(read_record(text).unwrap_err().to_string(), words);
    }
}

proptest! {
    // Signatures are slow without optimisation, so the number of cases is small.
    #![proptest_config(lastnim_core::game::testing::cases(100))]

    #[test]
    fn both_forms_of_json_round_trip(scenario in scenario(), seed: [u8; 32]) {
        let record = record_shown_to_all(&scenario.finish(&mut |_| ()));
        let seal = SigningKey::from_seed(&seed).seal(record.last_hash());
        for form in RecordForm::JSON {
            let text = form.write(&record, Some(&seal));
            let given = read_record(&text).unwrap();
            prop_assert_eq!(&given, &super::pb::MatchRecord::of(&record, Some(&seal)));
            let verified = verify_record(&given).unwrap();
            prop_assert_eq!(layout_difference(&text, verified.record(), verified.seal()), None);
            if record.state().is_all_public() {
                prop_assert_eq!((verified.record(), verified.seal()), (&record, Some(&seal)));
            }
        }
    }
}

proptest! {
    #[test]
    fn changed_doubled_deleted_or_inserted_byte_is_found(
        scenario in scenario(),
        place: prop::sample::Index,
        byte in prop_oneof![any::<u8>(), prop::sample::select(b" \n\t0123456789{}[],:;\"=ATZ".as_slice())],
        change in 0..4,
        form in prop::sample::select(RecordForm::JSON.as_slice()),
    ) {
        let record = record_shown_to_all(&scenario.finish(&mut |_| ()));
        prop_assume!(record.state().is_all_public());
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
        let passed = str::from_utf8(&bytes).is_ok_and(|text| is_accepted(text, &key.public_key()));
        prop_assert_eq!(passed, bytes == written, "byte {}", place);
    }
}
