//! Writing the state of what is folded.

use crate::{MatchResult, SeatLoss};
use lastnim_core::game::{BotName, BotVersion, Seat};

/// Writes values one after the other, small numbers in few bytes.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
    pub(crate) fn number(&mut self, number: impl Into<u64>) {
        let mut rest: u64 = number.into();
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Writes a number whose size is small, whatever its sign.
    pub(crate) fn signed(&mut self, number: impl Into<i64>) {
        let number: i64 = number.into();
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    /// Writes all bits of a number.
    pub(crate) fn float(&mut self, number: f64) {
        self.bytes.extend_from_slice(&number.to_bits().to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn name(&mut self, name: &BotName) {
        self.bytes(name.as_str().as_bytes());
    }

    pub(crate) fn version(&mut self, version: &BotVersion) {
        self.bytes(version.label.as_ref().map_or(&[], |label| label.as_str().as_bytes()));
        self.bytes(version.config_hash.as_ref().map_or(&[], |hash| hash.as_bytes().as_slice()));
    }

    /// Writes numbers that rise, each as its distance to the one before.
    pub(crate) fn rising(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.count(numbers.len());
        let mut last = 0;
        for number in numbers {
            self.number(number.wrapping_sub(last));
            last = number;
        }
    }

    pub(crate) fn optional(&mut self, number: Option<u64>) {
        self.count(usize::from(number.is_some()));
        if let Some(number) = number {
            self.number(number);
        }
    }

    pub(crate) fn result(&mut self, result: &MatchResult) {
        let MatchResult { number, group, bots, outcome } = result;
        self.number(*number);
        self.number(*group);
        self.count(bots.seats().get());
        for bot in bots {
            self.name(bot);
        }
        self.count(usize::from(outcome.is_some()));
        let Some(outcome) = outcome else { return };
        self.seat(outcome.winner);
        for seat in &outcome.seats {
            self.number(seat.rank_actual);
            self.number(seat.regret);
            self.signed(seat.luck);
            self.number(seat.plies);
            self.number(seat.optimal_plies);
            self.number(match seat.lost {
                None => 0_u32,
                Some(SeatLoss::NoShow) => 1,
                Some(SeatLoss::Forfeited) => 2,
            });
            self.count(seat.versions.as_slice().len());
            for version in seat.versions.as_slice() {
                self.version(version);
            }
        }
    }

    pub(crate) fn results<'a>(&mut self, results: impl ExactSizeIterator<Item = &'a MatchResult>) {
        self.count(results.len());
        results.for_each(|result| self.result(result));
    }

    fn seat(&mut self, seat: Seat) {
        self.count(seat.index());
    }
}
