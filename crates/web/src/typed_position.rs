//! A position as it was typed.

use super::address_parts::QueryPart;
use super::forms::FormFields;
use form_urlencoded::Serializer;
use lastnim_core::game::AllianceMatrix;
use lastnim_core::game::{Ending, Game, SeatCount};
use lastnim_proto::number_text::{read_numbers, read_rows};
use lastnim_proto::pb;
use lastnim_report::words::{enum_word, join_words, matrix_words};

/// The maximum length of a field, in characters.
const MAX_CHARS: usize = 20_000;

/// A position as it was typed, possibly invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedPosition {
    /// The counters of each pile.
    pub piles: String,
    /// The rows, separated by semicolons, as offsets or as seats with `>` between them; empty for the standard rows.
    pub rows: String,
    /// The number of seats, if rows are standard.
    pub seats: String,
    /// The seat that moves first.
    pub first: String,
    /// The ending.
    pub ending: String,
}

impl Default for TypedPosition {
    /// The initial form.
    fn default() -> Self {
        let ending = Ending::default().to_string();
        Self { piles: "3 4 5".into(), rows: String::new(), seats: "3".into(), first: "0".into(), ending }
    }
}

impl TypedPosition {
    /// Writes a position as somebody would type it.
    pub(super) fn of_game(game: &pb::Game) -> Self {
        let rows = game.alliance_matrix.as_ref().map(|matrix| matrix_words(&matrix.rows)).unwrap_or_default();
        Self {
            piles: join_words(&game.piles, " "),
            rows,
            first: game.first.to_string(),
            ending: enum_word(game.ending().as_str_name(), "ENDING_"),
            ..Self::default()
        }
    }

    fn fields_mut(&mut self) -> [(&'static str, &mut String); 5] {
        let Self { piles, rows, seats, first, ending } = self;
        [("piles", piles), ("rows", rows), ("seats", seats), ("first", first), ("ending", ending)]
    }

    /// Parses the position.
    ///
    /// # Errors
    /// Names the first invalid value, and what is expected.
    pub(super) fn read(&self) -> Result<Game, String> {
        let piles = read_numbers(&self.piles, "piles")?;
        let matrix = if self.rows.trim().is_empty() {
            let seats =
                self.seats.trim().parse().map_err(|_| format!("seats {:?}: expected 2 to 32", self.seats))?;
            AllianceMatrix::standard(SeatCount::new(seats).map_err(|error| error.to_string())?)
        } else {
            AllianceMatrix::parse(&read_rows_or_orders(&self.rows)?).map_err(|error| error.to_string())?
        };
        let first = self.first.trim().parse().map_err(|_| {
            format!("first seat {:?}: expected 0 to {}", self.first, matrix.seats().get() - 1)
        })?;
        let ending = self.ending.parse().map_err(|error| format!("{error}"))?;
        let piles =
            lastnim_core::game::Piles::parse_partly_emptied(&piles).map_err(|error| error.to_string())?;
        Game::new(piles, matrix, first, ending).map_err(|error| error.to_string())
    }

    /// Parses the position into a request for the oracle.
    pub(super) fn read_message(&self) -> Result<(Game, pb::Game), String> {
        let game = self.read()?;
        let message = (&game).into();
        Ok((game, message))
    }
}

impl QueryPart for TypedPosition {
    /// Missing values have their defaults.
    fn read(query: &FormFields, _: &str) -> Result<Self, String> {
        let mut position = Self::default();
        for (key, field) in position.fields_mut() {
            if let Some(value) = query.find(key) {
                *field = value.chars().take(MAX_CHARS).collect();
            }
        }
        Ok(position)
    }

    /// Writes the values that differ from the defaults.
    fn write(&self, _: &str, query: &mut Serializer<'_, String>) {
        let (mut own, mut usual) = (self.clone(), Self::default());
        let fields = own.fields_mut().into_iter().zip(usual.fields_mut());
        query.extend_pairs(fields.filter(|(own, usual)| own != usual).map(|(own, _)| own));
    }
}

/// Parses rows: offsets, or seats in the preference order with `>` between them.
fn read_rows_or_orders(text: &str) -> Result<Vec<Vec<u64>>, String> {
    if !text.contains('>') {
        return read_rows(text);
    }
    let orders = read_rows(&text.replace('>', " "))?;
    let seats = orders.len() as u64;
    let rows = (0..).zip(&orders).map(|(own, order)| {
        let offset = |&seat: &u64| {
            if seat < seats {
                Ok((seat + seats - own) % seats)
            } else {
                Err(format!(
                    "rows: seat {seat} in the row of seat {own}: expected a seat from 0 to {}",
                    seats - 1
                ))
            }
        };
        order.iter().map(offset).collect()
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed_query(query: &str) -> TypedPosition {
        QueryPart::read(&FormFields::parse(query.as_bytes()).unwrap(), "").unwrap()
    }

    #[test]
    fn positions_round_trip() {
        let typed = typed_query("piles=1+4+0&rows=1+0%3B0+1&first=1&ending=last_mover_wins");
        let (game, message) = typed.read_message().unwrap();
        assert_eq!(TypedPosition::of_game(&message).read().unwrap(), game);
    }

    #[test]
    fn typed_positions_are_parsed() {
        let read = |query| typed_query(query).read();
        let usual = read("").unwrap();
        assert_eq!((usual.piles.as_slice(), usual.matrix.seats().get()), (&[3, 4, 5][..], 3));
        let given = read("piles=1%2C2+0&rows=0+1%3B1+0&first=1&ending=last_mover_wins").unwrap();
        assert_eq!((given.piles.as_slice(), given.first_seat().index()), (&[1, 2][..], 1));
        assert_eq!(given.ending, Ending::LastMoverWins);
        let ordered = typed_query("piles=1+2&rows=0%3E2%3E1%3B2%3E0%3E1%3B+2%3E1+%3E0");
        let rows = ordered.read_message().unwrap().1.alliance_matrix.unwrap().rows;
        assert_eq!(matrix_words(&rows), "0 2 1; 1 2 0; 0 2 1");
        for (query, why) in [
            ("piles=x", "piles: \"x\" is not a whole number"),
            ("piles=", "pile"),
            ("seats=1", "seat"),
            ("seats=x", "seats \"x\": expected 2 to 32"),
            ("first=3", "3"),
            ("first=a", "first seat \"a\": expected 0 to 2"),
            ("rows=0+1+2%3B0", "row"),
            ("rows=0%3E2%3B1%3E0", "rows: seat 2 in the row of seat 0: expected a seat from 0 to 1"),
            ("rows=0%3E1%3B1%3E1", "row"),
            ("ending=never", "ending \"never\""),
            ("piles=9223372036854775808", "9223372036854775808"),
        ] {
            let said = read(query).unwrap_err();
            assert!(said.contains(why), "{query}: {said:?} without {why:?}");
        }
        let long = format!("piles={}", "1+".repeat(100_000));
        assert!(typed_query(&long).piles.len() <= MAX_CHARS);
    }

    proptest! {
        #[test]
        fn typed_values_round_trip(piles in ".{0,20}", rows in ".{0,20}") {
            let typed = TypedPosition { piles, rows, ..TypedPosition::default() };
            let mut query = Serializer::new(String::new());
            typed.write("", &mut query);
            prop_assert_eq!(typed_query(&query.finish()), typed);
        }

        #[test]
        fn any_query_is_handled(query in "[a-z%=&+0-9é]{0,60}") {
            let _ = typed_query(&query).read();
        }
    }
}
