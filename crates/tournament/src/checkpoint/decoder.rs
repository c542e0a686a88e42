//! Reading the state of what is folded.

use super::CheckpointError;
use crate::{MatchOutcome, MatchResult, SeatLoss, SeatResult};
use lastnim_core::game::{BotName, BotVersion, BySeat, ConfigHash, SeatCount, SeatVersions};
use std::str;

/// Reads what an [`Encoder`](super::Encoder) wrote. It trusts nothing: whatever the bytes, it fails or returns values that
/// were asked for, and never holds more than they say.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    rest: &'a [u8],
}

type DecodeResult<T> = Result<T, CheckpointError>;

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Checks that all was read.
    pub(crate) fn finish(self) -> DecodeResult<()> {
        ensure_holds(self.rest.is_empty(), "more follows than was written")
    }

    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> DecodeResult<T> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(ENDS)?;
            self.rest = rest;
            let bits = u64::from(byte & 0x7f);
            ensure_holds(bits << shift >> shift == bits, "a number is too large")?;
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return T::try_from(number)
                    .map_err(|_| CheckpointError::Malformed("a number is out of its range"));
            }
        }
        Err(CheckpointError::Malformed("a number is too long"))
    }

    /// Reads how many things follow, each of at least a byte.
    pub(crate) fn count(&mut self) -> DecodeResult<usize> {
        let count = self.number()?;
        ensure_holds(count <= self.rest.len(), "it ends before all of a list is there")?;
        Ok(count)
    }

    /// Reads what is true or not.
    pub(crate) fn flag(&mut self) -> DecodeResult<bool> {
        match self.number::<u64>()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(CheckpointError::Malformed("neither yes nor no")),
        }
    }

    pub(crate) fn signed<T: TryFrom<i64>>(&mut self) -> DecodeResult<T> {
        let folded: u64 = self.number()?;
        let number = (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed();
        T::try_from(number).map_err(|_| CheckpointError::Malformed("a number is out of its range"))
    }

    pub(crate) fn float(&mut self) -> DecodeResult<f64> {
        let (bits, rest) = self.rest.split_first_chunk().ok_or(ENDS)?;
        self.rest = rest;
        Ok(f64::from_bits(u64::from_le_bytes(*bits)))
    }

    pub(crate) fn bytes(&mut self) -> DecodeResult<&'a [u8]> {
        let length = self.count()?;
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn name(&mut self) -> DecodeResult<BotName> {
        let name = str::from_utf8(self.bytes()?).ok().and_then(|name| name.parse().ok());
        name.ok_or(CheckpointError::Malformed("a name is not a bot's"))
    }

    pub(crate) fn version(&mut self) -> DecodeResult<BotVersion> {
        let label = match self.bytes()? {
            [] => None,
            label => {
                let label = str::from_utf8(label).ok().and_then(|label| label.parse().ok());
                Some(label.ok_or(CheckpointError::Malformed("a label names no version"))?)
            }
        };
        let config_hash = match self.bytes()? {
            [] => None,
            hash => Some(
                ConfigHash::try_from(hash).map_err(|_| CheckpointError::Malformed("a hash has 32 bytes"))?,
            ),
        };
        Ok(BotVersion { label, config_hash })
    }

    /// Reads numbers, each higher than the one before.
    pub(crate) fn rising(&mut self) -> DecodeResult<Vec<u64>> {
        let mut numbers: Vec<u64> = Vec::new();
        for _ in 0..self.count()? {
            let distance: u64 = self.number()?;
            let number = match numbers.last() {
                None => Some(distance),
                Some(last) => last.checked_add(distance).filter(|_| distance > 0),
            };
            numbers.push(number.ok_or(CheckpointError::Malformed("numbers do not rise"))?);
        }
        Ok(numbers)
    }

    pub(crate) fn optional(&mut self) -> DecodeResult<Option<u64>> {
        if self.flag()? { self.number().map(Some) } else { Ok(None) }
    }

    /// Reads a place in a list of this length.
    pub(crate) fn place(&mut self, length: usize) -> DecodeResult<usize> {
        let place = self.number()?;
        ensure_holds(place < length, "a place lies behind the end of its list")?;
        Ok(place)
    }

    pub(crate) fn result(&mut self) -> DecodeResult<MatchResult> {
        let (number, group, seats) = (self.number()?, self.number()?, self.count()?);
        let seats = SeatCount::new(seats).map_err(|_| SEATS)?;
        let bots = (0..seats.get()).map(|_| self.name()).collect::<DecodeResult<Vec<_>>>()?;
        let bots = BySeat::try_from(bots).map_err(|_| SEATS)?;
        let outcome = if self.flag()? { Some(self.outcome(seats)?) } else { None };
        Ok(MatchResult { number, group, bots, outcome })
    }

    fn outcome(&mut self, seats: SeatCount) -> DecodeResult<MatchOutcome> {
        let winner = seats.seat(self.number()?).map_err(|_| SEATS)?;
        let results = (0..seats.get()).map(|_| self.seat_result()).collect::<DecodeResult<Vec<_>>>()?;
        Ok(MatchOutcome { winner, seats: BySeat::try_from(results).map_err(|_| SEATS)? })
    }

    fn seat_result(&mut self) -> DecodeResult<SeatResult> {
        Ok(SeatResult {
            rank_actual: self.number()?,
            regret: self.number()?,
            luck: self.signed()?,
            plies: self.number()?,
            optimal_plies: self.number()?,
            lost: match self.number::<u64>()? {
                0 => None,
                1 => Some(SeatLoss::NoShow),
                2 => Some(SeatLoss::Forfeited),
                _ => return Err(CheckpointError::Malformed("a seat was lost in an unknown way")),
            },
            versions: SeatVersions::new(
                (0..self.count()?).map(|_| self.version()).collect::<DecodeResult<Vec<_>>>()?,
            ),
        })
    }

    /// Reads results, each of a higher number than the one before.
    pub(crate) fn results(&mut self) -> DecodeResult<Vec<MatchResult>> {
        let results = (0..self.count()?).map(|_| self.result()).collect::<DecodeResult<Vec<_>>>()?;
        let rise = results.is_sorted_by(|one, next| one.number < next.number);
        ensure_holds(rise, "results are not in the order of their numbers")?;
        Ok(results)
    }
}

const ENDS: CheckpointError = CheckpointError::Malformed("it ends too soon");
const SEATS: CheckpointError = CheckpointError::Malformed("seats are not those of a match");

/// Fails with what is wrong unless something holds.
pub(crate) fn ensure_holds(holds: bool, otherwise: &'static str) -> DecodeResult<()> {
    if holds { Ok(()) } else { Err(CheckpointError::Malformed(otherwise)) }
}

#[cfg(test)]
mod tests {
    use super::super::Encoder;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(
            number: u64, signed: i64, float: f64, some: Option<u64>,
            rising in prop::collection::btree_set(any::<u64>(), 0..20), bytes: Vec<u8>,
        ) {
            let mut encoder = Encoder::new();
            encoder.number(number);
            encoder.signed(signed);
            encoder.float(float);
            encoder.optional(some);
            encoder.rising(rising.iter().copied());
            encoder.bytes(&bytes);
            let written = encoder.into_bytes();
            let mut decoder = Decoder::new(&written);
            prop_assert_eq!(decoder.number::<u64>(), Ok(number));
            prop_assert_eq!(decoder.signed::<i64>(), Ok(signed));
            prop_assert_eq!(decoder.float().map(f64::to_bits), Ok(float.to_bits()));
            prop_assert_eq!(decoder.optional(), Ok(some));
            prop_assert_eq!(decoder.rising(), Ok(rising.into_iter().collect::<Vec<_>>()));
            prop_assert_eq!(decoder.bytes(), Ok(&*bytes));
            prop_assert_eq!(decoder.finish(), Ok(()));
        }

        #[test]
        fn nothing_is_read_without_end(bytes: Vec<u8>) {
            // Whether it can be read is chance: it ends, and holds no more than the bytes say.
            let _ = Decoder::new(&bytes).results();
            let _ = Decoder::new(&bytes).rising();
            let _ = Decoder::new(&bytes).name();
        }
    }

    #[test]
    fn a_number_has_64_bits() {
        let mut bytes = [0xff; 10];
        bytes[9] = 1;
        assert_eq!(Decoder::new(&bytes).number::<u64>(), Ok(u64::MAX));
        bytes[9] = 2;
        assert!(Decoder::new(&bytes).number::<u64>().is_err());
        assert!(Decoder::new(&[0x80; 11]).number::<u64>().is_err());
        assert!(Decoder::new(&[0x80]).number::<u64>().is_err());
        assert!(
            Decoder::new(&[9]).number::<u8>().is_ok() && Decoder::new(&[0x80, 2]).number::<u8>().is_err()
        );
    }
}
