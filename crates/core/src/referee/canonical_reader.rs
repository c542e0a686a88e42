//! Parses an event from its canonical bytes, whose format `canonical.rs` defines.

use super::canonical::{end_reason_code, forfeit_reason_code, refusal_reason_code, row_default_code};
use super::{
    Audience, Clock, Deal, DealHash, DealRule, DealtRows, EndReason, Event, ForfeitReason, MatchSetup,
    NoteHash, OfferId, OpenedContent, Origin, RefusalReason, RowDefault, TalkContent, TalkMessage,
    TalkPrivacy, TalkTerms, Terms, TimedEvent, Timestamp,
};
use crate::game::{AllianceMatrix, BotName, BySeat, Ending, Pact, Piles, Row, Seat, SeatCount, TournamentId};
use crate::oracle::Mover;
use std::fmt::Display;
use std::time::Duration;
use thiserror::Error;

const ROW_DEFAULTS: [RowDefault; 3] = [RowDefault::Late, RowDefault::Invalid, RowDefault::Forfeited];
const END_REASONS: [EndReason; 4] =
    [EndReason::Finished, EndReason::PlyLimit, EndReason::AllForfeited, EndReason::Cancelled];

/// Why bytes are not the canonical bytes of an event.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CanonicalBytesError {
    /// The bytes end too early.
    #[error("its encoding is truncated")]
    CutOff,
    /// There are bytes after the event.
    #[error("its encoding has {0} extra byte{s}", s = if *.0 == 1 { "" } else { "s" })]
    TooLong(usize),
    /// A number has no defined meaning.
    #[error("unknown {what} {number}")]
    Unknown {
        /// The kind of value that was expected.
        what: &'static str,
        /// The number.
        number: u8,
    },
    /// The event cannot be parsed, since the number of seats is not known before the `created` event.
    #[error("the number of seats is not known yet: expected a `created` event first")]
    NoSetup,
    /// A value is invalid.
    #[error("{0}")]
    Value(String),
}

/// Parses the canonical or stored bytes of an event of a match with `seats` seats. Only the `created` event can be
/// parsed without this number.
///
/// # Errors
/// If the bytes are not a valid event. Whether the event fits the previous ones is not checked here, but by the record.
pub fn parse_canonical_bytes(
    bytes: &[u8],
    seats: Option<SeatCount>,
) -> Result<TimedEvent, CanonicalBytesError> {
    let mut reader = CanonicalReader { unread: bytes };
    let timed = reader.read_timed_event(seats)?;
    reader.check_end().map(|()| timed)
}

struct CanonicalReader<'a> {
    unread: &'a [u8],
}

type ReadResult<T> = Result<T, CanonicalBytesError>;

fn value_error(error: impl Display) -> CanonicalBytesError {
    CanonicalBytesError::Value(error.to_string())
}

/// Finds the value in `all` that `code` maps to `number`.
fn find_value<T: Copy>(what: &'static str, all: &[T], code: fn(T) -> u8, number: u8) -> ReadResult<T> {
    let found = all.iter().copied().find(|&value| code(value) == number);
    found.ok_or(CanonicalBytesError::Unknown { what, number })
}

impl<'a> CanonicalReader<'a> {
    fn read_timed_event(&mut self, seats: Option<SeatCount>) -> ReadResult<TimedEvent> {
        let tag = self.read_u8()?;
        let at = Timestamp::from_micros(self.read_u64()?);
        if let 1 | 10 | 12 | 16 = tag {
            let mut setup = self.read_setup()?;
            let seats = setup.seats();
            let deal = match tag {
                10 => Some(self.read_deal(seats)?),
                12 | 16 => self.read_optional(|reader| reader.read_deal(seats))?,
                _ => None,
            };
            setup.deal = deal.map(Box::new);
            setup.terms.talk = match tag {
                12 => Some(self.read_talk()?),
                16 => self.read_optional(Self::read_talk)?,
                _ => None,
            };
            setup.terms.clock.return_within = (tag == 16).then(|| self.read_span()).transpose()?;
            return Ok(TimedEvent { at, event: Event::Created(Box::new(setup)) });
        }
        let seats = seats.ok_or(CanonicalBytesError::NoSetup)?;
        let event = match tag {
            2 | 8 => Event::Declared {
                seat: self.read_seat(seats)?,
                row: self.read_row(seats)?,
                defaulted: self.read_optional(|reader| {
                    let number = reader.read_u8()?;
                    find_value("reason for a default row", &ROW_DEFAULTS, row_default_code, number)
                })?,
                note_hash: self.read_note_hash(tag == 8)?,
            },
            11 => Event::Dealt(Box::new(DealtRows {
                matrix: self.read_matrix()?,
                salts: self.read_deal_hashes()?,
            })),
            13 => Event::Said(Box::new(self.read_message(seats)?)),
            14 => Event::Heard { round: self.read_u32()? },
            15 => Event::TalkEnded { seat: self.read_seat(seats)?, round: self.read_u32()? },
            3 => Event::Revealed { matrix: self.read_matrix()? },
            4 | 9 => Event::Took {
                ply: self.read_u32()?,
                seat: self.read_seat(seats)?,
                take: self.read_u64()?,
                mover: match self.read_u8()? {
                    1 => Mover::Bot,
                    2 => Mover::Steward,
                    number => return Err(CanonicalBytesError::Unknown { what: "mover", number }),
                },
                charged: self.read_span()?,
                credited: self.read_span()?,
                note_hash: self.read_note_hash(tag == 9)?,
            },
            5 => Event::Struck {
                seat: self.read_seat(seats)?,
                ply: self.read_u32()?,
                reason: {
                    let number = self.read_u8()?;
                    find_value("reason for a strike", &RefusalReason::ALL, refusal_reason_code, number)?
                },
            },
            6 => Event::Forfeited {
                seat: self.read_seat(seats)?,
                reason: {
                    let number = self.read_u8()?;
                    find_value("reason for a forfeit", &ForfeitReason::ALL, forfeit_reason_code, number)?
                },
            },
            7 => Event::Ended {
                reason: {
                    let number = self.read_u8()?;
                    find_value("reason for the match's end", &END_REASONS, end_reason_code, number)?
                },
                winner: self.read_optional(|reader| reader.read_seat(seats))?,
            },
            number => return Err(CanonicalBytesError::Unknown { what: "kind of event", number }),
        };
        Ok(TimedEvent { at, event })
    }

    fn read_setup(&mut self) -> ReadResult<MatchSetup> {
        let bots = self.read_list(|reader| {
            let name = std::str::from_utf8(reader.read_bytes()?).map_err(value_error)?;
            name.parse::<BotName>().map_err(value_error)
        })?;
        let piles = self.read_list(Self::read_u64)?;
        let seats = SeatCount::new(bots.len()).map_err(value_error)?;
        Ok(MatchSetup {
            bots: bots.try_into().map_err(value_error)?,
            piles: Piles::parse(&piles).map_err(value_error)?,
            first: self.read_seat(seats)?,
            ending: match self.read_u8()? {
                1 => Ending::ToMoveWins,
                2 => Ending::LastMoverWins,
                number => return Err(CanonicalBytesError::Unknown { what: "ending", number }),
            },
            terms: Terms {
                clock: Clock {
                    initial: self.read_span()?,
                    increment: self.read_span()?,
                    lag_quota: self.read_span()?,
                    lag_total: self.read_span()?,
                    declaration: self.read_span()?,
                    return_within: None,
                },
                strikes: self.read_u32()?,
                max_plies: self.read_u32()?,
                talk: None,
            },
            assigned: self.read_optional(Self::read_matrix)?,
            deal: None,
            origin: self.read_optional(|reader| {
                Ok(Origin {
                    tournament: TournamentId::from_bytes(reader.read_array()?),
                    number: reader.read_u64()?,
                    group: reader.read_u64()?,
                })
            })?,
        })
    }

    fn read_deal(&mut self, seats: SeatCount) -> ReadResult<Deal> {
        let rule = match self.read_u8()? {
            1 => DealRule::All,
            2 => DealRule::SelfFirst,
            3 => DealRule::List(self.read_list(|reader| reader.read_row(seats))?),
            number => return Err(CanonicalBytesError::Unknown { what: "deal rule", number }),
        };
        Ok(Deal { rule, commitments: self.read_deal_hashes()? })
    }

    fn read_talk(&mut self) -> ReadResult<TalkTerms> {
        Ok(TalkTerms {
            rounds: self.read_u32()?,
            round_time: self.read_span()?,
            text_chars: self.read_u32()?,
            privacy: match self.read_u8()? {
                1 => TalkPrivacy::Open,
                2 => TalkPrivacy::Private,
                3 => TalkPrivacy::Published,
                number => return Err(CanonicalBytesError::Unknown { what: "privacy of talk", number }),
            },
            pacts: match self.read_u8()? {
                0 => false,
                1 => true,
                number => {
                    return Err(CanonicalBytesError::Unknown { what: "pacts setting", number });
                }
            },
        })
    }

    /// Reads a message. If bytes are left after it, they are its content.
    fn read_message(&mut self, seats: SeatCount) -> ReadResult<TalkMessage> {
        Ok(TalkMessage {
            seat: self.read_seat(seats)?,
            round: self.read_u32()?,
            number: self.read_u32()?,
            audience: match self.read_u8()? {
                1 => Audience::Everyone,
                kind @ (2 | 3) => {
                    let named = self.read_list(|reader| reader.read_seat(seats))?;
                    if !named.is_sorted_by(|one, next| one < next) {
                        return Err(value_error("the seats of an audience are not in ascending order"));
                    }
                    Audience::Seats { seats: named.into_iter().collect(), published: kind == 3 }
                }
                number => return Err(CanonicalBytesError::Unknown { what: "audience", number }),
            },
            commitment: self.read_array().map(DealHash::from_bytes)?,
            opened: if self.unread.is_empty() { None } else { Some(self.read_opened_content(seats)?) },
        })
    }

    fn read_opened_content(&mut self, seats: SeatCount) -> ReadResult<OpenedContent> {
        let salt = self.read_array().map(DealHash::from_bytes)?;
        let content = match self.read_u8()? {
            1 => {
                let text = std::str::from_utf8(self.read_bytes()?).map_err(value_error)?;
                TalkContent::Text(text.to_owned())
            }
            2 => TalkContent::Claim(self.read_row(seats)?),
            3 => {
                let mut members = Self { unread: self.read_bytes()? };
                let mut pact_members = Vec::new();
                while !members.unread.is_empty() {
                    pact_members.push(members.read_pact_member()?);
                }
                TalkContent::Offer(Pact::parse(seats, &pact_members).map_err(value_error)?)
            }
            4 => {
                let mut place = Self { unread: self.read_bytes()? };
                let (seat, round, number) = (place.read_seat(seats)?, place.read_u32()?, place.read_u32()?);
                place.check_end()?;
                TalkContent::Accept(OfferId { seat, round, number })
            }
            number => return Err(CanonicalBytesError::Unknown { what: "kind of message", number }),
        };
        Ok(OpenedContent { salt, content })
    }

    fn read_pact_member(&mut self) -> ReadResult<(usize, Vec<(usize, usize)>)> {
        let (seat, count) = (self.read_u8()?, self.read_u8()?);
        let relation = |_| Ok((self.read_u8()?.into(), self.read_u8()?.into()));
        Ok((seat.into(), (0..count).map(relation).collect::<ReadResult<_>>()?))
    }

    fn read_deal_hashes(&mut self) -> ReadResult<BySeat<DealHash>> {
        let hashes = self.read_list(|reader| reader.read_array().map(DealHash::from_bytes))?;
        hashes.try_into().map_err(value_error)
    }

    fn check_end(&self) -> ReadResult<()> {
        if self.unread.is_empty() { Ok(()) } else { Err(CanonicalBytesError::TooLong(self.unread.len())) }
    }

    fn read_raw(&mut self, count: usize) -> ReadResult<&'a [u8]> {
        let (read, unread) = self.unread.split_at_checked(count).ok_or(CanonicalBytesError::CutOff)?;
        self.unread = unread;
        Ok(read)
    }

    fn read_array<const N: usize>(&mut self) -> ReadResult<[u8; N]> {
        let bytes = self.read_raw(N)?;
        bytes.try_into().map_err(|_| CanonicalBytesError::CutOff)
    }

    fn read_u8(&mut self) -> ReadResult<u8> {
        self.read_array().map(u8::from_le_bytes)
    }

    fn read_u32(&mut self) -> ReadResult<u32> {
        self.read_array().map(u32::from_le_bytes)
    }

    fn read_u64(&mut self) -> ReadResult<u64> {
        self.read_array().map(u64::from_le_bytes)
    }

    fn read_span(&mut self) -> ReadResult<Duration> {
        self.read_u64().map(Duration::from_micros)
    }

    fn read_seat(&mut self, seats: SeatCount) -> ReadResult<Seat> {
        seats.seat(self.read_u8()?.into()).map_err(value_error)
    }

    fn read_bytes(&mut self) -> ReadResult<&'a [u8]> {
        let count = self.read_u32()?;
        self.read_raw(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Reads a list. Memory is allocated only for elements that are present.
    fn read_list<T>(&mut self, mut each: impl FnMut(&mut Self) -> ReadResult<T>) -> ReadResult<Vec<T>> {
        let count = self.read_u32()?;
        (0..count).map(|_| each(self)).collect::<ReadResult<Vec<T>>>()
    }

    fn read_optional<T>(&mut self, some: impl FnOnce(&mut Self) -> ReadResult<T>) -> ReadResult<Option<T>> {
        match self.read_u8()? {
            0 => Ok(None),
            1 => some(self).map(Some),
            number => Err(CanonicalBytesError::Unknown { what: "marker of an optional value", number }),
        }
    }

    fn read_note_hash(&mut self, is_present: bool) -> ReadResult<Option<NoteHash>> {
        is_present.then(|| self.read_array().map(NoteHash::from_bytes)).transpose()
    }

    fn read_offsets(&mut self) -> ReadResult<Vec<u64>> {
        Ok(self.read_bytes()?.iter().copied().map(u64::from).collect())
    }

    fn read_row(&mut self, seats: SeatCount) -> ReadResult<Row> {
        Row::parse(&self.read_offsets()?, seats).map_err(value_error)
    }

    fn read_matrix(&mut self) -> ReadResult<AllianceMatrix> {
        AllianceMatrix::parse(&self.read_list(Self::read_offsets)?).map_err(value_error)
    }
}
