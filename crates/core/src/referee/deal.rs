//! Dealt rows: what each seat really wants. Only the seat itself sees its row before the match has ended.
//!
//! # How rows are derived and proved
//! A tournament has a secret of 32 random bytes; an exhibition has its own. `derive_key(context, input)` and
//! `keyed_hash(key, input)` are the modes of BLAKE3; a number in an input is one byte.
//!
//! | what | how it is derived |
//! |---|---|
//! | published hash of a secret | `derive_key("lastnim 2026 hash of a deal secret", secret)` |
//! | secret of a match | `keyed_hash(secret, the 16 bytes of the match id)` |
//! | output of a seat | the extended output of `keyed_hash(secret of the match, seat)` |
//! | salt of a seat | bytes 0 to 31 of that output |
//! | row of a seat | drawn with the numbers that follow |
//! | commitment to a row | `derive_key("lastnim 2026 dealt row", seat, salt, offsets of the row)` |
//!
//! A number below `n` is the next 8 bytes, little-endian, modulo `n`; numbers from the last incomplete run of `n`
//! values below 2^64 are skipped. A permutation of a list swaps, for `i` from its last index down to 1, entry `i` with
//! the entry at a number below `i + 1`. The rule `all` permutes 0 to n-1. `self_first` permutes 1 to n-1 and puts 0
//! first. `list` takes the row at a number below the length of the list.
//!
//! The setup contains the commitments, so a row cannot be exchanged later; a commitment says nothing about its row,
//! because nobody can guess the salt.

use crate::game::base64_text::{self, Base64};
use crate::game::{AllianceMatrix, Base64Error, BySeat, MatchId, Row, Seat, SeatCount};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The maximum number of rows in the list of a [`DealRule`].
pub const MAX_DEAL_ROWS: usize = 1_000;

/// The rows from which the row of each seat is drawn; each is equally likely.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DealRule {
    /// All permutations.
    All,
    /// All rows whose first offset is 0: every seat likes best to win itself.
    SelfFirst,
    /// These rows, 1 to [`MAX_DEAL_ROWS`] of equal length. A row that is listed twice is twice as likely.
    List(Vec<Row>),
}

/// A list from which no rows can be dealt.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DealError {
    /// The list has too few or too many rows.
    #[error("{0} rows to deal: expected 1 to {MAX_DEAL_ROWS}")]
    Count(usize),
    /// A row has the wrong number of offsets.
    #[error("row {row}, which is to be dealt, has {} offsets, but a match has {seats} seats", row.offsets().len())]
    Length {
        /// The row.
        row: Row,
        /// The number of seats in the match.
        seats: SeatCount,
    },
}

/// The part of a setup that says how private rows were dealt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal {
    /// The rows from which each row was drawn.
    pub rule: DealRule,
    /// The commitments to the rows, by seat.
    pub commitments: BySeat<DealHash>,
}

/// The dealt rows of a match, with the salts that open the commitments.
#[derive(Clone, PartialEq, Eq)]
pub struct DealtRows {
    /// The row of each seat.
    pub matrix: AllianceMatrix,
    /// The salt of each seat.
    pub salts: BySeat<DealHash>,
}

/// 32 bytes of a deal: a commitment, a salt, or the published hash of a secret; also a commitment to a message of talk,
/// or its salt. The text form is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DealHash([u8; Self::BYTES]);

/// The secret from which rows are derived. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct DealSecret([u8; Self::BYTES]);

/// What everybody may know of a tournament's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSecret {
    /// The hash of the secret, which is published when the tournament is created.
    pub hash: DealHash,
    /// The secret, once the tournament is over.
    pub secret: Option<DealSecret>,
}

impl DealRule {
    /// Checks that the rule deals rows to matches with this many seats.
    ///
    /// # Errors
    /// If the list is empty or too long, or has a row of another length.
    pub fn check_seats(&self, seats: SeatCount) -> Result<(), DealError> {
        let Self::List(rows) = self else { return Ok(()) };
        if !(1..=MAX_DEAL_ROWS).contains(&rows.len()) {
            return Err(DealError::Count(rows.len()));
        }
        match rows.iter().find(|row| row.offsets().len() != seats.get()) {
            Some(row) => Err(DealError::Length { row: row.clone(), seats }),
            None => Ok(()),
        }
    }

    /// Draws a row; `number_below(n)` returns a random number below `n`.
    ///
    /// # Panics
    /// If [`check_seats`](Self::check_seats) rejects the rule.
    pub fn draw_row(&self, seats: SeatCount, mut number_below: impl FnMut(u64) -> u64) -> Row {
        let fixed = match self {
            Self::List(rows) => return rows[number_below(rows.len() as u64) as usize].clone(),
            Self::All => 0,
            Self::SelfFirst => 1,
        };
        let mut offsets: Vec<u64> = (0..seats.get() as u64).collect();
        let drawn = &mut offsets[fixed..];
        for last in (1..drawn.len()).rev() {
            drawn.swap(last, number_below(last as u64 + 1) as usize);
        }
        Row::parse(&offsets, seats).expect("a permutation contains each offset once")
    }
}

impl Deal {
    /// Returns the deal of these rows.
    pub fn of_rows(rule: DealRule, dealt: &DealtRows) -> Self {
        Self { rule, commitments: dealt.commitments() }
    }
}

impl DealtRows {
    /// Deals the rows of a match. `secret` belongs to its tournament, or to the match if it is an exhibition.
    ///
    /// # Panics
    /// If [`DealRule::check_seats`] rejects the rule.
    pub fn of_match(secret: &DealSecret, id: MatchId, rule: &DealRule, seats: SeatCount) -> Self {
        let match_key = blake3::keyed_hash(&secret.0, id.as_bytes());
        let (mut rows, mut salts) = (Vec::new(), Vec::new());
        for seat in seats.iter() {
            let mut hasher = blake3::Hasher::new_keyed(match_key.as_bytes());
            let mut output = hasher.update(&[seat.index() as u8]).finalize_xof();
            let mut salt = [0; DealHash::BYTES];
            output.fill(&mut salt);
            salts.push(DealHash(salt));
            rows.push(rule.draw_row(seats, |n| next_number_below(n, &mut output)));
        }
        let (rows, salts) = (rows.try_into(), salts.try_into());
        let matrix = AllianceMatrix::from_rows(rows.expect("one row for each seat"));
        Self {
            matrix: matrix.expect("each row has one offset for each seat"),
            salts: salts.expect("one salt for each seat"),
        }
    }

    /// Returns the commitments to the rows.
    pub fn commitments(&self) -> BySeat<DealHash> {
        BySeat::from_fn(self.matrix.seats(), |seat| {
            DealHash::of_row(seat, &self.salts[seat], &self.matrix.rows()[seat])
        })
    }
}

fn next_number_below(n: u64, output: &mut blake3::OutputReader) -> u64 {
    // 2^64 mod n numbers at the top would make the small results more likely than the others.
    let surplus = (u64::MAX % n + 1) % n;
    loop {
        let mut bytes = [0; 8];
        output.fill(&mut bytes);
        let number = u64::from_le_bytes(bytes);
        if number <= u64::MAX - surplus {
            return number % n;
        }
    }
}

/// Hides the rows, so that they cannot get into a log.
impl fmt::Debug for DealtRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DealtRows(hidden)")
    }
}

impl DealHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Returns the commitment to a seat's row.
    pub fn of_row(seat: Seat, salt: &Self, row: &Row) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("lastnim 2026 dealt row");
        hasher.update(&[seat.index() as u8]).update(&salt.0).update(row.offsets());
        Self(*hasher.finalize().as_bytes())
    }

    /// Creates the value from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl FromStr for DealHash {
    type Err = Base64Error;

    fn from_str(text: &str) -> Result<Self, Base64Error> {
        base64_text::decode_base64("hash", text).map(Self)
    }
}

impl fmt::Display for DealHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for DealHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DealHash({self})")
    }
}

impl DealSecret {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a secret from its random bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Returns what everybody may know of the secret.
    pub fn publish(&self, is_over: bool) -> PublishedSecret {
        PublishedSecret { hash: self.hash(), secret: is_over.then(|| self.clone()) }
    }

    /// Returns the hash that is published before the secret.
    pub fn hash(&self) -> DealHash {
        DealHash(blake3::derive_key("lastnim 2026 hash of a deal secret", &self.0))
    }
}

impl fmt::Debug for DealSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DealSecret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn count_rows(rule: &DealRule, seats: usize, matches: u64) -> BTreeMap<String, u32> {
        let (secret, seats) = (DealSecret::from_bytes([7; 32]), SeatCount::new(seats).unwrap());
        let mut counts = BTreeMap::new();
        for number in 0..matches {
            let dealt = DealtRows::of_match(&secret, MatchId::new(number, &[1; 10]), rule, seats);
            for row in dealt.matrix.rows() {
                *counts.entry(row.to_string()).or_default() += 1;
            }
        }
        counts
    }

    #[test]
    fn every_row_of_the_rule_is_equally_likely() {
        let three = |rows: &[[u64; 3]]| {
            let row = |row: &[u64; 3]| Row::parse(row, SeatCount::new(3).unwrap()).unwrap();
            DealRule::List(rows.iter().map(row).collect())
        };
        for (rule, rows) in [
            (DealRule::All, 6),
            (DealRule::SelfFirst, 2),
            (three(&[[0, 1, 2], [2, 1, 0], [1, 0, 2]]), 3),
            (three(&[[2, 1, 0]]), 1),
        ] {
            let counts = count_rows(&rule, 3, 2_000);
            assert_eq!(counts.len(), rows, "{counts:?}");
            let expected = 6_000 / rows as u32;
            assert!(counts.values().all(|count| count.abs_diff(expected) < 200), "{counts:?}");
        }
        assert!(count_rows(&DealRule::SelfFirst, 3, 100).keys().all(|row| row.starts_with('0')));
        assert!(count_rows(&DealRule::All, 32, 1).len() > 1);
    }

    #[test]
    fn rows_and_salts_depend_on_the_secret_the_match_and_the_seat() {
        let seats = SeatCount::new(8).unwrap();
        let deal = |secret: u8, number| {
            let secret = DealSecret::from_bytes([secret; 32]);
            DealtRows::of_match(&secret, MatchId::new(number, &[1; 10]), &DealRule::All, seats)
        };
        let dealt = [deal(1, 1), deal(1, 2), deal(2, 1)];
        assert_eq!(dealt[0], deal(1, 1));
        let salts: std::collections::HashSet<_> =
            dealt.iter().flat_map(|dealt| dealt.salts.iter().copied().collect::<Vec<_>>()).collect();
        assert_eq!(salts.len(), 24);
        assert!(dealt[0].matrix != dealt[1].matrix && dealt[0].matrix != dealt[2].matrix);
    }

    #[test]
    fn a_commitment_depends_on_the_seat_the_salt_and_the_row() {
        let (salt, seats) = (DealHash::from_bytes([1; 32]), SeatCount::new(3).unwrap());
        let (seat, row) = (Seat::FIRST, Row::standard(seats));
        let commitment = DealHash::of_row(seat, &salt, &row);
        assert_eq!(commitment.to_string().parse(), Ok(commitment));
        assert_ne!(commitment, DealHash::of_row(seats.seat(1).unwrap(), &salt, &row));
        assert_ne!(commitment, DealHash::of_row(seat, &DealHash::from_bytes([2; 32]), &row));
        assert_ne!(commitment, DealHash::of_row(seat, &salt, &Row::parse(&[0, 2, 1], seats).unwrap()));
    }

    #[test]
    fn debug_hides_secrets_and_rows() {
        let secret = DealSecret::from_bytes([9; 32]);
        let dealt =
            DealtRows::of_match(&secret, MatchId::least(), &DealRule::All, SeatCount::new(3).unwrap());
        assert_eq!(format!("{secret:?} {dealt:?}"), "DealSecret(hidden) DealtRows(hidden)");
        assert_ne!(secret.hash().as_bytes(), secret.as_bytes());
    }

    #[test]
    fn a_list_of_rows_to_deal_must_fit_the_match() {
        let [two, three] = [2, 3].map(|seats| SeatCount::new(seats).unwrap());
        let refusal = |rows: Vec<Row>| DealRule::List(rows).check_seats(three).unwrap_err().to_string();
        assert_eq!(refusal(Vec::new()), "0 rows to deal: expected 1 to 1000");
        assert_eq!(refusal(vec![Row::standard(three); 1_001]), "1001 rows to deal: expected 1 to 1000");
        assert_eq!(
            refusal(vec![Row::standard(three), Row::standard(two)]),
            "row 0 1, which is to be dealt, has 2 offsets, but a match has 3 seats"
        );
        assert_eq!(DealRule::List(vec![Row::standard(three)]).check_seats(three), Ok(()));
    }
}
