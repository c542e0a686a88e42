//! A position as it was typed. Seats are counted from 1 here, as on all pages.

use super::address_parts::QueryPart;
use super::forms::FormFields;
use super::typed_piles::read_partly_emptied_piles;
use super::typed_wants::{read_tied_wants, read_wants, wants_text};
use form_urlencoded::Serializer;
use lastnim_analysis::variants::{Alliances, PassCount, TiedMatrix, Variant, VariantGame, parse_seat_list};
use lastnim_core::game::{AllianceMatrix, Ending, Game, SeatCount};
use lastnim_proto::number_text::{has_ties, read_numbers};
use lastnim_proto::pb;
use lastnim_report::words::{enum_word, join_items};

/// The maximum length of a field, in characters.
const MAX_CHARS: usize = 20_000;

/// A position as it was typed, possibly invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PositionInput {
    /// The counters of each pile.
    pub piles: String,
    /// What each seat wants, such as `1>3>2; 2>3>1; 3>2>1`; empty for the standard rows.
    pub rows: String,
    /// The number of seats, if rows are standard.
    pub seats: String,
    /// The seat that moves first.
    pub first: String,
    /// The ending.
    pub ending: String,
    /// How many times the seats may pass in all, as typed; empty if they may not pass.
    pub passes: String,
    /// The seats of one of two alliances; empty without alliances.
    pub alliance: String,
    /// The seats that move at random; empty if none does.
    pub random: String,
}

/// The question about a typed position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParsedQuestion {
    /// A game of Last Nim with strict rows.
    Game(Game),
    /// A variant.
    Variant(VariantGame),
}

impl Default for PositionInput {
    /// Returns the initial content of the form.
    fn default() -> Self {
        let ending = Ending::default().to_string();
        Self {
            piles: "3 4 5".into(),
            rows: String::new(),
            seats: "3".into(),
            first: "1".into(),
            ending,
            passes: String::new(),
            alliance: String::new(),
            random: String::new(),
        }
    }
}

impl PositionInput {
    /// Writes a position as a person would type it.
    pub(super) fn of_game(game: &pb::Game) -> Self {
        let rows = game.alliance_matrix.as_ref().map(|matrix| wants_text(&matrix.rows)).unwrap_or_default();
        Self {
            piles: join_items(&game.piles, " "),
            rows,
            first: (game.first + 1).to_string(),
            ending: enum_word(game.ending().as_str_name(), "ENDING_"),
            ..Self::default()
        }
    }

    /// Returns whether passes, an alliance or random seats are given.
    pub(super) fn is_variant(&self) -> bool {
        [&self.passes, &self.alliance, &self.random].iter().any(|text| !text.trim().is_empty())
    }

    fn fields_mut(&mut self) -> [(&'static str, &mut String); 8] {
        let Self { piles, rows, seats, first, ending, passes, alliance, random } = self;
        [
            ("piles", piles),
            ("rows", rows),
            ("seats", seats),
            ("first", first),
            ("ending", ending),
            ("passes", passes),
            ("alliance", alliance),
            ("random", random),
        ]
    }

    /// Parses the position.
    ///
    /// # Errors
    /// Names the first invalid value, and what is expected.
    pub(super) fn read(&self) -> Result<Game, String> {
        let (piles, matrix) = (read_partly_emptied_piles(&self.piles)?, self.read_matrix()?);
        let first = self.read_first(matrix.seats())?;
        Game::new(piles, matrix, first, self.read_ending()?).map_err(|error| error.to_string())
    }

    /// Parses the position and the question about it: a variant if ties, passes, an alliance or random seats are given.
    ///
    /// # Errors
    /// Names the first invalid value, and what is expected; or two values that exclude each other.
    pub(super) fn read_question(&self) -> Result<ParsedQuestion, String> {
        let Some(variant) = self.read_variant()? else { return self.read().map(ParsedQuestion::Game) };
        let first = self.read_first(variant.seats())?;
        let game =
            VariantGame::new(read_partly_emptied_piles(&self.piles)?, variant, first, self.read_ending()?);
        game.map(ParsedQuestion::Variant).map_err(|error| error.to_string())
    }

    fn read_variant(&self) -> Result<Option<Variant>, String> {
        let [passes, alliance, random] = [&self.passes, &self.alliance, &self.random].map(|text| text.trim());
        let given = [("passes", passes), ("alliance", alliance), ("random", random)];
        let mut given = given.into_iter().filter(|(_, text)| !text.is_empty());
        if let (Some((one, _)), Some((other, text))) = (given.next(), given.next()) {
            return Err(format!("{other} {text:?}: leave it empty, as {one} has a value"));
        }
        if !passes.is_empty() {
            let passes = passes.parse::<PassCount>().map_err(|error| format!("passes: {error}"))?;
            return Ok(Some(Variant::Passes(self.read_matrix()?, passes)));
        }
        if !random.is_empty() {
            let matrix = self.read_matrix()?;
            let random = parse_seat_list(&read_seats(random, "random", matrix.seats())?, matrix.seats());
            return Ok(Some(Variant::RandomSeats(
                matrix,
                random.map_err(|error| format!("random: {error}"))?,
            )));
        }
        if !alliance.is_empty() {
            if !self.rows.trim().is_empty() {
                return Err(format!("wants {:?}: leave them empty if alliances are given", self.rows));
            }
            let seats = self.read_seat_count()?;
            let alliances = Alliances::parse(&read_seats(alliance, "alliance", seats)?, seats);
            return alliances
                .map(|it| Some(Variant::Alliances(it)))
                .map_err(|error| format!("alliance: {error}"));
        }
        if !has_ties(&self.rows) {
            return Ok(None);
        }
        let rows = read_tied_wants(&self.rows)?;
        TiedMatrix::parse(&rows).map(|matrix| Some(Variant::Ties(matrix))).map_err(|error| error.to_string())
    }

    fn read_seat_count(&self) -> Result<SeatCount, String> {
        let seats = self.seats.trim().parse();
        let seats = seats.map_err(|_| format!("seats {:?}: expected 2 to 32", self.seats))?;
        SeatCount::new(seats).map_err(|error| error.to_string())
    }

    fn read_matrix(&self) -> Result<AllianceMatrix, String> {
        if self.rows.trim().is_empty() {
            return self.read_seat_count().map(AllianceMatrix::standard);
        }
        AllianceMatrix::parse(&read_wants(&self.rows, None)?).map_err(|error| error.to_string())
    }

    fn read_first(&self, seats: SeatCount) -> Result<usize, String> {
        let number =
            self.first.trim().parse::<usize>().ok().filter(|number| (1..=seats.get()).contains(number));
        let number = number.ok_or_else(|| format!("first seat {:?}: expected 1 to {seats}", self.first))?;
        Ok(number - 1)
    }

    fn read_ending(&self) -> Result<Ending, String> {
        self.ending.parse().map_err(|error| format!("{error}"))
    }
}

impl QueryPart for PositionInput {
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

/// Parses a list of seats, and returns them counted from 0.
fn read_seats(text: &str, field: &str, seats: SeatCount) -> Result<Vec<u64>, String> {
    let index = |number: u64| {
        let index = number.checked_sub(1).filter(|&index| index < seats.get() as u64);
        index.ok_or_else(|| format!("{field}: seat {number}: expected 1 to {seats}"))
    };
    read_numbers(text, field)?.into_iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed_query(query: &str) -> PositionInput {
        QueryPart::read(&FormFields::parse(query.as_bytes()).unwrap(), "").unwrap()
    }

    #[test]
    fn positions_round_trip() {
        let typed = typed_query("piles=1+4+0&rows=2+1%3B2+1&first=2&ending=last_mover_wins");
        let game = typed.read().unwrap();
        assert_eq!(PositionInput::of_game(&(&game).into()).read().unwrap(), game);
    }

    #[test]
    fn typed_positions_are_parsed() {
        let read = |query| typed_query(query).read();
        let usual = read("").unwrap();
        assert_eq!((usual.piles.as_slice(), usual.matrix.seats().get()), (&[3, 4, 5][..], 3));
        let given = read("piles=1%2C2+0&rows=1+2%3B1+2&first=2&ending=last_mover_wins").unwrap();
        assert_eq!((given.piles.as_slice(), given.first_seat().index()), (&[1, 2][..], 1));
        assert_eq!(given.ending, Ending::LastMoverWins);
        let ordered = typed_query("piles=1+2&rows=1%3E3%3E2%3B3%3E1%3E2%3B+3%3E2+%3E1");
        assert_eq!(ordered.read().unwrap().matrix.to_string(), "0 2 1; 1 2 0; 0 2 1");
        for (query, why) in [
            ("piles=x", "piles: \"x\" is not a whole number"),
            ("piles=", "pile"),
            ("seats=1", "seat"),
            ("seats=x", "seats \"x\": expected 2 to 32"),
            ("first=0", "first seat \"0\": expected 1 to 3"),
            ("first=4", "first seat \"4\": expected 1 to 3"),
            ("first=a", "first seat \"a\": expected 1 to 3"),
            ("rows=1%3E3%3B2%3E1", "what seat 1 wants: \"3\" is not a seat: expected 1 to 2"),
            ("rows=1%3E2%3B2%3E2", "what seat 2 wants: seat 2 appears twice"),
            ("piles=3+0+1", "pile 2 has 0 counters"),
            ("ending=never", "ending \"never\""),
            ("piles=9223372036854775808", "9223372036854775808"),
        ] {
            let refusal = read(query).unwrap_err();
            assert!(refusal.contains(why), "{query}: {refusal:?} without {why:?}");
        }
        let long = format!("piles={}", "1+".repeat(100_000));
        assert!(typed_query(&long).piles.len() <= MAX_CHARS);
    }

    #[test]
    fn typed_variants_are_parsed() {
        let read = |query: &str| match typed_query(query).read_question() {
            Ok(ParsedQuestion::Variant(game)) => Ok(game.variant().clone()),
            Ok(ParsedQuestion::Game(game)) => panic!("{game:?}"),
            Err(error) => Err(error),
        };
        let ties = |query| match read(query) {
            Ok(Variant::Ties(matrix)) => matrix.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(ties("rows=1%3E2%3D3;2%3E3%3E1;2%3D3%3E1"), "0 1=2; 0 1 2; 2=0 1");
        assert!(matches!(read("passes=2"), Ok(Variant::Passes(_, passes)) if passes.get() == 2));
        assert!(matches!(read("alliance=1+3&seats=4"), Ok(Variant::Alliances(_))));
        assert!(matches!(read("random=1"), Ok(Variant::RandomSeats(..))));
        assert!(matches!(typed_query("").read_question(), Ok(ParsedQuestion::Game(_))));
        for (query, why) in [
            ("passes=x", "passes: \"x\" is not a number of passes: expected 0 to 1000"),
            ("passes=2&random=1", "random \"1\": leave it empty, as passes has a value"),
            ("alliance=1&rows=1+2;2+1", "wants \"1 2;2 1\": leave them empty if alliances are given"),
            ("alliance=1+2+3", "alliance: all 3 seats are in one alliance"),
            ("random=4", "random: seat 4: expected 1 to 3"),
            ("random=0", "random: seat 0: expected 1 to 3"),
            ("random=a", "random: \"a\" is not a whole number"),
            ("passes=1&rows=1+2%3D3;2+3+1;3+1+2", "what seat 1 wants: two winners are tied"),
            ("rows=1%3D1+2;2+3+1;3+1+2", "what seat 1 wants: seat 1 appears twice"),
            ("alliance=1&first=4", "first seat \"4\": expected 1 to 3"),
            ("random=1&piles=100001", "100001 counters in total"),
        ] {
            let refusal = read(query).unwrap_err();
            assert!(refusal.contains(why), "{query}: {refusal:?} without {why:?}");
        }
    }

    proptest! {
        #[test]
        fn typed_values_round_trip(piles in ".{0,20}", rows in ".{0,20}") {
            let typed = PositionInput { piles, rows, ..PositionInput::default() };
            let mut query = Serializer::new(String::new());
            typed.write("", &mut query);
            prop_assert_eq!(typed_query(&query.finish()), typed);
        }

        #[test]
        fn no_query_causes_a_panic(query in "[a-z%=&+0-9é]{0,60}") {
            let _ = typed_query(&query).read_question();
        }
    }
}
