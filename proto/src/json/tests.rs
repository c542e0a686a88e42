use super::{tables::EnumValueName, *};
use crate::{testing, tournament::settings_message};
use lastnim_core::referee::Terms;
use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, Value as Field};
use serde_json::json;

/// Maximum depth of generated messages.
const MAX_DEPTH: u32 = 5;
/// Maximum elements of generated lists.
const MAX_ELEMENTS: usize = 3;

fn lastnim_messages() -> Vec<MessageDescriptor> {
    let is_ours = |message: &MessageDescriptor| message.package_name() == "lastnim.v1";
    DESCRIPTORS.all_messages().filter(is_ours).collect()
}

fn any_value(kind: &Kind, depth: u32) -> BoxedStrategy<Field> {
    match kind {
        Kind::Message(descriptor) => any_message(descriptor, depth).prop_map(Field::Message).boxed(),
        Kind::Enum(kind) => {
            let known: Vec<i32> = kind.values().map(|value| value.number()).collect();
            prop_oneof![9 => prop::sample::select(known), 1 => any::<i32>()]
                .prop_map(Field::EnumNumber)
                .boxed()
        }
        Kind::Bool => any::<bool>().prop_map(Field::Bool).boxed(),
        Kind::String => any::<String>().prop_map(Field::String).boxed(),
        Kind::Bytes => any::<Vec<u8>>().prop_map(|bytes| Field::Bytes(bytes.into())).boxed(),
        Kind::Double => any::<f64>().prop_map(Field::F64).boxed(),
        Kind::Float => any::<f32>().prop_map(Field::F32).boxed(),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => any::<i32>().prop_map(Field::I32).boxed(),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => any::<i64>().prop_map(Field::I64).boxed(),
        Kind::Uint32 | Kind::Fixed32 => any::<u32>().prop_map(Field::U32).boxed(),
        Kind::Uint64 | Kind::Fixed64 => {
            prop_oneof![any::<u64>(), Just(u64::MAX)].prop_map(Field::U64).boxed()
        }
    }
}

fn any_field(field: &FieldDescriptor, depth: u32) -> BoxedStrategy<Field> {
    let value = any_value(&field.kind(), depth);
    if field.is_list() {
        prop::collection::vec(value, 0..=MAX_ELEMENTS).prop_map(Field::List).boxed()
    } else {
        value
    }
}

/// Generates arbitrary messages of a type. Each field may be unset; if several alternatives are set, the last one wins.
fn any_message(descriptor: &MessageDescriptor, depth: u32) -> BoxedStrategy<DynamicMessage> {
    let fields = descriptor.fields().filter(|field| depth > 0 || !matches!(field.kind(), Kind::Message(_)));
    let fields: Vec<_> = fields
        .map(|field| {
            let value = any_field(&field, depth.saturating_sub(1));
            prop::option::of(value).prop_map(move |value| (field.clone(), value))
        })
        .collect();
    let descriptor = descriptor.clone();
    fields
        .prop_map(move |fields| {
            let mut message = DynamicMessage::new(descriptor.clone());
            for (field, value) in fields {
                if let Some(value) = value {
                    message.set_field(&field, value);
                }
            }
            message
        })
        .boxed()
}

fn read_message(
    mapping: JsonMapping,
    kind: &MessageDescriptor,
    json: &Value,
) -> Result<DynamicMessage, MessageJsonError> {
    let mut encoded = Vec::new();
    mapping
        .encode_message(MessageTable::by_name(kind.full_name()), json, &mut encoded)
        .map_err(Option::unwrap)?;
    Ok(DynamicMessage::decode(kind.clone(), &*encoded).expect("it was encoded with its descriptor"))
}

/// Reads a message from text without building a [`Value`]; returns `None` if the text is invalid.
fn read_text(mapping: JsonMapping, kind: &MessageDescriptor, text: &str) -> Option<DynamicMessage> {
    let (table, mut encoded) = (MessageTable::by_name(kind.full_name()), Vec::new());
    let mut json = serde_json::Deserializer::from_str(text);
    mapping.encode_message(table, &mut json, &mut encoded).ok()?;
    Some(DynamicMessage::decode(kind.clone(), &*encoded).expect("it was encoded with its descriptor"))
}

fn refused<M: Name + Default + std::fmt::Debug>(json: &Value) -> String {
    message_from_json::<M>(json).unwrap_err().to_string()
}

#[test]
fn json_has_all_fields() {
    let tournament = pb::Tournament {
        id: "7".into(),
        settings: Some(pb::TournamentSettings {
            seats: 2,
            positions: vec![pb::Piles { counters: vec![3, u64::MAX] }],
            ending: pb::Ending::ToMoveWins.into(),
            scoring: 99,
            format: Some(pb::tournament_settings::Format::Swiss(pb::SwissFormat {
                rounds: 3,
                table_groups: 0,
            })),
            ..Default::default()
        }),
        ..Default::default()
    };
    let expected = json!({
        "id": "7",
        "settings": {
            "title": "",
            "seats": 2,
            "positions": [{ "counters": [3, u64::MAX] }],
            "ending": "to_move_wins",
            "alliance": "unspecified",
            "alliance_matrix": null,
            "scoring": 99,
            "clock": null,
            "strikes": 0,
            "max_plies": 0,
            "seed": 0,
            "concurrency": 0,
            "start_when": 0,
            "swiss": { "rounds": 3, "table_groups": 0 },
            "bot_concurrency": 0,
            "methods": 0,
            "oracle": "unspecified",
            "retention": null,
            "deal": "unspecified",
            "deal_rows": [],
            "talk": null,
            "start_at_us": 0,
            "entries_close_at_us": 0,
            "allow": [],
        },
        "state": "unspecified",
        "field": [],
        "matches_played": 0,
        "matches_total": 0,
        "created_at_us": 0,
        "awaits_bots": false,
        "pause": "unspecified",
        "damage": "",
        "deal_secret_hash": "",
        "deal_secret": "",
    });
    assert_eq!(message_to_json(&tournament), expected);
    assert_eq!(message_from_json(&expected), Ok(tournament));
}

#[test]
fn canonical_form_omits_defaults_and_ends_with_the_alternative() {
    let event = pb::RecordEvent {
        at_us: u64::MAX,
        hash: vec![7; 2],
        event: Some(pb::record_event::Event::Ended(pb::EndedEvent {
            reason: pb::EndReason::PlyLimit.into(),
            winner: Some(0),
        })),
    };
    let text = serde_json::to_string(&MessageJson::canonical(&event)).unwrap();
    let expected = r#"{"at_us":"18446744073709551615","hash":"Bwc=","ended":{"reason":"END_REASON_PLY_LIMIT","winner":0}}"#;
    assert_eq!(text, expected);
    assert_eq!(message_from_proto3_json(&serde_json::from_str(&text).unwrap()), Ok(event));
    let nothing = serde_json::to_string(&MessageJson::canonical(&pb::MatchSetup::default())).unwrap();
    assert_eq!(nothing, "{}");
}

#[test]
fn unset_optional_field_is_null() {
    let standing = |accuracy| message_to_json(&pb::Standing { accuracy, ..Default::default() });
    assert_eq!(standing(None)["accuracy"], Value::Null);
    assert_eq!(standing(Some(0.0))["accuracy"], json!(0.0));
    assert_eq!(standing(Some(f64::NEG_INFINITY))["accuracy"], json!("-Infinity"));
    assert_eq!(message_from_json(&json!({})), Ok(pb::Standing::default()));
    let standing =
        message_from_json::<pb::Standing>(&json!({ "accuracy": 1, "wins": 2.0, "elo": null })).unwrap();
    assert_eq!((standing.accuracy, standing.wins, standing.elo), (Some(1.0), 2, None));
}

#[test]
fn bytes_are_base64() {
    let key = pb::GetPublicKeyResponse { public_key: vec![0, 255, 7, 8] };
    assert_eq!(message_to_json(&key), json!({ "public_key": "AP8HCA==" }));
    let refusal = refused::<pb::GetPublicKeyResponse>(&json!({ "public_key": "AP8HCA" }));
    assert_eq!(refusal, "public_key: \"AP8HCA\" is not bytes in base64, with padding");
}

#[test]
fn error_names_the_path_and_the_value() {
    let cases = [
        (json!([]), "[] is not an object"),
        (
            json!({ "idd": 1 }),
            "unknown key \"idd\": did you mean \"id\"? expected one of \"id\", \"settings\", \"state\", ",
        ),
        (json!({ "id": 7 }), "id: 7 is not a string"),
        (json!({ "awaits_bots": 0 }), "awaits_bots: 0 is not true or false"),
        (json!({ "field": "ann" }), "field: \"ann\" is not a list"),
        (json!({ "field": ["ann", null] }), "field[1]: null is not a string"),
        (
            json!({ "state": "opened" }),
            "state: unknown word \"opened\": did you mean \"open\"? expected one of \"unspecified\", ",
        ),
        (json!({ "state": true }), "state: true is not a word"),
        (
            json!({ "state": 2_147_483_648_u64 }),
            "state: 2147483648 is out of range: expected -2147483648 to ",
        ),
        (
            json!({ "matches_played": -1 }),
            "matches_played: -1 is out of range: expected 0 to 18446744073709551615",
        ),
        (json!({ "matches_played": 1e20 }), "matches_played: 1e+20 is out of range: "),
        (json!({ "matches_played": 1.5 }), "matches_played: 1.5 is not a whole number"),
        (json!({ "matches_played": "1" }), "matches_played: \"1\" is not a whole number"),
        (
            json!({ "settings": { "seats": 4_294_967_296_u64 } }),
            "settings.seats: 4294967296 is out of range: expected 0 to 4294967295",
        ),
        (
            json!({ "settings": { "positions": [{}, { "counters": [1, {}] }] } }),
            "settings.positions[1].counters[1]: {} is not a whole number",
        ),
        (
            json!({ "settings": { "swiss": {}, "ladder": {} } }),
            "settings: \"swiss\" and \"ladder\" are alternatives: give only one",
        ),
        (json!({ "settings": { "sprt": { "alpha": "a".repeat(50) } } }), "settings.sprt.alpha: \"aaaaaaa"),
    ];
    for (json, expected) in cases {
        let refusal = refused::<pb::Tournament>(&json);
        assert!(refusal.starts_with(expected), "{refusal}");
        assert!(refusal.len() < 250, "{refusal}");
    }
}

#[test]
fn a_method_exists_only_in_its_service() {
    assert!(has_method("ArenaService", "Play") && has_method("TournamentService", "VoidMatches"));
    assert!(!has_method("ArenaService", "VoidMatches") && !has_method("ArenaService", "Guess"));
}

#[test]
fn all_enumerations_have_words() {
    let ours = DESCRIPTORS.all_enums().filter(|kind| kind.package_name() == "lastnim.v1");
    for kind in ours {
        let names = EnumValueName::all(&kind);
        let printed: Vec<_> = names.iter().map(|word| word.word(JsonMapping::Printed)).collect();
        assert_eq!((names[0].number, printed[0]), (0, "unspecified"), "{}", kind.name());
        let different: std::collections::BTreeSet<_> = printed.iter().collect();
        assert_eq!(different.len(), kind.values().len(), "{}", kind.name());
        for (value, word) in kind.values().zip(&printed) {
            assert!(value.name().len() > word.len(), "{} has no prefix", value.name());
        }
    }
}

#[test]
fn no_message_has_a_map_field() {
    assert!(lastnim_messages().len() > 100);
    assert!(lastnim_messages().iter().flat_map(MessageDescriptor::fields).all(|field| !field.is_map()));
}

proptest! {
    #[test]
    fn any_message_reads_back(
        message in prop::sample::select(lastnim_messages()).prop_flat_map(|kind| any_message(&kind, MAX_DEPTH)),
        mapping in prop::sample::select(vec![JsonMapping::Printed, JsonMapping::Proto3]),
    ) {
        let written = MessageJson { mapping, table: MessageTable::by_name(message.descriptor().full_name()), bytes: message.encode_to_vec() };
        let text = serde_json::to_string(&written).unwrap();
        let parsed = read_message(mapping, &message.descriptor(), &serde_json::from_str(&text).unwrap());
        // A field set to its default is read back as unset, so the encoded messages are compared.
        prop_assert_eq!(parsed.as_ref().map(DynamicMessage::encode_to_vec), Ok(message.encode_to_vec()), "{}", text);
        prop_assert_eq!(read_text(mapping, &message.descriptor(), &text), parsed.ok());
    }

    #[test]
    fn settings_read_back(settings in testing::settings()) {
        let settings = settings_message(&settings, &Terms::default());
        let text = message_to_json(&settings).to_string();
        prop_assert_eq!(message_from_json(&serde_json::from_str(&text).unwrap()), Ok(settings));
    }

    #[test]
    fn garbage_is_refused_and_never_panics(json in any_json()) {
        for kind in lastnim_messages() {
            for mapping in [JsonMapping::Printed, JsonMapping::Proto3] {
                // The JSON may be valid by chance. Then its text must be valid too.
                let parsed = read_message(mapping, &kind, &json).ok();
                prop_assert_eq!(read_text(mapping, &kind, &json.to_string()), parsed);
            }
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_=]{0,5}".prop_map(Value::from),
    ];
    let names: Vec<String> = lastnim_messages()
        .iter()
        .flat_map(MessageDescriptor::fields)
        .map(|field| field.name().to_owned())
        .collect();
    leaf.prop_recursive(4, 30, 5, move |inner| {
        let key = prop::sample::select(names.clone());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn duplicate_keys_and_truncated_texts_are_refused_by_both_readers() {
    let seat_row = |text: &str| message_from_proto3_text::<pb::SeatRow>(text);
    assert_eq!(seat_row("{\"seat\": 2}").map(|row| row.seat), Some(2));
    for wrong in [
        "{\"seat\": 2, \"seat\": 2}",
        "{\"seat\": 2} 3",
        "{\"seat\": 2",
        "{\"seta\": 2}",
        "{\"seat\": \"x\"}",
    ] {
        assert_eq!(seat_row(wrong), None, "{wrong}");
    }
}

#[test]
fn keys_follow_the_order_of_the_fields() {
    let json = message_to_json(&pb::SeatRow::default());
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, message_keys::<pb::SeatRow>());
    assert_eq!(keys[..4], ["match_id", "tournament_id", "seat", "bot"]);
}
