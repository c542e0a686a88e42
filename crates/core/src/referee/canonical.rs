//! The canonical bytes of an event, from which its hash is computed.
//!
//! The format is independent of the protocol messages, so changes to them do not change it. Different events have
//! different bytes, and no event's bytes are a prefix of another's.
//!
//! # Format
//! Integers are unsigned, of fixed width, and little-endian: `u8`, `u32`, `u64`. Parts follow each other without gaps.
//!
//! | part | bytes |
//! |---|---|
//! | seat | its number, `u8`, from 0 |
//! | time | microseconds since 1970-01-01 UTC, `u64` |
//! | span | whole microseconds, `u64` |
//! | list | the number of its elements, `u32`; then each element |
//! | text | a list of its UTF-8 bytes |
//! | optional | 0 if there is no value; otherwise 1, then the value |
//! | row | a list of its offsets, `u8` each, most preferred first |
//! | alliance matrix | a list of its rows, by seat |
//! | id | the 16 bytes of the UUID, in the order of its text |
//!
//! The bytes of an event are its tag, `u8`; its time; then, depending on the tag:
//!
//! | tag | event | what follows |
//! |---|---|---|
//! | 1 | `created` | the setup |
//! | 2 | `declared` | seat; row; optional: row default, `u8` |
//! | 3 | `revealed` | alliance matrix |
//! | 4 | `took` | ply, `u32`; seat; take, `u64`; mover, `u8`; span charged; span of lag credit |
//! | 5 | `struck` | seat; ply, `u32`; refusal reason, `u8` |
//! | 6 | `forfeited` | seat; forfeit reason, `u8` |
//! | 7 | `ended` | end reason, `u8`; optional: the winner's seat |
//! | 8 | `declared` with a note hash | as tag 2; the 32 bytes of the note hash |
//! | 9 | `took` with a note hash | as tag 4; the 32 bytes of the note hash |
//! | 10 | `created`, if rows are dealt | as tag 1; the deal |
//! | 11 | `dealt` | alliance matrix; a list of the salts, by seat, 32 bytes each |
//! | 12 | `created`, if seats talk | as tag 1; optional: the deal; the talk |
//! | 13 | `said` | seat; round, `u32`; number, `u32`; audience; the 32 bytes of the commitment |
//! | 14 | `heard` | round, `u32` |
//! | 15 | `talk_ended` | seat; round, `u32` |
//! | 16 | `created`, if bots must return within a span | as tag 1; optional: the deal; optional: the talk; the span |
//!
//! The setup is, in this order: a list of the bots' names, by seat, each a text; a list of the piles' counters, `u64`
//! each; the seat that moves first; the ending, `u8`; the clock; the strikes, `u32`; the ply limit, `u32`; optional:
//! the assigned alliance matrix; optional: the origin. The clock is five spans: initial, increment, lag quota, lag
//! total, declaration. The deal is the deal rule, `u8`, which for a list is followed by a list of its rows; and a list
//! of the commitments, by seat, 32 bytes each. `deal.rs` says how rows and commitments are derived. The talk is the
//! number of rounds, `u32`; the span of a round; the maximum characters of a text, `u32`; the privacy, `u8`; and 1,
//! `u8`, if seats can sign pacts, 0 if not. The audience is its kind, `u8`, which for kinds 2 and 3 is followed by a
//! list of the seats. `talk.rs` says how commitments to messages are derived. The origin is the tournament's id; the
//! match's number, `u64`; the group, `u64`.
//!
//! | what | numbers |
//! |---|---|
//! | ending | 1 to move wins, 2 last mover wins |
//! | mover | 1 bot, 2 steward |
//! | audience | 1 everyone, 2 seats, 3 seats, published with the winner |
//! | privacy | 1 open, 2 private, 3 published |
//! | deal rule | 1 all, 2 self first, 3 list |
//! | row default | 1 late, 2 invalid, 3 forfeited |
//! | refusal reason | 1 illegal take, 2 not your turn, 3 future ply, 4 stale, 5 invalid row, 6 already declared, 7 not started, 8 match ended, 9 forfeited, 10 unknown match, 11 malformed, 12 invalid talk |
//! | forfeit reason | 1 timed out, 2 disconnected, 3 no-show, 4 strikes, 5 resigned, 6 disqualified |
//! | end reason | 1 finished, 2 ply limit, 3 all seats forfeited, 4 cancelled |
//!
//! The numbers never change; a new value gets a new number.
//!
//! # Stored events
//! The stored bytes of an event are its canonical bytes. If it is a `said` whose content is known, these follow: the 32
//! bytes of the salt; the kind of the content, `u8`; and a list of its bytes. So the content can be removed without a
//! change of any hash.

use super::{
    Audience, Clock, Deal, DealHash, DealRule, EndReason, Event, ForfeitReason, MatchSetup, NoteHash, Origin,
    RefusalReason, RowDefault, TalkPrivacy, TalkTerms, TimedEvent,
};
use crate::game::{AllianceMatrix, Ending, Row, Seat};
use crate::oracle::Mover;
use std::time::Duration;

/// The size in bytes of the buffer on the stack: enough for any event except `created`, `dealt` and `revealed`, even
/// with a note hash.
const STACK_BYTES: usize = 96;

/// Returns the canonical bytes of an event.
pub fn canonical_bytes(event: &TimedEvent) -> Vec<u8> {
    let mut bytes = CanonicalBytes::default();
    bytes.write_event(event);
    bytes.as_slice().to_vec()
}

/// Appends the stored bytes of an event: its canonical bytes, and for a message whose content is known also the salt,
/// the kind and the content.
pub fn append_stored_bytes(event: &TimedEvent, bytes: &mut Vec<u8>) {
    let mut added = CanonicalBytes::default();
    added.write_event(event);
    if let Event::Said(message) = &event.event
        && let Some(opened) = &message.opened
    {
        let (kind, content) = opened.content.to_kind_and_bytes();
        added.write_raw(opened.salt.as_bytes());
        added.write_u8(kind);
        added.write_bytes(&content);
    }
    bytes.extend_from_slice(added.as_slice());
}

/// The bytes of an event, to be hashed or stored, which are on the stack unless there are more than [`STACK_BYTES`].
pub(super) struct CanonicalBytes {
    short: [u8; STACK_BYTES],
    len: usize,
    /// All of the bytes, once they no longer fit into `short`.
    long: Vec<u8>,
}

impl Default for CanonicalBytes {
    fn default() -> Self {
        Self { short: [0; STACK_BYTES], len: 0, long: Vec::new() }
    }
}

impl CanonicalBytes {
    pub(super) fn as_slice(&self) -> &[u8] {
        if self.long.is_empty() { &self.short[..self.len] } else { &self.long }
    }

    #[inline]
    pub(super) fn write_raw(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if self.long.is_empty() && end <= STACK_BYTES {
            self.short[self.len..end].copy_from_slice(bytes);
            self.len = end;
        } else {
            self.write_raw_on_heap(bytes);
        }
    }

    #[cold]
    fn write_raw_on_heap(&mut self, bytes: &[u8]) {
        if self.long.is_empty() {
            self.long.extend_from_slice(&self.short[..self.len]);
        }
        self.long.extend_from_slice(bytes);
    }

    /// Appends the canonical bytes of an event.
    pub(super) fn write_event(&mut self, timed: &TimedEvent) {
        self.write_u8(match &timed.event {
            Event::Created(setup) if setup.clock().return_within.is_some() => 16,
            Event::Created(setup) if setup.terms.talk.is_some() => 12,
            Event::Created(setup) if setup.deal.is_none() => 1,
            Event::Declared { note_hash: None, .. } => 2,
            Event::Revealed { .. } => 3,
            Event::Took { note_hash: None, .. } => 4,
            Event::Struck { .. } => 5,
            Event::Forfeited { .. } => 6,
            Event::Ended { .. } => 7,
            Event::Declared { note_hash: Some(_), .. } => 8,
            Event::Took { note_hash: Some(_), .. } => 9,
            Event::Created(_) => 10,
            Event::Dealt(_) => 11,
            Event::Said(_) => 13,
            Event::Heard { .. } => 14,
            Event::TalkEnded { .. } => 15,
        });
        self.write_u64(timed.at.as_micros());
        match &timed.event {
            Event::Created(setup) => self.write_setup(setup),
            Event::Dealt(dealt) => {
                self.write_matrix(&dealt.matrix);
                self.write_deal_hashes(dealt.salts.as_slice());
            }
            Event::Said(message) => {
                self.write_seat(message.seat);
                self.write_u32(message.round);
                self.write_u32(message.number);
                self.write_audience(message.audience);
                self.write_raw(message.commitment.as_bytes());
            }
            Event::Heard { round } => self.write_u32(*round),
            Event::TalkEnded { seat, round } => {
                self.write_seat(*seat);
                self.write_u32(*round);
            }
            Event::Declared { seat, row, defaulted, note_hash } => {
                self.write_seat(*seat);
                self.write_row(row);
                self.write_optional(defaulted.as_ref(), |bytes, why| bytes.write_u8(row_default_code(*why)));
                self.write_note_hash(note_hash.as_ref());
            }
            Event::Revealed { matrix } => self.write_matrix(matrix),
            Event::Took { ply, seat, take, mover, charged, credited, note_hash } => {
                self.write_u32(*ply);
                self.write_seat(*seat);
                self.write_u64(*take);
                self.write_u8(match mover {
                    Mover::Bot => 1,
                    Mover::Steward => 2,
                });
                self.write_span(*charged);
                self.write_span(*credited);
                self.write_note_hash(note_hash.as_ref());
            }
            Event::Struck { seat, ply, reason } => {
                self.write_seat(*seat);
                self.write_u32(*ply);
                self.write_u8(refusal_reason_code(*reason));
            }
            Event::Forfeited { seat, reason } => {
                self.write_seat(*seat);
                self.write_u8(forfeit_reason_code(*reason));
            }
            Event::Ended { reason, winner } => {
                self.write_u8(end_reason_code(*reason));
                self.write_optional(winner.as_ref(), |bytes, winner| bytes.write_seat(*winner));
            }
        }
    }

    /// Appends the note hash, if any; the event's tag says whether there is one.
    fn write_note_hash(&mut self, note_hash: Option<&NoteHash>) {
        if let Some(note_hash) = note_hash {
            self.write_raw(note_hash.as_bytes());
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_raw(&[number]);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_raw(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write_raw(&number.to_le_bytes());
    }

    fn write_seat(&mut self, seat: Seat) {
        self.write_u8(seat.index() as u8);
    }

    /// Appends a span. Spans in a record are whole microseconds and cannot overflow.
    fn write_span(&mut self, span: Duration) {
        self.write_u64(u64::try_from(span.as_micros()).unwrap_or(u64::MAX));
    }

    fn write_list<T>(&mut self, elements: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.write_u32(u32::try_from(elements.len()).expect("an event's lists are shorter than 2^32"));
        for element in elements {
            each(self, element);
        }
    }

    fn write_text(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    fn write_bytes(&mut self, list: &[u8]) {
        self.write_u32(u32::try_from(list.len()).expect("an event's lists are shorter than 2^32"));
        self.write_raw(list);
    }

    fn write_optional<T>(&mut self, value: Option<&T>, some: impl FnOnce(&mut Self, &T)) {
        self.write_u8(u8::from(value.is_some()));
        if let Some(value) = value {
            some(self, value);
        }
    }

    fn write_row(&mut self, row: &Row) {
        self.write_bytes(row.offsets());
    }

    fn write_matrix(&mut self, matrix: &AllianceMatrix) {
        self.write_list(matrix.rows().as_slice(), Self::write_row);
    }

    fn write_setup(&mut self, setup: &MatchSetup) {
        let MatchSetup { bots, piles, first, ending, terms, assigned, deal, origin } = setup;
        self.write_list(bots.as_slice(), |bytes, bot| bytes.write_text(bot.as_str()));
        self.write_list(piles.as_slice(), |bytes, counters| bytes.write_u64(*counters));
        self.write_seat(*first);
        self.write_u8(match ending {
            Ending::ToMoveWins => 1,
            Ending::LastMoverWins => 2,
        });
        let Clock { initial, increment, lag_quota, lag_total, declaration, return_within } = &terms.clock;
        for span in [initial, increment, lag_quota, lag_total, declaration] {
            self.write_span(*span);
        }
        self.write_u32(terms.strikes);
        self.write_u32(terms.max_plies);
        self.write_optional(assigned.as_ref(), Self::write_matrix);
        self.write_optional(origin.as_ref(), |bytes, origin| {
            let Origin { tournament, number, group } = origin;
            bytes.write_raw(tournament.as_bytes());
            bytes.write_u64(*number);
            bytes.write_u64(*group);
        });
        match (return_within, &terms.talk, deal) {
            (Some(span), talk, deal) => {
                self.write_optional(deal.as_deref(), Self::write_deal);
                self.write_optional(talk.as_ref(), Self::write_talk);
                self.write_span(*span);
            }
            (None, Some(talk), deal) => {
                self.write_optional(deal.as_deref(), Self::write_deal);
                self.write_talk(talk);
            }
            (None, None, Some(deal)) => self.write_deal(deal),
            (None, None, None) => {}
        }
    }

    fn write_talk(&mut self, talk: &TalkTerms) {
        let &TalkTerms { rounds, round_time, text_chars, privacy, pacts } = talk;
        self.write_u32(rounds);
        self.write_span(round_time);
        self.write_u32(text_chars);
        self.write_u8(match privacy {
            TalkPrivacy::Open => 1,
            TalkPrivacy::Private => 2,
            TalkPrivacy::Published => 3,
        });
        self.write_u8(u8::from(pacts));
    }

    fn write_audience(&mut self, audience: Audience) {
        match audience {
            Audience::Everyone => self.write_u8(1),
            Audience::Seats { seats, published } => {
                self.write_u8(if published { 3 } else { 2 });
                let seats: Vec<_> = seats.iter().collect();
                self.write_list(&seats, |bytes, seat| bytes.write_seat(*seat));
            }
        }
    }

    fn write_deal(&mut self, deal: &Deal) {
        match &deal.rule {
            DealRule::All => self.write_u8(1),
            DealRule::SelfFirst => self.write_u8(2),
            DealRule::List(rows) => {
                self.write_u8(3);
                self.write_list(rows, Self::write_row);
            }
        }
        self.write_deal_hashes(deal.commitments.as_slice());
    }

    fn write_deal_hashes(&mut self, hashes: &[DealHash]) {
        self.write_list(hashes, |bytes, hash| bytes.write_raw(hash.as_bytes()));
    }
}

pub(super) fn row_default_code(why: RowDefault) -> u8 {
    match why {
        RowDefault::Late => 1,
        RowDefault::Invalid => 2,
        RowDefault::Forfeited => 3,
    }
}

pub(super) fn refusal_reason_code(reason: RefusalReason) -> u8 {
    match reason {
        RefusalReason::IllegalTake => 1,
        RefusalReason::NotYourTurn => 2,
        RefusalReason::FuturePly => 3,
        RefusalReason::Stale => 4,
        RefusalReason::InvalidRow => 5,
        RefusalReason::AlreadyDeclared => 6,
        RefusalReason::NotStarted => 7,
        RefusalReason::MatchEnded => 8,
        RefusalReason::Forfeited => 9,
        RefusalReason::UnknownMatch => 10,
        RefusalReason::Malformed => 11,
        RefusalReason::InvalidTalk => 12,
    }
}

pub(super) fn forfeit_reason_code(reason: ForfeitReason) -> u8 {
    match reason {
        ForfeitReason::TimedOut => 1,
        ForfeitReason::Disconnected => 2,
        ForfeitReason::NoShow => 3,
        ForfeitReason::Strikes => 4,
        ForfeitReason::Resigned => 5,
        ForfeitReason::Disqualified => 6,
    }
}

pub(super) fn end_reason_code(reason: EndReason) -> u8 {
    match reason {
        EndReason::Finished => 1,
        EndReason::PlyLimit => 2,
        EndReason::AllForfeited => 3,
        EndReason::Cancelled => 4,
    }
}
