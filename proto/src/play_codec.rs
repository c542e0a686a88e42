//! The codec of bot sessions, which decodes the actions of bots and encodes the events for them.
//!
//! Nearly all messages are takes and turns, which are read and written without prost; prost handles all others. Tests
//! check that both methods give the same result.

use super::codec::buffer_settings;
use super::pb::{PlayRequest, PlayResponse};
use super::play::{BotAction, InvalidAction, MatchEvent, ServerEvent, whole_millis};
use lastnim_core::game::MatchId;
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{NoteHash, SeatAction};
use prost::Message as _;
use prost::bytes::{Buf, BufMut};
use prost::encoding::encode_varint;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// A bot's action, or an invalid one.
pub type IncomingAction = Result<BotAction, InvalidAction>;

/// Tag of `PlayRequest.take`, which is length-delimited like all fields below.
const TAKE_TAG: u8 = 2 << 3 | 2;
/// Tag of `PlayResponse.turn`.
const TURN_TAG: u8 = 5 << 3 | 2;
/// Tag of `PlayResponse.took`.
const TOOK_TAG: u8 = 6 << 3 | 2;
/// Tag of the match id, which is field 1 of every message about a match.
const MATCH_ID_TAG: u8 = 1 << 3 | 2;
/// Upper bound on the size of a turn or take in bytes: two tags and lengths, the match id, and four tags with varints
/// of at most ten bytes each.
const MAX_SHORT_BYTES: usize = 2 + 2 + MatchId::CHARS + 4 * 11;

/// Decodes requests from bots and encodes events for them.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlayCodec;

impl Codec for PlayCodec {
    type Encode = ServerEvent;
    type Decode = IncomingAction;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for PlayCodec {
    type Item = ServerEvent;
    type Error = Status;

    fn encode(&mut self, event: ServerEvent, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        encode_event(event, buffer);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffer_settings()
    }
}

impl Decoder for PlayCodec {
    type Item = IncomingAction;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<IncomingAction>, Status> {
        decode_action(buffer).map(Some).map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffer_settings()
    }
}

fn encode_event(event: ServerEvent, buffer: &mut impl BufMut) {
    match event {
        ServerEvent::InMatch { match_id, event: MatchEvent::Took { ply, seat, take, mover } } => {
            let steward = u64::from(mover == Mover::Steward);
            let seat = u64::from(u32::from(seat));
            encode_short(TOOK_TAG, match_id, [ply.into(), seat, take, steward], buffer);
        }
        ServerEvent::InMatch { match_id, event: MatchEvent::Turn(turn) } => {
            let bank_ms = whole_millis(turn.bank).into();
            encode_short(
                TURN_TAG,
                match_id,
                [turn.ply.into(), turn.pile as u64, turn.counters, bank_ms],
                buffer,
            );
        }
        event => {
            let message = PlayResponse::from(event);
            message.encode(&mut *buffer).expect("tonic's buffers grow when needed");
        }
    }
}

/// Encodes a message about a match. The fields from number 2 on have the values `numbers`; zeros are left out.
fn encode_short(field: u8, match_id: MatchId, numbers: [u64; 4], buffer: &mut impl BufMut) {
    let mut bytes = [0; MAX_SHORT_BYTES];
    bytes[..4].copy_from_slice(&[field, 0, MATCH_ID_TAG, MatchId::CHARS as u8]);
    match_id.write_text(&mut bytes[4..]);
    let mut rest = &mut bytes[4 + MatchId::CHARS..];
    let room = rest.len();
    for (tag, number) in (2_u8..).zip(numbers) {
        if number != 0 {
            rest.put_u8(tag << 3);
            encode_varint(number, &mut rest);
        }
    }
    let length = 2 + MatchId::CHARS + room - rest.len();
    // The length is below 128, so one byte is enough.
    bytes[1] = length as u8;
    buffer.put_slice(&bytes[..2 + length]);
}

fn decode_action(buffer: &mut impl Buf) -> Result<IncomingAction, prost::DecodeError> {
    if buffer.chunk().len() == buffer.remaining()
        && let Some(action) = read_take(buffer.chunk())
    {
        buffer.advance(buffer.remaining());
        return Ok(Ok(action));
    }
    PlayRequest::decode(buffer).map(TryInto::try_into)
}

/// Reads a take whose fields are in order and appear at most once. Returns `None` for anything else.
fn read_take(bytes: &[u8]) -> Option<BotAction> {
    let (&[field, length, id_field, id_length], rest) = bytes.split_first_chunk()?;
    if (field, id_field) != (TAKE_TAG, MATCH_ID_TAG) {
        return None;
    }
    if length >= 0x80 || usize::from(length) + 2 != bytes.len() || usize::from(id_length) != MatchId::CHARS {
        return None;
    }
    let (id, mut rest) = rest.split_at_checked(MatchId::CHARS)?;
    let match_id = std::str::from_utf8(id).ok()?.parse().ok()?;
    let ply = read_number(2, &mut rest)?;
    let take = read_number(3, &mut rest)?;
    let note_hash = match rest {
        [] => &[],
        [tag, length, bytes @ ..] if *tag == 4 << 3 | 2 && usize::from(*length) == bytes.len() => bytes,
        _ => return None,
    };
    let (ply, note_hash) = (u32::try_from(ply).ok()?, NoteHash::parse_optional(note_hash));
    Some(BotAction::Act { match_id, action: SeatAction::Take { ply, take, note_hash } })
}

/// Reads the value of a number field if that field comes next, and returns 0 otherwise. Returns `None` if the varint is
/// cut off.
fn read_number(field: u8, rest: &mut &[u8]) -> Option<u64> {
    if rest.first() != Some(&(field << 3)) {
        return Some(0);
    }
    let mut after = &rest[1..];
    let number = prost::encoding::decode_varint(&mut after).ok()?;
    *rest = after;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pb;
    use lastnim_core::game::{Seat, SeatCount};
    use lastnim_core::referee::Turn;
    use proptest::prelude::*;
    use std::time::Duration;

    fn event_bytes(event: ServerEvent) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode_event(event, &mut bytes);
        bytes
    }

    fn decoded_action(mut bytes: &[u8]) -> Result<IncomingAction, prost::DecodeError> {
        decode_action(&mut bytes)
    }

    fn decoded_by_prost(bytes: &[u8]) -> Result<IncomingAction, prost::DecodeError> {
        PlayRequest::decode(bytes).map(TryInto::try_into)
    }

    fn seat(index: usize) -> Seat {
        SeatCount::new(16).unwrap().seat(index).unwrap()
    }

    fn numbers() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), 1..200_u64, any::<u64>()]
    }

    fn take_request(id: MatchId, ply: u32, take: u64, note_hash: Vec<u8>) -> PlayRequest {
        let take = pb::Take { match_id: id.to_string(), ply, take, note_hash };
        PlayRequest { action: Some(pb::play_request::Action::Take(take)) }
    }

    proptest! {
        #[test]
        fn turns_and_takes_are_written_as_prost_writes_them(
            at in any::<u32>(), chance: [u8; 10], ply: u32, index in 0..16_usize, counters in numbers(),
            bank in any::<u32>(), steward: bool,
        ) {
            let match_id = MatchId::new(at.into(), &chance);
            let mover = if steward { Mover::Steward } else { Mover::Bot };
            let turn = Turn { ply, pile: index, counters, bank: Duration::from_micros(bank.into()) };
            for event in [MatchEvent::Took { ply, seat: seat(index), take: counters, mover }, MatchEvent::Turn(turn)] {
                let event = ServerEvent::InMatch { match_id, event };
                prop_assert_eq!(event_bytes(event.clone()), PlayResponse::from(event).encode_to_vec());
            }
        }

        #[test]
        fn takes_are_read_as_prost_reads_them(
            at in any::<u32>(), chance: [u8; 10], ply: u32, take in numbers(),
            note_hash in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let bytes = take_request(MatchId::new(at.into(), &chance), ply, take, note_hash).encode_to_vec();
            prop_assert_eq!(decoded_action(&bytes), decoded_by_prost(&bytes));
        }

        #[test]
        fn changed_bytes_are_read_as_prost_reads_them(
            take in numbers(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            cut in any::<prop::sample::Index>(), more in proptest::collection::vec(any::<u8>(), 0..3),
        ) {
            let mut bytes = take_request(MatchId::new(7, &[9; 10]), 300, take, vec![1; 32]).encode_to_vec();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes.extend(more);
            bytes.truncate(bytes.len() - cut.index(3));
            prop_assert_eq!(decoded_action(&bytes).ok(), decoded_by_prost(&bytes).ok());
        }
    }

    #[test]
    fn a_plain_take_is_read_without_prost() {
        let bytes = take_request(MatchId::new(7, &[9; 10]), 0, 1 << 62, Vec::new()).encode_to_vec();
        assert!(read_take(&bytes).is_some());
        let hashed_request = take_request(MatchId::new(7, &[9; 10]), 3, 5, vec![1; 32]).encode_to_vec();
        assert!(read_take(&hashed_request).is_some());
        assert_eq!(read_take(&bytes[..bytes.len() - 1]), None);
    }
}
