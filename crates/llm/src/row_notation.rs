//! The notation of rows in answers.

use lastnim_core::game::{Row, Seat, SeatCount};

/// The notation of rows in answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowNotation {
    /// The numbers of the seats, the most wanted first.
    Seats,
    /// Offsets from the bot's own seat, for which version 1 of the prompt asks.
    Offsets,
}

impl RowNotation {
    /// Returns the numbers that write the row of a seat.
    pub fn numbers_of(self, row: &Row, seat: Seat, seats: SeatCount) -> Vec<usize> {
        let offsets = row.offsets().iter().map(|&offset| usize::from(offset));
        match self {
            Self::Seats => offsets.map(|offset| seats.seat_at_offset(seat, offset).index()).collect(),
            Self::Offsets => offsets.collect(),
        }
    }

    /// Reads the row of a seat from numbers.
    ///
    /// # Errors
    /// If the numbers are not a row. The error names the first bad number, and says what is valid.
    pub fn parse_row(self, numbers: &[i128], seat: Seat, seats: SeatCount) -> Result<Row, String> {
        let last = seats.get() - 1;
        let word = match self {
            Self::Seats => "seat",
            Self::Offsets => "offset",
        };
        if numbers.len() != seats.get() {
            let given = numbers.len();
            let s = if given == 1 { "" } else { "s" };
            return Err(format!("a row of {given} {word}{s}: list each of 0 to {last} once"));
        }
        let mut offsets = Vec::with_capacity(numbers.len());
        for number in numbers {
            let index = usize::try_from(*number).ok().filter(|index| *index <= last);
            let index = index.ok_or_else(|| format!("{word} {number} in the row: expected 0 to {last}"))?;
            let offset = match self {
                Self::Seats => seats.seat(index).map_or(index, |found| seats.distance_between(seat, found)),
                Self::Offsets => index,
            } as u64;
            if offsets.contains(&offset) {
                return Err(format!(
                    "{word} {number} appears twice in the row: list each of 0 to {last} once"
                ));
            }
            offsets.push(offset);
        }
        Row::parse(&offsets, seats).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_seats_and_offsets_are_read_back() {
        for count in 2..=5 {
            let seats = SeatCount::new(count).unwrap();
            for seat in seats.iter() {
                for ally in 0..count {
                    let row = Row::favouring(ally, seats);
                    for notation in [RowNotation::Seats, RowNotation::Offsets] {
                        let numbers = notation.numbers_of(&row, seat, seats);
                        let numbers: Vec<_> = numbers.into_iter().map(|number| number as i128).collect();
                        assert_eq!(notation.parse_row(&numbers, seat, seats), Ok(row.clone()));
                    }
                }
            }
        }
        let seats = SeatCount::new(3).unwrap();
        let seat = seats.seat(2).unwrap();
        let row = RowNotation::Seats.parse_row(&[1, 2, 0], seat, seats).unwrap();
        assert_eq!(row.offsets(), [2, 0, 1]);
        let why = |numbers: &[i128]| RowNotation::Seats.parse_row(numbers, seat, seats).unwrap_err();
        assert_eq!(why(&[0, 1]), "a row of 2 seats: list each of 0 to 2 once");
        assert_eq!(why(&[0, 1, 3]), "seat 3 in the row: expected 0 to 2");
        assert_eq!(why(&[0, 1, -1]), "seat -1 in the row: expected 0 to 2");
        assert_eq!(why(&[0, 1, 1]), "seat 1 appears twice in the row: list each of 0 to 2 once");
    }
}
