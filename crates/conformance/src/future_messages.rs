//! Fields and events of a future protocol version.

use lastnim_proto::{json::message_descriptor, pb};
use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};
use prost_reflect::{Kind, MessageDescriptor};

/// The number of the field that is added to messages. No current message has a field with this number, and its tag
/// takes two bytes.
const UNKNOWN_FIELD_NUMBER: u32 = 999;
/// A number that is not a value of any current enumeration.
pub(super) const UNKNOWN_ENUM_VALUE: i32 = 77;

/// Unknown events with their descriptions: a message in field 100, a number in field 999, and a string in the field
/// with the highest number.
pub(super) const UNKNOWN_EVENTS: [(&[u8], &str); 3] = [
    (&[0xa2, 0x06, 0x04, 0x08, 0x2a, 0x10, 0x01], "an unknown event: a message in field 100"),
    (&[0xb8, 0x3e, 0x07], "an unknown event: the number 7 in field 999"),
    (
        &[0xfa, 0xff, 0xff, 0xff, 0x0f, 0x05, b'l', b'a', b't', b'e', b'r'],
        "an unknown event: a string in field 536,870,911",
    ),
];

/// Adds an unknown field to an encoded response and all messages in it.
pub(super) fn add_unknown_fields(response: &[u8]) -> Vec<u8> {
    with_unknown_field(&message_descriptor::<pb::PlayResponse>(), response)
}

fn with_unknown_field(kind: &MessageDescriptor, mut message: &[u8]) -> Vec<u8> {
    const ENCODED_BY_PROST: &str = "prost encoded these bytes";
    let mut added = Vec::with_capacity(message.len() + 16);
    while !message.is_empty() {
        let whole = message;
        let (number, wire_type) = decode_key(&mut message).expect(ENCODED_BY_PROST);
        let field = kind.get_field(number).expect(ENCODED_BY_PROST);
        match (wire_type, field.kind()) {
            (WireType::LengthDelimited, inner) => {
                let length = decode_varint(&mut message).expect(ENCODED_BY_PROST) as usize;
                let (bytes, rest) = message.split_at(length);
                message = rest;
                match inner {
                    Kind::Message(inner) => {
                        let bytes = with_unknown_field(&inner, bytes);
                        encode_key(number, wire_type, &mut added);
                        encode_varint(bytes.len() as u64, &mut added);
                        added.extend(bytes);
                    }
                    _ => added.extend(&whole[..whole.len() - rest.len()]),
                }
            }
            (wire_type, _) => {
                match wire_type {
                    WireType::SixtyFourBit => message = &message[8..],
                    WireType::ThirtyTwoBit => message = &message[4..],
                    _ => drop(decode_varint(&mut message).expect(ENCODED_BY_PROST)),
                }
                added.extend(&whole[..whole.len() - message.len()]);
            }
        }
    }
    encode_key(UNKNOWN_FIELD_NUMBER, WireType::Varint, &mut added);
    encode_varint(7, &mut added);
    added
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn added_unknown_fields_do_not_change_the_known_fields() {
        let rows = (0..3).map(|_| pb::Row { offsets: vec![2, 0, 1] }).collect();
        let revealed = pb::Revealed {
            match_id: "x".to_owned(),
            alliance_matrix: Some(pb::AllianceMatrix { rows }),
            defaulted: vec![300, 7],
        };
        let response = pb::PlayResponse { event: Some(pb::play_response::Event::Revealed(revealed)) };
        let encoded = response.encode_to_vec();
        let added = add_unknown_fields(&encoded);
        // Each of six messages has an additional field of three bytes: the response, `revealed`, the matrix and its
        // three rows.
        assert!(added.len() >= encoded.len() + 6 * 3);
        assert_eq!(pb::PlayResponse::decode(added.as_slice()), Ok(response));
    }

    #[test]
    fn this_version_does_not_know_the_future_events() {
        for (bytes, _) in UNKNOWN_EVENTS {
            assert_eq!(pb::PlayResponse::decode(bytes), Ok(pb::PlayResponse::default()));
        }
    }
}
