//! A model's stated wishes, compared with its declarations and takes.

use lastnim_auditing::{AuditedMatch, WinnerChoice, WishFigures};
use lastnim_core::game::{Row, Seat};
use lastnim_proto::pb;
use std::{cmp::Reverse, collections::HashMap};

/// A model's stated wishes, compared with its declarations and choices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WantTally {
    stated: u64,
    declared_as_stated: u64,
    stated_choices: u64,
    stated_chosen: u64,
    first_choices: u64,
    first_chosen: u64,
    /// The number of matches with each row that the model declared itself.
    rows: HashMap<Row, u64>,
}

/// Returns the first choice in the row of a seat.
pub fn first_of_row(game: &AuditedMatch<'_>, seat: Seat) -> Seat {
    let row = &game.game.matrix[seat];
    row.seats().seat_at_offset(seat, row.offsets()[0].into())
}

impl WantTally {
    /// Adds a match: the model's choices by its own takes, and the seat that it said it wanted to win, if any.
    pub fn add_match(&mut self, first: Seat, stated: Option<Seat>, choices: &[WinnerChoice]) {
        for choice in choices.iter().filter(|choice| choice.available.contains(first)) {
            self.first_choices += 1;
            self.first_chosen += u64::from(choice.chosen == first);
        }
        let Some(stated) = stated else { return };
        self.stated += 1;
        self.declared_as_stated += u64::from(stated == first);
        for choice in choices.iter().filter(|choice| choice.available.contains(stated)) {
            self.stated_choices += 1;
            self.stated_chosen += u64::from(choice.chosen == stated);
        }
    }

    /// Adds a row that the model declared itself.
    pub fn add_row(&mut self, row: &Row) {
        *self.rows.entry(row.clone()).or_default() += 1;
    }

    /// Creates the message, including what the model wanted and the rows that are consistent with all its takes.
    pub fn to_message(&self, wishes: &WishFigures, revealed: Vec<pb::RevealedRows>) -> pb::WantFigures {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|&(row, &matches)| (Reverse(matches), row.offsets()));
        let rows = rows.into_iter().map(|(row, &matches)| pb::DeclaredRow { row: Some(row.into()), matches });
        pb::WantFigures {
            stated: self.stated,
            declared_as_stated: self.declared_as_stated,
            stated_choices: self.stated_choices,
            stated_chosen: self.stated_chosen,
            first_choices: self.first_choices,
            first_chosen: self.first_chosen,
            rows: rows.collect(),
            wishes: (self.stated > 0).then(|| wishes.into()),
            revealed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{SeatCount, SeatSet};

    #[test]
    fn choices_are_compared_with_statements_and_declarations() {
        let [zero, one, two] = [0, 1, 2].map(|seat| SeatCount::new(3).unwrap().seat(seat).unwrap());
        let choice = |chosen: Seat, available: &[Seat]| {
            let mut set = SeatSet::default();
            for &seat in available {
                set.insert(seat);
            }
            WinnerChoice { ply: 0, is_optimal: chosen == zero, chosen, available: set }
        };
        let choices = [
            choice(one, &[zero, one]),
            choice(zero, &[zero, one, two]),
            choice(two, &[zero, one, two]),
            choice(two, &[zero, two]),
            choice(one, &[one, two]),
        ];
        let mut tally = WantTally::default();
        // The model declares itself first, says that it wants seat 1, and makes mixed choices.
        tally.add_match(zero, Some(one), &choices);
        let expected = WantTally {
            stated: 1,
            declared_as_stated: 0,
            stated_choices: 4,
            stated_chosen: 2,
            first_choices: 4,
            first_chosen: 1,
            rows: HashMap::new(),
        };
        assert_eq!(tally, expected);
        tally.add_match(two, Some(two), &choices[..1]);
        tally.add_match(zero, None, &choices[..1]);
        assert_eq!((tally.stated, tally.declared_as_stated), (2, 1));
        assert_eq!((tally.first_choices, tally.stated_choices), (5, 4));
    }
}
